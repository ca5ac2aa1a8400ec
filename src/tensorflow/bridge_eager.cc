// Eager execution's two hooks, which the C ABI lacks: see bridge.h.
#include "tensorflow/bridge.h"

#include <memory>
#include <string>
#include <variant>

#include "tensorflow/core/common_runtime/eager/eager_op_rewrite_registry.h"
#include "tensorflow/core/common_runtime/eager/eager_operation.h"
#include "tensorflow/core/framework/node_def.pb.h"

namespace
{

using tensorflow::EagerOperation;
using Registry = tensorflow::EagerOpRewriteRegistry;

// Placement overwrites the device that was asked for; the same thread then asks the second hook.
thread_local bool asked_for_npu;

bool Names(const std::string &device, const char *type)
{
    return device.find(type) != std::string::npos;
}

class BeforePlacement : public tensorflow::EagerOpRewrite
{
  public:
    BeforePlacement() : EagerOpRewrite("softascend", __FILE__, "") {}
    absl::Status Run(EagerOperation *op, std::unique_ptr<EagerOperation> *) override
    {
        asked_for_npu = Names(op->DeviceName(), "NPU");
        // A function may demand XLA in its own attributes; the call's attribute goes before them.
        if (op->is_function() && !Names(op->DeviceName(), "CPU"))
            op->MutableAttrs()->Set("_XlaMustCompile", false);
        return absl::OkStatus();
    }
};

class AfterPlacement : public tensorflow::EagerOpRewrite
{
  public:
    explicit AfterPlacement(sa_fell_back_function fell_back)
        : EagerOpRewrite("softascend", __FILE__, ""), fell_back_(fell_back)
    {
    }
    absl::Status Run(EagerOperation *op, std::unique_ptr<EagerOperation> *) override
    {
        if (!asked_for_npu || op->is_function() || !Names(op->DeviceName(), "CPU"))
            return absl::OkStatus();
        std::string node = op->MutableAttrs()->BuildNodeDef().SerializeAsString();
        fell_back_(node.data(), node.size());
        return absl::OkStatus();
    }

  private:
    sa_fell_back_function fell_back_;
};

} // namespace

extern "C" __attribute__((visibility("default"))) void
sa_eager_start(sa_fell_back_function fell_back)
{
    constexpr int kOrdinal = 20000; // TensorFlow's own rewrites have 10000
    Registry::Global()->Register(Registry::PRE_EXECUTION, kOrdinal,
                                 std::make_unique<BeforePlacement>());
    Registry::Global()->Register(Registry::POST_PLACEMENT, kOrdinal,
                                 std::make_unique<AfterPlacement>(fell_back));
}
