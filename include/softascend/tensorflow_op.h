/* For a custom-op library: what an OpKernel for Device("NPU") needs to launch kernels. Only
 * AscendCL and TensorFlow's own headers are used.
 *
 *     void Compute(OpKernelContext *ctx) override
 *     {
 *         …
 *         softascend::OpStream stream(ctx);
 *         stream.Launch(ACLRT_LAUNCH_KERNEL(k)(blocks, stream.get(), …));
 *     }
 *
 * TensorFlow's default kernels read device memory from the host and ask no stream, so work is done
 * when Compute returns: the destructor waits, and what failed fails the op. */
#ifndef SOFTASCEND_TENSORFLOW_OP_H
#define SOFTASCEND_TENSORFLOW_OP_H

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "tensorflow/core/framework/op_kernel.h"

#include <map>

namespace softascend
{
/* The calling thread's stream on the device that an op runs on. */
class OpStream
{
  public:
    explicit OpStream(tensorflow::OpKernelContext *ctx) : ctx_(ctx)
    {
        device_ = ctx->device()->parsed_name().id;
        aclrtGetCurrentContext(&before_);
        if (Check(aclrtSetDevice(device_))) {
            aclrtStream &mine = Streams()[device_];
            if (mine || Check(aclrtCreateStream(&mine)))
                stream_ = mine;
        }
    }
    OpStream(const OpStream &) = delete;
    OpStream &operator=(const OpStream &) = delete;

    ~OpStream()
    {
        if (stream_ && !Check(aclrtSynchronizeStream(stream_))) {
            aclrtDestroyStream(stream_); /* it would keep its error */
            Streams().erase(device_);
        }
        if (before_)
            aclrtSetCurrentContext(before_);
    }

    /* What launches take; check ok() first. */
    aclrtStream get() const { return stream_; }
    bool ok() const { return stream_ && ctx_->status().ok(); }

    /* Takes what a launch returned. */
    void Launch(uint32_t code) { Check((aclError)code); }

  private:
    struct Owned : std::map<int, aclrtStream> {
        ~Owned()
        {
            for (auto &each : *this)
                if (each.second)
                    aclrtDestroyStream(each.second);
        }
    };
    static std::map<int, aclrtStream> &Streams()
    {
        static thread_local Owned streams;
        return streams;
    }

    bool Check(aclError code)
    {
        if (code == ACL_SUCCESS)
            return true;
        const char *text = aclGetRecentErrMsg();
        ctx_->CtxFailure(absl::InternalError(
            absl::StrCat(ctx_->op_kernel().type_string(), ": ",
                         text && *text ? text : "AscendCL answered", " (", code, ")")));
        return false;
    }

    tensorflow::OpKernelContext *ctx_;
    int device_ = 0;
    aclrtContext before_ = nullptr;
    aclrtStream stream_ = nullptr;
};
} // namespace softascend

#endif
