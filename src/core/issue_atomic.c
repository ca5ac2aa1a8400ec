/* GM atomics: while one is set, moves to GM combine element by element with what is there, each
 * with a compare and swap, so that several cores may add into the same place. */
#include "core/isa/body.h"
#include "core/issue.h"

#include <stdlib.h>

void sa_set_atomic(sa_core *core, sa_atomic op, sa_dtype dtype)
{
    const void *pc = __builtin_return_address(0);
    bool known = dtype == SA_F32 || dtype == SA_F16 || dtype == SA_BF16 || dtype == SA_I8 ||
                 dtype == SA_I16 || dtype == SA_I32;
    if ((unsigned)op > SA_ATOMIC_MIN || (op != SA_ATOMIC_NONE && !known))
        sa_core_fault(core, pc, sa_core_exception(core),
                      "set_atomic: operation %d on %s: takes add, max, min on float32, float16, "
                      "bfloat16, int8, int16, int32",
                      (int)op, sa_dtype_name(dtype));
    core->atomic = op;
    core->atomic_dtype = dtype;
}

/* storage_D as bits of the same size, for the swap */
#define COMBINE(D, bits)                                                                           \
    static void combine_##D(sa_atomic op, void *gm, const void *from, size_t n)                    \
    {                                                                                              \
        uint##bits##_t *at = gm;                                                                   \
        const storage_##D *in = from;                                                              \
        for (size_t i = 0; i < n; i++, at++) {                                                     \
            const compute_##D b = load_##D(in[i]);                                                 \
            uint##bits##_t old = __atomic_load_n(at, __ATOMIC_RELAXED), new;                       \
            do {                                                                                   \
                storage_##D was, is;                                                               \
                memcpy(&was, &old, sizeof was);                                                    \
                const compute_##D a = load_##D(was);                                               \
                is = store_##D((op == SA_ATOMIC_ADD   ? (compute_##D)SUM(a, b)                     \
                                : op == SA_ATOMIC_MAX ? MAX_OF(a, b)                               \
                                                      : MIN_OF(a, b)));                            \
                memcpy(&new, &is, sizeof new);                                                     \
            } while (!__atomic_compare_exchange_n(at, &old, new, true, __ATOMIC_RELAXED,           \
                                                  __ATOMIC_RELAXED));                              \
        }                                                                                          \
    }
#define SUM(a, b) ((a) + (b))
COMBINE(F32, 32)
COMBINE(F16, 16)
COMBINE(BF16, 16)
#undef SUM
#define SUM(a, b) ((uint64_t)(a) + (uint64_t)(b)) /* wraps */
COMBINE(I8, 8)
COMBINE(I16, 16)
COMBINE(I32, 32)
#undef SUM

void sa_atomic_combine(const sa_issue *issue, sa_dtype dtype, void *gm, const void *from, size_t n)
{
    const sa_atomic op = issue->core->atomic;
    if ((uintptr_t)gm % sa_dtype_bytes(dtype))
        sa_issue_refuse(issue, "atomic on GM at %p, which is not aligned to %s", gm,
                        sa_dtype_name(dtype));
    switch (dtype) {
#define CASE(D)                                                                                    \
    case SA_##D:                                                                                   \
        combine_##D(op, gm, from, n);                                                              \
        break;
        CASE(F32)
        CASE(F16)
        CASE(BF16)
        CASE(I8)
        CASE(I16)
        CASE(I32)
    default:
        sa_issue_refuse(issue, "atomic on %s", sa_dtype_name(dtype));
    }
}

void sa_atomic_rows(sa_core *core, const void *pc, sa_instr instr, sa_memory from, void *gm,
                    int64_t gm_pitch, const void *local, uint32_t local_pitch, uint32_t rows,
                    uint32_t row_bytes)
{
    if (!rows || !row_bytes)
        return;
    sa_issue issue = sa_issue_begin(core, pc, instr, SA_U8);
    const sa_dtype dtype = core->atomic_dtype;
    const uint32_t size = (uint32_t)sa_dtype_bytes(dtype);
    if (row_bytes % size)
        sa_issue_refuse(&issue, "atomic on rows of %u bytes, which are no whole %s", row_bytes,
                        sa_dtype_name(dtype));
    issue.event.atomic = true;
    const uint8_t *in = READS(from, local, rows, row_bytes, local_pitch);
    uint8_t *to = WRITES(SA_GM, gm, rows, row_bytes, gm_pitch);
    sa_issue_show(&issue, (uint64_t)rows * row_bytes);
    for (uint32_t r = 0; r < rows; r++)
        sa_atomic_combine(&issue, dtype, to + r * gm_pitch, in + (uint64_t)r * local_pitch,
                          row_bytes / size);
}

void sa_atomic_fixpipe(sa_core *core, const void *pc, sa_dtype dtype, void *gm, int64_t gm_pitch,
                       const void *l0c, uint32_t m, uint32_t n)
{
    if (!m || !n)
        return;
    sa_issue issue = sa_issue_begin(core, pc, SA_I_fixpipe, dtype);
    const int64_t size = (int64_t)sa_dtype_bytes(dtype);
    issue.event.dtype_from = dtype == SA_I32 ? SA_I32 : SA_F32;
    issue.event.atomic = true;
    l0c = READS(SA_L0C, l0c, 1, UP(m, 16) * UP(n, 16) * 4, 0);
    uint8_t *to = WRITES(SA_GM, gm, m, (uint64_t)n * size, gm_pitch * size);
    sa_issue_show(&issue, (uint64_t)m * n);
    uint8_t *out = malloc((size_t)m * n * size);
    if (!out)
        sa_issue_refuse(&issue, "no host memory for [%u, %u]", m, n);
    core->isa->fixpipe[dtype](out, n, l0c, m, n);
    bool aligned = (uintptr_t)to % size == 0;
    for (uint32_t r = 0; r < m && aligned; r++)
        sa_atomic_combine(&issue, dtype, to + r * gm_pitch * size, out + (size_t)r * n * size, n);
    free(out);
    if (!aligned)
        sa_issue_refuse(&issue, "atomic on GM at %p, which is not aligned to %s", (void *)to,
                        sa_dtype_name(dtype));
}
