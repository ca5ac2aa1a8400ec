/* Prints docs/isa.md, the table of instructions, from isa.def; the test core.isa_page compares the
 * committed page with it. */
#include "core/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    const char *name, *pipe, *form, *cost;
    uint64_t dtypes;
} row;

static const row rows[] = {
#define SA_T(dtype) | (uint64_t)1 << SA_##dtype
#define SA_INSTR(name, pipe, form, dtypes, cost) {#name, #pipe, #form, #cost, 0 dtypes},
#include "core/isa.def"
#undef SA_INSTR
#undef SA_T
};

/* Operands by form: what is read and written, where. */
static const char *const operands[][2] = {
    {"BINARY", "UB, UB → UB"},
    {"UNARY", "UB → UB"},
    {"SCALAR", "UB, scalar → UB"},
    {"WIDE_BINARY", "float16 UB, UB → float32 UB, added"},
    {"WIDE_SCALAR", "float16 UB, scalar → float32 UB, added"},
    {"FILL", "scalar → UB"},
    {"COMPARE", "UB, UB → mask in UB"},
    {"COMPARES", "UB, scalar → mask in UB"},
    {"SELECT", "mask, UB, UB → UB"},
    {"SELECTS", "mask, UB, scalar → UB"},
    {"CAST", "UB → UB, any pair of the dtypes"},
    {"GATHER", "offsets, UB → UB"},
    {"TRANSPOSE", "UB → UB"},
    {"REDUCE", "UB → one element in UB"},
    {"ARG", "UB → one uint32 in UB"},
    {"COPY_IN", "GM → UB"},
    {"COPY_OUT", "UB → GM"},
    {"COPY_UB", "UB → UB"},
    {"COPY_L1", "GM → L1"},
    {"ND2NZ", "GM → L1, row-major to NZ"},
    {"LOAD_L0", "L1 → L0A or L0B"},
    {"FIXPIPE", "L0C → GM"},
    {"MMAD", "L0A, L0B → L0C"},
};

/* Of instructions with operands of their own; those not here go UB → UB. */
static const char *const own[][2] = {
    {"copy_in_pad", "GM → UB, rows with padding"},
    {"copy_l1_out", "L1 → GM"},
    {"copy_ub_l1", "UB → L1 (coupled chips)"},
    {"copy_l1_ub", "L1 → UB (coupled chips)"},
    {"copy_bt", "L1 → BT"},
    {"copy_l0c_ub", "L0C → UB (coupled chips)"},
    {"fill_l1", "scalar → L1"},
    {"nd2nz_ext", "GM → L1, row-major to NZ"},
    {"load_2d", "L1 → L0A or L0B, by fractals"},
    {"load_2d_gm", "GM → L0A or L0B, by fractals"},
    {"load_transposed", "L1 → L0A or L0B, squares transposed"},
    {"load_3d", "L1 → L0A or L0B, img2col"},
    {"fixpipe_ext", "L0C → GM or L1"},
    {"mmad_bias", "L0A, L0B, BT → L0C"},
    {"gather_mask", "UB → UB, a count to the scalar pipe"},
    {"merge4", "four runs in UB → UB"},
    {"transpose_blocks", "16 blocks in UB → 16 blocks in UB"},
    {"cmp_mask", "UB → compare register, or back"},
};

static const char *own_operands_of(const char *name)
{
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i][0], name) == 0)
            return own[i][1];
    return "UB → UB";
}

static const char *operands_of(const char *name, const char *form)
{
    if (strcmp(form, "OWN") == 0)
        return own_operands_of(name);
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        if (strcmp(operands[i][0], form) == 0)
            return operands[i][1];
    fprintf(stderr, "isa_page: form %s is not described\n", form);
    exit(1);
}

int main(void)
{
    printf(
        "# Instructions\n\n"
        "Generated from `src/core/isa.def`; do not edit. Build the target `isa_page` and run\n"
        "`build/bin/isa_page > docs/isa.md` to renew it. What each does is said at its\n"
        "declaration in `include/softascend/{core,vector,cube}.h`; what a cost class costs is in\n"
        "the chip files (`vector_*_cycles` and the paths' rates).\n\n"
        "| instruction | pipe | operands | dtypes | cost class |\n"
        "|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        bool move = strncmp(r->form, "COPY", 4) == 0 ||
                    (!strcmp(r->form, "OWN") && r->dtypes == (uint64_t)1 << SA_U8);
        printf("| `sa_%s` | %s | %s | ", r->name, r->pipe, operands_of(r->name, r->form));
        if (move)
            printf("bytes");
        const char *comma = "";
        for (int t = 0; !move && t < SA_DTYPE_END; t++)
            if (r->dtypes >> t & 1) {
                printf("%s%s", comma, sa_dtype_name((sa_dtype)t));
                comma = ", ";
            }
        printf(" | %s |\n", r->cost);
    }
    printf(
        "\nElementwise instructions, comparisons, selections and casts have a repeat form,\n"
        "`sa_<name>_repeat`, with masks and strides. Besides these: `sa_set_flag`,\n"
        "`sa_wait_flag`, `sa_barrier`, `sa_sync_all`, `sa_sync_kind`, `sa_cross_set`,\n"
        "`sa_cross_wait`, `sa_ib_set`, `sa_ib_wait` (order), `sa_get`, `sa_set` (scalar pipe,\n"
        "single elements), `sa_set_atomic` (moves to GM combine), `sa_local`, `sa_alloc` (local\n"
        "memories).\n");
    return 0;
}
