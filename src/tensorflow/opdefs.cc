// The definitions of SoftAscend's own ops. C++ because their shape functions read bool attributes,
// which TensorFlow's C ABI cannot; kernels are C, in the plug-in.
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace
{

using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

absl::Status MatMulShape(InferenceContext *c)
{
    ShapeHandle a, b;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
    bool transpose_a, transpose_b;
    TF_RETURN_IF_ERROR(c->GetAttr("transpose_a", &transpose_a));
    TF_RETURN_IF_ERROR(c->GetAttr("transpose_b", &transpose_b));
    DimensionHandle k;
    absl::Status merged =
        c->Merge(c->Dim(a, transpose_a ? 0 : 1), c->Dim(b, transpose_b ? 1 : 0), &k);
    if (!merged.ok())
        return tensorflow::errors::InvalidArgument(
            "k differs: a is ", c->DebugString(a), " (transpose_a=", transpose_a, "), b is ",
            c->DebugString(b), " (transpose_b=", transpose_b, ")");
    c->set_output(0, c->Matrix(c->Dim(a, transpose_a ? 1 : 0), c->Dim(b, transpose_b ? 0 : 1)));
    return absl::OkStatus();
}

absl::Status SigmoidShape(InferenceContext *c)
{
    ShapeHandle x;
    TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 8, &x));
    c->set_output(0, x);
    return absl::OkStatus();
}

/* query [B, Sq, N, D], key [B, Sk, M, D], value [B, Sk, M, E] */
absl::Status AttentionShapes(InferenceContext *c, ShapeHandle *q, ShapeHandle *k, ShapeHandle *v)
{
    DimensionHandle merged;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, q));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, k));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 4, v));
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(*q, 0), c->Dim(*k, 0), &merged));
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(*k, 0), c->Dim(*v, 0), &merged));
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(*q, 3), c->Dim(*k, 3), &merged));
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(*k, 1), c->Dim(*v, 1), &merged));
    return c->Merge(c->Dim(*k, 2), c->Dim(*v, 2), &merged);
}

absl::Status AttentionShape(InferenceContext *c)
{
    ShapeHandle q, k, v;
    TF_RETURN_IF_ERROR(AttentionShapes(c, &q, &k, &v));
    ShapeHandle rows = c->MakeShape({c->Dim(q, 0), c->Dim(q, 2), c->Dim(q, 1), c->MakeDim(8)});
    c->set_output(0, c->MakeShape({c->Dim(q, 0), c->Dim(q, 1), c->Dim(q, 2), c->Dim(v, 3)}));
    c->set_output(1, rows);
    c->set_output(2, rows);
    return absl::OkStatus();
}

absl::Status AttentionGradShape(InferenceContext *c)
{
    ShapeHandle t[3];
    TF_RETURN_IF_ERROR(AttentionShapes(c, &t[0], &t[1], &t[2]));
    for (int i = 0; i < 3; i++)
        c->set_output(i, t[i]);
    return absl::OkStatus();
}

absl::Status LayerNormShape(InferenceContext *c)
{
    ShapeHandle x, w, rows;
    DimensionHandle size;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &x));
    for (int i = 1; i <= 2; i++) {
        TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &w));
        TF_RETURN_IF_ERROR(c->Merge(c->Dim(x, -1), c->Dim(w, 0), &size));
    }
    TF_RETURN_IF_ERROR(c->Subshape(x, 0, -1, &rows));
    c->set_output(0, x);
    c->set_output(1, rows);
    c->set_output(2, rows);
    return absl::OkStatus();
}

absl::Status LayerNormGradShape(InferenceContext *c)
{
    c->set_output(0, c->input(1));
    c->set_output(1, c->input(4));
    c->set_output(2, c->input(4));
    return absl::OkStatus();
}

