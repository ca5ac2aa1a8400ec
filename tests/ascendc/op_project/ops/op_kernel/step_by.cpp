#include "kernel_operator.h"

template <class Y>
__aicore__ inline void add(GM_ADDR x, GM_ADDR y, GM_ADDR same, int64_t count, int32_t step)
{
    for (int64_t i = 0; i < count; i++) {
        ((__gm__ Y *)y)[i] = (Y)(((__gm__ DTYPE_X *)x)[i] + step);
        if (same != nullptr) {
            ((__gm__ DTYPE_SAME *)same)[i] = ((__gm__ DTYPE_X *)x)[i];
        }
    }
}

extern "C" __global__ __aicore__ void step_by(GM_ADDR x, GM_ADDR y, GM_ADDR same, GM_ADDR workspace,
                                              GM_ADDR tiling)
{
    if (TILING_KEY_IS(1)) {
        GET_TILING_DATA(data, tiling);
        add<DTYPE_DEFAULT>(x, y, same, data.count, 1);
    } else if (TILING_KEY_IS(2)) {
        GET_TILING_DATA(data, tiling);
        add<DTYPE_DEFAULT>(x, y, same, data.count, 10);
    } else if (TILING_KEY_IS(3)) {
        GET_TILING_DATA_WITH_STRUCT(StepByLarge, data, tiling);
        add<DTYPE_DEFAULT>(x, y, same, data.count, data.step);
    }
}
