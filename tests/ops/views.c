#include "views.h"

ops_view ops_view_make(sa_dtype dtype, int rank, const int64_t *dims, ops_layout layout,
                       ops_fill fill, uint64_t *seed)
{
    ops_view v = {.dtype = dtype, .rank = rank, .elements = 1};
    size_t bytes;
    int64_t step = layout == OPS_SPACED ? 2 : 1;

    for (int d = 0; d < rank; d++) {
        v.dims[d] = dims[d];
        v.elements *= dims[d];
    }
    for (int n = 0; n < rank; n++) {
        int d = layout == OPS_REVERSED ? n : rank - 1 - n;
        v.strides[d] = step;
        step *= dims[d] ? dims[d] : 1;
        if (layout == OPS_PADDED && n == 0)
            step += 5;
    }
    v.offset = layout == OPS_SHIFTED ? 3 : 0;
    v.storage = step + v.offset + 2;
    bytes = (size_t)v.storage * sa_dtype_bytes(dtype);
    v.host = malloc(bytes);
    memset(v.host, 0xa5, bytes);
    for (int64_t i = 0; fill && i < v.elements; i++)
        ops_store(dtype, v.host, ops_view_index(&v, rank, dims, i), fill(dtype, i, seed));
    v.device = ops_upload(v.host, bytes);
    v.t = ops_tensor(dtype, rank, dims, v.strides, v.offset, v.storage, v.device);
    return v;
}

void ops_view_free(ops_view *v)
{
    aclDestroyTensor(v->t);
    ops_free(v->device);
    free(v->host);
}

int64_t ops_view_index(const ops_view *v, int rank, const int64_t *dims, int64_t i)
{
    int64_t at = v->offset;

    for (int d = rank - 1; d >= 0; d--) {
        int own = v->rank - (rank - d);
        if (own >= 0 && v->dims[own] != 1)
            at += i % dims[d] * v->strides[own];
        i /= dims[d] ? dims[d] : 1;
    }
    return at;
}

double ops_view_at(const ops_view *v, int rank, const int64_t *dims, int64_t i)
{
    return ops_load(v->dtype, v->host, ops_view_index(v, rank, dims, i));
}

void ops_view_fetch(ops_view *v, const char *what)
{
    size_t e = sa_dtype_bytes(v->dtype), bytes = (size_t)v->storage * e;
    unsigned char *now = malloc(bytes);
    char *inside = calloc((size_t)v->storage, 1);

    ops_download(now, v->device, bytes);
    for (int64_t i = 0; i < v->elements; i++)
        inside[ops_view_index(v, v->rank, v->dims, i)] = 1;
    for (int64_t i = 0; i < v->storage; i++)
        if (!inside[i] && memcmp(now + (size_t)i * e, v->host + (size_t)i * e, e) != 0)
            fail_msg("%s: wrote storage element %lld, which is not of the view %s", what,
                     (long long)i, ops_dims(v->rank, v->dims));
    free(inside);
    free(v->host);
    v->host = now;
}

void ops_expect(sa_dtype dtype, double want, double got, double ulps, const char *what, int64_t i)
{
    bool is_float = dtype == SA_F32 || dtype == SA_F16 || dtype == SA_BF16;
    double rounded = is_float ? ops_round(dtype, want) : want;

    if (want != want ? got != got : got == rounded)
        return;
    if (is_float && ulps > 0 && fabs(got - want) <= ulps * ops_ulp(dtype, want))
        return;
    fail_msg("%s: element %lld is %.17g, not %.17g (%s, %g ulp allowed)", what, (long long)i, got,
             rounded, sa_dtype_name(dtype), ulps);
}

const char *ops_dims(int rank, const int64_t *dims)
{
    static char texts[4][160];
    static int next;
    char *text = texts[next++ % 4];
    int at = snprintf(text, sizeof texts[0], "[");

    for (int d = 0; d < rank; d++)
        at += snprintf(text + at, sizeof texts[0] - (size_t)at, d ? ", %lld" : "%lld",
                       (long long)dims[d]);
    snprintf(text + at, sizeof texts[0] - (size_t)at, "]");
    return text;
}