/* input [..., K], weight [K, N] or [N, K] */
absl::Status LinearShape(InferenceContext *c)
{
    ShapeHandle x, w, head, out;
    DimensionHandle k;
    bool transpose, keep;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &x));
    TF_RETURN_IF_ERROR(c->WithRankAtMost(x, 8, &x));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &w));
    TF_RETURN_IF_ERROR(c->GetAttr("transpose_weight", &transpose));
    TF_RETURN_IF_ERROR(c->GetAttr("keep_preactivation", &keep));
    DimensionHandle n = c->Dim(w, transpose ? 0 : 1);
    if (!c->Merge(c->Dim(x, -1), c->Dim(w, transpose ? 1 : 0), &k).ok())
        return tensorflow::errors::InvalidArgument("k differs: input is ", c->DebugString(x),
                                                   ", weight is ", c->DebugString(w),
                                                   " (transpose_weight=", transpose, ")");
    if (c->num_inputs() > 2) {
        ShapeHandle bias;
        TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &bias));
        TF_RETURN_IF_ERROR(c->Merge(n, c->Dim(bias, 0), &n));
    }
    TF_RETURN_IF_ERROR(c->Subshape(x, 0, -1, &head));
    TF_RETURN_IF_ERROR(c->Concatenate(head, c->Vector(n), &out));
    c->set_output(0, out);
    c->set_output(1, keep ? out : c->Vector(0));
    return absl::OkStatus();
}

absl::Status ActivationGradShape(InferenceContext *c)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &out));
    c->set_output(0, out);
    return absl::OkStatus();
}

/* The plan says the outputs' shapes (kernels/library.c); in a graph it may not be known yet. */
absl::Status KernelShape(InferenceContext *c)
{
    std::vector<tensorflow::DataType> inputs;
    TF_RETURN_IF_ERROR(c->GetAttr("Tin", &inputs));
    const tensorflow::Tensor *plan = c->input_tensor((int)inputs.size());
    if (!plan) {
        for (int i = 0; i < c->num_outputs(); i++)
            c->set_output(i, c->UnknownShape());
        return absl::OkStatus();
    }
    auto words = plan->flat<int64_t>();
    int64_t at = 2;
    for (int i = 0; i < c->num_outputs(); i++) {
        int64_t rank = at < words.size() ? words(at++) : -1;
        if (rank < 0 || rank > words.size() - at)
            return tensorflow::errors::InvalidArgument("the plan ends before output ", i);
        std::vector<DimensionHandle> dims;
        for (int64_t d = 0; d < rank; d++) {
            if (words(at) < 0)
                return tensorflow::errors::InvalidArgument("output ", i, " has the dimension ",
                                                           words(at));
            dims.push_back(c->MakeDim(words(at++)));
        }
        c->set_output(i, c->MakeShape(dims));
    }
    return absl::OkStatus();
}

} // namespace

REGISTER_OP("AscendKernel")
    .Input("inputs: Tin")
    .Input("plan: int64")
    .Input("attributes: Tattributes")
    .Output("outputs: Tout")
    .Attr("library: string")
    .Attr("kernel: string")
    .Attr("arguments: string")
    .Attr("gradient: string = ''")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tattributes: list(type) >= 0")
    .Attr("Tout: list(type) >= 1")
    .SetShapeFn(KernelShape)
    .Doc(R"doc(
Launches an Ascend C kernel of a library that ascc made. What softascend.load_ascendc calls.

inputs: The tensors that the kernel reads.
plan: In host memory: blocks, bytes of workspace, then for every output its rank and dimensions, then
  for every argument that is t or v the number of its bytes and the bytes, to whole words.
attributes: In host memory: what the gradient function wants to know again; the kernel has it by the
  plan.
outputs: The tensors that the kernel writes, of the shapes in the plan.
library: Path of the library.
kernel: The kernel's name.
arguments: What each of the kernel's parameters is: i(nput), o(utput), z: an output set to zeros
  first, w(orkspace), t: bytes in global memory, as a tiling, v: a value.
gradient: Which registered gradient function belongs to it.
)doc");

