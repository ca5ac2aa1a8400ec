/* A kernel's call: its operands, what it holds until the end, how it fails. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/kernels/run.h"

static const operand nothing;

/* ---- failing ---- */

static TF_Code code_of(aclError e)
{
    switch (e) {
    case ACLNN_ERR_PARAM_NULLPTR:
    case ACLNN_ERR_PARAM_INVALID:
        return TF_INVALID_ARGUMENT;
    case ACL_ERROR_BAD_ALLOC:
    case 207001:
    case 207018:
        return TF_RESOURCE_EXHAUSTED;
    default:
        return TF_INTERNAL;
    }
}

void tf_fail(job *j, TF_Code code, const char *format, ...)
{
    if (j->failed)
        return;
    char text[2048];
    int n = snprintf(text, sizeof text, "%s: ", j->k->name ? j->k->name : j->k->def->op);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    va_end(args);
    TF_SetStatus(j->status, code, text);
    j->failed = true;
}

void tf_fail_acl(job *j, aclError code)
{
    if (!j->failed)
        tf_fail(j, code_of(code), "%s", tf_acl_text(code));
}

/* A failed TF_* call: its status is in j->status already. */
static bool tf_ok(job *j)
{
    if (TF_GetCode(j->status) != TF_OK)
        j->failed = true;
    return !j->failed;
}

const char *tf_shape(job *j, int rank, const int64_t *dims)
{
    size_t room = 4 + 22 * (size_t)rank;
    char *text = (char *)tf_ints(j, (int64_t)(room / 8 + 1));
    char *p = text;
    *p++ = '[';
    for (int i = 0; i < rank; i++)
        p += sprintf(p, i ? ", %lld" : "%lld", (long long)dims[i]);
    *p++ = ']';
    *p = 0;
    return text;
}

const char *tf_type(TF_DataType type)
{
    static const char *const names[] = {
        [TF_FLOAT] = "float32", [TF_DOUBLE] = "float64",      [TF_INT32] = "int32",
        [TF_UINT8] = "uint8",   [TF_INT16] = "int16",         [TF_INT8] = "int8",
        [TF_STRING] = "string", [TF_COMPLEX64] = "complex64", [TF_INT64] = "int64",
        [TF_BOOL] = "bool",     [TF_BFLOAT16] = "bfloat16",   [TF_UINT16] = "uint16",
        [TF_HALF] = "float16",  [TF_RESOURCE] = "resource",   [TF_VARIANT] = "variant",
        [TF_UINT32] = "uint32", [TF_UINT64] = "uint64",       [TF_COMPLEX128] = "complex128",
    };
    unsigned i = (unsigned)type;
    return i < sizeof names / sizeof *names && names[i] ? names[i] : "an unknown dtype";
}

/* ---- what a job holds ---- */

static struct held *hold(job *j)
{
    struct held *h;
    if (j->few_used < (int)(sizeof j->few / sizeof *j->few)) {
        h = &j->few[j->few_used++];
        *h = (struct held){.own = false};
    } else if ((h = calloc(1, sizeof *h))) {
        h->own = true;
    } else {
        tf_fail(j, TF_RESOURCE_EXHAUSTED, "out of host memory");
        return NULL;
    }
    h->next = j->held;
    j->held = h;
    return h;
}

int64_t *tf_ints(job *j, int64_t n)
{
    size_t want = n > 0 ? (size_t)n : 1;
    if (want <= sizeof j->pool / sizeof *j->pool - j->pool_used) {
        int64_t *p = j->pool + j->pool_used;
        j->pool_used += want;
        return p;
    }
    struct held *h = calloc(1, sizeof *h + want * sizeof(int64_t));
    if (!h)
        abort(); /* a few bytes of host memory: TensorFlow itself would not survive this */
    h->own = true;
    h->next = j->held;
    j->held = h;
    return (int64_t *)(h + 1);
}

static void release(job *j)
{
    for (struct held *h = j->held, *next; h; h = next) {
        next = h->next;
        if (h->view)
            aclDestroyTensor(h->view);
        if (h->scalar)
            aclDestroyScalar(h->scalar);
        if (h->array)
            aclDestroyIntArray(h->array);
        if (h->bools)
            aclDestroyBoolArray(h->bools);
        if (h->tensor)
            TF_DeleteTensor(h->tensor);
        if (h->own)
            free(h);
    }
}

/* ---- operands ---- */

int64_t tf_count(int rank, const int64_t *dims)
{
    int64_t n = 1;
    for (int i = 0; i < rank; i++)
        n *= dims[i];
    return n;
}

