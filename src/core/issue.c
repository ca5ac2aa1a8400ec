/* Issue: the instructions of softascend/core.h, generated from isa.def. Each checks its dtype and
 * the range of its local operands, shows itself to whatever watches, and calls its body.
 *
 * A form (FORM_*) lists the operands once, as OP(memory, writes, pointer, rows, row_bytes, pitch);
 * the list is expanded twice: to check and to describe to an observer. */
#include "core/issue.h"
#include "core/ahead.h"

#include <stdarg.h>
#include <stdio.h>

static const uint8_t element_bytes[SA_DTYPE_END] = {
    [SA_F32] = 4, [SA_F16] = 2,  [SA_I8] = 1,   [SA_I32] = 4, [SA_U8] = 1,
    [SA_I16] = 2, [SA_U16] = 2,  [SA_U32] = 4,  [SA_I64] = 8, [SA_U64] = 8,
    [SA_F64] = 8, [SA_BOOL] = 1, [SA_BF16] = 2,
};

static const sa_instr_info infos[SA_EVENTS] = {
#define SA_T(dtype) | (uint64_t)1 << SA_##dtype
#define SA_INSTR(name, pipe, form, dtypes, cost)                                                   \
    [SA_I_##name] = {#name, #form, SA_PIPE_##pipe, SA_COST_##cost, 0 dtypes},
#include "core/isa.def"
#undef SA_INSTR
#undef SA_T
    [SA_I_set_flag] = {"set_flag", "FLAG", SA_PIPE_S, SA_COST_FLAG, 0},
    [SA_I_wait_flag] = {"wait_flag", "FLAG", SA_PIPE_S, SA_COST_FLAG, 0},
    [SA_I_barrier] = {"barrier", "BARRIER", SA_PIPE_S, SA_COST_FLAG, 0},
    [SA_I_sync_all] = {"sync_all", "BARRIER", SA_PIPE_S, SA_COST_FLAG, 0},
    [SA_I_get] = {"get", "SCALAR", SA_PIPE_S, SA_COST_SCALAR, 0},
    [SA_I_set] = {"set", "SCALAR", SA_PIPE_S, SA_COST_SCALAR, 0},
    [SA_I_sync_kind] = {"sync_kind", "BARRIER", SA_PIPE_S, SA_COST_FLAG, 0},
    [SA_I_cross_set] = {"cross_set", "FLAG", SA_PIPE_S, SA_COST_FLAG, 0},
    [SA_I_cross_wait] = {"cross_wait", "FLAG", SA_PIPE_S, SA_COST_FLAG, 0},
    [SA_I_ib_set] = {"ib_set", "FLAG", SA_PIPE_S, SA_COST_FLAG, 0},
    [SA_I_ib_wait] = {"ib_wait", "FLAG", SA_PIPE_S, SA_COST_FLAG, 0},
};

const sa_instr_info *sa_instr_describe(sa_instr instr)
{
    return (unsigned)instr < SA_EVENTS ? &infos[instr] : NULL;
}

/* ---- instructions with operands of their own */

sa_issue sa_issue_begin(sa_core *core, const void *pc, sa_instr instr, sa_dtype dtype)
{
    if ((unsigned)dtype >= SA_DTYPE_END || !(infos[instr].dtypes >> dtype & 1))
        sa_issue_no_body(core, pc, instr, dtype);
    if (core->coupled && (dtype == SA_BF16 || infos[instr].pipe == SA_PIPE_FIX))
        sa_issue_no_body(core, pc, instr, dtype);
    return (sa_issue){.core = core,
                      .event = {.instr = instr,
                                .pipe = infos[instr].pipe,
                                .dtype = dtype,
                                .dtype_from = dtype,
                                .pc = pc}};
}

void *sa_issue_operand(sa_issue *issue, sa_memory memory, bool write, const void *pointer,
                       uint64_t rows, uint64_t row_bytes, int64_t pitch_bytes)
{
    sa_event *e = &issue->event;
    if (!rows || !row_bytes)
        return (void *)pointer;
    void *p = sa_issue_in_range(issue->core, e->pc, e->instr, memory, write, pointer,
                                sa_issue_extent(rows, row_bytes, pitch_bytes));
    if (e->accesses < SA_EVENT_ACCESSES)
        e->access[e->accesses++] = (sa_access){
            memory, write, (uintptr_t)p, (uint32_t)rows, (uint32_t)row_bytes, pitch_bytes};
    return p;
}

void sa_issue_show(sa_issue *issue, uint64_t work)
{
    sa_core *core = issue->core;
    if (LIKELY(sa_core_quiet(core)))
        return;
    sa_core_attend(core, issue->event.pc);
    issue->event.work = work;
    if (core->observer)
        core->observer->issue(core->observer_block, core, &issue->event);
}

void sa_issue_refuse(const sa_issue *issue, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sa_core_fault(issue->core, issue->event.pc, sa_core_exception(issue->core), "%s: %s",
                  infos[issue->event.instr].name, text);
}

/* ---- operands of the common forms */

#define OP_CHECK(memory, writes, pointer, rows, row_bytes, pitch)                                  \
    pointer = sa_issue_in_range(core, pc, instr, SA_##memory, writes, pointer,                     \
                                sa_issue_extent(rows, row_bytes, pitch));
#define OP_EVENT(memory, writes, pointer, rows, row_bytes, pitch)                                  \
    if ((row_bytes) != 0)                                                                          \
        event.access[event.accesses++] =                                                           \
            (sa_access){SA_##memory,           writes, (uintptr_t)(pointer), (uint32_t)(rows),     \
                        (uint32_t)(row_bytes), pitch};
#define R false
#define W true

/* What all issue functions do around their body. `size` is of one element; WORK elements. */
#define ISSUE(name, PIPE, DTYPE, DTYPE_FROM, WORK, OPERANDS, SLOT, ...)                            \
    ISSUE_BY(name, PIPE, DTYPE, DTYPE_FROM, WORK, OPERANDS, SLOT, core->isa->SLOT(__VA_ARGS__))
/* The same with the call spelled out. */
#define ISSUE_BY(name, PIPE, DTYPE, DTYPE_FROM, WORK, OPERANDS, SLOT, ...)                         \
    {                                                                                              \
        const void *pc = __builtin_return_address(0);                                              \
        const sa_instr instr = SA_I_##name;                                                        \
        if (!LIKELY((unsigned)(DTYPE) < SA_DTYPE_END && core->isa->SLOT))                          \
            sa_issue_no_body(core, pc, instr, DTYPE);                                              \
        const uint64_t size = element_bytes[DTYPE];                                                \
        (void)size;                                                                                \
        OPERANDS(OP_CHECK)                                                                         \
        if (!LIKELY(sa_core_quiet(core))) {                                                        \
            sa_core_attend(core, pc);                                                              \
            if (core->observer) {                                                                  \
                sa_event event = {.instr = instr,                                                  \
                                  .pipe = SA_PIPE_##PIPE,                                          \
                                  .dtype = DTYPE,                                                  \
                                  .dtype_from = DTYPE_FROM,                                        \
                                  .work = WORK,                                                    \
                                  .pc = pc};                                                       \
                OPERANDS(OP_EVENT)                                                                 \
                core->observer->issue(core->observer_block, core, &event);                         \
            }                                                                                      \
        }                                                                                          \
        __VA_ARGS__;                                                                               \
    }

/* ---- forms: vector */

/* Some read dst too. */
#define ALSO_READS(instr)                                                                          \
    ((instr) == SA_I_axpy || (instr) == SA_I_mul_add_dst || (instr) == SA_I_fused_mul_add ||       \
     (instr) == SA_I_fused_mul_add_relu)
#define OPS_BINARY(OP)                                                                             \
    OP(UB, R, a, 1, n *size, 0)                                                                    \
    OP(UB, R, b, 1, n *size, 0)                                                                    \
    OP(UB, R, also_read, 1, ALSO_READS(instr) ? n *size : 0, 0)                                    \
    OP(UB, W, dst, 1, n *size, 0)
#define FORM_BINARY(name, pipe)                                                                    \
    void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *a, const void *b,         \
                   uint32_t n)                                                                     \
    {                                                                                              \
        const void *also_read = dst;                                                               \
        if (n)                                                                                     \
            ISSUE_BY(name, pipe, dtype, dtype, n, OPS_BINARY, name[dtype],                         \
                     sa_ahead_binary(core, core->isa->name[dtype], dst, a, b, n, size))            \
    }

