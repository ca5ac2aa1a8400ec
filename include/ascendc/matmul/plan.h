/* What a Matmul object knows of its product (lib/matmul_intf.h): the tiling, the shapes that calls
 * change, the operands; and what it refuses before a core runs it. Nothing here depends on types.
 */
#ifndef ASCENDC_MATMUL_PLAN_H
#define ASCENDC_MATMUL_PLAN_H

#include "ascendc/cube_tiling.h"
#include "ascendc/matmul/product.h"
#include "softascend/platform.h"

namespace softascend
{
/* An operand as SetTensorA, SetTensorB or SetBias gave it. */
struct matmul_operand {
    const void *gm = nullptr, *local = nullptr; /* one of them; or filled */
    bool filled = false, transposed = false, in_l1 = false, staged = false;
    double value = 0;
    uint32_t elements = 0; /* of a local one */
    void *scratch = nullptr;
    uint64_t scratch_bytes = 0;

    SA_INLINE bool given() const { return gm || local || filled || in_l1; }
    SA_INLINE void forget() { gm = local = nullptr, filled = in_l1 = staged = false; }
};

struct matmul_plan {
    bool ready = false, n_first = false;
    uint32_t org_m = 0, org_n = 0, org_ka = 0, org_kb = 0, org_c = 0; /* whole matrices */
    uint32_t m = 0, n = 0, k = 0;                                     /* of this core */
    uint32_t base_m = 0, base_n = 0, base_k = 0;
    uint32_t depth_a = 0, depth_b = 0, step_ka = 0, step_kb = 0;
    matmul_operand a, b, bias;

