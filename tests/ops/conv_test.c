/* aclnnConvolution and its backward against float64: |y - y64| <= 2 K eps32 (|x||w|) and half an
 * ulp of the dtype, K the products of a sum. All of it twice: as it runs, and in a process that the
 * race check watches, where the cube's instructions run: both give the same bits. */
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "core/isa.h"
#include "support.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const sa_dtype floats[] = {SA_F32, SA_F16, SA_BF16};

typedef struct shape {
    int64_t n, h, w, c, o, kh, kw, sh, sw, dh, dw, top, bottom, left, right, groups;
} shape;

static const shape shapes[] = {
    /* n  h   w   c   o  kh kw sh sw dh dw  padding    groups */
    {2, 9, 11, 5, 7, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {1, 8, 8, 16, 33, 3, 3, 2, 2, 1, 1, 0, 1, 0, 1, 1}, /* SAME with a stride */
    {3, 7, 5, 3, 4, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1},
    {2, 7, 6, 4, 5, 1, 1, 2, 3, 1, 1, 0, 0, 0, 0, 1}, /* pixels that no tap reads */
    {1, 12, 10, 6, 8, 5, 2, 1, 1, 1, 1, 0, 0, 0, 0, 1},
    {1, 13, 11, 4, 6, 3, 3, 1, 1, 2, 3, 2, 2, 3, 3, 1},
    {1, 14, 15, 3, 5, 3, 4, 3, 2, 2, 3, 1, 2, 3, 0, 1},
    {2, 9, 9, 4, 4, 3, 3, 4, 6, 6, 4, 6, 5, 4, 4, 1}, /* strides and dilations share factors */
    {2, 6, 7, 8, 12, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 4},
    {1, 10, 9, 6, 6, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1, 6},   /* depthwise */
    {1, 3, 140, 3, 40, 2, 3, 1, 1, 1, 1, 1, 0, 1, 1, 1}, /* lines and strips over one step's */
    {1, 5, 5, 70, 135, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {1, 150, 2, 2, 3, 3, 2, 1, 1, 1, 1, 1, 1, 0, 1, 1}, /* a column is longer than a row */
    {1, 1, 1, 3, 2, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 4, 3, 2, 5, 1}, /* positions that see padding alone */
    {1, 4, 4, 300, 3, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 1},
    {0, 4, 4, 3, 2, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},
};

/* A tensor and how it lies: dims and strides in the order that the operator is given. */
typedef struct tensor {
    sa_dtype dtype;
    aclFormat format;
    int64_t dims[4], strides[4], elements; /* [n, h, w, c] or [kh, kw, i, o] */
    void *host, *device;
    aclTensor *t;
} tensor;

typedef enum layout { CHANNELS_LAST, CHANNELS_FIRST, LAST_IN_NCHW } layout;

static tensor make(sa_dtype dtype, const int64_t *dims, bool filter, layout l, uint64_t *seed)
{
    /* memory order, and the order of the operator's dimensions, of ours */
    static const int nhwc[] = {0, 1, 2, 3}, nchw[] = {0, 3, 1, 2}, oihw[] = {3, 2, 0, 1};
    const int *memory = l == CHANNELS_FIRST ? (filter ? oihw : nchw) : nhwc;
    const int *given = l == CHANNELS_LAST ? nhwc : filter ? oihw : nchw;
    tensor x = {.dtype = dtype, .elements = 1};
    int64_t shown[4], strides[4];

    for (int i = 3; i >= 0; i--) {
        x.dims[i] = dims[i];
        x.strides[memory[i]] = x.elements;
        x.elements *= dims[memory[i]];
    }
    for (int i = 0; i < 4; i++) {
        shown[i] = x.dims[given[i]];
        strides[i] = x.strides[given[i]];
    }
    x.format = l != CHANNELS_LAST ? ACL_FORMAT_NCHW : filter ? ACL_FORMAT_HWCN : ACL_FORMAT_NHWC;
    x.host = malloc((size_t)x.elements * sa_dtype_bytes(dtype) + 1);
    for (int64_t i = 0; i < x.elements; i++)
        ops_store(dtype, x.host, i, ops_random(seed));
    x.device = ops_upload(x.host, (size_t)x.elements * sa_dtype_bytes(dtype));
    x.t = aclCreateTensor(shown, 4, (aclDataType)dtype, strides, 0, x.format, shown, 4, x.device);
    assert_non_null(x.t);
    return x;
}

static void drop(tensor *x)
{
    aclDestroyTensor(x->t);
    ops_free(x->device);
    free(x->host);
}

static double at(const tensor *x, int64_t a, int64_t b, int64_t c, int64_t d)
{
    return ops_load(x->dtype, x->host,
                    a * x->strides[0] + b * x->strides[1] + c * x->strides[2] + d * x->strides[3]);
}

/* ---- what both processes compute: bytes, one result after the other */

static unsigned char *shared; /* the watched process's results */
static size_t written;
static bool watched;
#define SHARED_BYTES ((size_t)32 << 20)

static void fetch(tensor *x, const char *what, const shape *s)
{
    size_t bytes = (size_t)x->elements * sa_dtype_bytes(x->dtype);
    ops_download(x->host, x->device, bytes);
    assert_true(written + bytes <= SHARED_BYTES);
    if (watched)
        memcpy(shared + written, x->host, bytes);
    else if (memcmp(shared + written, x->host, bytes) != 0 &&
             !(x->dtype == SA_BF16 && strcmp(sa_isa_active()->backend, "amx") == 0))
        fail_msg("%s %s of [%lld, %lld, %lld, %lld]: the fast body and the cube differ", what,
                 sa_dtype_name(x->dtype), (long long)s->n, (long long)s->h, (long long)s->w,
                 (long long)s->c);
    written += bytes;
}

/* ---- float64 */

typedef struct sums {
    double *value, *most;
    int64_t count; /* products of a sum, about */
} sums;

static sums no_sums(int64_t elements, int64_t count)
{
    return (sums){calloc((size_t)elements + 1, 8), calloc((size_t)elements + 1, 8), count};
}

static void compare(const char *what, const tensor *x, sums *s)
{
    int64_t i = 0;
    for (int64_t a = 0; a < x->dims[0]; a++)
        for (int64_t b = 0; b < x->dims[1]; b++)
            for (int64_t c = 0; c < x->dims[2]; c++)
                for (int64_t d = 0; d < x->dims[3]; d++, i++) {
                    double have = at(x, a, b, c, d), want = s->value[i];
                    double bound = 2 * (double)s->count * 0x1p-24 * s->most[i];
                    if (x->dtype != SA_F32)
                        bound += ops_ulp(x->dtype, want) / 2 * (1 + 0x1p-10);
                    if (!(fabs(have - want) <= bound))
                        fail_msg("%s %s [%lld, %lld, %lld, %lld]: %.9g, float64 says %.9g, allowed "
                                 "%.3g",
                                 what, sa_dtype_name(x->dtype), (long long)a, (long long)b,
                                 (long long)c, (long long)d, have, want, bound);
                }
    free(s->value);
    free(s->most);
}

static int64_t out_size(int64_t in, int64_t k, int64_t stride, int64_t dilation, int64_t pads)
{
    return (in + pads - (k - 1) * dilation - 1) / stride + 1;
}

/* Every product x w dy of the convolution, added where it belongs. */
static void reference(const shape *s, const tensor *x, const tensor *w, const tensor *dy, sums *y,
                      sums *dx, sums *dw)
{
    int64_t oh = dy->dims[1], ow = dy->dims[2], ci = s->c / s->groups, co = s->o / s->groups;

    for (int64_t n = 0; n < s->n; n++)
        for (int64_t i = 0; i < oh * ow * s->kh * s->kw; i++) {
            int64_t oy = i / (ow * s->kh * s->kw), ox = i / (s->kh * s->kw) % ow;
            int64_t ky = i / s->kw % s->kh, kx = i % s->kw;
            int64_t iy = oy * s->sh + ky * s->dh - s->top, ix = ox * s->sw + kx * s->dw - s->left;
            if (iy < 0 || ix < 0 || iy >= s->h || ix >= s->w)
                continue;
            for (int64_t o = 0; o < s->o; o++)
                for (int64_t c = 0; c < ci; c++) {
                    int64_t channel = o / co * ci + c;
                    double vx = at(x, n, iy, ix, channel), vw = at(w, ky, kx, c, o);
                    double vy = at(dy, n, oy, ox, o);
                    int64_t at_y = ((n * oh + oy) * ow + ox) * s->o + o;
                    int64_t at_x = ((n * s->h + iy) * s->w + ix) * s->c + channel;
                    int64_t at_w = ((ky * s->kw + kx) * ci + c) * s->o + o;
                    y->value[at_y] += vx * vw;
                    y->most[at_y] += fabs(vx * vw);
                    dx->value[at_x] += vy * vw;
                    dx->most[at_x] += fabs(vy * vw);
                    dw->value[at_w] += vx * vy;
                    dw->most[at_w] += fabs(vx * vy);
                }
        }
}

static void run(const shape *s, sa_dtype dtype, layout l, bool with_bias)
{
    uint64_t seed = (uint64_t)(s->h * 1000 + s->c);
    int64_t oh = out_size(s->h, s->kh, s->sh, s->dh, s->top + s->bottom);
    int64_t ow = out_size(s->w, s->kw, s->sw, s->dw, s->left + s->right);
    int64_t in = s->c / s->groups;
    tensor x = make(dtype, (int64_t[]){s->n, s->h, s->w, s->c}, false, l, &seed);
    tensor w = make(dtype, (int64_t[]){s->kh, s->kw, in, s->o}, true, l, &seed);
    tensor dy = make(dtype, (int64_t[]){s->n, oh, ow, s->o}, false, l, &seed);
    tensor y = make(dtype, dy.dims, false, l, &seed), dx = make(dtype, x.dims, false, l, &seed);
    tensor dw = make(dtype, w.dims, true, l, &seed);
    tensor b = make(dtype, (int64_t[]){1, 1, 1, s->o}, false, CHANNELS_LAST, &seed);
    tensor db = make(dtype, b.dims, false, CHANNELS_LAST, &seed);
    const int64_t pads[] = {s->top, s->bottom, s->left, s->right};
    aclTensor *bias = ops_tensor(dtype, 1, &s->o, NULL, 0, s->o, b.device);
    aclTensor *dbias = ops_tensor(dtype, 1, &s->o, NULL, 0, s->o, db.device);
    aclIntArray *stride = aclCreateIntArray((int64_t[]){s->sh, s->sw}, 2);
    aclIntArray *dilation = aclCreateIntArray((int64_t[]){s->dh, s->dw}, 2);
    aclIntArray *padding = aclCreateIntArray(pads, 4);
    aclBoolArray *mask = aclCreateBoolArray((bool[]){true, true, true}, 3);
    sums sy = no_sums(y.elements, s->kh * s->kw * in + 1);
    sums sx = no_sums(dx.elements, s->kh * s->kw * s->o);
    sums sw = no_sums(dw.elements, s->n * oh * ow), sb = no_sums(s->o, s->n * oh * ow);

    OPS_OK(OPS_RUN(aclnnConvolution, x.t, w.t, with_bias ? bias : NULL, stride, padding, dilation,
                   false, NULL, s->groups, y.t, 0));
    OPS_OK(OPS_RUN(aclnnConvolutionBackward, dy.t, x.t, w.t, NULL, stride, padding, dilation, false,
                   NULL, (int)s->groups, mask, 0, dx.t, dw.t, dbias));
    fetch(&y, "y", s);
    fetch(&dx, "dx", s);
    fetch(&dw, "dw", s);
    fetch(&db, "db", s);
    reference(s, &x, &w, &dy, &sy, &sx, &sw);
    for (int64_t i = 0; i < y.elements; i++) {
        double v = with_bias ? at(&b, 0, 0, 0, i % s->o) : 0;
        int64_t p = i / s->o;
        double d = at(&dy, p / (oh * ow), p / ow % oh, p % ow, i % s->o);
        sy.value[i] += v;
        sy.most[i] += fabs(v);
        sb.value[i % s->o] += d;
        sb.most[i % s->o] += fabs(d);
    }
    compare("y", &y, &sy);
    compare("dx", &dx, &sx);
    compare("dw", &dw, &sw);
    compare("db", &db, &sb);
    tensor *all[] = {&x, &w, &dy, &y, &dx, &dw, &b, &db};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        drop(all[i]);
    aclDestroyTensor(bias);
    aclDestroyTensor(dbias);
    aclDestroyIntArray(stride);
    aclDestroyIntArray(dilation);
    aclDestroyIntArray(padding);
    aclDestroyBoolArray(mask);
}

static void values_and_gradients(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t d = 0; d < 3; d++)
            run(&shapes[i], floats[d], (layout)((i + d) % 3), i % 2);
}

static aclIntArray *array(int64_t a, int64_t b)
{
    return aclCreateIntArray((int64_t[]){a, b}, 2);
}

static void same(const tensor *a, const tensor *b)
{
    size_t bytes = (size_t)a->elements * sa_dtype_bytes(a->dtype);
    ops_download(a->host, a->device, bytes);
    ops_download(b->host, b->device, bytes);
    assert_memory_equal(a->host, b->host, bytes);
}

/* A transposed convolution is the gradient of the other's input; its gradients are the other's
 * output and, with the maps exchanged, its filter's gradient. */
static void transposed(void **state)
{
    static const int64_t small[] = {2, 4, 5, 6}, large[] = {2, 9, 11, 8}, filter[] = {3, 4, 4, 6};
    uint64_t seed = 11;

    (void)state;
    for (size_t d = 0; d < 3; d++) {
        tensor x = make(floats[d], small, false, CHANNELS_LAST, &seed);
        tensor w = make(floats[d], filter, true, CHANNELS_LAST, &seed);
        tensor dy = make(floats[d], large, false, CHANNELS_LAST, &seed);
        tensor y[2], dx[2], dw[2];
        aclIntArray *stride = array(2, 2), *one = aclCreateIntArray((int64_t[]){1}, 1);
        aclIntArray *padding = aclCreateIntArray((int64_t[]){0, 1, 1, 0}, 4), *more = array(1, 0);
        aclBoolArray *first = aclCreateBoolArray((bool[]){true, false, false}, 3);
        aclBoolArray *second = aclCreateBoolArray((bool[]){false, true, false}, 3);
        aclBoolArray *both = aclCreateBoolArray((bool[]){true, true, false}, 3);
        for (int i = 0; i < 2; i++) {
            y[i] = make(floats[d], large, false, CHANNELS_LAST, &seed);
            dx[i] = make(floats[d], small, false, CHANNELS_LAST, &seed);
            dw[i] = make(floats[d], filter, true, CHANNELS_LAST, &seed);
        }
        OPS_REFUSED(161002, "output has height 9, it must be 8",
                    OPS_RUN(aclnnConvolution, x.t, w.t, NULL, stride, padding, one, true, NULL, 2,
                            y[0].t, 0));
        OPS_OK(OPS_RUN(aclnnConvolution, x.t, w.t, NULL, stride, padding, one, true, more, 2,
                       y[0].t, 0));
        OPS_OK(OPS_RUN(aclnnConvolutionBackward, dy.t, x.t, w.t, NULL, stride, padding, one, true,
                       more, 2, both, 0, dx[0].t, dw[0].t, NULL));
        OPS_OK(OPS_RUN(aclnnConvolutionBackward, x.t, dy.t, w.t, NULL, stride, padding, one, false,
                       NULL, 2, first, 0, y[1].t, NULL, NULL));
        OPS_OK(OPS_RUN(aclnnConvolution, dy.t, w.t, NULL, stride, padding, one, false, NULL, 2,
                       dx[1].t, 0));
        OPS_OK(OPS_RUN(aclnnConvolutionBackward, x.t, dy.t, w.t, NULL, stride, padding, one, false,
                       NULL, 2, second, 0, NULL, dw[1].t, NULL));
        same(&y[0], &y[1]);
        same(&dx[0], &dx[1]);
        same(&dw[0], &dw[1]);
        for (int i = 0; i < 2; i++) {
            drop(&y[i]);
            drop(&dx[i]);
            drop(&dw[i]);
        }
        drop(&x);
        drop(&w);
        drop(&dy);
        aclIntArray *arrays[] = {stride, one, padding, more};
        for (size_t i = 0; i < 4; i++)
            aclDestroyIntArray(arrays[i]);
        aclBoolArray *masks[] = {first, second, both};
        for (size_t i = 0; i < 3; i++)
            aclDestroyBoolArray(masks[i]);
    }
}

static void bad_arguments_are_named(void **state)
{
    static const struct {
        int64_t x[4], w[4], y[4], stride[2], padding[2], dilation[2], groups;
        int type;
        const char *text;
    } cases[] = {
        {{1, 8, 8, 4}, {3, 3, 4, 6}, {1, 8, 8, 6}, {1, 1}, {1, 1}, {1, 1}, 1, 0, NULL},
        {{1, 8, 8, 5},
         {3, 3, 4, 6},
         {1, 8, 8, 6},
         {1, 1},
         {1, 1},
         {1, 1},
         1,
         0,
         "channels differ: input has 5, weight takes 4 of each of 1 groups and gives 6"},
        {{1, 8, 8, 4},
         {3, 3, 4, 6},
         {1, 8, 8, 7},
         {1, 1},
         {1, 1},
         {1, 1},
         1,
         0,
         "channels differ: output has 7, weight gives 6"},
        {{1, 8, 8, 16},
         {3, 3, 4, 6},
         {1, 8, 8, 6},
         {1, 1},
         {1, 1},
         {1, 1},
         4,
         0,
         "channels differ: input has 16, weight takes 4 of each of 4 groups and gives 6"},
        {{1, 8, 8, 4},
         {3, 3, 4, 6},
         {2, 8, 8, 6},
         {1, 1},
         {1, 1},
         {1, 1},
         1,
         0,
         "batch differs: input has 1, output has 2"},
        {{1, 8, 8, 4},
         {3, 3, 4, 6},
         {1, 8, 7, 6},
         {1, 1},
         {1, 1},
         {1, 1},
         1,
         0,
         "output has width 7, it must be 8"},
        {{1, 4, 8, 4},
         {7, 3, 4, 6},
         {1, 1, 8, 6},
         {1, 1},
         {1, 1},
         {1, 1},
         1,
         0,
         "the filter is larger than the map: height 7, with dilation 1 7, of input's 4, with "
         "padding 6"},
        {{1, 8, 8, 4},
         {3, 3, 4, 6},
         {1, 8, 8, 6},
         {0, 1},
         {1, 1},
         {1, 1},
         1,
         0,
         "stride is [0, 1], each must lie in [1, "},
        {{1, 8, 8, 4},
         {3, 3, 4, 6},
         {1, 8, 8, 6},
         {1, 1},
         {-1, 1},
         {1, 1},
         1,
         0,
         "padding is [-1, 1], each must lie in [0, "},
        {{1, 8, 8, 4},
         {3, 3, 4, 6},
         {1, 8, 8, 6},
         {1, 1},
         {1, 1},
         {1, 0},
         1,
         0,
         "dilation is [1, 0]"},
        {{1, 8, 8, 4},
         {3, 3, 4, 6},
         {1, 8, 8, 6},
         {1, 1},
         {1, 1},
         {1, 1},
         0,
         0,
         "groups is 0, it must be at least 1"},
        {{1, 8, 8, 4},
         {3, 3, 4, 6},
         {1, 8, 8, 6},
         {1, 1},
         {1, 1},
         {1, 1},
         1,
         9,
         "cubeMathType is 9"},
    };
    uint64_t seed = 1;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tensor x = make(SA_F32, cases[i].x, false, CHANNELS_LAST, &seed);
        tensor w = make(SA_F32, cases[i].w, true, CHANNELS_LAST, &seed);
        tensor y = make(SA_F32, cases[i].y, false, CHANNELS_LAST, &seed);
        aclIntArray *a[] = {array(cases[i].stride[0], cases[i].stride[1]),
                            array(cases[i].padding[0], cases[i].padding[1]),
                            array(cases[i].dilation[0], cases[i].dilation[1])};
        int type = cases[i].type;
        if (cases[i].text)
            OPS_REFUSED(161002, cases[i].text,
                        OPS_RUN(aclnnConvolution, x.t, w.t, NULL, a[0], a[1], a[2], false, NULL,
                                cases[i].groups, y.t, (int8_t)type));
        else
            OPS_OK(OPS_RUN(aclnnConvolution, x.t, w.t, NULL, a[0], a[1], a[2], false, NULL,
                           cases[i].groups, y.t, (int8_t)type));
        OPS_REFUSED(
            161001, "weight is NULL",
            OPS_RUN(aclnnConvolution, x.t, NULL, NULL, a[0], a[1], a[2], false, NULL, 1, y.t, 0));
        OPS_REFUSED(161001, "outputMask is NULL",
                    OPS_RUN(aclnnConvolutionBackward, y.t, x.t, w.t, NULL, a[0], a[1], a[2], false,
                            NULL, 1, NULL, 0, NULL, NULL, NULL));
        for (int k = 0; k < 3; k++)
            aclDestroyIntArray(a[k]);
        drop(&x);
        drop(&w);
        drop(&y);
    }
}

static int everything(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_gradients),
        cmocka_unit_test(transposed),
        cmocka_unit_test(bad_arguments_are_named),
    };
    return cmocka_run_group_tests_name("conv", tests, ops_setup, ops_teardown);
}

int main(void)
{
    int status = 0;
    pid_t child;

    shared = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    child = fork();
    if (child == 0) {
        setenv("SOFTASCEND_CHECK", "race,fail", 1);
        watched = true;
        _exit(everything());
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status)) {
        fprintf(stderr, "conv: the watched process failed\n");
        return 1;
    }
    return everything();
}