bool tf_count_fits(job *j, int rank, const int64_t *dims)
{
    int64_t n = 1;
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 0) {
            tf_fail(j, TF_INVALID_ARGUMENT, "dimension %d of the result's shape %s is negative", i,
                    tf_shape(j, rank, dims));
            return false;
        }
        if (dims[i] && n > INT64_MAX / 16 / dims[i]) {
            tf_fail(j, TF_INVALID_ARGUMENT, "the result's shape %s has too many elements",
                    tf_shape(j, rank, dims));
            return false;
        }
        n *= dims[i] ? dims[i] : 1;
    }
    if (rank > 254)
        tf_fail(j, TF_INVALID_ARGUMENT, "the result's rank %d is over 254", rank);
    return !j->failed;
}

static void describe(job *j, operand *o, TF_Tensor *t)
{
    o->tensor = t;
    o->type = TF_TensorType(t);
    o->rank = TF_NumDims(t);
    int64_t *dims = tf_ints(j, o->rank);
    o->count = 1;
    for (int i = 0; i < o->rank; i++) {
        dims[i] = TF_Dim(t, i);
        o->count *= dims[i];
    }
    o->dims = dims;
    /* Resource handles and variants are not data. */
    o->data = o->type == TF_RESOURCE || o->type == TF_VARIANT ? NULL : TF_TensorData(t);
}

const operand *tf_in(job *j, int i)
{
    if (j->failed)
        return &nothing;
    if (i >= j->inputs) {
        tf_fail(j, TF_INTERNAL, "there is no input %d", i);
        return &nothing;
    }
    operand *o = &j->in[i];
    if (!o->tensor && !j->inner) {
        TF_Tensor *t = NULL;
        TF_GetInput(j->ctx, i, &t, j->status);
        if (!tf_ok(j))
            return &nothing;
        describe(j, o, t);
    }
    return o;
}

static const operand *described(job *j, TF_Tensor *t)
{
    struct held *h = tf_ok(j) ? hold(j) : NULL;
    if (!h) {
        if (t)
            TF_DeleteTensor(t);
        return &nothing;
    }
    h->tensor = t;
    operand *o = (operand *)tf_ints(j, (sizeof *o + 7) / 8);
    describe(j, o, t);
    return o;
}

/* An inner call's output: memory for the length of the job. */
static const operand *make_inner(job *j, TF_DataType type, int rank, const int64_t *dims)
{
    *j->made = *tf_temp(j, type, rank, dims);
    return j->made;
}

const operand *tf_out(job *j, int i, TF_DataType type, int rank, const int64_t *dims)
{
    if (j->made)
        return make_inner(j, type, rank, dims);
    if (j->failed || !tf_count_fits(j, rank, dims))
        return &nothing;
    size_t bytes = (size_t)tf_count(rank, dims) * TF_DataTypeSize(type);
    return described(j, TF_AllocateOutput(j->ctx, i, type, dims, rank, bytes, j->status));
}

const operand *tf_out_over(job *j, int i, int n, int rank, const int64_t *dims)
{
    if (j->inner)
        return tf_out(j, i, tf_in(j, n)->type, rank, dims);
    if (j->failed || !tf_count_fits(j, rank, dims))
        return &nothing;
    return described(
        j, TF_ForwardInputOrAllocateOutput(j->ctx, &n, 1, i, dims, rank, NULL, j->status));
}

const operand *tf_temp(job *j, TF_DataType type, int rank, const int64_t *dims)
{
    if (j->failed || !tf_count_fits(j, rank, dims))
        return &nothing;
    TF_AllocatorAttributes where = {.struct_size = TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE};
    return described(j, TF_AllocateTemp(j->ctx, type, dims, rank, &where, j->status));
}

void tf_out_is_in(job *j, int i, int n, int rank, const int64_t *dims)
{
    tf_out_as(j, i, n, tf_in(j, n)->type, rank, dims);
}

void tf_out_as(job *j, int i, int n, TF_DataType type, int rank, const int64_t *dims)
{
    const operand *x = tf_in(j, n);
    if (j->failed)
        return;
    TF_Tensor *alias = TF_AllocateTensor(type, NULL, 0, TF_DataTypeSize(type));
    if (alias)
        TF_TensorBitcastFrom(x->tensor, type, alias, dims, rank, j->status);
    if (alias && tf_ok(j))
        TF_SetOutput(j->ctx, i, alias, j->status);
    tf_ok(j);
    if (alias)
        TF_DeleteTensor(alias);
    else
        tf_fail(j, TF_RESOURCE_EXHAUSTED, "out of host memory");
}

