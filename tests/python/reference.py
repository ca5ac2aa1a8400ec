"""Float64 references and the bounds that the operators promise."""

import numpy as np
import tensorflow as tf

EPS32 = 2.0**-24 * 2  # spacing of float32 at 1
DTYPES = [tf.float32, tf.float16, tf.bfloat16]


def as64(tensor) -> np.ndarray:
    return tf.cast(tensor, tf.float64).numpy() if tensor.dtype != tf.float64 else tensor.numpy()


def half_ulp(values: np.ndarray, dtype: tf.DType) -> np.ndarray:
    """Half the spacing of `dtype` at `values`; 0 for float32, whose rounding the matmul bound holds."""
    if dtype == tf.float32:
        return np.zeros_like(values)
    bits, smallest = {tf.float16: (10, -24), tf.bfloat16: (7, -133)}[dtype]
    with np.errstate(divide="ignore"):
        exponent = np.floor(np.log2(np.abs(values)))
    return 0.5 * np.exp2(np.maximum(exponent - bits, smallest))


def matmul_bound(a: np.ndarray, b: np.ndarray, dtype: tf.DType) -> np.ndarray:
    """|C - C64| <= 2 K eps32 (|A| |B|), elementwise, plus half an ulp of a narrow output type."""
    bound = 2 * a.shape[1] * EPS32 * (np.abs(a) @ np.abs(b))
    return bound + half_ulp(np.abs(a @ b) + bound, dtype)


def matrix(rng: np.random.Generator, rows: int, cols: int, dtype: tf.DType) -> tf.Tensor:
    return tf.cast(tf.constant(rng.normal(size=(rows, cols)).astype(np.float32)), dtype)
