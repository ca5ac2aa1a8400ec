/* The operators' tests' device, tensors and exact rounding (support.h). */
#include "support.h"

static _Thread_local aclrtStream stream;

aclrtStream ops_stream(void)
{
    return stream;
}

void ops_thread_begin(void)
{
    OPS_OK(aclrtSetDevice(0));
    OPS_OK(aclrtCreateStream(&stream));
}

void ops_thread_end(void)
{
    OPS_OK(aclrtDestroyStream(stream));
    OPS_OK(aclrtResetDevice(0));
}

int ops_setup(void **state)
{
    (void)state;
    if (aclInit(NULL) || aclrtSetDevice(0) || aclrtCreateStream(&stream)) {
        const char *message = aclGetRecentErrMsg();
        fprintf(stderr, "no device: %s\n", message ? message : "(no text)");
        return -1;
    }
    return 0;
}

int ops_teardown(void **state)
{
    (void)state;
    return aclrtDestroyStream(stream) || aclrtResetDevice(0) || aclFinalize();
}

/* Bits of the significand, exponent of the smallest normal, largest finite number. */
static void format_of(sa_dtype dtype, int *bits, int *lowest, double *most)
{
    *bits = dtype == SA_F16 ? 11 : dtype == SA_BF16 ? 8 : dtype == SA_F32 ? 24 : 53;
    *lowest = dtype == SA_F16 ? -14 : dtype == SA_F64 ? -1022 : -126;
    *most = dtype == SA_F16    ? 65504.0
            : dtype == SA_BF16 ? 0x1.fep127
            : dtype == SA_F32  ? 0x1.fffffep127
                               : 0x1.fffffffffffffp1023;
}

double ops_ulp(sa_dtype dtype, double v)
{
    int bits, lowest, exponent;
    double most;

    format_of(dtype, &bits, &lowest, &most);
    frexp(v, &exponent); /* 2^(exponent-1) <= |v| */
    if (v == 0 || !isfinite(v) || exponent - 1 < lowest)
        exponent = lowest + 1;
    return ldexp(1, exponent - bits);
}

double ops_round(sa_dtype dtype, double v)
{
    int bits, lowest;
    double most, unit, rounded;

    format_of(dtype, &bits, &lowest, &most);
    if (!isfinite(v) || v == 0 || dtype == SA_F64)
        return v;
    unit = ops_ulp(dtype, v);
    rounded = nearbyint(v / unit) * unit;
    if (fabs(rounded) > most)
        return copysign(INFINITY, v);
    return rounded;
}

double ops_load(sa_dtype dtype, const void *array, int64_t index)
{
    const uint16_t *half = array;
    int exponent, mantissa;
    uint32_t bits;
    float f;

    switch (dtype) {
    case SA_F32:
        return ((const float *)array)[index];
    case SA_F64:
        return ((const double *)array)[index];
    case SA_BF16:
        bits = (uint32_t)half[index] << 16;
        memcpy(&f, &bits, sizeof f);
        return f;
    case SA_F16:
        exponent = half[index] >> 10 & 31;
        mantissa = half[index] & 1023;
        if (exponent == 31)
            return mantissa ? NAN : half[index] >> 15 ? -INFINITY : INFINITY;
        return (half[index] >> 15 ? -1 : 1) *
               ldexp(exponent ? 1024 + mantissa : mantissa, (exponent ? exponent : 1) - 25);
    case SA_I8:
        return ((const int8_t *)array)[index];
    case SA_U8:
    case SA_BOOL:
        return ((const uint8_t *)array)[index];
    case SA_I16:
        return ((const int16_t *)array)[index];
    case SA_U16:
        return half[index];
    case SA_I32:
        return ((const int32_t *)array)[index];
    case SA_U32:
        return ((const uint32_t *)array)[index];
    case SA_I64:
        return (double)((const int64_t *)array)[index];
    case SA_U64:
        return (double)((const uint64_t *)array)[index];
    default:
        return NAN;
    }
}

