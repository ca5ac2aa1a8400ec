/* z = x + y in the kernel language: docs/kernels-in-c.md reads this file line by line.
 *
 *   gcc -std=c17 -g1 add.c -lascendcl -lsoftascend        (-I and -L: as set_env.sh has them) */
#include "acl/acl.h"
#include "softascend/launch.h"

#include <stdio.h>

#define TILE 8192u /* elements: three arrays, two buffers each, 32 KiB a buffer: all of UB */

typedef struct add_args {
    const float *x, *y;
    float *z;
    uint32_t n;
} add_args;

static void add_kernel(sa_core *core, void *args)
{
    const add_args *a = args;
    float *x[2], *y[2], *z[2];
    for (uint32_t i = 0; i < 2; i++) {
        x[i] = sa_alloc(core, SA_UB, TILE * sizeof(float));
        y[i] = sa_alloc(core, SA_UB, TILE * sizeof(float));
        z[i] = sa_alloc(core, SA_UB, TILE * sizeof(float));
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, i); /* x and y are free */
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, i); /* z is free */
    }

    uint32_t tiles = (a->n + TILE - 1) / TILE, buffer = 0;
    for (uint32_t tile = sa_block_idx(core); tile < tiles; tile += sa_block_num(core)) {
        uint32_t at = tile * TILE, n = a->n - at < TILE ? a->n - at : TILE;

        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, buffer);
        sa_copy_in(core, x[buffer], a->x + at, n * sizeof(float));
        sa_copy_in(core, y[buffer], a->y + at, n * sizeof(float));
        sa_set_flag(core, SA_PIPE_MTE2, SA_PIPE_V, buffer);

        sa_wait_flag(core, SA_PIPE_MTE2, SA_PIPE_V, buffer);
        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, buffer);
        sa_add(core, SA_F32, z[buffer], x[buffer], y[buffer], n);
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE2, buffer);
        sa_set_flag(core, SA_PIPE_V, SA_PIPE_MTE3, buffer);

        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE3, buffer);
        sa_copy_out(core, a->z + at, z[buffer], n * sizeof(float));
        sa_set_flag(core, SA_PIPE_MTE3, SA_PIPE_V, buffer);
        buffer = 1 - buffer;
    }

    for (uint32_t i = 0; i < 2; i++) {
        sa_wait_flag(core, SA_PIPE_V, SA_PIPE_MTE2, i);
        sa_wait_flag(core, SA_PIPE_MTE3, SA_PIPE_V, i);
    }
}

#define CHECK(call)                                                                                \
    do {                                                                                           \
        int error = (call);                                                                        \
        if (error != ACL_SUCCESS) {                                                                \
            const char *text = aclGetRecentErrMsg();                                               \
            printf("%s: error %d: %s\n", #call, error, text ? text : "");                          \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static float x[300000], y[300000], z[300000];

int main(void)
{
    const uint32_t n = 300000, blocks = 8;
    for (uint32_t i = 0; i < n; i++) {
        x[i] = (float)i;
        y[i] = 0.5f * (float)(i % 7);
    }

    add_args args = {.n = n};
    void *x_device, *y_device, *z_device;
    aclrtStream stream;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtMalloc(&x_device, sizeof(x), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&y_device, sizeof(y), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&z_device, sizeof(z), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(x_device, sizeof(x), x, sizeof(x), ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(y_device, sizeof(y), y, sizeof(y), ACL_MEMCPY_HOST_TO_DEVICE));

    args.x = x_device;
    args.y = y_device;
    args.z = z_device;
    CHECK(sa_stream_launch(stream, add_kernel, "add", blocks, SA_AIV, &args, sizeof(args)));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(z, sizeof(z), z_device, sizeof(z), ACL_MEMCPY_DEVICE_TO_HOST));

    uint32_t wrong = 0;
    for (uint32_t i = 0; i < n; i++) {
        wrong += z[i] != x[i] + y[i];
    }
    printf("add: %u elements, %u wrong\n", n, wrong);

    CHECK(aclrtFree(x_device));
    CHECK(aclrtFree(y_device));
    CHECK(aclrtFree(z_device));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return wrong != 0;
}
