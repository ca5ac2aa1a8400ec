/* Reductions to one element, in the one order that every backend follows:
 *
 *   64 lanes begin with the neutral element (0, lowest, highest);
 *   element i goes into lane i % 64, in order: lane = lane OP element;
 *   then halves are joined, lane[l] = lane[l] OP lane[l + h] for h = 32, 16, 8, 4, 2, 1.
 *
 * fp16 lanes are fp32 and the result is rounded to fp16 once. The neutral elements of float maximum
 * and minimum are -inf and +inf. OP of max and min is MAX_OF, MIN_OF (body.h): NaN wins. */
#include "core/isa/body.h"

#define LANES 64

#define REDUCE(name, D, lane_type, neutral, OP)                                                    \
    static void name##_##D(void *dst, const void *src, size_t n)                                   \
    {                                                                                              \
        const storage_##D *in = src;                                                               \
        lane_type lane[LANES];                                                                     \
        for (int l = 0; l < LANES; l++)                                                            \
            lane[l] = neutral;                                                                     \
        size_t i = 0;                                                                              \
        for (; i + LANES <= n; i += LANES)                                                         \
            for (int l = 0; l < LANES; l++)                                                        \
                lane[l] = OP(lane[l], (lane_type)load_##D(in[i + l]));                             \
        for (int l = 0; i < n; i++, l++)                                                           \
            lane[l] = OP(lane[l], (lane_type)load_##D(in[i]));                                     \
        for (int h = LANES / 2; h; h /= 2)                                                         \
            for (int l = 0; l < h; l++)                                                            \
                lane[l] = OP(lane[l], lane[l + h]);                                                \
        *(storage_##D *)dst = store_##D((compute_##D)lane[0]);                                     \
    }
#define SUM(a, b) ((a) + (b))
REDUCE(reduce_sum, F32, float, 0, SUM)
REDUCE(reduce_sum, F16, float, 0, SUM)
REDUCE(reduce_sum, I32, uint32_t, 0, SUM)
REDUCE(reduce_sum, I64, uint64_t, 0, SUM)
#define EXTREMES(D, type, low, high)                                                               \
    REDUCE(reduce_max, D, type, low, MAX_OF)                                                       \
    REDUCE(reduce_min, D, type, high, MIN_OF)
EXTREMES(F32, float, -INFINITY, INFINITY)
EXTREMES(F16, float, -INFINITY, INFINITY)
EXTREMES(I16, int16_t, INT16_MIN, INT16_MAX)
EXTREMES(I32, int32_t, INT32_MIN, INT32_MAX)
EXTREMES(I64, int64_t, INT64_MIN, INT64_MAX)

/* The first index of the extreme; the first NaN, if there is one; 0 if n is 0. */
#define ARG(name, D, better)                                                                       \
    static void name##_##D(void *dst, const void *src, size_t n)                                   \
    {                                                                                              \
        const storage_##D *in = src;                                                               \
        uint32_t best = 0;                                                                         \
        for (size_t i = 1; i < n; i++) {                                                           \
            const compute_##D a = load_##D(in[i]), b = load_##D(in[best]);                         \
            if (b == b && (a better b || a != a))                                                  \
                best = (uint32_t)i;                                                                \
        }                                                                                          \
        *(uint32_t *)dst = best;                                                                   \
    }
#define ARGS(D) ARG(arg_max, D, >) ARG(arg_min, D, <)
ARGS(F32)
ARGS(F16)
ARGS(I16)
ARGS(I32)
ARGS(I64)

void sa_isa_fill_reduce(sa_isa *isa)
{
#define SET(name, D) isa->name[SA_##D] = name##_##D;
    SET(reduce_sum, F32)
    SET(reduce_sum, F16)
    SET(reduce_sum, I32)
    SET(reduce_sum, I64)
#define SET_ORDERED(D) SET(reduce_max, D) SET(reduce_min, D) SET(arg_max, D) SET(arg_min, D)
    SET_ORDERED(F32)
    SET_ORDERED(F16)
    SET_ORDERED(I16)
    SET_ORDERED(I32)
    SET_ORDERED(I64)
}
