/* The kernel language of SoftAscend in C: what one AI core can do.
 *
 * A kernel is a C function that the launch calls once for each block:
 *
 *     void add(sa_core *core, void *args);
 *
 * It moves tiles from global memory (GM) into the core's local memories, works on them there and
 * moves the results out. Every call below that names a pipe is one instruction of that pipe;
 * instructions of different pipes run side by side on a chip, so a kernel orders them with flags
 * and barriers, here as there. docs/kernels-in-c.md reads two kernels line by line; docs/isa.md
 * lists every instruction with its pipe, dtypes and cost class (generated from src/core/isa.def).
 *
 * Local operands are real pointers into the core's memories (sa_local, sa_alloc). A pointer below 1
 * MiB is an offset into the memory that the operand's role names. An operand out of range stops the
 * kernel with a message that names memory, bytes and source line; the process lives on.
 *
 * Counts are elements, sizes and pitches end in `_bytes` where they are bytes. An n of 0 does
 * nothing. Architecture: public Ascend C documentation of memories, pipes and formats (arch 2201).
 */
#ifndef SOFTASCEND_CORE_H
#define SOFTASCEND_CORE_H

#include "softascend/dtype.h"
#include "softascend/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sa_core sa_core;
typedef void (*sa_kernel)(sa_core *core, void *args);

/* On a split chip an AI core is one cube core (AIC: MTE2, MTE1, M, FIX) and two vector cores (AIV:
 * MTE2, V, MTE3); blocks of a launch run on one kind. */
typedef enum sa_core_type {
    SA_AIC,
    SA_AIV,
    /* of a launch, not of a core: each block is a cube core with one or two vector cores, which run
     * the same kernel function and tell themselves apart by sa_kind. On a coupled chip a block is
     * one core (SA_AIC) that does both. */
    SA_MIX_1_1,
    SA_MIX_1_2,
} sa_core_type;

typedef enum sa_pipe {
    SA_PIPE_S,    /* scalar */
    SA_PIPE_V,    /* vector */
    SA_PIPE_M,    /* cube */
    SA_PIPE_MTE1, /* L1 -> L0A, L0B */
    SA_PIPE_MTE2, /* GM -> UB, L1 */
    SA_PIPE_MTE3, /* UB -> GM */
    SA_PIPE_FIX,  /* L0C -> GM */
    SA_PIPE_ALL,
} sa_pipe;

typedef enum sa_memory {
    SA_GM,
    SA_UB,  /* unified buffer: the vector core's */
    SA_L1,  /* cube core: matrices in NZ format */
    SA_L0A, /* left operand tiles, ZZ */
    SA_L0B, /* right operand tiles, ZN */
    SA_L0C, /* fp32 or int32 accumulators, NZ */
    SA_BT,  /* bias table */
    SA_MEMORIES,
} sa_memory;

typedef enum sa_round {
    SA_ROUND_NONE,     /* exact, else to nearest even */
    SA_ROUND_RINT,     /* to nearest, ties to even */
    SA_ROUND_FLOOR,    /* towards -inf */
    SA_ROUND_CEIL,     /* towards +inf */
    SA_ROUND_ROUND,    /* to nearest, ties away from zero */
    SA_ROUND_TRUNC,    /* towards zero */
    SA_ROUND_ODD,      /* to odd (von Neumann) */
    SA_ROUND_SATURATE, /* int32 -> int16, int64 -> int32: clamps, where the others keep the low bits
                        */
} sa_round;

typedef enum sa_cmp { SA_LT, SA_GT, SA_EQ, SA_LE, SA_GE, SA_NE } sa_cmp;

/* ---- where am I
 * ---------------------------------------------------------------------------------- */

/* This block's index and the number of blocks of the launch. */
SA_API uint32_t sa_block_idx(const sa_core *core);
SA_API uint32_t sa_block_num(const sa_core *core);

/* SA_AIC or SA_AIV: what this core is. In a mixed launch of n blocks the cube cores are blocks 0 …
 * n-1; the vector cores 0 … n * ratio - 1, those of block b from b * ratio on; sa_block_num is n
 * for all. A coupled core is SA_AIC. */
SA_API sa_core_type sa_kind(const sa_core *core);
/* Which vector core of its block this one is (0, 1), and how many a block has (0: no mixed launch).
 */
