"""Gradients of the Ascend ops against the analytic float64 gradient, and the second order."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from reference import DTYPES, as64, half_ulp, matmul_bound, matrix
from softascend import ascend_dynamic_matmul, ascend_matmul, ascend_sigmoid

SIZES = [(1, 1, 1), (7, 7, 7), (17, 17, 17), (63, 63, 63), (1, 63, 17), (1000, 1001, 3)]
EMPTY = [(0, 5, 3), (5, 0, 3), (5, 3, 0), (0, 0, 0)]
TRANSPOSES = list(itertools.product([False, True], repeat=2))
MATMULS = [ascend_matmul, ascend_dynamic_matmul]


def matmul_gradients(npu, matmul, a, b, g, transpose_a, transpose_b):
    with tf.device(npu), tf.GradientTape() as tape:
        a, b, g = tf.identity(a), tf.identity(b), tf.identity(g)
        tape.watch([a, b])
        c = matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b)
        loss = tf.reduce_sum(tf.cast(c * g, tf.float32))
        return c, tape.gradient(loss, [a, b])


@pytest.mark.parametrize("matmul", MATMULS)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
@pytest.mark.parametrize("transpose_a, transpose_b", TRANSPOSES)
def test_matmul_gradient(npu, matmul, dtype, transpose_a, transpose_b):
    rng = np.random.default_rng(3)
    for m, k, n in SIZES + EMPTY:
        a = matrix(rng, *((k, m) if transpose_a else (m, k)), dtype)
        b = matrix(rng, *((n, k) if transpose_b else (k, n)), dtype)
        g = matrix(rng, m, n, dtype)
        c, (grad_a, grad_b) = matmul_gradients(npu, matmul, a, b, g, transpose_a, transpose_b)

        a64, b64, g64 = as64(a), as64(b), as64(g)
        a64 = a64.T if transpose_a else a64
        b64 = b64.T if transpose_b else b64
        for name, got, left, right, transposed in (
            ("c", c, a64, b64, False),
            ("grad_a", grad_a, g64, b64.T, transpose_a),
            ("grad_b", grad_b, a64.T, g64, transpose_b),
        ):
            assert got.dtype == dtype
            got = as64(got).T if transposed else as64(got)
            error, bound = np.abs(got - left @ right), matmul_bound(left, right, dtype)
            assert got.shape == bound.shape, f"{name} of {m}x{k}x{n}"
            assert (error <= bound).all(), f"{name} of {m}x{k}x{n}: {(error - bound).max()} past"


@pytest.mark.parametrize("transpose_a, transpose_b", TRANSPOSES)
def test_matmul_gradient_is_the_slope(npu, transpose_a, transpose_b):
    """Directional differences of the float64 function."""
    rng = np.random.default_rng(4)
    m, k, n = 3, 5, 4
    a = matrix(rng, *((k, m) if transpose_a else (m, k)), tf.float32)
    b = matrix(rng, *((n, k) if transpose_b else (k, n)), tf.float32)
    g = matrix(rng, m, n, tf.float32)
    _, (grad_a, grad_b) = matmul_gradients(npu, ascend_matmul, a, b, g, transpose_a, transpose_b)

    def loss(a64, b64):
        a64 = a64.T if transpose_a else a64
        b64 = b64.T if transpose_b else b64
        return ((a64 @ b64) * as64(g)).sum()

    a64, b64, h = as64(a), as64(b), 1e-6
    da, db = rng.normal(size=a64.shape), rng.normal(size=b64.shape)
    slope = (loss(a64 + h * da, b64 + h * db) - loss(a64 - h * da, b64 - h * db)) / (2 * h)
    along = (as64(grad_a) * da).sum() + (as64(grad_b) * db).sum()
    assert abs(slope - along) <= 1e-5 * (1 + abs(slope))


@pytest.mark.parametrize("transpose_a, transpose_b", TRANSPOSES)
def test_matmul_second_order(npu, transpose_a, transpose_b):
    """d/da of sum((dL/da) * v) with L = sum(c^2): Hessian-vector products against float64."""
    rng = np.random.default_rng(5)
    m, k, n = 4, 6, 5
    a = matrix(rng, *((k, m) if transpose_a else (m, k)), tf.float32)
    b = matrix(rng, *((n, k) if transpose_b else (k, n)), tf.float32)

    def hessian_vector(matmul, a, b, v):
        with tf.GradientTape() as outer:
            outer.watch([a, b])
            with tf.GradientTape() as inner:
                inner.watch(a)
                c = matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b)
                loss = tf.reduce_sum(c * c)
            first = inner.gradient(loss, a)
            along = tf.reduce_sum(first * v)
        return outer.gradient(along, [a, b])

    v = matrix(rng, *a.shape, tf.float32)
    with tf.device(npu):
        got = hessian_vector(ascend_matmul, tf.identity(a), tf.identity(b), tf.identity(v))
    with tf.device("/CPU:0"):
        want = hessian_vector(tf.matmul, *(tf.cast(t, tf.float64) for t in (a, b, v)))
    for mine, truth in zip(got, want):
        np.testing.assert_allclose(as64(mine), truth.numpy(), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (17, 63), (1000, 3), (2,) * 8])
def test_sigmoid_gradient(npu, dtype, shape):
    rng = np.random.default_rng(6)
    x = tf.cast(tf.constant(rng.normal(0, 3, shape).astype(np.float32)), dtype)
    g = tf.cast(tf.constant(rng.normal(size=shape).astype(np.float32)), dtype)
    with tf.device(npu), tf.GradientTape() as tape:
        x = tf.identity(x)
        tape.watch(x)
        y = ascend_sigmoid(x)
    grad = tape.gradient(y, x, output_gradients=g)
    assert grad.device.endswith("NPU:0")
    y64, g64 = as64(y), as64(g)  # the gradient reuses the output, so the truth is of that output
    truth = g64 * y64 * (1 - y64)
    bound = np.maximum(4 * 2.0**-24 * np.abs(g64 * y64), half_ulp(truth, dtype) * 1.01 + 2.0**-149)
    assert (np.abs(as64(grad) - truth) <= bound).all()


def test_sigmoid_second_order(npu):
    x64 = np.linspace(-4, 4, 33)
    with tf.device(npu):
        x = tf.constant(x64, tf.float32)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = ascend_sigmoid(x)
            first = inner.gradient(y, x)
        second = outer.gradient(first, x)
    s = 1 / (1 + np.exp(-x64))
    np.testing.assert_allclose(as64(second), s * (1 - s) * (1 - 2 * s), rtol=1e-5, atol=1e-7)


def test_gradients_are_registered_once():
    for name in ("AscendMatMul", "AscendDynamicMatMul", "AscendSigmoid"):
        with pytest.raises(KeyError):
            tf.RegisterGradient(name)(lambda op, grad: grad)
