// What TensorFlow's C ABI lacks for kernels on variables: see bridge.h.
#include "tensorflow/bridge.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_var.h"

#define ENTRY extern "C" __attribute__((visibility("default")))

namespace
{

using VariablePtr = tensorflow::core::RefCountPtr<tensorflow::Var>;

enum class Lock { kNone, kShared, kExclusive };

struct Held {
    VariablePtr variable;
    Lock lock;
};

void Acquire(Held *held)
{
    if (held->lock == Lock::kExclusive)
        held->variable->mu()->lock();
    else if (held->lock == Lock::kShared)
        held->variable->mu()->lock_shared();
}

void Release(Held *held)
{
    if (held->lock == Lock::kExclusive)
        held->variable->mu()->unlock();
    else if (held->lock == Lock::kShared)
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

absl::Status Describe(tensorflow::OpKernelContext *ctx, Held *held, bool writing, sa_variable *out)
{
    tensorflow::Tensor *tensor = held->variable->tensor();
    if (!tensor->IsInitialized() || tensor->dims() > SA_VARIABLE_RANK)
        return tensorflow::errors::FailedPrecondition("the variable is not initialized");
    if (writing)
        TF_RETURN_IF_ERROR(MakeAlone(ctx, tensor));
    out->data = tensor->data();
    out->type = static_cast<TF_DataType>(tensor->dtype());
    out->rank = tensor->dims();
    for (int i = 0; i < out->rank; i++)
        out->dims[i] = tensor->dim_size(i);
    out->held = held;
    return absl::OkStatus();
}

// What one variable's handles ask for together is locked by the first of them; in the order of
// addresses, so that two calls never wait for each other.
void AcquireAll(Held *const *held, int count)
{
    Held *order[SA_VARIABLES];
    std::copy(held, held + count, order);
    std::sort(order, order + count, [](const Held *a, const Held *b) {
        return std::less<tensorflow::Var *>()(a->variable.get(), b->variable.get());
    });
    for (int i = 0, same; i < count; i = same) {
        for (same = i + 1; same < count && order[same]->variable.get() == order[i]->variable.get();
             same++) {
            order[i]->lock = std::max(order[i]->lock, order[same]->lock);
            order[same]->lock = Lock::kNone;
        }
        Acquire(order[i]);
    }
}

absl::Status Open(tensorflow::OpKernelContext *ctx, int first, int count, const bool *writing,
                  sa_variable *out)
{
    Held *held[SA_VARIABLES];
    int found = 0;
    absl::Status status;
    while (found < count && status.ok()) {
        VariablePtr variable;
        status = tensorflow::LookupResource(ctx, tensorflow::HandleFromInput(ctx, first + found),
                                            &variable);
        if (status.ok()) {
            Lock lock = writing[found] ? Lock::kExclusive : Lock::kShared;
            held[found++] = new Held{std::move(variable), lock};
        }
    }
    if (status.ok()) {
        AcquireAll(held, count);
    } else {
        for (int i = 0; i < found; i++)
            held[i]->lock = Lock::kNone;
    }
    for (int i = 0; i < count && status.ok(); i++)
        status = Describe(ctx, held[i], writing[i], &out[i]);
    // One that is written may have moved since a handle that reads it was described.
    for (int i = 0; i < count && status.ok(); i++)
        out[i].data = held[i]->variable->tensor()->data();
    if (!status.ok()) {
        for (int i = 0; i < found; i++)
            Release(held[i]);
    }
    return status;
}

void Report(const absl::Status &s, TF_Status *status)
{
    TF_SetStatus(status, static_cast<TF_Code>(s.code()), std::string(s.message()).c_str());
}

} // namespace

ENTRY void sa_variable_open(TF_OpKernelContext *ctx, int index, bool writing, sa_variable *variable,
                            TF_Status *status)
{
    Report(Open(reinterpret_cast<tensorflow::OpKernelContext *>(ctx), index, 1, &writing, variable),
           status);
}

ENTRY void sa_variables_open(TF_OpKernelContext *ctx, int count, const bool *writing,
                             sa_variable *variables, TF_Status *status)
{
    Report(Open(reinterpret_cast<tensorflow::OpKernelContext *>(ctx), 0, count, writing, variables),
           status);
}

ENTRY void sa_variable_close(sa_variable *variable)
{
    Release(static_cast<Held *>(variable->held));
}