SA_API uint32_t sa_sub_block_idx(const sa_core *core);
SA_API uint32_t sa_task_ratio(const sa_core *core);
/* On a coupled chip (Ascend310P, 910A) one core has the memories of both kinds; it has no FIX pipe
 * (L0C leaves through UB: sa_copy_l0c_ub), no bfloat16 and no flags between cores. */
SA_API bool sa_coupled(const sa_core *core);

/* The core that runs the calling code; NULL outside a kernel. For wrappers that have no core at
 * hand. */
SA_API sa_core *sa_self(void);

/* SA_BLOCK_DATA bytes of this block's own, 16-byte aligned, zero when it begins. For wrappers that
 * keep a state beside the core's (include/ascendc/); kernels use variables. */
#define SA_BLOCK_DATA 192
SA_API void *sa_block_data(sa_core *core);

/* ---- local memories
 * ------------------------------------------------------------------------------ */

/* Size of a local memory as the architecture has it. */
SA_API uint32_t sa_local_bytes(const sa_core *core, sa_memory memory);

/* Address `offset_bytes` into a local memory. */
SA_API void *sa_local(sa_core *core, sa_memory memory, uint32_t offset_bytes);

/* Takes the next `bytes` of a local memory for this block, aligned as the memory asks (32; L0A and
 * L0B 512; L0C 64). More than is left: the kernel stops, naming what was asked for and what was
 * free. */
SA_API void *sa_alloc(sa_core *core, sa_memory memory, uint32_t bytes);

/* ---- order
 * --------------------------------------------------------------------------------------- */

/* `to` may go on past sa_wait_flag once `from` has finished what stands before sa_set_flag. id 0
 * … 7. A wait that no set can ever answer stops the kernel. */
SA_API void sa_set_flag(sa_core *core, sa_pipe from, sa_pipe to, uint32_t id);
SA_API void sa_wait_flag(sa_core *core, sa_pipe from, sa_pipe to, uint32_t id);

/* Later instructions of `pipe` wait for its earlier ones; SA_PIPE_ALL: for all pipes. */
SA_API void sa_barrier(sa_core *core, sa_pipe pipe);

/* Every block of the launch arrives before any goes on. Blocks that end without arriving while
 * others wait: the launch stops, naming who waits and who ended. */
SA_API void sa_sync_all(sa_core *core);
/* Likewise, for the cores of the caller's kind only: in a mixed launch all cube or all vector
 * cores.
 */
SA_API void sa_sync_kind(sa_core *core);

/* Flags between cores, id 0 … 15, counting. mode 0: once every core of the caller's kind has set
 * it, each may wait for it once; mode 1: likewise among the vector cores of a block; mode 2: a cube
 * core's set is for each vector core of its block, and the vector cores' sets, once all have set,
 * are for their cube core. sa_cross_wait waits for the caller's own flag. Waits that nothing can
 * answer stop the launch, naming who waits. */
SA_API void sa_cross_set(sa_core *core, int mode, sa_pipe pipe, uint32_t id);
SA_API void sa_cross_wait(sa_core *core, sa_pipe pipe, uint32_t id);

/* Flags in GM (IBSet, IBWait): `workspace` has blocks * 32 bytes for each event and starts as
 * zeros; set marks (block, event), wait waits for that mark and takes it away. */
SA_API void sa_ib_set(sa_core *core, void *workspace, uint32_t block, uint32_t event);
SA_API void sa_ib_wait(sa_core *core, void *workspace, uint32_t block, uint32_t event);

/* Requests of a mixed block's vector cores to its cube core: what a high-level library runs on. A
 * request is the vector core's; between send and wait the cube core may use it and what `about`
 * points to. take gives the next one, in the order they came, and waits for it; NULL once every
 * vector core of the block has ended or closed since the last NULL. Waits that nothing can answer
 * stop the launch, naming who waits. */
typedef struct sa_request {
    struct sa_request *next;
    void *about;
    uint32_t from; /* sub block of who sent it */
    enum { SA_REQUEST_FREE, SA_REQUEST_SENT, SA_REQUEST_ANSWERED } state;
} sa_request;
SA_API void sa_request_send(sa_core *core, sa_request *request);
SA_API void sa_request_wait(sa_core *core, sa_request *request);
SA_API void sa_request_close(sa_core *core);
SA_API sa_request *sa_request_take(sa_core *core);
SA_API void sa_request_answer(sa_core *core, sa_request *request);