#define OPS_UNARY(OP)                                                                              \
    OP(UB, R, a, 1, n *size, 0)                                                                    \
    OP(UB, W, dst, 1, n *size, 0)
#define FORM_UNARY(name, pipe)                                                                     \
    void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *a, uint32_t n)            \
    {                                                                                              \
        if (n)                                                                                     \
            ISSUE_BY(name, pipe, dtype, dtype, n, OPS_UNARY, name[dtype],                          \
                     sa_ahead_unary(core, core->isa->name[dtype], dst, a, n, size))                \
    }

#define OPS_SCALAR(OP)                                                                             \
    OP(UB, R, a, 1, n *size, 0)                                                                    \
    OP(UB, R, also_read, 1, ALSO_READS(instr) ? n *size : 0, 0)                                    \
    OP(UB, W, dst, 1, n *size, 0)
#define FORM_SCALAR(name, pipe)                                                                    \
    void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *a, double scalar,         \
                   uint32_t n)                                                                     \
    {                                                                                              \
        const void *also_read = dst;                                                               \
        if (n)                                                                                     \
            ISSUE_BY(name, pipe, dtype, dtype, n, OPS_SCALAR, name[dtype],                         \
                     sa_ahead_scalar(core, core->isa->name[dtype], dst, a, scalar, n, size))       \
    }