REGISTER_OP("AscendOperator")
    .Input("inputs: Tin")
    .Output("outputs: Tout")
    .Attr("library: string")
    .Attr("operator: string")
    .Attr("counts: list(int) >= 0")
    .Attr("values: string = ''")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 1")
    .SetShapeFn(tensorflow::shape_inference::UnknownShape)
    .Doc(R"doc(
Runs an operator of an op project's library. What softascend.load_op_library's functions call.

inputs: The operator's input tensors, in its order, those of a list one after the other.
outputs: Its outputs, of the shapes that its shape function infers. An output that has an input's
  name is a copy of that, written over.
library: Path of the library that ascc --op-project made.
operator: The operator's type.
counts: For each of its inputs how many tensors there are: 0 for one that is left out, and for one
  whose values are among `values`.
values: Words of 8 bytes, for the inputs whose values the host has, then for each attribute. A list
  is its length and a word for each element, -1 is none; a string the number of its bytes and the
  bytes with a 0, to whole words; others are a word. Floats are doubles.
)doc");

REGISTER_OP("AscendMatMul")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {half, float, bfloat16} = DT_FLOAT")
    .SetShapeFn(MatMulShape)
    .Doc(R"doc(
Matrix product on an Ascend NPU's cube unit.

Products are added in float32 and rounded once to T. With K = 0 the product is zeros.

a: Matrix [M, K], or [K, M] if transpose_a.
b: Matrix [K, N], or [N, K] if transpose_b.
product: Matrix [M, N].
transpose_a: Whether a is read transposed. Nothing is copied for it.
transpose_b: Whether b is read transposed. Nothing is copied for it.
)doc");

REGISTER_OP("AscendDynamicMatMul")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {half, float, bfloat16} = DT_FLOAT")
    .SetShapeFn(MatMulShape)
    .Doc(R"doc(
AscendMatMul for shapes that a graph knows in part.

Dimensions unknown in a graph merge with what the other operand knows, and are checked when the op
runs; tiles are dealt to cores by the shapes of each run.

a: Matrix [M, K], or [K, M] if transpose_a.
b: Matrix [K, N], or [N, K] if transpose_b.
product: Matrix [M, N].
transpose_a: Whether a is read transposed.
transpose_b: Whether b is read transposed.
)doc");

REGISTER_OP("AscendSigmoid")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {half, float, bfloat16} = DT_FLOAT")
    .SetShapeFn(SigmoidShape)
    .Doc(R"doc(
Sigmoid, 1 / (1 + exp(-input)), on an Ascend NPU's vector units.

Computed in float32 and rounded once to T. Scalars and empty tensors are tensors like others.

input: Tensor of rank 0 to 8.
output: Tensor of input's shape.
)doc");

REGISTER_OP("AscendAttention")
    .Input("query: T")
    .Input("key: T")
    .Input("value: T")
    .Input("covers: Tcovers")
    .Output("attention: T")
    .Output("softmax_max: float")
    .Output("softmax_sum: float")
    .Attr("causal: bool = false")
    .Attr("scale: float = 1.0")
    .Attr("T: {half, float, bfloat16} = DT_FLOAT")
    .Attr("Tcovers: list({bool, half, float, bfloat16}) >= 0 = []")
    .SetShapeFn(AttentionShape)
    .Doc(R"doc(
softmax(scale (query key^T + bias), masked) value for each batch and head, on an Ascend NPU, without
the matrix of all scores.

Computed in float32 and rounded once to T.

query: [B, Sq, N, D].
key: [B, Sk, M, D], where M divides N: heads of the query share those of the key in turn.
value: [B, Sk, M, E].
covers: None; or a mask, bool, true where a query sees a key; or a bias, of T or float32; or both.
  Each broadcasts to [B, N, Sq, Sk] or has the last two dimensions only. A query that sees nothing
  weighs all keys alike.
attention: [B, Sq, N, E].
softmax_max: [B, N, Sq, 8], each query's largest score, eight times: for the gradient.
softmax_sum: [B, N, Sq, 8], likewise its sum of exponentials.
causal: Whether query i sees keys 0 to i only.
scale: Factor of the scores.
)doc");

