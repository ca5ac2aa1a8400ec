/* Dense layers: product, bias and activation as one operator, and the activations' gradients. */
#include <stdio.h>
#include <string.h>

#include "aclnnop/sann_linear.h"
#include "tensorflow/kernels/kernel.h"

/* By number[0]; the second name is TensorFlow's for what is fused to its own matmul. */
static const struct {
    const char *name, *fused;
} activations[] = {
    {"none", NULL},
    {"relu", "Relu"},
    {"relu6", "Relu6"},
    {"tanh", "Tanh"},
    {"sigmoid", "Sigmoid"},
    {"gelu", "GeluExact"},
    {"gelu_tanh", "GeluApproximate"},
    {"silu", NULL},
};
enum { ACTIVATIONS = sizeof activations / sizeof *activations };

static const char *activation_of(const job *j)
{
    return activations[j->k->number[0]].name;
}

static void flag_of(kernel *k, int i, TF_OpKernelConstruction *c, const char *name,
                    TF_Status *status)
{
    TF_Bool value = 0;
    if (TF_GetCode(status) == TF_OK)
        TF_OpKernelConstruction_GetAttrBool(c, name, &value, status);
    k->flag[i] = value;
}

static void named_activation(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    char name[16] = "";
    int32_t list = 0, bytes = 0;
    TF_OpKernelConstruction_GetAttrSize(c, "activation", &list, &bytes, status);
    if (TF_GetCode(status) == TF_OK && bytes > 0 && bytes < (int32_t)sizeof name)
        TF_OpKernelConstruction_GetAttrString(c, "activation", name, (size_t)bytes, status);
    for (int i = 0; i < ACTIVATIONS; i++)
        if (strcmp(name, activations[i].name) == 0)
            k->number[0] = i;
}

/* flag[0], flag[1]: the weight is transposed, what the activation is applied to is kept. */
static void linear_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    named_activation(k, c, status);
    flag_of(k, 0, c, "transpose_weight", status);
    flag_of(k, 1, c, "keep_preactivation", status);
}

/* What TensorFlow's fused_ops say: nothing, BiasAdd, or BiasAdd and an activation. number[1]: how
 * many biases. */
static void fused_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    enum { MOST = 4, ROOM = 256 };
    char room[ROOM], text[ROOM + 64] = "", *names[MOST] = {0};
    size_t bytes[MOST] = {0};
    int32_t count = 0, total = 0;
    bool known = true;

    flag_of(k, 0, c, "transpose_a", status);
    flag_of(k, 1, c, "transpose_b", status);
    if (TF_GetCode(status) == TF_OK)
        TF_OpKernelConstruction_GetAttrSize(c, "fused_ops", &count, &total, status);
    if (TF_GetCode(status) == TF_OK && count <= MOST && total <= ROOM)
        TF_OpKernelConstruction_GetAttrStringList(c, "fused_ops", names, bytes, MOST, room,
                                                  sizeof room, status);
    if (TF_GetCode(status) != TF_OK)
        return;
    for (int i = 0; i < count && i < MOST && names[i]; i++) {
        strcat(text, i ? ", " : "");
        strncat(text, names[i], bytes[i]);
    }
    k->number[1] = count > 0;
    if (count > 0)
        known = bytes[0] == 7 && memcmp(names[0], "BiasAdd", 7) == 0;
    if (count > 1) {
        int i = 0;
        while (i < ACTIVATIONS &&
               !(activations[i].fused && bytes[1] == strlen(activations[i].fused) &&
                 memcmp(names[1], activations[i].fused, bytes[1]) == 0))
            i++;
        known = known && i < ACTIVATIONS && count == 2;
        k->number[0] = known ? i : 0;
    }
    if (!known) {
        char message[ROOM + 256];
        snprintf(message, sizeof message,
                 "_FusedMatMul: fused_ops is [%s]; the NPU has BiasAdd, alone or with Relu, Relu6, "
                 "Tanh, Sigmoid, GeluExact or GeluApproximate",
                 text);
        TF_SetStatus(status, TF_UNIMPLEMENTED, message);
    }
}

static void gradient_prepare(kernel *k, TF_OpKernelConstruction *c, TF_Status *status)
{
    named_activation(k, c, status);
}

/* The matrix o, read transposed or not. */
static aclTensor *matrix(job *j, const operand *o, bool transpose)
{
    int64_t rows = o->dims[0], cols = o->dims[1];
    view v = {2, {rows, cols}, {cols, 1}, 0}, t = {2, {cols, rows}, {1, cols}, 0};
    return tf_viewed(j, o, transpose ? &t : &v);
}

static bool is_matrix(job *j, const operand *o, const char *name)
{
    if (!j->failed && o->rank != 2)
        tf_fail(j, TF_INVALID_ARGUMENT, "%s must be a matrix, and has rank %d, shape %s", name,
                o->rank, tf_shape(j, o->rank, o->dims));
    return !j->failed;
}

