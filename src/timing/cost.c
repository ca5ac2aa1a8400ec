/* Costs of instructions (cost.h): a start, and so much a repeat, fractal or byte. */
#include "timing/cost.h"

/* A high-level instruction is the sequence that a kernel would write with simple ones, each waiting
 * for the one before:
 *   sigmoid  muls -1, exp, adds 1, div                       1 / (1 + e^-x)
 *   tanh     mins, maxs, muls 2, exp, adds -1, adds 1, div   (e^2x - 1) / (e^2x + 1) */
typedef struct sequence {
    uint32_t simple, exp, div;
} sequence;

static sequence high_sequence(sa_instr instr)
{
    return instr == SA_I_sigmoid ? (sequence){2, 1, 1} : (sequence){5, 1, 1};
}

static double repeats(const sa_chip *chip, const sa_trace_event *e)
{
    uint64_t size = sa_dtype_bytes(e->dtype), from = sa_dtype_bytes(e->dtype_from);
    size = from > size ? from : size;
    uint64_t a_repeat = chip->vector_repeat_bytes / (size ? size : 1);
    uint64_t repeats = e->work / a_repeat + (e->work % a_repeat != 0);
    return (double)repeats;
}

double sa_cost_cube_rate(const sa_chip *chip, sa_dtype dtype)
{
    switch (sa_dtype_bytes(dtype)) {
    case 1:
        return chip->cube_i8_macs_per_cycle;
    case 4:
        return chip->cube_f32_macs_per_cycle;
    default:
        return chip->cube_f16_macs_per_cycle;
    }
}

static double written_bytes(const sa_trace_block *block, const sa_trace_event *e)
{
    double bytes = 0;
    for (int i = 0; i < e->accesses; i++) {
        const sa_trace_access *a = &block->access[e->first_access + (size_t)i];
        bytes += a->write ? (double)a->rows * a->row_bytes : 0;
    }
    return bytes;
}

sa_cost_cycles sa_cost_local(const sa_chip *chip, const sa_trace_block *block,
                             const sa_trace_event *e)
{
    const double start = chip->vector_start_cycles;
    switch (sa_instr_describe(e->instr)->cost) {
    case SA_COST_SIMPLE:
        return (sa_cost_cycles){repeats(chip, e) * chip->vector_simple_cycles, start};
    case SA_COST_EXP:
        return (sa_cost_cycles){repeats(chip, e) * chip->vector_exp_cycles, start};
    case SA_COST_DIV:
        return (sa_cost_cycles){repeats(chip, e) * chip->vector_div_cycles, start};
    case SA_COST_REDUCE:
        return (sa_cost_cycles){repeats(chip, e) * chip->vector_reduce_cycles, start};
    case SA_COST_HIGH: {
        sequence s = high_sequence(e->instr);
        double a_repeat = s.simple * chip->vector_simple_cycles + s.exp * chip->vector_exp_cycles +
                          s.div * chip->vector_div_cycles;
        double starts = s.simple + s.exp + s.div - 1; /* the last one's is the latency */
        return (sa_cost_cycles){repeats(chip, e) * a_repeat + starts * start, start};
    }
    case SA_COST_LOAD_L0A:
        return (sa_cost_cycles){written_bytes(block, e) / chip->l1_l0a_bytes_per_cycle,
                                chip->cube_start_cycles};
    case SA_COST_LOAD_L0B:
        return (sa_cost_cycles){written_bytes(block, e) / chip->l1_l0b_bytes_per_cycle,
                                chip->cube_start_cycles};
    case SA_COST_CUBE:
        return (sa_cost_cycles){(double)e->work / sa_cost_cube_rate(chip, e->dtype),
                                chip->cube_start_cycles};
    default:
        return (sa_cost_cycles){chip->scalar_cycles, 0};
    }
}

double sa_cost_move_rate(const sa_chip *chip, const sa_trace_event *e)
{
    return e->pipe == SA_PIPE_FIX    ? chip->l0c_out_bytes_per_cycle
           : e->pipe == SA_PIPE_MTE3 ? chip->ub_gm_bytes_per_cycle
                                     : 0;
}