#define OPS_FILL(OP) OP(UB, W, dst, 1, n *size, 0)
#define FORM_FILL(name, pipe)                                                                      \
    void sa_##name(sa_core *core, sa_dtype dtype, void *dst, double value, uint32_t n)             \
    {                                                                                              \
        if (n)                                                                                     \
            ISSUE(name, pipe, dtype, dtype, n, OPS_FILL, name[dtype], dst, value, n)               \
    }

#define MASK_BYTES (((uint64_t)n + 7) / 8)
#define OPS_COMPARE(OP)                                                                            \
    OP(UB, R, a, 1, n *size, 0)                                                                    \
    OP(UB, R, b, 1, n *size, 0)                                                                    \
    OP(UB, W, mask, 1, MASK_BYTES, 0)
#define FORM_COMPARE(name, pipe)                                                                   \
    void sa_##name(sa_core *core, sa_dtype dtype, sa_cmp cmp, void *mask, const void *a,           \
                   const void *b, uint32_t n)                                                      \
    {                                                                                              \
        if (n)                                                                                     \
            ISSUE(name, pipe, dtype, dtype, n, OPS_COMPARE, name[dtype], mask, a, b, cmp, n)       \
    }

#define OPS_COMPARES(OP)                                                                           \
    OP(UB, R, a, 1, n *size, 0)                                                                    \
    OP(UB, W, mask, 1, MASK_BYTES, 0)
#define FORM_COMPARES(name, pipe)                                                                  \
    void sa_##name(sa_core *core, sa_dtype dtype, sa_cmp cmp, void *mask, const void *a,           \
                   double scalar, uint32_t n)                                                      \
    {                                                                                              \
        if (n)                                                                                     \
            ISSUE(name, pipe, dtype, dtype, n, OPS_COMPARES, name[dtype], mask, a, scalar, cmp, n) \
    }

#define OPS_SELECT(OP)                                                                             \
    OP(UB, R, mask, 1, MASK_BYTES, 0)                                                              \
    OP(UB, R, a, 1, n *size, 0)                                                                    \
    OP(UB, R, b, 1, n *size, 0)                                                                    \
    OP(UB, W, dst, 1, n *size, 0)
#define FORM_SELECT(name, pipe)                                                                    \
    void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *mask, const void *a,      \
                   const void *b, uint32_t n)                                                      \
    {                                                                                              \
        if (n)                                                                                     \
            ISSUE(name, pipe, dtype, dtype, n, OPS_SELECT, name[dtype], dst, mask, a, b, n)        \
    }

