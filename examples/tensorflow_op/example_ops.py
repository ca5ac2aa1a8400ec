"""The ops of ops.cc, with their gradients."""

import os
import pathlib

import tensorflow as tf

_built = pathlib.Path(__file__).parent / "build" / "libexample_ops.so"
_ops = tf.load_op_library(os.environ.get("EXAMPLE_OPS", str(_built)))

sigmoid = _ops.example_sigmoid
matmul = _ops.example_matmul


@tf.RegisterGradient("ExampleSigmoid")
def _sigmoid_gradient(op, dy):
    y = op.outputs[0]
    return dy * y * (1 - y)


@tf.RegisterGradient("ExampleMatmul")
def _matmul_gradient(op, dc):
    """Operands change places; none is transposed in memory."""
    a, b = op.inputs
    ta, tb = op.get_attr("transpose_a"), op.get_attr("transpose_b")
    da = matmul(b, dc, transpose_a=tb, transpose_b=True) if ta else matmul(dc, b, transpose_b=not tb)
    db = matmul(dc, a, transpose_a=True, transpose_b=ta) if tb else matmul(a, dc, transpose_a=not ta)
    return da, db
