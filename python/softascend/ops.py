"""SoftAscend's TensorFlow ops and their gradients."""

from __future__ import annotations

import tensorflow as tf

from softascend._library import load_ops

_ops = load_ops()


def ascend_matmul(a, b, transpose_a: bool = False, transpose_b: bool = False, name=None) -> tf.Tensor:
    """Matrix product on the NPU's cube.

    Parameters
    ----------
    a : tensor, shape [M, K], or [K, M] if `transpose_a`
    b : tensor, shape [K, N], or [N, K] if `transpose_b`
        Both of one dtype: float16, bfloat16 or float32. Products are added in float32.
    transpose_a, transpose_b : bool
        Whether to read the operand transposed; nothing is copied for it.

    Returns
    -------
    tensor, shape [M, N], dtype of the operands. K = 0 gives zeros.

    Raises
    ------
    tf.errors.InvalidArgumentError
        If an operand is not a matrix or K differs.
    """
    return _ops.ascend_mat_mul(a, b, transpose_a=transpose_a, transpose_b=transpose_b, name=name)


def ascend_dynamic_matmul(
    a, b, transpose_a: bool = False, transpose_b: bool = False, name=None
) -> tf.Tensor:
    """`ascend_matmul` for shapes that a graph knows in part: unknown dimensions merge."""
    return _ops.ascend_dynamic_mat_mul(
        a, b, transpose_a=transpose_a, transpose_b=transpose_b, name=name
    )


def ascend_sigmoid(input, name=None) -> tf.Tensor:  # noqa: A002 (the op's own name for it)
    """Sigmoid on the NPU's vector unit: computed in float32 and rounded once.

    Parameters
    ----------
    input : tensor, rank 0 to 8, dtype float16, bfloat16 or float32

    Returns
    -------
    tensor of the input's shape and dtype
    """
    return _ops.ascend_sigmoid(input=input, name=name)


def _matmul_gradient(matmul, op, grad):
    """Gradients of C = op(A) op(B) by swapped operands: no matrix is transposed in memory."""
    a, b = op.inputs
    transpose_a, transpose_b = op.get_attr("transpose_a"), op.get_attr("transpose_b")
    if transpose_a:
        grad_a = matmul(b, grad, transpose_a=transpose_b, transpose_b=True)
    else:
        grad_a = matmul(grad, b, transpose_a=False, transpose_b=not transpose_b)
    if transpose_b:
        grad_b = matmul(grad, a, transpose_a=True, transpose_b=transpose_a)
    else:
        grad_b = matmul(a, grad, transpose_a=not transpose_a, transpose_b=False)
    return grad_a, grad_b


def _register_gradients() -> None:
    gradients = {
        "AscendMatMul": lambda op, grad: _matmul_gradient(ascend_matmul, op, grad),
        "AscendDynamicMatMul": lambda op, grad: _matmul_gradient(ascend_dynamic_matmul, op, grad),
        # y (1 - y) of the output that the forward pass left, by the stock op that has an NPU kernel
        "AscendSigmoid": lambda op, grad: tf.raw_ops.SigmoidGrad(y=op.outputs[0], dy=grad),
    }
    for name, gradient in gradients.items():
        tf.RegisterGradient(name)(gradient)


_register_gradients()
