/* Feeds the trace reader and the replay arbitrary bytes: each file must give timings that are
 * sound, or a message with the file and an offset (a replay that would hang: with the kernel). */
#include "timing/replay.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* The table alone: issue.c, where it lives, would bring the whole core along. */
const sa_instr_info *sa_instr_describe(sa_instr instr)
{
    static const sa_instr_info infos[SA_EVENTS] = {
#define SA_T(dtype)
#define SA_INSTR(name, pipe, form, dtypes, cost)                                                   \
    [SA_I_##name] = {#name, #form, SA_PIPE_##pipe, SA_COST_##cost, 0},
#include "core/isa.def"
#undef SA_INSTR
#undef SA_T
        [SA_I_set_flag] = {"set_flag", "", SA_PIPE_S, SA_COST_FLAG, 0},
        [SA_I_wait_flag] = {"wait_flag", "", SA_PIPE_S, SA_COST_FLAG, 0},
        [SA_I_sync_kind] = {"sync_kind", "", SA_PIPE_S, SA_COST_FLAG, 0},
        [SA_I_cross_set] = {"cross_set", "", SA_PIPE_S, SA_COST_FLAG, 0},
        [SA_I_cross_wait] = {"cross_wait", "", SA_PIPE_S, SA_COST_FLAG, 0},
        [SA_I_ib_set] = {"ib_set", "", SA_PIPE_S, SA_COST_FLAG, 0},
        [SA_I_ib_wait] = {"ib_wait", "", SA_PIPE_S, SA_COST_FLAG, 0},
        [SA_I_barrier] = {"barrier", "", SA_PIPE_S, SA_COST_FLAG, 0},
        [SA_I_sync_all] = {"sync_all", "", SA_PIPE_S, SA_COST_FLAG, 0},
        [SA_I_get] = {"get", "", SA_PIPE_S, SA_COST_SCALAR, 0},
        [SA_I_set] = {"set", "", SA_PIPE_S, SA_COST_SCALAR, 0},
    };
    return &infos[instr];
}

static const sa_chip chip = {
    .name = "Fuzz",
    .split = 1,
    .ai_cores = 2,
    .vector_cores_per_ai_core = 2,
    .frequency_ghz = 1,
    .l2_bytes = 1 << 16,
    .hbm_bytes_per_second = 1e11,
    .hbm_bytes_per_cycle = 32,
    .l2_read_bytes_per_cycle = 110,
    .l2_write_bytes_per_cycle = 86,
    .l1_l0a_bytes_per_cycle = 256,
    .l1_l0b_bytes_per_cycle = 128,
    .l0c_out_bytes_per_cycle = 128,
    .ub_gm_bytes_per_cycle = 64,
    .cube_f16_macs_per_cycle = 4096,
    .cube_f32_macs_per_cycle = 1024,
    .cube_i8_macs_per_cycle = 8192,
    .vector_repeat_bytes = 256,
    .vector_start_cycles = 12,
    .vector_simple_cycles = 1,
    .vector_exp_cycles = 2,
    .vector_div_cycles = 4,
    .vector_reduce_cycles = 6,
    .move_start_cycles = 57,
    .cube_start_cycles = 16,
    .flag_cycles = 1,
    .scalar_cycles = 1,
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    sa_trace_file *file;
    sa_clear_message();
    sa_status status = sa_trace_open_bytes("fuzz.trace", bytes, count, &file);
    bool more = status == SA_OK;
    while (more) {
        sa_trace_launch launch;
        status = sa_trace_next(file, &launch, &more);
        if (!more) {
            break;
        }
        sa_timing timing;
        if (sa_replay(&launch, &chip, &timing) == SA_OK) {
            if (!(timing.cycles >= 0) || !(timing.cube_peak_share >= 0)) {
                abort();
            }
        } else if (!strstr(sa_last_message(), "would hang")) {
            abort();
        }
        sa_trace_launch_free(&launch);
    }
    if (status != SA_OK && strncmp(sa_last_message(), "fuzz.trace: ", 12)) {
        abort();
    }
    sa_trace_close(file);
    return 0;
}
