#include "choose_keys.h"
#include "kernel_operator.h"

// What another key's kernel has is not this one's.
#if (TILING_KEY_VAR == BY_ADDING)
__aicore__ inline DTYPE_X result(DTYPE_X x, int32_t by)
{
    return x + (DTYPE_X)by;
}
#elif TILING_KEY_VAR == BY_SCALING
__aicore__ inline DTYPE_X result(DTYPE_X x, int32_t by)
{
    return x * (DTYPE_X)by;
}
#elif ORIG_DTYPE_X == DT_FLOAT && 7 == TILING_KEY_VAR // named here only, for one dtype only
__aicore__ inline DTYPE_X result(DTYPE_X x, int32_t by)
{
    return x / (DTYPE_X)by;
}
#endif

extern "C" __global__ __aicore__ void choose_by(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                                GM_ADDR tiling)
{
    TILING_KEY_IS(BY_ADDING);
    TILING_KEY_IS(BY_SCALING);
    GET_TILING_DATA(data, tiling); // of the key's own structure
    for (int64_t i = 0; i < data.count; i++) {
        ((__gm__ DTYPE_X *)y)[i] = result(((__gm__ DTYPE_X *)x)[i], data.by);
    }
}
