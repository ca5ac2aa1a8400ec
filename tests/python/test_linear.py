"""Dense layers as one op: the op, TensorFlow's fused matmul and the layers, against float64 and Keras."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.eager import context, execute

from reference import DTYPES, half_ulp
from softascend import ascend_linear
from softascend.layers import AscendDense, AscendFeedForward

ACTIVATIONS = {
    "none": tf.identity,
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "tanh": tf.tanh,
    "sigmoid": tf.sigmoid,
    "gelu": lambda x: tf.nn.gelu(x, approximate=False),
    "gelu_tanh": lambda x: tf.nn.gelu(x, approximate=True),
    "silu": tf.nn.silu,
}
FUSED = {
    "Relu": "relu",
    "Relu6": "relu6",
    "Tanh": "tanh",
    "Sigmoid": "sigmoid",
    "GeluExact": "gelu",
    "GeluApproximate": "gelu_tanh",
}
SHAPES = [((1, 1), 1), ((7, 33), 17), ((2, 5, 40), 70), ((130, 65), 33), ((3, 0), 4), ((0, 5), 4), ((2, 1, 3, 8), 9)]
EPS32 = 2.0**-24
UNIT = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}


def operands(shape, width, dtype, seed=0):
    rng = np.random.default_rng(seed)
    shapes = [shape, (shape[-1], width), (width,), (*shape[:-1], width)]
    return [tf.cast(tf.constant(rng.normal(size=s).astype("f4")), dtype) for s in shapes]


def reference(x, w, b, g, activation):
    """Result and gradients in float64 by TensorFlow's CPU device, and the same of absolute values, for bounds."""
    unit = UNIT[x.dtype.name]
    with tf.device("/CPU:0"):
        x, w, b, g = (tf.cast(t, tf.float64) for t in (x, w, b, g))
        with tf.GradientTape() as tape:
            tape.watch([x, w, b])
            y = ACTIVATIONS[activation](tf.tensordot(x, w, 1) + b)
        grads = tape.gradient(y, [x, w, b], output_gradients=g)
        sums = tf.tensordot(abs(x), abs(w), 1) + abs(b)
        wide = abs(g) * (1 + sums)  # an error in a sum moves a slope by as much as a few times that
        if activation == "relu6" and unit > EPS32:  # whose slope jumps where a preactivation rounds to 6
            wide += tf.where(abs(tf.tensordot(x, w, 1) + b - 6) < 8 * unit, abs(g) / unit, 0)
        rows, flat = tf.reshape(wide, [-1, w.shape[1]]), tf.reshape(abs(x), [-1, w.shape[0]])
        bounds = [tf.reshape(rows @ tf.transpose(abs(w)), x.shape), tf.transpose(flat) @ rows, tf.reduce_sum(rows, 0)]
    return y.numpy(), [t.numpy() for t in grads], sums.numpy(), [t.numpy() for t in bounds]


def close(have, want, bound, dtype):
    have = tf.cast(have, tf.float64).numpy()
    assert have.shape == want.shape
    assert np.all(abs(have - want) <= bound + half_ulp(abs(want) + bound, dtype)), np.max(abs(have - want))


