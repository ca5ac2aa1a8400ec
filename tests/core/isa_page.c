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

static const char *operands_of(const char *form)
{
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        if (strcmp(operands[i][0], form) == 0)
            return operands[i][1];
    fprintf(stderr, "isa_page: form %s is not described\n", form);
    exit(1);
}

int main(void)
{
    printf("# Instructions\n\n"
           "Generated from `src/core/isa.def`; do not edit. Build the target `isa_page` and run\n"
           "`build/bin/isa_page > docs/isa.md` to renew it. What each does is said at its\n"
           "declaration in `include/softascend/core.h`; what a cost class costs is in the chip\n"
           "files (`vector_*_cycles` and the paths' rates).\n\n"
           "| instruction | pipe | operands | dtypes | cost class |\n"
           "|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        bool move = strncmp(r->form, "COPY", 4) == 0;
        printf("| `sa_%s` | %s | %s | ", r->name, r->pipe, operands_of(r->form));
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
    printf("\nBesides these: `sa_set_flag`, `sa_wait_flag`, `sa_barrier`, `sa_sync_all` (order), "
           "`sa_get`,\n"
           "`sa_set` (scalar pipe, single elements), `sa_local`, `sa_alloc` (local memories).\n");
    return 0;
}
