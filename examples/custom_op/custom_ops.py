"""sigmoid.cpp and matmul.cpp of this folder as TensorFlow ops, with their gradients (docs/custom-op.md)."""

import pathlib

import softascend
import tensorflow as tf

HERE = pathlib.Path(__file__).resolve().parent


def load_sigmoid():
    return softascend.load_ascendc(
        HERE / "sigmoid.cpp",
        inputs={"x": "float32|float16|bfloat16"},
        outputs={"y": "x"},
        values={"n": lambda x: x.size},
        blocks=lambda x: min(8, -(-x.size // 4096)),
        grad=lambda y, dy: dy * y * (1 - y),
    )


def load_matmul():
    matmul = softascend.load_ascendc(
        HERE / "matmul.cpp",
        inputs={"a": "float16|bfloat16[m, k]", "b": "float16|bfloat16[k, n]"},
        outputs={"c": "a[m, n]"},
        blocks=lambda m, n: -(-m // 128) * -(-n // 128),
        grad=lambda a, b, dc: (matmul(dc, tf.transpose(b)), matmul(tf.transpose(a), dc)),
    )
    return matmul
