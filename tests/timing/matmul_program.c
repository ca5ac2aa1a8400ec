/* C = A B in fp16 through aclnnMatmul, for tests that record or check a whole program:
 * matmul_program M K N. */
#include "acl/acl.h"
#include "aclnnop/aclnn_matmul.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        int error = (int)(call);                                                                   \
        if (error != ACL_SUCCESS) {                                                                \
            const char *text = aclGetRecentErrMsg();                                               \
            printf("%s: error %d: %s\n", #call, error, text ? text : "");                          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static aclTensor *matrix(int64_t rows, int64_t cols, int ones)
{
    int64_t dims[2] = {rows, cols};
    size_t bytes = (size_t)(rows * cols) * 2;
    void *device;
    CHECK(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    uint16_t *host = malloc(bytes);
    for (int64_t i = 0; i < rows * cols; i++) {
        host[i] = ones ? 0x3c00 : 0; /* 1.0 */
    }
    CHECK(aclrtMemcpy(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    free(host);
    return aclCreateTensor(dims, 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, dims, 2, device);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        printf("usage: matmul_program M K N\n");
        return 64;
    }
    int64_t m = atoll(argv[1]), k = atoll(argv[2]), n = atoll(argv[3]);
    aclrtStream stream;
    aclOpExecutor *executor;
    uint64_t bytes;
    void *workspace = NULL;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    aclTensor *a = matrix(m, k, 1), *b = matrix(k, n, 1), *c = matrix(m, n, 0);
    CHECK(aclnnMatmulGetWorkspaceSize(a, b, c, 0, &bytes, &executor));
    if (bytes) {
        CHECK(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    CHECK(aclnnMatmul(workspace, bytes, executor, stream));
    CHECK(aclrtSynchronizeStream(stream));
    printf("matmul %lld x %lld x %lld done\n", (long long)m, (long long)k, (long long)n);
    CHECK(aclDestroyTensor(a));
    CHECK(aclDestroyTensor(b));
    CHECK(aclDestroyTensor(c));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0)); /* frees what the device has */
    CHECK(aclFinalize());
    return 0;
}