#define OPS_SELECTS(OP)                                                                            \
    OP(UB, R, mask, 1, MASK_BYTES, 0)                                                              \
    OP(UB, R, a, 1, n *size, 0)                                                                    \
    OP(UB, W, dst, 1, n *size, 0)
#define FORM_SELECTS(name, pipe)                                                                   \
    void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *mask, const void *a,      \
                   double scalar, uint32_t n)                                                      \
    {                                                                                              \
        if (n)                                                                                     \
            ISSUE(name, pipe, dtype, dtype, n, OPS_SELECTS, name[dtype], dst, mask, a, scalar, n)  \
    }

#define OPS_CAST(OP)                                                                               \
    OP(UB, R, src, 1, (uint64_t)n *element_bytes[from], 0)                                         \
    OP(UB, W, dst, 1, n *size, 0)
#define FORM_CAST(name, pipe)                                                                      \
    void sa_##name(sa_core *core, sa_dtype to, void *dst, sa_dtype from, const void *src,          \
                   sa_round round, uint32_t n)                                                     \
    {                                                                                              \
        if (!n)                                                                                    \
            return;                                                                                \
        if (!LIKELY((unsigned)from < SA_DTYPE_END && infos[SA_I_##name].dtypes >> from & 1))       \
            sa_issue_no_body(core, __builtin_return_address(0), SA_I_##name, from);                \
        ISSUE(name, pipe, to, from, n, OPS_CAST, name[to][from], dst, src, round, n)               \
    }

/* The offsets are data: what they reach is checked as a whole, from the largest. */
static uint64_t gather_extent(const uint32_t *offset_bytes, uint32_t n, uint64_t size)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = offset_bytes[i] > most ? offset_bytes[i] : most;
    return most + size;
}
#define OPS_GATHER(OP)                                                                             \
    OP(UB, R, offset_bytes, 1, (uint64_t)n * 4, 0)                                                 \
    OP(UB, R, base, 1, gather_extent(offset_bytes, n, size), 0)                                    \
    OP(UB, W, dst, 1, n *size, 0)
#define FORM_GATHER(name, pipe)                                                                    \
    void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *base,                     \
                   const void *offset_bytes, uint32_t n)                                           \
    {                                                                                              \
        if (n)                                                                                     \
            ISSUE(name, pipe, dtype, dtype, n, OPS_GATHER, name[dtype], dst, base, offset_bytes,   \
                  n)                                                                               \
    }

#define CELLS ((uint64_t)rows * cols)
#define OPS_TRANSPOSE(OP)                                                                          \
    OP(UB, R, src, 1, CELLS *size, 0)                                                              \
    OP(UB, W, dst, 1, CELLS *size, 0)
#define FORM_TRANSPOSE(name, pipe)                                                                 \
    void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,       \
                   uint32_t cols)                                                                  \
    {                                                                                              \
        if (rows && cols)                                                                          \
            ISSUE(name, pipe, dtype, dtype, CELLS, OPS_TRANSPOSE, name[dtype], dst, src, rows,     \
                  cols)                                                                            \
    }

/* ---- forms: reductions, which answer for n = 0 too */

#define OPS_REDUCE(OP)                                                                             \
    OP(UB, R, src, 1, n *size, 0)                                                                  \
    OP(UB, W, dst, 1, size, 0)
#define FORM_REDUCE(name, pipe)                                                                    \
    void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t n)          \
        ISSUE(name, pipe, dtype, dtype, n, OPS_REDUCE, name[dtype], dst, src, n)

#define OPS_ARG(OP)                                                                                \
    OP(UB, R, src, 1, n *size, 0)                                                                  \
    OP(UB, W, dst, 1, 4, 0)
#define FORM_ARG(name, pipe)                                                                       \
    void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t n)          \
        ISSUE(name, pipe, dtype, dtype, n, OPS_ARG, name[dtype], dst, src, n)

/* ---- forms: moves. The plain forms move one row. */

#define COPY_FORM(name, pipe, OPERANDS, ...)                                                       \
    void sa_##name(sa_core *core, void *dst, const void *src, uint32_t row_bytes)                  \
    {                                                                                              \
        const uint32_t rows = 1;                                                                   \
        const int64_t dst_pitch = 0, src_pitch = 0;                                                \
        if ((row_bytes) != 0)                                                                      \
            ISSUE(name, pipe, SA_U8, SA_U8, row_bytes, OPERANDS, name[SA_U8], dst, dst_pitch, src, \
                  src_pitch, rows, row_bytes)                                                      \
        __VA_ARGS__;                                                                               \
    }