static uint16_t half_bits(double v)
{
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    int exponent;

    v = fabs(ops_round(SA_F16, v));
    if (isnan(v))
        return 0x7e00;
    if (isinf(v))
        return sign | 0x7c00;
    if (v < 0x1p-14)
        return sign | (uint16_t)(v * 0x1p24);
    frexp(v, &exponent);
    return sign | (uint16_t)((exponent + 14) << 10) | (uint16_t)(ldexp(v, 11 - exponent) - 1024);
}

void ops_store(sa_dtype dtype, void *array, int64_t index, double v)
{
    uint16_t *half = array;
    uint32_t bits;
    float f;

    switch (dtype) {
    case SA_F32:
        ((float *)array)[index] = (float)v;
        return;
    case SA_F64:
        ((double *)array)[index] = v;
        return;
    case SA_BF16:
        f = (float)ops_round(SA_BF16, v);
        memcpy(&bits, &f, sizeof bits);
        half[index] = isnan(v) ? 0x7fc0 : bits >> 16;
        return;
    case SA_F16:
        half[index] = half_bits(v);
        return;
    case SA_I8:
        ((int8_t *)array)[index] = (int8_t)v;
        return;
    case SA_U8:
    case SA_BOOL:
        ((uint8_t *)array)[index] = (uint8_t)v;
        return;
    case SA_I16:
        ((int16_t *)array)[index] = (int16_t)v;
        return;
    case SA_U16:
        half[index] = (uint16_t)v;
        return;
    case SA_I32:
        ((int32_t *)array)[index] = (int32_t)v;
        return;
    case SA_U32:
        ((uint32_t *)array)[index] = (uint32_t)v;
        return;
    case SA_I64:
        ((int64_t *)array)[index] = (int64_t)v;
        return;
    case SA_U64:
        ((uint64_t *)array)[index] = (uint64_t)v;
        return;
    default:
        fail_msg("ops_store: dtype %d", (int)dtype);
    }
}

void *ops_upload(const void *host, size_t bytes)
{
    void *device = NULL;

    OPS_OK(aclrtMalloc(&device, bytes ? bytes : 1, ACL_MEM_MALLOC_HUGE_FIRST));
    if (!host)
        OPS_OK(aclrtMemset(device, bytes ? bytes : 1, 0xa5, bytes ? bytes : 1));
    else if (bytes)
        OPS_OK(aclrtMemcpy(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    return device;
}

void ops_download(void *host, const void *device, size_t bytes)
{
    if (bytes)
        OPS_OK(aclrtMemcpy(host, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
}

void ops_free(void *device)
{
    OPS_OK(aclrtFree(device));
}

aclTensor *ops_tensor(sa_dtype dtype, int rank, const int64_t *dims, const int64_t *strides,
                      int64_t offset, int64_t storage_elements, void *data)
{
    aclTensor *t =
        aclCreateTensor(dims, (uint64_t)rank, (aclDataType)dtype, strides, offset, ACL_FORMAT_ND,
                        strides ? &storage_elements : dims, strides ? 1 : (uint64_t)rank, data);

    if (!t)
        fail_msg("ops_tensor: %s", aclGetRecentErrMsg());
    return t;
}

double ops_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)*seed * 0x1p-63;
}

aclnnStatus ops_finish(ops_second_phase second, uint64_t workspace_bytes, aclOpExecutor *executor)
{
    void *workspace = workspace_bytes ? ops_upload(NULL, workspace_bytes) : NULL;
    aclnnStatus status = second(workspace, workspace_bytes, executor, stream);

    if (!status)
        status = aclrtSynchronizeStream(stream);
    if (workspace)
        ops_free(workspace);
    return status;
}

bool ops_has(sa_dtype dtype)
{
    return dtype != SA_BF16 || strncmp(aclrtGetSocName(), "Ascend310P", 10) != 0;
}
