/* aclnnGatherV2 and sannUnsortedSegmentSum against plain loops. */
#include "views.h"

#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/sann_unsorted_segment_sum.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static int64_t limit; /* of indices */
static double value(sa_dtype dtype, int64_t i, uint64_t *seed)
{
    (void)i;
    double r = ops_random(seed);
    return dtype == SA_F32 || dtype == SA_F16 || dtype == SA_BF16 ? r : floor(r * 100);
}
static double index_value(sa_dtype dtype, int64_t i, uint64_t *seed)
{
    (void)dtype, (void)i;
    return floor((ops_random(seed) + 1) / 2 * (double)limit);
}
static double id_value(sa_dtype dtype, int64_t i, uint64_t *seed)
{
    return i % 5 == 2 ? -1 : index_value(dtype, i, seed);
}

static const struct {
    int rank, index_rank, dim;
    int64_t dims[4], index[3];
} gathers[] = {
    {1, 0, 0, {5}, {0}},          {1, 1, 0, {7}, {3000}},    {2, 1, 0, {100, 16}, {64}},
    {2, 2, 0, {50, 33}, {8, 20}}, {3, 1, 1, {4, 9, 5}, {6}}, {3, 2, 2, {3, 4, 11}, {2, 3}},
    {2, 1, 0, {3, 60000}, {5}},   {2, 1, 1, {3, 5}, {0}},    {2, 1, 0, {1000, 128}, {4096}},
};

static void test_gather(void **state)
{
    static const sa_dtype types[] = {SA_F32, SA_F16, SA_I64, SA_BOOL, SA_F64};
    uint64_t seed = 1, turn = 0;
    (void)state;
    for (size_t g = 0; g < COUNT(gathers); g++)
        for (size_t t = 0; t < COUNT(types); t++, turn++) {
            int64_t out_dims[8], inner = 1, count = 1, size = gathers[g].dims[gathers[g].dim];
            int rank = 0;
            sa_dtype index_type = turn & 1 ? SA_I32 : SA_I64;
            for (int d = 0; d < gathers[g].dim; d++)
                out_dims[rank++] = gathers[g].dims[d];
            for (int d = 0; d < gathers[g].index_rank; d++) {
                out_dims[rank++] = gathers[g].index[d];
                count *= gathers[g].index[d];
            }
            for (int d = gathers[g].dim + 1; d < gathers[g].rank; d++) {
                out_dims[rank++] = gathers[g].dims[d];
                inner *= gathers[g].dims[d];
            }
            limit = size;
            ops_view self = ops_view_make(types[t], gathers[g].rank, gathers[g].dims,
                                          turn % OPS_LAYOUTS, value, &seed);
            ops_view index = ops_view_make(index_type, gathers[g].index_rank, gathers[g].index,
                                           turn / 2 % OPS_LAYOUTS, index_value, &seed);
            ops_view out =
                ops_view_make(types[t], rank, out_dims, turn / 3 % OPS_LAYOUTS, NULL, NULL);
            OPS_OK(
                OPS_RUN(aclnnGatherV2, self.t, gathers[g].dim - gathers[g].rank, index.t, out.t));
            ops_view_fetch(&out, "gather");
            for (int64_t i = 0; i < out.elements; i++) {
                int64_t at = (int64_t)ops_view_at(&index, gathers[g].index_rank, gathers[g].index,
                                                  i / inner % count);
                int64_t from = (i / inner / count * size + at) * inner + i % inner;
                ops_expect(types[t], ops_view_at(&self, gathers[g].rank, gathers[g].dims, from),
                           ops_view_at(&out, rank, out_dims, i), 0, "gather", i);
            }
            ops_view_free(&self);
            ops_view_free(&index);
            ops_view_free(&out);
        }
}

static const struct {
    int rank, ids;
    int64_t dims[3], segments;
} sums[] = {
    {1, 1, {7}, 3},        {2, 1, {64, 16}, 100}, {3, 2, {8, 20, 33}, 50},  {2, 1, {5, 60000}, 2},
    {2, 1, {3000, 10}, 1}, {1, 1, {0}, 4},        {2, 1, {3000, 128}, 500}, {2, 2, {5, 6}, 9},
};

