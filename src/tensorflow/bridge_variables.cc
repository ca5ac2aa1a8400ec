// The one function that TensorFlow's C ABI lacks for kernels on variables: see bridge.h.
#include "tensorflow/bridge.h"

#include <cstring>
#include <utility>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_var.h"

#define ENTRY extern "C" __attribute__((visibility("default")))

namespace
{

struct Held {
    tensorflow::core::RefCountPtr<tensorflow::Var> variable;
    bool writing;
};

void Unlock(Held *held)
{
    if (held->writing)
        held->variable->mu()->unlock();
    else
        held->variable->mu()->unlock_shared();
    delete held;
}

// Device memory is host memory here, so that a copy needs no stream.
absl::Status MakeAlone(tensorflow::OpKernelContext *ctx, tensorflow::Tensor *tensor)
{
    if (tensor->RefCountIsOne())
        return absl::OkStatus();
    tensorflow::Tensor copy;
    TF_RETURN_IF_ERROR(ctx->allocate_temp(tensor->dtype(), tensor->shape(), &copy));
    std::memcpy(copy.data(), tensor->data(), tensor->TotalBytes());
    *tensor = std::move(copy);
    return absl::OkStatus();
}

absl::Status Open(tensorflow::OpKernelContext *ctx, int index, bool writing, sa_variable *out)
{
    tensorflow::core::RefCountPtr<tensorflow::Var> variable;
    TF_RETURN_IF_ERROR(
        tensorflow::LookupResource(ctx, tensorflow::HandleFromInput(ctx, index), &variable));
    if (writing)
        variable->mu()->lock();
    else
        variable->mu()->lock_shared();
    tensorflow::Tensor *tensor = variable->tensor();
    Held *held = new Held{std::move(variable), writing};
    absl::Status status;
    if (!tensor->IsInitialized() || tensor->dims() > SA_VARIABLE_RANK)
        status = tensorflow::errors::FailedPrecondition("the variable is not initialized");
    else if (writing)
        status = MakeAlone(ctx, tensor);
    if (!status.ok()) {
        Unlock(held);
        return status;
    }
    out->data = tensor->data();
    out->type = static_cast<TF_DataType>(tensor->dtype());
    out->rank = tensor->dims();
    for (int i = 0; i < out->rank; i++)
        out->dims[i] = tensor->dim_size(i);
    out->held = held;
    return absl::OkStatus();
}

} // namespace

ENTRY void sa_variable_open(TF_OpKernelContext *ctx, int index, bool writing, sa_variable *variable,
                            TF_Status *status)
{
    absl::Status s =
        Open(reinterpret_cast<tensorflow::OpKernelContext *>(ctx), index, writing, variable);
    TF_SetStatus(status, static_cast<TF_Code>(s.code()), std::string(s.message()).c_str());
}

ENTRY void sa_variable_close(sa_variable *variable)
{
    Unlock(static_cast<Held *>(variable->held));
}