static void run(job *j, const operand *x, bool transpose_x, const operand *w, bool transpose_w,
                const operand *bias, const operand *before, const operand *y,
                const char *activation)
{
    const int64_t *wd = w->dims;
    if (!j->failed && bias && (bias->rank != 1 || bias->dims[0] != wd[!transpose_w]))
        tf_fail(j, TF_INVALID_ARGUMENT, "bias must be [%lld], and has shape %s",
                (long long)wd[!transpose_w], tf_shape(j, bias->rank, bias->dims));
    if (j->failed || y->count == 0)
        return;
    aclTensor *vx = transpose_x ? matrix(j, x, true) : tf_shaped(j, x, x->rank, x->dims);
    aclTensor *vw = matrix(j, w, transpose_w);
    aclTensor *vb = bias ? tf_shaped(j, bias, 1, bias->dims) : NULL;
    aclTensor *vz = before ? tf_shaped(j, before, y->rank, y->dims) : NULL;
    aclTensor *vy = tf_shaped(j, y, y->rank, y->dims);
    TF_RUN(j, sannLinear, vx, vw, vb, activation, vz, vy);
}

static void fused(job *j)
{
    const operand *a = tf_in(j, 0), *b = tf_in(j, 1);
    bool ta = j->k->flag[0], tb = j->k->flag[1];
    if (!is_matrix(j, a, "a") || !is_matrix(j, b, "b"))
        return;
    if (j->inputs < 2 + j->k->number[1]) {
        tf_fail(j, TF_INVALID_ARGUMENT, "BiasAdd is among fused_ops, and there is no bias");
        return;
    }
    if (a->dims[!ta] != b->dims[tb]) {
        tf_fail(j, TF_INVALID_ARGUMENT,
                "Matrix size-incompatible: k differs: a is %s (transpose_a=%s), b is %s "
                "(transpose_b=%s)",
                tf_shape(j, 2, a->dims), ta ? "true" : "false", tf_shape(j, 2, b->dims),
                tb ? "true" : "false");
        return;
    }
    const int64_t dims[] = {a->dims[ta], b->dims[!tb]};
    const operand *bias = j->k->number[1] ? tf_in(j, 2) : NULL;
    const operand *y = tf_out(j, 0, a->type, 2, dims);
    run(j, a, ta, b, tb, bias, NULL, y, activation_of(j));
}

static void linear(job *j)
{
    const operand *x = tf_in(j, 0), *w = tf_in(j, 1);
    bool t = j->k->flag[0], keep = j->k->flag[1];
    if (!is_matrix(j, w, "weight"))
        return;
    if (x->rank < 2 || x->rank > TF_MAX_VIEW_RANK) {
        tf_fail(j, TF_INVALID_ARGUMENT, "input must have rank 2 to 8, and has shape %s",
                tf_shape(j, x->rank, x->dims));
        return;
    }
    if (x->dims[x->rank - 1] != w->dims[t]) {
        tf_fail(j, TF_INVALID_ARGUMENT,
                "k differs: input is %s, weight is %s (transpose_weight=%s)",
                tf_shape(j, x->rank, x->dims), tf_shape(j, 2, w->dims), t ? "true" : "false");
        return;
    }
    int64_t dims[TF_MAX_VIEW_RANK], none = 0;
    memcpy(dims, x->dims, (size_t)x->rank * sizeof *dims);
    dims[x->rank - 1] = w->dims[!t];
    const operand *bias = j->inputs > 2 ? tf_in(j, 2) : NULL;
    const operand *y = tf_out(j, 0, x->type, x->rank, dims);
    const operand *z = tf_out(j, 1, x->type, keep ? x->rank : 1, keep ? dims : &none);
    run(j, x, false, w, t, bias, keep ? z : NULL, y, activation_of(j));
}

static void gradient(job *j)
{
    const operand *g = tf_in(j, 0), *z = tf_in(j, 1);
    if (j->failed)
        return;
    if (g->rank != z->rank || memcmp(g->dims, z->dims, (size_t)g->rank * sizeof *g->dims) != 0) {
        tf_fail(j, TF_INVALID_ARGUMENT, "shapes differ: gradient is %s, preactivation is %s",
                tf_shape(j, g->rank, g->dims), tf_shape(j, z->rank, z->dims));
        return;
    }
    const operand *y = tf_out(j, 0, g->type, g->rank, g->dims);
    if (j->failed || y->count == 0)
        return;
    aclTensor *vg = tf_flat(j, g), *vz = tf_flat(j, z), *vy = tf_flat(j, y);
    TF_RUN(j, sannActivationBackward, vg, vz, activation_of(j), vy);
}

const kernel_def tf_kernels_linear[] = {
    {"_FusedMatMul", "T", T_FLOATS, fused, fused_prepare},
    {"AscendLinear", "T", T_FLOATS, linear, linear_prepare, .on_cpu = true},
    {"AscendActivationGrad", "T", T_FLOATS, gradient, gradient_prepare, .on_cpu = true},
    {NULL},
};