REGISTER_OP("AscendAttentionGrad")
    .Input("query: T")
    .Input("key: T")
    .Input("value: T")
    .Input("attention: T")
    .Input("softmax_max: float")
    .Input("softmax_sum: float")
    .Input("gradient: T")
    .Input("covers: Tcovers")
    .Output("query_gradient: T")
    .Output("key_gradient: T")
    .Output("value_gradient: T")
    .Attr("causal: bool = false")
    .Attr("scale: float = 1.0")
    .Attr("T: {half, float, bfloat16} = DT_FLOAT")
    .Attr("Tcovers: list({bool, half, float, bfloat16}) >= 0 = []")
    .SetShapeFn(AttentionGradShape)
    .Doc(R"doc(
The gradients of AscendAttention by query, key and value.

query: As of AscendAttention; so are key, value, covers, causal and scale.
attention: What AscendAttention gave; so are softmax_max and softmax_sum.
gradient: Of attention.
)doc");

REGISTER_OP("AscendLayerNorm")
    .Input("x: T")
    .Input("gamma: U")
    .Input("beta: U")
    .Output("y: T")
    .Output("mean: float")
    .Output("rstd: float")
    .Attr("epsilon: float = 0.001")
    .Attr("T: {half, float, bfloat16} = DT_FLOAT")
    .Attr("U: {half, float, bfloat16} = DT_FLOAT")
    .SetShapeFn(LayerNormShape)
    .Doc(R"doc(
(x - mean) * rstd * gamma + beta over the last dimension, on an Ascend NPU.

Computed in float32 and rounded once to T.

x: [..., size].
gamma: [size], of T or float32.
beta: [size].
y: Of x's shape.
mean: [...], of each row: for the gradient.
rstd: [...], likewise 1 / sqrt(variance + epsilon).
)doc");

REGISTER_OP("AscendLayerNormGrad")
    .Input("gradient: T")
    .Input("x: T")
    .Input("mean: float")
    .Input("rstd: float")
    .Input("gamma: U")
    .Output("x_gradient: T")
    .Output("gamma_gradient: U")
    .Output("beta_gradient: U")
    .Attr("T: {half, float, bfloat16} = DT_FLOAT")
    .Attr("U: {half, float, bfloat16} = DT_FLOAT")
    .SetShapeFn(LayerNormGradShape)
    .Doc(R"doc(
The gradients of AscendLayerNorm by x, gamma and beta.

gradient: Of y.
x: As of AscendLayerNorm; so is gamma.
mean: What AscendLayerNorm gave; so is rstd.
)doc");

#define ACTIVATIONS                                                                                \
    "activation: {'none', 'relu', 'relu6', 'tanh', 'sigmoid', 'gelu', 'gelu_tanh', 'silu'}"

REGISTER_OP("AscendLinear")
    .Input("input: T")
    .Input("weight: T")
    .Input("bias: biases * T")
    .Output("output: T")
    .Output("preactivation: T")
    .Attr(ACTIVATIONS " = 'none'")
    .Attr("transpose_weight: bool = false")
    .Attr("keep_preactivation: bool = false")
    .Attr("biases: int >= 0 = 0")
    .Attr("T: {half, float, bfloat16} = DT_FLOAT")
    .SetShapeFn(LinearShape)
    .Doc(R"doc(
activation(input weight + bias) on an Ascend NPU: a dense layer as one op.

Summed, biased and activated in float32 and rounded once to T.

input: [..., K], of rank 2 to 8.
weight: [K, N], or [N, K] if transpose_weight.
bias: None, or one: [N].
output: [..., N].
preactivation: What the activation is applied to, [..., N], for the gradient; [0] unless
  keep_preactivation.
activation: gelu is x Phi(x), gelu_tanh its approximation, silu x sigmoid(x).
transpose_weight: Whether the weight is read transposed. Nothing is copied for it.
keep_preactivation: Whether to give preactivation. Without it the gradient multiplies again.
)doc");

REGISTER_OP("AscendActivationGrad")
    .Input("gradient: T")
    .Input("preactivation: T")
    .Output("output: T")
    .Attr(ACTIVATIONS)
    .Attr("T: {half, float, bfloat16} = DT_FLOAT")
    .SetShapeFn(ActivationGradShape)
    .Doc(R"doc(
The gradient of an activation: gradient times its derivative at preactivation, in float32, rounded
once to T.

gradient: Of the activation's result.
preactivation: What the activation was applied to, of gradient's shape.
output: Of the same shape.
activation: As of AscendLinear.
)doc");
