/* Two ops whose NPU kernels launch Ascend C: definitions, shapes, checks, launches. Their gradients
 * are in example_ops.py. */
#include "tiling.h" /* the launch headers use its type */

#include "aclrtlaunch_matmul_bfloat16_t.h"
#include "aclrtlaunch_matmul_half.h"
#include "aclrtlaunch_sigmoid_bfloat16_t.h"
#include "aclrtlaunch_sigmoid_float.h"
#include "aclrtlaunch_sigmoid_half.h"
#include "softascend/tensorflow_op.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

#include <algorithm>

using namespace tensorflow;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

REGISTER_OP("ExampleSigmoid")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {float, half, bfloat16}")
    .SetShapeFn(shape_inference::UnchangedShape);

REGISTER_OP("ExampleMatmul")
    .Input("a: T")
    .Input("b: T")
    .Output("c: T")
    .Attr("T: {half, bfloat16}")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .SetShapeFn([](InferenceContext *c) {
        ShapeHandle a, b;
        bool ta, tb;
        DimensionHandle k;
        TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
        TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
        TF_RETURN_IF_ERROR(c->GetAttr("transpose_a", &ta));
        TF_RETURN_IF_ERROR(c->GetAttr("transpose_b", &tb));
        TF_RETURN_IF_ERROR(c->Merge(c->Dim(a, ta ? 0 : 1), c->Dim(b, tb ? 1 : 0), &k));
        c->set_output(0, c->Matrix(c->Dim(a, ta ? 1 : 0), c->Dim(b, tb ? 0 : 1)));
        return absl::OkStatus();
    });

namespace
{
constexpr int64_t BLOCKS = 24; /* of Ascend910B1 */

template <class T, auto launch>
class SigmoidOp : public OpKernel
{
  public:
    using OpKernel::OpKernel;

    void Compute(OpKernelContext *ctx) override
    {
        const Tensor &x = ctx->input(0);
        Tensor *y;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
        if (x.NumElements() == 0)
            return;
        const SigmoidTiling tiling = sigmoid_tiling(x.NumElements());
        const int64_t tiles = (x.NumElements() + tiling.tile - 1) / tiling.tile;
        softascend::OpStream stream(ctx);
        if (stream.ok())
            stream.Launch(
                launch(std::min(tiles, BLOCKS), stream.get(), x.data(), y->data(), tiling));
    }
};

template <class T, auto launch>
class MatmulOp : public OpKernel
{
  public:
    explicit MatmulOp(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_a", &ta_));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_b", &tb_));
    }

    /* Shape functions do not run in eager execution: it is checked here too. */
    void Compute(OpKernelContext *ctx) override
    {
        const Tensor &a = ctx->input(0), &b = ctx->input(1);
        OP_REQUIRES(ctx, a.dims() == 2 && b.dims() == 2,
                    absl::InvalidArgumentError(absl::StrCat("a and b must be matrices: a is ",
                                                            a.shape().DebugString(), ", b is ",
                                                            b.shape().DebugString())));
        const int64_t m = a.dim_size(ta_), k = a.dim_size(!ta_), n = b.dim_size(!tb_);
        OP_REQUIRES(ctx, k == b.dim_size(tb_),
                    absl::InvalidArgumentError(absl::StrCat(
                        "k differs: a is ", a.shape().DebugString(), " (transpose_a=", ta_,
                        "), b is ", b.shape().DebugString(), " (transpose_b=", tb_, ")")));
        /* a row's distance to the next is 16 bits in the instruction that makes fractals */
        OP_REQUIRES(ctx, std::max({m, k, n}) <= UINT16_MAX,
                    absl::UnimplementedError(
                        absl::StrCat("a dimension is over 65535: m=", m, ", k=", k, ", n=", n)));
        Tensor *c;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({m, n}), &c));
        if (m == 0 || n == 0)
            return;
        softascend::OpStream stream(ctx);
        if (!stream.ok())
            return;
        if (k == 0) { /* nothing to add up */
            stream.Launch(
                aclrtMemsetAsync(c->data(), c->TotalBytes(), 0, c->TotalBytes(), stream.get()));
            return;
        }
        const int64_t tiles = ((m + 127) / 128) * ((n + 127) / 128);
        stream.Launch(launch(std::min(tiles, BLOCKS), stream.get(), a.data(), b.data(), c->data(),
                             m, k, n, ta_, tb_));
    }

  private:
    bool ta_, tb_;
};

#define REGISTER(op, kernel, T, name)                                                              \
    REGISTER_KERNEL_BUILDER(Name(#op).Device("NPU").TypeConstraint<T>("T"),                        \
                            kernel<T, aclrtlaunch_##name>)
REGISTER(ExampleSigmoid, SigmoidOp, float, sigmoid_float);
REGISTER(ExampleSigmoid, SigmoidOp, Eigen::half, sigmoid_half);
REGISTER(ExampleSigmoid, SigmoidOp, bfloat16, sigmoid_bfloat16_t);
REGISTER(ExampleMatmul, MatmulOp, Eigen::half, matmul_half);
REGISTER(ExampleMatmul, MatmulOp, bfloat16, matmul_bfloat16_t);
} // namespace