#define OPS_COPY_IN(OP)                                                                            \
    OP(GM, R, src, rows, row_bytes, src_pitch)                                                     \
    OP(UB, W, dst, rows, row_bytes, dst_pitch)
#define OPS_COPY_OUT(OP)                                                                           \
    OP(UB, R, src, rows, row_bytes, src_pitch)                                                     \
    OP(GM, W, dst, rows, row_bytes, dst_pitch)
#define OPS_COPY_UB(OP)                                                                            \
    OP(UB, R, src, rows, row_bytes, src_pitch)                                                     \
    OP(UB, W, dst, rows, row_bytes, dst_pitch)
#define OPS_COPY_L1(OP)                                                                            \
    OP(GM, R, src, rows, row_bytes, src_pitch)                                                     \
    OP(L1, W, dst, rows, row_bytes, dst_pitch)
#define COPY_2D_FORM(name, pipe, OPERANDS, dst_pitch_type, src_pitch_type)                         \
    void sa_##name##_2d(sa_core *core, void *dst, dst_pitch_type dst_pitch, const void *src,       \
                        src_pitch_type src_pitch, uint32_t rows, uint32_t row_bytes)               \
    {                                                                                              \
        if (rows && row_bytes)                                                                     \
            ISSUE(name, pipe, SA_U8, SA_U8, (uint64_t)rows *row_bytes, OPERANDS, name[SA_U8], dst, \
                  dst_pitch, src, src_pitch, rows, row_bytes)                                      \
    }
#define FORM_COPY_UB(name, pipe)                                                                   \
    COPY_FORM(name, pipe, OPS_COPY_UB)                                                             \
    COPY_2D_FORM(name, pipe, OPS_COPY_UB, uint32_t, uint32_t)
#define FORM_COPY_L1(name, pipe)                                                                   \
    COPY_FORM(name, pipe, OPS_COPY_L1)                                                             \
    COPY_2D_FORM(name, pipe, OPS_COPY_L1, uint32_t, int64_t)
/* one row: the next one is noted */
#define FORM_COPY_IN(name, pipe)                                                                   \
    COPY_FORM(name, pipe, OPS_COPY_IN, sa_ahead_note(core, src, row_bytes))                        \
    COPY_2D_FORM(name, pipe, OPS_COPY_IN, uint32_t, int64_t)
/* A thread that writes more than this in a launch overruns its second-level cache: the rest goes
 * past the caches and spares them reading what it overwrites. */
#define STREAM_BYTES ((uint64_t)1 << 20)
static inline sa_body_COPY_OUT way_out(sa_core *core, uint64_t bytes)
{
    core->written += bytes;
    return core->written > STREAM_BYTES && core->isa->stream_out ? core->isa->stream_out
                                                                 : core->isa->copy_out[SA_U8];
}
/* to GM: combines there if an atomic is set */
#define FORM_COPY_OUT(name, pipe)                                                                  \
    void sa_##name(sa_core *core, void *dst, const void *src, uint32_t row_bytes)                  \
    {                                                                                              \
        const uint32_t rows = 1;                                                                   \
        const int64_t dst_pitch = 0, src_pitch = 0;                                                \
        if (!LIKELY(core->atomic == SA_ATOMIC_NONE))                                               \
            sa_atomic_rows(core, __builtin_return_address(0), SA_I_##name, SA_UB, dst, 0, src, 0,  \
                           1, row_bytes);                                                          \
        else if (row_bytes)                                                                        \
            ISSUE_BY(name, pipe, SA_U8, SA_U8, row_bytes, OPS_COPY_OUT, name[SA_U8],               \
                     way_out(core, row_bytes)(dst, dst_pitch, src, src_pitch, rows, row_bytes))    \
    }                                                                                              \
    void sa_##name##_2d(sa_core *core, void *dst, int64_t dst_pitch, const void *src,              \
                        uint32_t src_pitch, uint32_t rows, uint32_t row_bytes)                     \
    {                                                                                              \
        if (!LIKELY(core->atomic == SA_ATOMIC_NONE))                                               \
            sa_atomic_rows(core, __builtin_return_address(0), SA_I_##name, SA_UB, dst, dst_pitch,  \
                           src, src_pitch, rows, row_bytes);                                       \
        else if (rows && row_bytes)                                                                \
            ISSUE_BY(name, pipe, SA_U8, SA_U8, (uint64_t)rows *row_bytes, OPS_COPY_OUT,            \
                     name[SA_U8],                                                                  \
                     way_out(core, (uint64_t)rows *row_bytes)(dst, dst_pitch, src, src_pitch,      \
                                                              rows, row_bytes))                    \
    }

