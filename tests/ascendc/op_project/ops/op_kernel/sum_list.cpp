#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void sum_list(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                               GM_ADDR tiling)
{
    ListTensorDesc list(reinterpret_cast<__gm__ void *>(x));
    for (uint32_t i = 0; i < list.GetSize(); i++) {
        uint64_t shape[8], count = 1;
        TensorDesc<float> desc;
        desc.SetShapeAddr(shape);
        list.GetDesc(desc, i);
        for (uint32_t d = 0; d < desc.GetDim(); d++) {
            count *= desc.GetShape(d);
        }
        GlobalTensor<float> in;
        in.SetGlobalBuffer(list.GetDataPtr<float>(i), count);
        float sum = 0;
        for (uint64_t n = 0; n < count; n++) {
            sum += in.GetValue(n);
        }
        // what both ways say is the same
        bool same = desc.GetIndex() == i && desc.GetDataPtr() == list.GetDataPtr<float>(i);
        ((__gm__ float *)y)[i] = same ? sum : -1;
    }
    // a result longer than the list asks for more than there is
    if (((__gm__ float *)y)[list.GetSize()] == 77) {
        list.GetDataPtr<float>(list.GetSize());
    }
}
