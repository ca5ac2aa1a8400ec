"""Layer normalization: the op against float64, the layer against Keras's."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from reference import DTYPES, as64, half_ulp
from softascend import ascend_layer_norm
from softascend.layers import AscendLayerNormalization

UNIT = 2.0**-24
SHAPES = [(1,), (7,), (3, 64), (5, 7, 33), (2, 3, 4, 100), (40, 1000), (2, 9001)]
EMPTY = [(0,), (0, 8), (3, 0), (2, 0, 4)]


def reference(x, gamma, beta, g, epsilon):
    """y and the gradients by x, gamma and beta, with bounds on what float32 loses."""
    x, gamma, beta, g = map(as64, (x, gamma, beta, g))
    n = x.shape[-1]
    d = x - x.mean(-1, keepdims=True)
    rstd = 1 / np.sqrt((d**2).mean(-1, keepdims=True) + epsilon)
    hat, far = d * rstd, abs(d * rstd).max(-1, keepdims=True)
    lost = UNIT * (n / 64 + 16)
    # the gradient takes the mean as float32 has it
    mean_lost = UNIT * abs(x.mean(-1, keepdims=True)) * rstd
    k = g * gamma
    a, h = k.mean(-1, keepdims=True), (k * hat).mean(-1, keepdims=True)
    most = abs(k).mean(-1, keepdims=True) * (1 + far)
    rows = tuple(range(x.ndim - 1))
    depth = lost + UNIT * (64 + x.size / n / 64)
    values = [hat * gamma + beta, rstd * (k - a - hat * h), (g * hat).sum(rows), g.sum(rows)]
    bounds = [
        lost * (far * abs(gamma) + abs(beta)),
        2 * (lost + mean_lost) * rstd * (abs(k) + most * (1 + far)),
        (depth * abs(g * hat)).sum(rows) + (mean_lost * abs(g)).sum(rows),
        depth * abs(g).sum(rows),
    ]
    return values, bounds


def run(x, gamma, beta, g, epsilon, device):
    with tf.device(device):
        x, gamma, beta, g = (tf.identity(t) for t in (x, gamma, beta, g))
        with tf.GradientTape() as tape:
            tape.watch([x, gamma, beta])
            y = ascend_layer_norm(x, gamma, beta, epsilon)
        return [y, *tape.gradient(y, [x, gamma, beta], output_gradients=g)]


@pytest.mark.parametrize("device", ["/NPU:0", "/CPU:0"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_and_gradients(shape, dtype, device):
    rng = np.random.default_rng(0)
    for weights in {dtype, tf.float32}:
        x, g = (tf.cast(rng.normal(m, 1, shape).astype("f4"), dtype) for m in (1, 0))
        gamma, beta = (tf.cast(rng.normal(size=shape[-1:]).astype("f4"), weights) for _ in range(2))
        values, bounds = reference(x, gamma, beta, g, 1e-3)
        for got, want, bound in zip(run(x, gamma, beta, g, 1e-3, device), values, bounds):
            assert device[1:4] in got.device
            allowed = bound + 1.02 * half_ulp(want, got.dtype)
            assert np.all(abs(as64(got) - want) <= allowed), abs(as64(got) - want).max()


def test_a_large_mean_costs_nothing():
    x = np.random.default_rng(1).normal(1e4, 1, (8, 1024)).astype("f4")
    with tf.device("/NPU:0"):
        y = ascend_layer_norm(x, epsilon=1e-5).numpy()
    wide = x.astype("f8")
    want = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + 1e-5)
    assert abs(y - want).max() < 1e-6 * abs(want).max()


@pytest.mark.parametrize("shape", EMPTY, ids=str)
def test_empty(shape):
    size = shape[-1]
    y, dx, dgamma, dbeta = run(
        tf.zeros(shape), tf.ones(size), tf.zeros(size), tf.zeros(shape), 1e-3, "/NPU:0"
    )
    assert y.shape == shape and dx.shape == shape
    np.testing.assert_array_equal(dgamma, np.zeros(size))
    np.testing.assert_array_equal(dbeta, np.zeros(size))


def test_bad_arguments_are_named():
    x = tf.zeros([2, 3])
    with tf.device("/NPU:0"):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"gamma must be \[3\]"):
            ascend_layer_norm(x, tf.zeros(4), tf.zeros(3))
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"beta must be \[3\]"):
            ascend_layer_norm(x, tf.zeros(3), tf.zeros([1, 3]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="scalar"):
            ascend_layer_norm(tf.zeros([]), tf.zeros(1), tf.zeros(1))

    @tf.function
    def traced(gamma):
        return ascend_layer_norm(x, gamma, tf.zeros(3))

    with pytest.raises(ValueError, match="Dimensions must be equal"):
        traced(tf.zeros(4))


@pytest.mark.parametrize("policy", ["float32", "mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("options", [{}, {"center": False}, {"scale": False}, {"axis": 2}, {"axis": 1}], ids=str)
def test_layer_is_keras_layer(policy, options):
    rng = np.random.default_rng(2)
    x, g = (rng.normal(1, 2, (4, 6, 10)).astype("f4") for _ in range(2))
    results = []
    for layer, device in ((AscendLayerNormalization, "/NPU:0"), (keras.layers.LayerNormalization, "/CPU:0")):
        with tf.device(device):
            made = layer(dtype=policy, **options)
            made.build(x.shape)
            rng = np.random.default_rng(3)
            made.set_weights([rng.normal(size=w.shape).astype("f4") for w in made.get_weights()])
            here = tf.cast(x, made.compute_dtype)
            with tf.GradientTape() as tape:
                tape.watch(here)
                y = tf.function(made)(here)
            grads = tape.gradient(y, [here, *made.trainable_variables], output_gradients=tf.cast(g, y.dtype))
            results.append([as64(t) for t in (y, *grads)])
            assert y.dtype.name == made.compute_dtype
    unit = {"float32": 2.0**-23, "mixed_float16": 2.0**-10, "mixed_bfloat16": 2.0**-7}[policy]
    for got, want in zip(*results):
        np.testing.assert_allclose(got, want, rtol=8 * unit, atol=64 * unit)


def test_a_saved_layer_comes_back(tmp_path):
    model = keras.Sequential([keras.layers.Input((5, 8)), AscendLayerNormalization(epsilon=1e-5)])
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    x = np.random.default_rng(4).normal(size=(2, 5, 8)).astype("f4")
    assert isinstance(again.layers[-1], AscendLayerNormalization) and again.layers[-1].epsilon == 1e-5
    np.testing.assert_array_equal(model(x), again(x))
