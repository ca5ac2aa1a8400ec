#include "kernel_operator.h"

extern "C" __global__ __aicore__ void gather_add(GM_ADDR sum, GM_ADDR list, GM_ADDR bias,
                                                 GM_ADDR at, GM_ADDR sum_out, GM_ADDR hits,
                                                 GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    __gm__ uint64_t *table = (__gm__ uint64_t *)list, *address = table + (*table >> 3);
    __gm__ float *in = (__gm__ float *)sum, *out = (__gm__ float *)sum_out;
    for (uint32_t n = 0; n < data.tensors; n++) {
        __gm__ float *one = (__gm__ float *)address[n];
        for (uint32_t i = 0; i < data.length; i++) {
            out[i] = in[i] + one[i] * data.weight;
        }
    }
    for (uint32_t i = 0; i < data.positions; i++) {
        int32_t where = ((__gm__ int32_t *)at)[i];
        if (data.biased) {
            out[where] += ((__gm__ float *)bias)[where];
        }
        ((__gm__ int32_t *)hits)[where] += 1;
    }
}