@pytest.mark.parametrize("device", ["/NPU:0", "/CPU:0"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_and_gradients(dtype, activation, device):
    for shape, width in SHAPES if device == "/NPU:0" else SHAPES[:3]:
        x, w, b, g = operands(shape, width, dtype)
        want, grads, sums, bounds = reference(x, w, b, g, activation)
        for transpose in (False, True):
            for training in (False, True):
                with tf.device(device), tf.GradientTape() as tape:
                    stored = tf.transpose(w) if transpose else tf.identity(w)
                    tape.watch([x, stored, b])
                    y = ascend_linear(x, stored, b, activation, transpose_weight=transpose, training=training)
                    assert y.device.endswith(device[1:])
                    have = tape.gradient(y, [x, stored, b], output_gradients=g)
                close(y, want, 4 * (shape[-1] + 4) * EPS32 * sums, dtype)
                have[1] = tf.transpose(have[1]) if transpose else have[1]
                # what lies between, the preactivation and its gradient, is of the dtype: an ulp of each
                unit = UNIT[dtype.name]
                for one, expected, bound in zip(have, grads, bounds):
                    terms = max(shape[-1], width, int(np.prod(shape[:-1])))
                    least = 1e-6 * (dtype == tf.float16)
                    close(one, expected, (4 * (terms + 8) * EPS32 + 3 * unit) * bound + least, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_without_bias_in_a_graph(dtype):
    x, w, b, _ = operands((6, 20), 11, dtype)

    @tf.function(input_signature=[tf.TensorSpec([None, None], dtype), tf.TensorSpec([None, 11], dtype)])
    def run(x, w):
        y = ascend_linear(x, w, activation="gelu")
        assert y.shape.as_list() == [None, 11]
        return y

    with tf.device("/NPU:0"):
        want, _, sums, _ = reference(x, w, tf.zeros_like(b), tf.zeros([6, 11], dtype), "gelu")
        close(run(x, w), want, 4 * 24 * EPS32 * sums, dtype)


def fused_matmul(a, b, args, fused, transpose_a=False, transpose_b=False):
    """An op that TensorFlow's graph passes make and its Python has no name for."""
    types = ("T", a.dtype.as_datatype_enum, "num_args", len(args), "fused_ops", [f.encode() for f in fused])
    rest = ("transpose_a", transpose_a, "transpose_b", transpose_b, "epsilon", 1e-4, "leakyrelu_alpha", 0.2)
    return execute.execute(b"_FusedMatMul", 1, inputs=[a, b, *args], attrs=(*types, *rest), ctx=context.context())[0]


@pytest.mark.parametrize("fused", [[], ["BiasAdd"], *(["BiasAdd", name] for name in FUSED)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_fused_matmul(dtype, fused):
    x, w, b, _ = operands((37, 20), 53, dtype)
    activation = FUSED[fused[1]] if len(fused) > 1 else "none"
    want, _, sums, _ = reference(x, w, b if fused else tf.zeros_like(b), tf.zeros([37, 53], dtype), activation)
    for a, c in [(False, False), (True, False), (False, True), (True, True)]:
        with tf.device("/NPU:0"):
            turned = tf.transpose(x) if a else x, tf.transpose(w) if c else w
            y = fused_matmul(*turned, [b] if fused else [], fused, a, c)
        assert "NPU" in y.device
        close(y, want, 4 * 24 * EPS32 * sums, dtype)


def test_refusals():
    x, w, b, _ = operands((3, 4), 5, tf.float32)
    with tf.device("/NPU:0"):
        for arguments, text in [
            ((x, tf.transpose(w), b), "k differs"),
            ((x, w, b[:4]), "bias"),
            ((x[0], w, b), "rank"),
            ((x, b, b), "rank 2|matrix"),
        ]:
            with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=text):
                ascend_linear(*arguments)
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="activation"):
            ascend_linear(x, w, b, activation="swish")
        with pytest.raises(tf.errors.UnimplementedError, match="Elu"):
            fused_matmul(x, w, [b], ["BiasAdd", "Elu"])


@pytest.mark.parametrize("policy", ["float32", "mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("activation", [None, "relu", "gelu", "silu", "tanh", "sigmoid", "elu"])
def test_dense_is_keras_own(activation, policy):
    x = np.random.default_rng(1).normal(size=(2, 9, 20)).astype("f4")
    with tf.device("/CPU:0"):
        plain = keras.layers.Dense(33, activation=activation, dtype=policy)
        want = plain(x)
    with tf.device("/NPU:0"):
        ours = AscendDense(33, activation=activation, dtype=policy)
        ours.build(x.shape)
        ours.set_weights(plain.get_weights())
        for training in (False, True):
            have = ours(x, training=training)
            assert have.dtype == want.dtype
            unit = {"float32": 2.0**-20, "float16": 2.0**-9, "bfloat16": 2.0**-6}[have.dtype.name]
            np.testing.assert_allclose(tf.cast(have, "float32"), tf.cast(want, "float32"), rtol=unit, atol=unit)
    again = keras.layers.deserialize(keras.layers.serialize(ours))
    assert isinstance(again, AscendDense) and again.get_config() == ours.get_config()


def test_feed_forward_trains_as_keras_own():
    rng = np.random.default_rng(2)
    x, target = rng.normal(size=(64, 12)).astype("f4"), rng.normal(size=(64, 12)).astype("f4")
    losses = []
    plain = keras.Sequential([keras.layers.Dense(40, activation="gelu"), keras.layers.Dense(12)])
    plain.build(x.shape)
    for device, block in (("/CPU:0", plain), ("/NPU:0", keras.Sequential([AscendFeedForward(40)]))):
        with tf.device(device):
            block.build(x.shape)
            if block is not plain:
                block.set_weights(weights)
            weights = plain.get_weights()
            block.compile(optimizer="sgd", loss="mse")
            losses.append(block.fit(x, target, batch_size=16, epochs=3, shuffle=False, verbose=0).history["loss"])
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)
    layer = AscendFeedForward(8, activation="relu", use_bias=False)
    assert AscendFeedForward.from_config(layer.get_config()).get_config() == layer.get_config()