/* ---- forms: cube. C0 elements are 32 bytes; a fractal is 16 x C0. */

#define C0 (32 / size)
#define REQUIRE_MULTIPLE(value, unit)                                                              \
    if (!LIKELY((value) % (unit) == 0))                                                            \
        sa_issue_misplaced(core, __builtin_return_address(0), instr, #value, value, unit);

/* In NZ each C0 columns are a run of rows, 32 bytes a row. */
#define OPS_ND2NZ(OP)                                                                              \
    OP(GM, R, gm, rows, cols *size, gm_pitch *(int64_t)size)                                       \
    OP(L1, W, l1, (cols + C0 - 1) / C0, (uint64_t)rows * 32, (int64_t)nz_rows * 32)
#define FORM_ND2NZ(name, pipe)                                                                     \
    void sa_##name(sa_core *core, sa_dtype dtype, void *l1, uint32_t nz_rows, const void *gm,      \
                   int64_t gm_pitch, uint32_t rows, uint32_t cols)                                 \
    {                                                                                              \
        if (!rows || !cols)                                                                        \
            return;                                                                                \
        const sa_instr instr = SA_I_##name;                                                        \
        REQUIRE_MULTIPLE(nz_rows, 16)                                                              \
        if (rows > nz_rows)                                                                        \
            sa_core_fault(core, __builtin_return_address(0), sa_core_exception(core),              \
                          "nd2nz: %u rows do not fit nz_rows %u", rows, nz_rows);                  \
        ISSUE(name, pipe, dtype, dtype, CELLS, OPS_ND2NZ, name[dtype], l1, nz_rows, gm, gm_pitch,  \
              rows, cols)                                                                          \
    }

/* The part of the NZ matrix that a load reads: `height` rows from `row`, `width` columns from
 * `col`. */
typedef struct nz_part {
    uint64_t height, width, offset_bytes;
} nz_part;

static inline nz_part part_of(uint64_t size, uint32_t nz_rows, uint32_t row, uint32_t col,
                              uint64_t height, uint64_t width)
{
    uint64_t left = nz_rows > row ? nz_rows - row : 0;
    height = UP(height, 16);
    if (height > left && left)
        height = left; /* a fractal of int8 is 32 deep; what L1 lacks of it is not read */
    return (nz_part){height, UP(width, C0), ((uint64_t)(col / C0) * nz_rows + row) * 32};
}

static inline const uint8_t *at(const void *l1, uint64_t offset_bytes)
{
    return (const uint8_t *)((uintptr_t)l1 + offset_bytes);
}

#define OPS_LOAD_L0A(OP)                                                                           \
    OP(L1, R, from, part.width / C0, part.height * 32, (int64_t)nz_rows * 32)                      \
    OP(L0A, W, l0, 1, UP(outer, 16) * UP(inner, C0) * size, 0)
#define OPS_LOAD_L0B(OP)                                                                           \
    OP(L1, R, from, part.width / C0, part.height * 32, (int64_t)nz_rows * 32)                      \
    OP(L0B, W, l0, 1, UP(outer, C0) * UP(inner, 16) * size, 0)
