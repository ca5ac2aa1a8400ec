/* What the operators' tests share: a device, tensors of any dtype, and exact rounding to them. */
#ifndef OPS_SUPPORT_H
#define OPS_SUPPORT_H

#define _GNU_SOURCE
#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "softascend/dtype.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* cmocka group fixtures: device 0 and a stream of this thread. */
int ops_setup(void **state);
int ops_teardown(void **state);
aclrtStream ops_stream(void);

/* For further threads: device 0, a stream; and back. */
void ops_thread_begin(void);
void ops_thread_end(void);

/* The double nearest to v that the dtype has (ties to even; floats only, once). */
double ops_round(sa_dtype dtype, double v);
/* The spacing of the dtype's numbers at v, at least that of its smallest normal's. */
double ops_ulp(sa_dtype dtype, double v);

/* Element `index` of an array of the dtype. ops_store rounds. */
double ops_load(sa_dtype dtype, const void *array, int64_t index);
void ops_store(sa_dtype dtype, void *array, int64_t index, double v);

/* Device memory of `bytes`, from `host` or, if that is NULL, filled with 0xa5. */
void *ops_upload(const void *host, size_t bytes);
void ops_download(void *host, const void *device, size_t bytes);
void ops_free(void *device);

/* A tensor over device memory `data`; strides NULL: contiguous, its own storage. */
aclTensor *ops_tensor(sa_dtype dtype, int rank, const int64_t *dims, const int64_t *strides,
                      int64_t offset, int64_t storage_elements, void *data);

/* Whether the process's chip computes with the dtype: coupled chips lack bfloat16. */
bool ops_has(sa_dtype dtype);
#define OPS_LACKS_BF16 "is bfloat16, which Ascend310P3, a coupled chip, does not have"

/* Numbers in [-1, 1), the same on every run. */
double ops_random(uint64_t *seed);

/* Both phases and a synchronisation; the first status that is not 0. */
typedef aclnnStatus (*ops_second_phase)(void *, uint64_t, aclOpExecutor *, aclrtStream);
aclnnStatus ops_finish(ops_second_phase second, uint64_t workspace_bytes, aclOpExecutor *executor);
#define OPS_RUN(op, ...)                                                                           \
    ({                                                                                             \
        uint64_t ops_bytes_ = 0;                                                                   \
        aclOpExecutor *ops_executor_ = NULL;                                                       \
        aclnnStatus ops_status_ = op##GetWorkspaceSize(__VA_ARGS__, &ops_bytes_, &ops_executor_);  \
        ops_status_ ? ops_status_ : ops_finish(op, ops_bytes_, ops_executor_);                     \
    })

/* The call's status, and that the thread's error text contains `text`. */
#define OPS_REFUSED(code, text, call)                                                              \
    do {                                                                                           \
        assert_int_equal(call, code);                                                              \
        const char *ops_message_ = aclGetRecentErrMsg();                                           \
        if (!ops_message_ || !strstr(ops_message_, text))                                          \
            fail_msg("\"%s\" lacks \"%s\"", ops_message_ ? ops_message_ : "(none)", text);         \
    } while (0)

#define OPS_OK(call)                                                                               \
    do {                                                                                           \
        int ops_code_ = call;                                                                      \
        if (ops_code_) {                                                                           \
            const char *ops_message_ = aclGetRecentErrMsg();                                       \
            fail_msg("%s: %d: %s", #call, ops_code_, ops_message_ ? ops_message_ : "(no text)");   \
        }                                                                                          \
    } while (0)

#endif
