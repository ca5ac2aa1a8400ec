/* Calls the operator as any aclnn operator is called, in two phases, and checks it against float64.
 */
#include "../host.h"
#include "aclnn_soft_threshold.h"

#include <math.h>

int main(int argc, char **argv)
{
    example e = example_begin(argc, argv, "op_project", "y = sign(x) max(|x| - 0.75, 0)",
                              "LENGTH=1000003", "f32|f16", "half a unit in the last place");
    const int64_t n = (int64_t)e.size[0];
    const double threshold = 0.75; /* fp16 holds it */
    const aclDataType dtype = e.f16 ? ACL_FLOAT16 : ACL_FLOAT;
    float *x = example_values(&e, (uint64_t)n, -2, 2), *y = example_room((uint64_t)n);
    void *x_gm = example_upload(&e, x, (uint64_t)n), *y_gm = example_output(&e, (uint64_t)n);
    aclTensor *in = aclCreateTensor(&n, 1, dtype, NULL, 0, ACL_FORMAT_ND, &n, 1, x_gm);
    aclTensor *out = aclCreateTensor(&n, 1, dtype, NULL, 0, ACL_FORMAT_ND, &n, 1, y_gm);

    uint64_t bytes;
    aclOpExecutor *executor;
    void *workspace = NULL;
    CHECK(aclnnSoftThresholdGetWorkspaceSize(in, threshold, out, &bytes, &executor));
    if (bytes > 0)
        CHECK(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclnnSoftThreshold(workspace, bytes, executor, e.stream));
    example_download(&e, y, y_gm, (uint64_t)n);

    for (int64_t i = 0; i < n; i++) {
        double exact = copysign(fmax(fabs((double)x[i]) - threshold, 0), x[i]);
        example_expect(&e, (uint64_t)i, y[i], exact, 0.5 * example_ulp(&e, exact));
    }
    CHECK(aclDestroyTensor(in));
    CHECK(aclDestroyTensor(out));
    CHECK(aclrtFree(x_gm));
    CHECK(aclrtFree(y_gm));
    free(x), free(y);
    return example_end(&e);
}
