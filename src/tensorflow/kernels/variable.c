/* Gathers from variables and sparse updates of them: what embeddings need. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_sub.h"
#include "aclnnop/sann_unsorted_segment_sum.h"
#include "tensorflow/kernels/index.h"
#include "tensorflow/variables.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sa_variable_open_function open_variable;
static sa_variable_close_function close_variable;
static char why_not[1024];

/* "2.21" of "2.21.0": C++ layouts may change with every release. */
static bool same_release(const char *a, const char *b)
{
    const char *dot = strchr(a, '.');
    dot = dot ? strchr(dot + 1, '.') : NULL;
    size_t n = dot ? (size_t)(dot - a) : strlen(a);
    return strncmp(a, b, n) == 0 && (b[n] == '.' || b[n] == 0);
}

static const char *running_release(void)
{
    void *cc = dlopen("libtensorflow_cc.so.2", RTLD_NOLOAD | RTLD_LAZY);
    const char *(*version)(void) = NULL;
    void *symbol = dlsym(cc ? cc : RTLD_DEFAULT, "TF_Version");
    memcpy(&version, &symbol, sizeof version);
    return version ? version() : "unknown";
}

static void load(void)
{
    static const char *const places[] = {"", "../softascend/lib64/"};
    Dl_info self;
    char path[4096];
    void *library = NULL;
    if (!same_release(SA_BUILT_FOR_TENSORFLOW, running_release())) {
        snprintf(why_not, sizeof why_not,
                 "kernels on variables were built for TensorFlow %s, and this is %s: build "
                 "SoftAscend against it",
                 SA_BUILT_FOR_TENSORFLOW, running_release());
        return;
    }
    if (!dladdr((const void *)(uintptr_t)load, &self) || !self.dli_fname)
        return;
    const char *slash = strrchr(self.dli_fname, '/');
    int folder = slash ? (int)(slash + 1 - self.dli_fname) : 0;
    for (int i = 0; i < 2 && !library; i++) {
        snprintf(path, sizeof path, "%.*s%slibsoftascend_variables.so", folder, self.dli_fname,
                 places[i]);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            snprintf(why_not, sizeof why_not, "%s", dlerror());
    }
    void *o = library ? dlsym(library, SA_VARIABLE_OPEN) : NULL;
    void *c = library ? dlsym(library, SA_VARIABLE_CLOSE) : NULL;
    if (o && c) {
        memcpy(&open_variable, &o, sizeof o);
        memcpy(&close_variable, &c, sizeof c);
    }
}

/* The variable of input 0 as an operand, locked until close_variable. */
static bool lock_variable(job *j, bool writing, sa_variable *v, operand *o)
{
    if (j->failed)
        return false;
    pthread_once(&once, load);
    if (!open_variable) {
        tf_fail(j, TF_UNIMPLEMENTED, "no way to a variable's tensor: %s", why_not);
        return false;
    }
    open_variable(j->ctx, 0, writing, v, j->status);
    if (TF_GetCode(j->status) != TF_OK) {
        char text[1024];
        TF_Code code = TF_GetCode(j->status);
        snprintf(text, sizeof text, "%s", TF_Message(j->status));
        tf_fail(j, code, "%s", text);
        return false;
    }
    *o = (operand){NULL, v->data, v->type, v->rank, v->dims, tf_count(v->rank, v->dims)};
    if (v->type != j->k->type) {
        tf_fail(j, TF_INVALID_ARGUMENT, "the variable is %s, and the op's dtype %s",
                tf_type(v->type), tf_type(j->k->type));
        close_variable(v);
        return false;
    }
    return true;
}

static void gather_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    TF_OpKernelConstruction_GetAttrInt64(c, "batch_dims", &k->number[0], status);
}

static void resource_gather(job *j)
{
    sa_variable v;
    operand params;
    const operand *indices = tf_in(j, 1);
    if (!lock_variable(j, false, &v, &params))
        return;
    int64_t batch = j->k->number[0];
    tf_gather(j, &params, indices, batch < 0 ? batch + indices->rank : batch, batch);
    tf_wait(j);
    close_variable(&v);
}

/* variable[indices] += or -= updates: rows that occur more than once are summed first. */
static void scatter(job *j, bool subtract)
{
    sa_variable v;
    operand var;
    const operand *indices = tf_in(j, 1), *updates = tf_in(j, 2);
    if (!lock_variable(j, true, &v, &var))
        return;
    bool good = var.rank >= 1;
    int tail = var.rank - 1;
    bool scalar = updates->rank == 0;
    if (good && !scalar)
        good = updates->rank == indices->rank + tail &&
               !memcmp(updates->dims, indices->dims, (size_t)indices->rank * 8) &&
               !memcmp(updates->dims + indices->rank, var.dims + 1, (size_t)tail * 8);
    if (!good)
        tf_fail(j, TF_INVALID_ARGUMENT,
                "updates must have shape indices.shape + variable.shape[1:], or be a scalar: "
                "variable is %s, indices %s, updates %s",
                tf_shape(j, var.rank, var.dims), tf_shape(j, indices->rank, indices->dims),
                tf_shape(j, updates->rank, updates->dims));
    int64_t n = indices->count;
    if (!j->failed && var.count && n) {
        int64_t inner = tf_count(tail, var.dims + 1);
        const int64_t wide[] = {n, inner};
        if (scalar) {
            const operand *all = tf_temp(j, var.type, 2, wide);
            tf_copy(j, all, 0, &(int64_t){1}, updates, 0, &(int64_t){0}, 1, &(int64_t){n * inner});
            updates = all;
        }
        const operand *sums = tf_temp(j, var.type, var.rank, var.dims);
        aclTensor *data = tf_shaped(j, updates, 2, wide), *ids = tf_flat(j, indices);
        aclTensor *sum = tf_shaped(j, sums, 2, (int64_t[]){var.dims[0], inner});
        TF_RUN(j, sannUnsortedSegmentSum, data, ids, sum);
        tf_wait_for_indices(j);
        aclTensor *target = tf_flat(j, &var), *change = tf_flat(j, sums);
        aclScalar *one = tf_scalar(j, var.type, 1);
        if (subtract)
            TF_RUN(j, aclnnSub, target, change, one, target);
        else
            TF_RUN(j, aclnnAdd, target, change, one, target);
    }
    tf_wait(j);
    close_variable(&v);
}

static void scatter_add(job *j)
{
    scatter(j, false);
}

static void scatter_subtract(job *j)
{
    scatter(j, true);
}

#define INDEX (T_INT32 | T_INT64)

const kernel_def tf_kernels_variable[] = {
    {"ResourceGather", "dtype", T_FLOATS | INDEX, resource_gather, gather_prepare, "Tindices",
     INDEX, .host = {"resource"}},
    {"ResourceScatterAdd", "dtype", T_FLOATS | INDEX, scatter_add, NULL, "Tindices", INDEX,
     .host = {"resource"}},
    {"ResourceScatterSub", "dtype", T_FLOATS | INDEX, scatter_subtract, NULL, "Tindices", INDEX,
     .host = {"resource"}},
    {NULL},
};