#define LOAD_L0(name, pipe, MEMORY, OPERANDS)                                                      \
    void sa_##name(sa_core *core, sa_dtype dtype, void *l0, const void *l1, uint32_t nz_rows,      \
                   uint32_t row, uint32_t col, uint32_t outer, uint32_t inner, bool transpose)     \
    {                                                                                              \
        const sa_instr instr = SA_I_##name;                                                        \
        if (!outer || !inner)                                                                      \
            return;                                                                                \
        if (!LIKELY((unsigned)dtype < SA_DTYPE_END && core->isa->name[dtype]))                     \
            sa_issue_no_body(core, __builtin_return_address(0), instr, dtype);                     \
        const uint64_t size = element_bytes[dtype];                                                \
        REQUIRE_MULTIPLE(nz_rows, 16)                                                              \
        REQUIRE_MULTIPLE(row, 16)                                                                  \
        REQUIRE_MULTIPLE(col, C0)                                                                  \
        REQUIRE_MULTIPLE((uintptr_t)l0, 512)                                                       \
        nz_part part = part_of(size, nz_rows, row, col, transpose ? inner : outer,                 \
                               transpose ? outer : inner);                                         \
        const void *from = at(l1, part.offset_bytes);                                              \
        ISSUE(name, pipe, dtype, dtype, (uint64_t)outer *inner, OPERANDS, name[dtype],             \
              sa_packed(core, MEMORY, l0, size), at(from, -part.offset_bytes), nz_rows, row, col,  \
              outer, inner, transpose)                                                             \
    }
#define FORM_LOAD_L0(name, pipe) FORM_##name(name, pipe)
#define FORM_load_l0a(name, pipe) LOAD_L0(name, pipe, SA_L0A, OPS_LOAD_L0A)
#define FORM_load_l0b(name, pipe) LOAD_L0(name, pipe, SA_L0B, OPS_LOAD_L0B)

#define OPS_FIXPIPE(OP)                                                                            \
    OP(L0C, R, l0c, 1, UP(m, 16) * UP(n, 16) * 4, 0)                                               \
    OP(GM, W, gm, m, n *size, gm_pitch *(int64_t)size)
#define FORM_FIXPIPE(name, pipe)                                                                   \
    void sa_##name(sa_core *core, sa_dtype dtype, void *gm, int64_t gm_pitch, const void *l0c,     \
                   uint32_t m, uint32_t n)                                                         \
    {                                                                                              \
        if (!LIKELY(core->atomic == SA_ATOMIC_NONE))                                               \
            sa_atomic_fixpipe(core, __builtin_return_address(0), dtype, gm, gm_pitch, l0c, m, n);  \
        else if (m && n)                                                                           \
            ISSUE(name, pipe, dtype, dtype == SA_I32 ? SA_I32 : SA_F32, (uint64_t)m * n,           \
                  OPS_FIXPIPE, name[dtype], gm, gm_pitch, l0c, m, n)                               \
    }

#define OPS_MMAD(OP)                                                                               \
    OP(L0A, R, l0a, 1, UP(m, 16) * UP(k, C0) * size, 0)                                            \
    OP(L0B, R, l0b, 1, UP(k, C0) * UP(n, 16) * size, 0)                                            \
    OP(L0C, R, also_read, 1, accumulate ? UP(m, 16) * UP(n, 16) * 4 : 0, 0)                        \
    OP(L0C, W, l0c, 1, UP(m, 16) * UP(n, 16) * 4, 0)
#define FORM_MMAD(name, pipe)                                                                      \
    void sa_##name(sa_core *core, sa_dtype dtype, void *l0c, const void *l0a, const void *l0b,     \
                   uint32_t m, uint32_t k, uint32_t n, bool accumulate)                            \
    {                                                                                              \
        const void *also_read = l0c;                                                               \
        if (m && n)                                                                                \
            ISSUE(name, pipe, dtype, dtype, UP(m, 16) * UP(k, C0) * UP(n, 16), OPS_MMAD,           \
                  name[dtype], l0c, sa_packed(core, SA_L0A, l0a, size),                            \
                  sa_packed(core, SA_L0B, l0b, size), m, k, n, accumulate)                         \
    }

/* ---- the instructions */

#define FORM_WIDE_BINARY(name, pipe)
#define FORM_WIDE_SCALAR(name, pipe)
#define FORM_OWN(name, pipe)
#define SA_INSTR(name, pipe, form, dtypes, cost) FORM_##form(name, pipe)
#include "core/isa.def"
#undef SA_INSTR
