#include "kernel_operator.h"
using namespace tik2; // the older name

extern "C" __global__ __aicore__ void sum_and_max(GM_ADDR x, GM_ADDR sum, GM_ADDR max,
                                                  GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(data, tiling);
    if (workspace == nullptr || GetUserWorkspace(workspace) == nullptr) {
        return;
    }
    __gm__ float *in = (__gm__ float *)x, *partial = (__gm__ float *)GetUserWorkspace(workspace);
    float total = 0, most = -1e30f;
    for (uint32_t i = GetBlockIdx(); i < data.length; i += GetBlockNum()) {
        total += in[i];
        most = in[i] > most ? in[i] : most;
    }
    __gm__ float *own =
        (__gm__ float *)ParamOffset<float>(GetUserWorkspace(workspace), data.library.srcM);
    own[0] = total;
    own[1] = most;
    SyncAll();
    if (GetBlockIdx() == 0) {
        for (int i = 1; i < GetBlockNum(); i++) {
            total += partial[i * 16];
            most = partial[i * 16 + 1] > most ? partial[i * 16 + 1] : most;
        }
        *(__gm__ DTYPE_SUM *)sum = total;
        *(__gm__ DTYPE_MAX *)max = (int32_t)most;
    }
}