static void test_segment_sum(void **state)
{
    static const sa_dtype types[] = {SA_F32, SA_F16, SA_BF16, SA_I32, SA_I64};
    uint64_t seed = 2, turn = 0;
    (void)state;
    for (size_t s = 0; s < COUNT(sums); s++)
        for (size_t t = 0; t < COUNT(types); t++, turn++) {
            int64_t out_dims[4] = {sums[s].segments}, inner = 1;
            int rank = 1;
            double *want, *most;
            for (int d = sums[s].ids; d < sums[s].rank; d++) {
                inner *= sums[s].dims[d];
                out_dims[rank++] = sums[s].dims[d];
            }
            limit = sums[s].segments;
            ops_view data = ops_view_make(types[t], sums[s].rank, sums[s].dims, turn % OPS_LAYOUTS,
                                          value, &seed);
            ops_view ids = ops_view_make(turn & 1 ? SA_I32 : SA_I64, sums[s].ids, sums[s].dims,
                                         turn / 2 % OPS_LAYOUTS, id_value, &seed);
            ops_view out =
                ops_view_make(types[t], rank, out_dims, turn / 3 % OPS_LAYOUTS, NULL, NULL);
            want = calloc((size_t)out.elements, sizeof *want);
            most = calloc((size_t)out.elements, sizeof *most);
            OPS_OK(OPS_RUN(sannUnsortedSegmentSum, data.t, ids.t, out.t));
            ops_view_fetch(&out, "segment sum");
            for (int64_t i = 0; i < data.elements; i++) {
                int64_t id = (int64_t)ops_view_at(&ids, sums[s].ids, sums[s].dims, i / inner);
                double v = ops_view_at(&data, sums[s].rank, sums[s].dims, i);
                if (id >= 0) {
                    want[id * inner + i % inner] += v;
                    most[id * inner + i % inner] += fabs(v);
                }
            }
            for (int64_t i = 0; i < out.elements; i++) {
                double got = ops_view_at(&out, rank, out_dims, i);
                bool is_float = types[t] != SA_I32 && types[t] != SA_I64;
                /* one fp32 rounding for each row of the segment */
                double slack = is_float
                                   ? 0.51 * ops_ulp(types[t], want[i]) +
                                         0x1p-24 * most[i] * (double)data.elements / (double)inner
                                   : 0;
                if (fabs(got - want[i]) > slack)
                    fail_msg("segment sum %zu %s: element %lld is %g, not %g", s,
                             sa_dtype_name(types[t]), (long long)i, got, want[i]);
            }
            free(want);
            free(most);
            ops_view_free(&data);
            ops_view_free(&ids);
            ops_view_free(&out);
        }
}

static void test_bad_index(void **state)
{
    static const int64_t dims[] = {4, 3}, n[] = {2}, out_dims[] = {2, 3};
    static const int64_t wrong[][2] = {{0, 4}, {-1, 0}};
    uint64_t seed = 3;
    (void)state;
    limit = 4;
    for (int i = 0; i < 2; i++) {
        ops_view self = ops_view_make(SA_F32, 2, dims, OPS_PLAIN, value, &seed);
        ops_view index = ops_view_make(SA_I64, 1, n, OPS_PLAIN, index_value, &seed);
        ops_view out = ops_view_make(SA_F32, 2, out_dims, OPS_PLAIN, NULL, NULL);
        aclrtMemcpy(index.device, sizeof wrong[i], wrong[i], sizeof wrong[i],
                    ACL_MEMCPY_HOST_TO_DEVICE);
        OPS_REFUSED(507015, i ? "index 0 is -1" : "index 1 is 4",
                    OPS_RUN(aclnnGatherV2, self.t, 0, index.t, out.t));
        if (i == 0)
            OPS_REFUSED(507015, "segmentIds 1 is 4",
                        OPS_RUN(sannUnsortedSegmentSum, out.t, index.t, self.t));
        ops_view_free(&self);
        ops_view_free(&index);
        ops_view_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_segment_sum),
        cmocka_unit_test_setup_teardown(test_bad_index, NULL, NULL),
    };
    return cmocka_run_group_tests(tests, ops_setup, ops_teardown);
}