    SA_INLINE uint32_t blocks() const
    {
        return (m + base_m - 1) / base_m * ((n + base_n - 1) / base_n);
    }
};

/* A chunk of step_k blocks, and how many of them L1 shall hold: at most `most`. */
SA_INLINE void matmul_slots(matmul_side &s, uint32_t k, uint32_t base_k, uint32_t depth,
                            uint32_t step_k, uint32_t most)
{
    const uint32_t steps = (k + base_k - 1) / base_k;
    uint32_t chunk = less(step_k ? step_k : 1, steps);
    depth = depth ? depth : 1;
    while (depth / chunk > most && chunk < steps) {
        chunk = less(2 * chunk, steps);
    }
    s.chunk_k = chunk * base_k;
    s.slots = depth < chunk ? 1 : less(depth / chunk, most);
}

/* What the tiling takes of the cube core's memories, against what the chip has. */
SA_INLINE void matmul_check_tiling(const matmul_plan &p, const TCubeTiling &t, sa_dtype dtype,
                                   uint32_t l1_used, bool has_bias)
{
    const uint32_t size = 32 / c0_of(dtype);
    if (t.baseM <= 0 || t.baseN <= 0 || t.baseK <= 0 || t.singleCoreM <= 0 || t.singleCoreN <= 0 ||
        t.singleCoreK <= 0 || t.depthA1 < 0 || t.depthB1 < 0) {
        SA_FAULT("Matmul: the tiling has base %d x %d x %d, single core %d x %d x %d, depth %d and "
                 "%d: was it passed to the kernel as the host made it?",
                 t.baseM, t.baseN, t.baseK, t.singleCoreM, t.singleCoreN, t.singleCoreK, t.depthA1,
                 t.depthB1);
    }
    const uint64_t m = up_to(p.base_m, 16), n = up_to(p.base_n, 16), k = p.base_k;
    const uint64_t l0a = m * k * size, l0b = n * k * size, l0c = m * n * 4;
    if (l0a > sa_platform_bytes(SA_L0A) || l0b > sa_platform_bytes(SA_L0B) ||
        l0c > sa_platform_bytes(SA_L0C)) {
        SA_FAULT("Matmul: base blocks of %u x %u x %u (%s) take %llu of %llu bytes of L0A, %llu of "
                 "%llu of L0B, %llu of %llu of L0C: make baseM, baseN or baseK smaller",
                 p.base_m, p.base_n, p.base_k, sa_dtype_name(dtype), (unsigned long long)l0a,
                 (unsigned long long)sa_platform_bytes(SA_L0A), (unsigned long long)l0b,
                 (unsigned long long)sa_platform_bytes(SA_L0B), (unsigned long long)l0c,
                 (unsigned long long)sa_platform_bytes(SA_L0C));
    }
    const uint64_t depth_a = t.depthA1 ? (uint64_t)t.depthA1 : 1,
                   depth_b = t.depthB1 ? (uint64_t)t.depthB1 : 1;
    const uint64_t l1 = l0a * depth_a + l0b * depth_b + (has_bias ? n * 4 : 0);
    if (l1 + l1_used > sa_platform_bytes(SA_L1)) {
        SA_FAULT("Matmul: depthA1 %u blocks of %u x %u and depthB1 %u of %u x %u (%s) take %llu "
                 "bytes of L1, which has %llu, %u of them in use: make the depths smaller",
                 (unsigned)depth_a, p.base_m, p.base_k, (unsigned)depth_b, p.base_k, p.base_n,
                 sa_dtype_name(dtype), (unsigned long long)l1,
                 (unsigned long long)sa_platform_bytes(SA_L1), l1_used);
    }
    if (has_bias && n * 4 > sa_platform_bytes(SA_BT)) {
        SA_FAULT("Matmul: a bias of baseN %u takes %llu bytes of the bias table, which has %llu: "
                 "make baseN smaller",
                 p.base_n, (unsigned long long)(n * 4),
                 (unsigned long long)sa_platform_bytes(SA_BT));
    }
}

SA_INLINE void matmul_take_tiling(matmul_plan &p, const TCubeTiling &t, sa_dtype dtype)
{
    const uint32_t unit = unit_of(dtype);
    p.org_m = (uint32_t)t.M, p.org_n = (uint32_t)t.N;
    p.org_ka = (uint32_t)t.Ka, p.org_kb = (uint32_t)t.Kb, p.org_c = 0;
    p.m = (uint32_t)t.singleCoreM, p.n = (uint32_t)t.singleCoreN, p.k = (uint32_t)t.singleCoreK;
    p.base_m = up_to((uint32_t)t.baseM, unit), p.base_n = up_to((uint32_t)t.baseN, unit);
    p.base_k = (uint32_t)t.baseK < unit ? unit : (uint32_t)t.baseK / unit * unit;
    p.depth_a = (uint32_t)t.depthA1, p.depth_b = (uint32_t)t.depthB1;
    p.step_ka = (uint32_t)t.stepKa, p.step_kb = (uint32_t)t.stepKb;
    p.n_first = t.iterateOrder == 1;
    p.ready = true;
}

/* That this can be computed: called by every call that computes. */
SA_INLINE void matmul_check(const matmul_plan &p, const char *call)
{
    if (!p.ready) {
        SA_FAULT(
            "Matmul::%s: the object has no tiling: REGIST_MATMUL_OBJ(&pipe, workspace, object, "
            "&tiling) or Init comes first",
            call);
    }
    if (!p.a.given() || !p.b.given()) {
        SA_FAULT("Matmul::%s: SetTensor%s comes first", call, p.a.given() ? "B" : "A");
    }
    if (!p.m || !p.n || !p.k) {
        SA_FAULT("Matmul::%s: single shape [%u, %u] x [%u, %u] is empty", call, p.m, p.k, p.k, p.n);
    }
    if ((p.org_ka && p.k > p.org_ka) || (p.org_kb && p.k > p.org_kb)) {
        SA_FAULT("Matmul::%s: k differs: this core multiplies %u along k, A is [%u, %u], B is [%u, "
                 "%u]: see singleCoreK, SetTail, SetSingleShape, SetOrgShape",
                 call, p.k, p.org_m, p.org_ka, p.org_kb, p.org_n);
    }
}

/* Where an operand lies; `rows` and `cols` of what is stored, of the whole and of this core. */
SA_INLINE matmul_side matmul_side_of(const matmul_operand &o, sa_dtype dtype, bool nz,
                                     uint32_t whole_rows, uint32_t whole_cols, uint32_t rows,
                                     uint32_t cols)
{
    matmul_side s = {};
    const bool own = o.local || o.in_l1; /* of this core's shape */
    s.at = o.local && !o.in_l1 ? o.scratch : o.in_l1 ? o.local : o.gm;
    s.dtype = dtype;
    s.nz = nz;
    s.transposed = o.transposed;
    s.in_l1 = o.in_l1;
    s.filled = o.filled;
    s.value = o.value;
    s.pitch = nz || o.in_l1 ? up_to(own ? rows : whole_rows, 16)
              : own         ? up_to(cols, c0_of(dtype))
                            : whole_cols;
    return s;
}

/* A local operand goes to GM, where the cube core finds it. */
SA_INLINE void matmul_stage(matmul_operand &o, uint64_t bytes, uint32_t size, const char *call)
{
    if (!o.local || o.in_l1) {
        return;
    }
    if ((uint64_t)o.elements * size < bytes) {
        SA_FAULT("Matmul::%s: the local tensor has %u elements, the single shape takes %llu", call,
                 o.elements, (unsigned long long)(bytes / size));
    }
    if (o.scratch_bytes < bytes) {
        o.scratch = sa_scratch(sa_self(), bytes);
        o.scratch_bytes = bytes;
    }
    sa_barrier(sa_self(), SA_PIPE_ALL);
    sa_copy_out(sa_self(), o.scratch, o.local, (uint32_t)bytes);
    sa_barrier(sa_self(), SA_PIPE_ALL);
    o.staged = true;
}
} // namespace softascend

#endif