/* `bytes` of global memory, 512-byte aligned, until the launch ends: what a library's own workspace
 * is on a chip. Not cleared. */
SA_API void *sa_scratch(sa_core *core, size_t bytes);

/* Lets other blocks run: for loops that poll GM. */
SA_API void sa_yield(sa_core *core);

/* Stops the kernel with `code` and a message; does not return. */
SA_API void sa_fault(sa_core *core, sa_status code, const char *format, ...) SA_PRINTF(3, 4)
    __attribute__((noreturn));

/* ---- scalar pipe: single elements
 * ---------------------------------------------------------------- */

/* Element `index` of a tensor in UB or L1, as a double (exact for all but 64-bit integers). */
SA_API double sa_get(sa_core *core, sa_dtype dtype, const void *local, uint32_t index);
SA_API void sa_set(sa_core *core, sa_dtype dtype, void *local, uint32_t index, double value);

/* ---- moves
 * --------------------------------------------------------------------------------------- */

/* MTE2: GM -> UB. The 2-D form moves `rows` rows of `row_bytes`; pitches are from row start to row
 * start. */
SA_API void sa_copy_in(sa_core *core, void *ub, const void *gm, uint32_t bytes);
SA_API void sa_copy_in_2d(sa_core *core, void *ub, uint32_t ub_pitch_bytes, const void *gm,
                          int64_t gm_pitch_bytes, uint32_t rows, uint32_t row_bytes);

/* MTE3: UB -> GM. */
SA_API void sa_copy_out(sa_core *core, void *gm, const void *ub, uint32_t bytes);
SA_API void sa_copy_out_2d(sa_core *core, void *gm, int64_t gm_pitch_bytes, const void *ub,
                           uint32_t ub_pitch_bytes, uint32_t rows, uint32_t row_bytes);

/* V: UB -> UB. */
SA_API void sa_copy_ub(sa_core *core, void *dst, const void *src, uint32_t bytes);

/* MTE2: GM -> L1 as it is. */
SA_API void sa_copy_l1(sa_core *core, void *l1, const void *gm, uint32_t bytes);

/* MTE2: a row-major matrix [rows, cols] in GM -> L1 in NZ format: [ceil(cols/C0)][nz_rows][C0],
 * where C0 = 32 bytes / element size and nz_rows >= rows is a multiple of 16. Columns past `cols`
 * are zeroed up to C0; rows past `rows` are left as they are. gm_pitch in elements. */
SA_API void sa_nd2nz(sa_core *core, sa_dtype dtype, void *l1, uint32_t nz_rows, const void *gm,
                     int64_t gm_pitch, uint32_t rows, uint32_t cols);

/* MTE1: the block of an NZ matrix in L1 that starts at (row, col) -> L0A as a left operand [m, k]
 * or L0B as a right operand [k, n]. With `transpose` the matrix in L1 is read transposed: it holds
 * A as [k, m], B as [n, k]. row is a multiple of 16, col of C0; whole fractals are moved. */
SA_API void sa_load_l0a(sa_core *core, sa_dtype dtype, void *l0a, const void *l1, uint32_t nz_rows,
                        uint32_t row, uint32_t col, uint32_t m, uint32_t k, bool transpose);
SA_API void sa_load_l0b(sa_core *core, sa_dtype dtype, void *l0b, const void *l1, uint32_t nz_rows,
                        uint32_t row, uint32_t col, uint32_t k, uint32_t n, bool transpose);

/* FIX: the accumulators [m, n] in L0C (NZ: [ceil(n/16)][m rounded up to 16][16]) -> a row-major
 * matrix in GM, converted from fp32 (int32) to `dtype`, to nearest even. gm_pitch in elements. */
SA_API void sa_fixpipe(sa_core *core, sa_dtype dtype, void *gm, int64_t gm_pitch, const void *l0c,
                       uint32_t m, uint32_t n);

/* ---- cube
 * ---------------------------------------------------------------------------------------- */

/* M: C[m, n] = (accumulate ? C : 0) + A[m, k] B[k, n]. A and B as sa_load_l0a and sa_load_l0b left
 * them with the same m, k and k, n; products are added in fp32 (int32 for int8), k exactly. */
SA_API void sa_mmad(sa_core *core, sa_dtype dtype, void *l0c, const void *l0a, const void *l0b,
                    uint32_t m, uint32_t k, uint32_t n, bool accumulate);

