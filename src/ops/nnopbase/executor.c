/* aclOpExecutor: the launches that an operator's first phase planned, for its second to enqueue.
 *
 * TensorFlow runs both phases for every op it executes, so an executor costs no allocation in the
 * steady state: each thread keeps a few that it has used. */
#include "ops/op.h"

#include "runtime/runtime.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 16
#define POINTS 24
#define ALIGN(n, to) (((n) + (to)-1) / (to) * (to))

typedef struct planned {
    sa_kernel kernel;
    const char *name;
    sa_core_type type;
    uint32_t blocks, args_at, args_bytes;
} planned;

typedef struct point {
    void *field;
    uint64_t offset;
} point;

struct aclOpExecutor {
    const char *op; /* NULL: not handed out */
    aclOpExecutor *next;
    uint64_t workspace_bytes;
    bool repeatable;
    int launches, points;
    uint32_t args_used;
    planned launch[SA_OP_LAUNCHES];
    point point[POINTS];
    alignas(64) unsigned char args[SA_OP_ARGS_BYTES];
};

typedef struct kept {
    aclOpExecutor *first;
    int count;
    bool registered;
} kept;

static _Thread_local kept spare;
static pthread_key_t spare_key;
static pthread_once_t spare_once = PTHREAD_ONCE_INIT;

static void free_spare(void *list)
{
    kept *k = list;
    while (k->first) {
        aclOpExecutor *ex = k->first;
        k->first = ex->next;
        free(ex);
    }
    k->count = KEPT; /* the thread ends: whatever comes back now is freed */
}

static void make_key(void)
{
    pthread_key_create(&spare_key, free_spare);
}

static void give_back(aclOpExecutor *ex)
{
    ex->op = NULL;
    if (!spare.registered) {
        pthread_once(&spare_once, make_key);
        pthread_setspecific(spare_key, &spare);
        spare.registered = true;
    }
    if (spare.count >= KEPT) {
        free(ex);
        return;
    }
    ex->next = spare.first;
    spare.first = ex;
    spare.count++;
}

/* The main thread's end runs no key destructors. */
__attribute__((destructor)) static void free_main_spare(void)
{
    free_spare(&spare);
}

aclnnStatus sa_op_begin(const char *op, uint64_t *workspaceSize, aclOpExecutor **executor,
                        aclOpExecutor **ex)
{
    if (!workspaceSize || !executor)
        return sa_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL", op,
                       workspaceSize ? "executor" : "workspaceSize");
    *workspaceSize = 0;
    *executor = NULL;
    if (spare.first) {
        *ex = spare.first;
        spare.first = (*ex)->next;
        spare.count--;
    } else {
        *ex = aligned_alloc(64, ALIGN(sizeof **ex, 64));
        if (!*ex)
            return sa_fail(SA_ERR_OUT_OF_MEMORY, "%s: out of host memory", op);
    }
    (*ex)->op = op;
    (*ex)->workspace_bytes = 0;
    (*ex)->repeatable = false;
    (*ex)->launches = (*ex)->points = 0;
    (*ex)->args_used = 0;
    return ACLNN_SUCCESS;
}

aclnnStatus sa_op_end(aclOpExecutor *ex, aclnnStatus status, uint64_t *workspaceSize,
                      aclOpExecutor **executor)
{
    if (status) {
        if (ex)
            give_back(ex);
        return status;
    }
    *workspaceSize = ex->workspace_bytes;
    *executor = ex;
    return ACLNN_SUCCESS;
}

aclnnStatus sa_op_launch(aclOpExecutor *ex, sa_kernel kernel, const char *name, sa_core_type type,
                         uint32_t blocks, const void *args, size_t args_bytes, void **copy)
{
    if (ex->launches == SA_OP_LAUNCHES || args_bytes > SA_OP_ARGS_BYTES - ex->args_used)
        return sa_fail(ACLNN_ERR_INNER, "%s: more launches than an executor holds (%d, %u bytes)",
                       ex->op, ex->launches, ex->args_used);
    ex->launch[ex->launches++] =
        (planned){kernel, name, type, blocks, ex->args_used, (uint32_t)args_bytes};
    if (copy)
        *copy = ex->args + ex->args_used;
    memcpy(ex->args + ex->args_used, args, args_bytes);
    ex->args_used += (uint32_t)ALIGN(args_bytes, 64);
    return ACLNN_SUCCESS;
}

uint64_t sa_op_workspace(aclOpExecutor *ex, uint64_t bytes)
{
    uint64_t offset = ex->workspace_bytes;
    ex->workspace_bytes += ALIGN(bytes, 512);
    return offset;
}

aclnnStatus sa_op_point(aclOpExecutor *ex, void *field, uint64_t offset)
{
    if (ex->points == POINTS)
        return sa_fail(ACLNN_ERR_INNER, "%s: more workspace pointers than an executor holds (%d)",
                       ex->op, POINTS);
    ex->point[ex->points++] = (point){field, offset};
    return ACLNN_SUCCESS;
}

aclnnStatus sa_op_run(const char *op, void *workspace, uint64_t workspaceSize,
                      aclOpExecutor *executor, aclrtStream stream)
{
    aclnnStatus status = ACLNN_SUCCESS;

    if (!executor)
        return sa_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: executor is NULL", op);
    if (!executor->op)
        return sa_fail(ACLNN_ERR_PARAM_INVALID,
                       "%s: the executor has run already; make it repeatable to run it again", op);
    if (strcmp(op, executor->op) != 0)
        return sa_fail(ACLNN_ERR_PARAM_INVALID, "%s: the executor was made for %s", op,
                       executor->op);
    if (executor->workspace_bytes > 0 && !workspace) {
        status = sa_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: workspace is NULL, %llu bytes are needed",
                         op, (unsigned long long)executor->workspace_bytes);
    } else if (executor->workspace_bytes > workspaceSize) {
        status = sa_fail(ACLNN_ERR_PARAM_INVALID, "%s: workspaceSize is %llu, %llu are needed", op,
                         (unsigned long long)workspaceSize,
                         (unsigned long long)executor->workspace_bytes);
    }
    for (int i = 0; !status && i < executor->points; i++) {
        char *address = (char *)workspace + executor->point[i].offset;
        memcpy(executor->point[i].field, &address, sizeof address);
    }
    for (int i = 0; !status && i < executor->launches; i++) {
        const planned *p = &executor->launch[i];
        status = sa_stream_launch(stream, p->kernel, p->name, p->blocks, p->type,
                                  executor->args + p->args_at, p->args_bytes);
    }
    if (!executor->repeatable)
        give_back(executor);
    return status;
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
    if (!executor)
        return sa_fail(ACLNN_ERR_PARAM_NULLPTR, "aclSetAclOpExecutorRepeatable: executor is NULL");
    executor->repeatable = true;
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
    if (!executor)
        return sa_fail(ACLNN_ERR_PARAM_NULLPTR, "aclDestroyAclOpExecutor: executor is NULL");
    if (!executor->op)
        return sa_fail(ACLNN_ERR_PARAM_INVALID,
                       "aclDestroyAclOpExecutor: the executor is gone already");
    give_back(executor);
    return ACLNN_SUCCESS;
}