const int64_t *tf_host_ints(job *j, const operand *o)
{
    int64_t *v = tf_ints(j, o->count);
    if (j->failed)
        return v;
    if (o->type == TF_INT32) {
        for (int64_t i = 0; i < o->count; i++)
            v[i] = ((const int32_t *)o->data)[i];
    } else if (o->type == TF_INT64) {
        memcpy(v, o->data, (size_t)o->count * sizeof *v);
    } else {
        tf_fail(j, TF_INVALID_ARGUMENT, "an index operand is %s, not int32 or int64",
                tf_type(o->type));
    }
    return v;
}

int64_t tf_host_int(job *j, const operand *o, const char *what)
{
    if (!j->failed && o->count != 1)
        tf_fail(j, TF_INVALID_ARGUMENT, "%s must be one number, and has shape %s", what,
                tf_shape(j, o->rank, o->dims));
    return j->failed ? 0 : *tf_host_ints(j, o);
}

int tf_axis(job *j, const char *what, int64_t axis, int rank)
{
    if (!j->failed && (axis < -rank || axis >= rank))
        tf_fail(j, TF_INVALID_ARGUMENT, "%s %lld is out of range for rank %d: [%d, %d)", what,
                (long long)axis, rank, -rank, rank);
    return j->failed ? 0 : (int)(axis < 0 ? axis + rank : axis);
}

/* ---- descriptions ---- */

aclDataType tf_acl_type(TF_DataType type)
{
    switch (type) {
    case TF_FLOAT:
        return ACL_FLOAT;
    case TF_HALF:
        return ACL_FLOAT16;
    case TF_BFLOAT16:
        return ACL_BF16;
    case TF_DOUBLE:
        return ACL_DOUBLE;
    case TF_INT8:
        return ACL_INT8;
    case TF_UINT8:
        return ACL_UINT8;
    case TF_INT16:
        return ACL_INT16;
    case TF_UINT16:
        return ACL_UINT16;
    case TF_INT32:
        return ACL_INT32;
    case TF_UINT32:
        return ACL_UINT32;
    case TF_INT64:
        return ACL_INT64;
    case TF_UINT64:
        return ACL_UINT64;
    case TF_BOOL:
        return ACL_BOOL;
    default:
        return ACL_DT_UNDEFINED;
    }
}

static aclTensor *make(job *j, const operand *o, aclDataType type, const view *v, bool dense)
{
    if (j->failed)
        return NULL;
    struct held *h = hold(j);
    if (!h)
        return NULL;
    int64_t storage = o->count;
    aclTensor *t = aclCreateTensor(v->dims, (uint64_t)v->rank, type, dense ? NULL : v->strides,
                                   v->offset, ACL_FORMAT_ND, &storage, 1, o->data);
    if (!t)
        tf_fail(j, TF_INTERNAL, "%s", tf_acl_text(ACL_ERROR_BAD_ALLOC));
    h->view = t;
    return t;
}

aclTensor *tf_flat(job *j, const operand *o)
{
    return make(j, o, tf_acl_type(o->type), &(view){.rank = 1, .dims = {o->count}}, true);
}

aclTensor *tf_shaped(job *j, const operand *o, int rank, const int64_t *dims)
{
    if (j->failed)
        return NULL;
    if (rank > TF_MAX_VIEW_RANK) {
        tf_fail(j, TF_UNIMPLEMENTED, "shape %s has rank %d, and the NPU's operators take 8 at most",
                tf_shape(j, rank, dims), rank);
        return NULL;
    }
    view v = {.rank = rank};
    memcpy(v.dims, dims, (size_t)rank * sizeof *dims);
    return make(j, o, tf_acl_type(o->type), &v, true);
}

aclTensor *tf_viewed(job *j, const operand *o, const view *v)
{
    return make(j, o, tf_acl_type(o->type), v, false);
}

aclTensor *tf_moved(job *j, const operand *o, const view *v)
{
    static const aclDataType by_size[] = {
        [1] = ACL_INT8, [2] = ACL_INT16, [4] = ACL_INT32, [8] = ACL_INT64};
    size_t bytes = TF_DataTypeSize(o->type);
    return make(j, o, bytes <= 8 ? by_size[bytes] : ACL_DT_UNDEFINED, v, false);
}