/* ---- vector: elementwise, on n elements in UB
 * ---------------------------------------------------- */
/* Each instruction rounds once, to its dtype. dst may be a source (same address), never overlap one
 * partly. */

#define SA_BINARY(name)                                                                            \
    SA_API void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *a, const void *b,  \
                          uint32_t n)
SA_BINARY(add);
SA_BINARY(sub);
SA_BINARY(mul);
SA_BINARY(div);
SA_BINARY(max);
SA_BINARY(min);
SA_BINARY(and);
SA_BINARY(or);
SA_BINARY(floor_div); /* floor(a / b); integers wrap, and divided by 0 are 0: several instructions
                         on the chip, one body here */
SA_BINARY(floor_mod); /* a - b floor(a / b): 0 or of b's sign; likewise */
SA_BINARY(pow); /* a ^ b with C's special cases: several instructions on the chip, one body here */
#undef SA_BINARY

#define SA_UNARY(name)                                                                             \
    SA_API void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *a, uint32_t n)
SA_UNARY(exp);
SA_UNARY(ln);
SA_UNARY(abs);
SA_UNARY(sqrt);
SA_UNARY(rsqrt);
SA_UNARY(rec);
SA_UNARY(relu);
SA_UNARY(not );
SA_UNARY(sigmoid); /* 1 / (1 + exp(-x)): several instructions on the chip, one body here */
SA_UNARY(tanh);    /* likewise */
#undef SA_UNARY

#define SA_SCALAR(name)                                                                            \
    SA_API void sa_##name(sa_core *core, sa_dtype dtype, void *dst, const void *a, double scalar,  \
                          uint32_t n)
SA_SCALAR(adds);
SA_SCALAR(muls);
SA_SCALAR(maxs);
SA_SCALAR(mins);
SA_SCALAR(lrelu); /* a > 0 ? a : a * scalar */
SA_SCALAR(axpy);  /* dst + a * scalar, the product rounded first */
#undef SA_SCALAR

/* n copies of `value`. */
SA_API void sa_fill(sa_core *core, sa_dtype dtype, void *dst, double value, uint32_t n);

/* Compares into a bit mask: bit i%8 of byte i/8. */
SA_API void sa_compare(sa_core *core, sa_dtype dtype, sa_cmp cmp, void *mask, const void *a,
                       const void *b, uint32_t n);
SA_API void sa_compares(sa_core *core, sa_dtype dtype, sa_cmp cmp, void *mask, const void *a,
                        double scalar, uint32_t n);

/* dst[i] = mask bit i ? a[i] : b[i]; the scalar form takes `scalar` where the bit is 0. */
SA_API void sa_select(sa_core *core, sa_dtype dtype, void *dst, const void *mask, const void *a,
                      const void *b, uint32_t n);
SA_API void sa_selects(sa_core *core, sa_dtype dtype, void *dst, const void *mask, const void *a,
                       double scalar, uint32_t n);

/* Converts n elements. Floats to integers round as asked and saturate; NaN becomes 0. */
SA_API void sa_cast(sa_core *core, sa_dtype to, void *dst, sa_dtype from, const void *src,
                    sa_round round, uint32_t n);

/* dst[i] = the element at base + offset_bytes[i] (uint32), base in UB. */
SA_API void sa_gather(sa_core *core, sa_dtype dtype, void *dst, const void *base,
                      const void *offset_bytes, uint32_t n);

/* [rows, cols] row-major -> [cols, rows] row-major, both packed, both in UB, not in place. */
SA_API void sa_transpose(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t rows,
                         uint32_t cols);

/* ---- vector: reductions to one element
 * ----------------------------------------------------------- */
/* Sums add in one tree order on every CPU (src/core/isa/reduce.c); n = 0 gives the neutral element:
 * 0, lowest, highest. NaN wins in max and min. */

SA_API void sa_reduce_sum(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t n);
SA_API void sa_reduce_max(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t n);
SA_API void sa_reduce_min(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t n);

/* The index of the first maximum (minimum), as one uint32. */
SA_API void sa_arg_max(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t n);
SA_API void sa_arg_min(sa_core *core, sa_dtype dtype, void *dst, const void *src, uint32_t n);

#ifdef __cplusplus
}
#endif

#include "softascend/cube.h"
#include "softascend/high.h"
#include "softascend/vector.h"

#endif
