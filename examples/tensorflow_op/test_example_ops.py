"""Against TensorFlow's CPU device in float64."""

import itertools

import example_ops
import numpy as np
import pytest
import tensorflow as tf

EPS = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}


def near(got, exact, dtype, slack):
    """Within the dtype's rounding and `slack` beside it."""
    error = np.abs(tf.cast(got, tf.float64).numpy() - exact)
    assert (error <= EPS[dtype] * np.abs(exact) + slack + 2.0**-24).all(), error.max()


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(), (0,), (7,), (3, 5, 1001), (100003,)])
def test_sigmoid(dtype, shape):
    x = tf.cast(np.random.default_rng(0).normal(0, 5, shape), dtype)
    with tf.device("/NPU:0"):
        y = example_ops.sigmoid(x)
    assert y.device.endswith("NPU:0") and y.shape == x.shape
    exact = 1 / (1 + np.exp(-tf.cast(x, tf.float64).numpy()))
    near(y, exact, dtype, 8 * 2.0**-24)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (17, 33, 65), (131, 257, 129), (4, 0, 3), (0, 2, 3)])
@pytest.mark.parametrize("ta, tb", itertools.product([False, True], repeat=2))
def test_matmul(dtype, m, k, n, ta, tb):
    rng = np.random.default_rng(1)
    a, b = (tf.cast(rng.normal(size=s), dtype) for s in ((k, m) if ta else (m, k), (n, k) if tb else (k, n)))
    with tf.device("/NPU:0"):
        c = example_ops.matmul(a, b, transpose_a=ta, transpose_b=tb)
    assert c.shape == (m, n)
    wide = [tf.cast(x, tf.float64).numpy() for x in (a, b)]
    wide = [x.T if turned else x for x, turned in zip(wide, (ta, tb))]
    near(c, wide[0] @ wide[1], dtype, k * 2.0**-24 * (np.abs(wide[0]) @ np.abs(wide[1])))


@pytest.mark.parametrize("ta, tb", itertools.product([False, True], repeat=2))
def test_gradients(ta, tb):
    rng = np.random.default_rng(2)
    a, b = (tf.constant(rng.integers(-3, 4, s), tf.float16) for s in ((5, 3) if ta else (3, 5), (4, 5) if tb else (5, 4)))

    @tf.function
    def gradients(matmul):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            loss = tf.reduce_sum(matmul(a, b, transpose_a=ta, transpose_b=tb) * 2)
        return tape.gradient(loss, [a, b])

    with tf.device("/NPU:0"):
        got = gradients(example_ops.matmul)
    with tf.device("/CPU:0"):
        wanted = gradients(tf.matmul)
    for g, w in zip(got, wanted):
        assert np.array_equal(g, w)


def test_gradient_of_sigmoid_by_differences():
    with tf.device("/NPU:0"):
        got, numeric = tf.test.compute_gradient(example_ops.sigmoid, [tf.constant([-2.0, 0.0, 0.5])], delta=1 / 64)
    assert np.abs(got[0] - numeric[0]).max() < 2e-4


def test_unknown_and_wrong_shapes():
    spec = tf.TensorSpec([None, None], tf.float16)
    graph = tf.function(example_ops.matmul, input_signature=[spec, spec])
    with tf.device("/NPU:0"):
        assert np.array_equal(graph(tf.ones([2, 3], tf.float16), tf.ones([3, 4], tf.float16)), 3 * np.ones((2, 4)))
        for call in (graph, example_ops.matmul):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"k differs.*\[2,3\].*\[4,5\]"):
                call(tf.ones([2, 3], tf.float16), tf.ones([4, 5], tf.float16))