aclScalar *tf_scalar(job *j, TF_DataType type, double value)
{
    if (j->failed)
        return NULL;
    struct held *h = hold(j);
    if (!h)
        return NULL;
    float f = (float)value;
    int32_t i = (int32_t)value;
    int64_t l = (int64_t)value;
    bool b = value != 0;
    aclScalar *s = NULL;
    switch (type) {
    case TF_INT32:
        s = aclCreateScalar(&i, ACL_INT32);
        break;
    case TF_INT64:
        s = aclCreateScalar(&l, ACL_INT64);
        break;
    case TF_BOOL:
        s = aclCreateScalar(&b, ACL_BOOL);
        break;
    default:
        s = aclCreateScalar(&f, ACL_FLOAT);
    }
    if (!s)
        tf_fail(j, TF_INTERNAL, "%s", tf_acl_text(ACL_ERROR_BAD_ALLOC));
    h->scalar = s;
    return s;
}

aclIntArray *tf_array(job *j, const int64_t *values, int n)
{
    if (j->failed)
        return NULL;
    struct held *h = hold(j);
    if (!h)
        return NULL;
    aclIntArray *a = aclCreateIntArray(values, (uint64_t)n);
    if (!a)
        tf_fail(j, TF_INTERNAL, "%s", tf_acl_text(ACL_ERROR_BAD_ALLOC));
    h->array = a;
    return a;
}

aclBoolArray *tf_bools(job *j, const bool *values, int n)
{
    struct held *h = j->failed ? NULL : hold(j);
    if (!h)
        return NULL;
    aclBoolArray *a = aclCreateBoolArray(values, (uint64_t)n);
    if (!a)
        tf_fail(j, TF_INTERNAL, "%s", tf_acl_text(ACL_ERROR_BAD_ALLOC));
    h->bools = a;
    return a;
}

/* ---- running ---- */

void tf_launch(job *j, aclnnStatus first, uint64_t workspace, aclOpExecutor *executor,
               aclnnStatus (*second)(void *, uint64_t, aclOpExecutor *, aclrtStream))
{
    if (j->failed)
        return;
    if (first) {
        tf_fail_acl(j, first);
        return;
    }
    void *room = NULL;
    if (workspace) {
        room = tf_temp(j, TF_UINT8, 1, &(int64_t){(int64_t)workspace})->data;
        if (j->failed) {
            aclDestroyAclOpExecutor(executor);
            return;
        }
    }
    aclnnStatus e = second(room, workspace, executor, j->session.stream);
    if (e)
        tf_fail_acl(j, e);
}

void tf_wait(job *j)
{
    if (!j->has_session)
        return;
    aclError e = tf_session_wait(&j->session);
    if (e) {
        tf_fail_acl(j, e);
        tf_session_renew(&j->session);
        j->has_session = false;
    }
}

void tf_wait_for_values(job *j)
{
    if (j->failed || !j->has_session)
        return;
    aclError e = tf_session_wait(&j->session);
    if (!e)
        return;
    if (e == 507015 || e == 507035)
        tf_fail(j, TF_INVALID_ARGUMENT, "%s", tf_acl_text(e));
    else
        tf_fail_acl(j, e);
    tf_session_renew(&j->session);
    j->has_session = false;
}

void tf_compute(void *k, TF_OpKernelContext *ctx)
{
    job j;
    j.ctx = ctx;
    j.k = k;
    j.status = TF_NewStatus();
    bool entered = j.failed = j.has_session = j.inner = false;
    j.made = NULL;
    j.held = NULL;
    j.few_used = 0;
    j.pool_used = 0;
    j.inputs = TF_NumInputs(ctx);
    operand few[24], *in = few;
    if (j.inputs > (int)(sizeof few / sizeof *few))
        in = calloc((size_t)j.inputs, sizeof *in);
    else
        memset(few, 0, (size_t)j.inputs * sizeof *few);
    j.in = in;
    if (!in)
        tf_fail(&j, TF_RESOURCE_EXHAUSTED, "out of host memory");

    if (!j.k->def->on_host) {
        aclError e = tf_session_enter(&j.session, j.k->cpu ? 0 : TF_GetDeviceId(ctx));
        entered = j.has_session = !e;
        if (e && j.k->cpu && tf_device_count() == 0)
            tf_fail(&j, TF_FAILED_PRECONDITION,
                    "there is no NPU to compute this with; the reason was printed at start-up");
        else if (e)
            tf_fail_acl(&j, e);
    }
    if (!j.failed)
        j.k->def->compute(&j);
    /* Also after a failure: what was launched must not outlive its operands. */
    tf_wait(&j);
    if (entered)
        tf_session_leave(&j.session);
    if (j.failed)
        TF_OpKernelContext_Failure(ctx, j.status);
    release(&j);
    for (int i = 0; in && i < j.inputs; i++) {
        if (in[i].tensor)
            TF_DeleteTensor(in[i].tensor);
    }
    if (in != few)
        free(in);
    TF_DeleteStatus(j.status);
}
