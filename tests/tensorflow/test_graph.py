"""Graphs: static shapes of SoftAscend's ops, XLA's demand that is taken back, Keras as it comes."""

import numpy as np
import plugin
import pytest
import tensorflow as tf

OPS = tf.load_op_library(str(plugin.path().parent / "libsoftascend_ops.so"))


@pytest.mark.parametrize("op", [OPS.ascend_mat_mul, OPS.ascend_dynamic_mat_mul])
@pytest.mark.parametrize(
    "a,b,ta,tb,expected",
    [
        ([3, 4], [4, 5], False, False, [3, 5]),
        ([4, 3], [4, 5], True, False, [3, 5]),
        ([3, 4], [5, 4], False, True, [3, 5]),
        ([4, 3], [5, 4], True, True, [3, 5]),
        ([None, 4], [4, 5], False, False, [None, 5]),
        ([3, None], [None, 5], False, False, [3, 5]),
        (None, [4, None], False, False, [None, None]),
        ([None, None], [6, None], True, True, [None, 6]),
    ],
)
def test_matmul_shape(op, a, b, ta, tb, expected):
    @tf.function(input_signature=[tf.TensorSpec(a), tf.TensorSpec(b)])
    def f(x, y):
        return op(x, y, transpose_a=ta, transpose_b=tb)

    assert f.get_concrete_function().structured_outputs.shape.as_list() == expected


@pytest.mark.parametrize(
    "a,b", [([3], [3, 4]), ([2, 3, 4], [4, 5]), ([], [1, 1]), ([3, 4], [5, 6]), ([None, 4], [5, None])]
)
def test_matmul_shape_refused(a, b):
    @tf.function(input_signature=[tf.TensorSpec(a), tf.TensorSpec(b)])
    def f(x, y):
        return OPS.ascend_mat_mul(x, y)

    with pytest.raises(ValueError):
        f.get_concrete_function()


def test_sigmoid_shape():
    for shape in [[], [None, 3], None, [1] * 8]:
        f = tf.function(lambda x: OPS.ascend_sigmoid(x), input_signature=[tf.TensorSpec(shape)])
        got = f.get_concrete_function().structured_outputs.shape
        assert got.rank is None if shape is None else got.as_list() == shape
    f = tf.function(lambda x: OPS.ascend_sigmoid(x), input_signature=[tf.TensorSpec([1] * 9)])
    with pytest.raises(ValueError):
        f.get_concrete_function()


@pytest.mark.parametrize("device", ["/NPU:0", "/NPU:1", "/CPU:0"])
def test_ascend_ops_in_graphs(device):
    x = np.random.default_rng(5).normal(size=(9, 6)).astype(np.float32)

    @tf.function
    def f(v):
        with tf.device(device):
            return OPS.ascend_sigmoid(OPS.ascend_mat_mul(v, v, transpose_a=True))

    wide = x.astype(np.float64)
    np.testing.assert_allclose(f(x), 1 / (1 + np.exp(-wide.T @ wide)), rtol=2e-6)


def test_jit_compile_inside_a_function():
    @tf.function(jit_compile=True)
    def inner(x):
        return tf.nn.relu(tf.matmul(x, x)) + 1.0

    @tf.function
    def outer(x):
        with tf.device("/NPU:0"):
            return inner(x) * 2.0

    tf.config.set_soft_device_placement(True)
    np.testing.assert_array_equal(outer(tf.eye(3)), 2 * np.eye(3) + 2)


@pytest.mark.parametrize("device", ["/NPU:0", None])
def test_jit_compile_called_eagerly(device):
    @tf.function(jit_compile=True)
    def f(x):
        return tf.nn.relu(tf.matmul(x, x)) + 1.0

    tf.config.set_soft_device_placement(True)
    with tf.device(device):
        np.testing.assert_array_equal(f(tf.eye(3)), np.eye(3) + 1)


def test_what_the_graph_optimiser_makes_has_kernels():
    x = np.array([0.5, 2.0], np.float32)

    @tf.function
    def f(v):
        with tf.device("/NPU:0"):
            return tf.exp(v) - 1.0, tf.math.log(1.0 + v), v**2, v**3.0, v**0.5, v**-0.5, v**-1.0, v + v + v, v * 2 * 3

    for got, expected in zip(f(x), [np.expm1(x), np.log1p(x), x**2, x**3, x**0.5, x**-0.5, 1 / x, 3 * x, 6 * x]):
        np.testing.assert_allclose(got, expected, rtol=1e-6)


def dense_model(keras):
    return [keras.layers.Dense(32, "relu")]


def convolution_model(keras):
    return [
        keras.layers.Reshape((5, 4, 1)), keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.Conv2D(32, 2, strides=2, activation="relu"), keras.layers.Flatten(),
    ]  # fmt: skip


@pytest.mark.parametrize("hidden", [dense_model, convolution_model])
def test_keras_trains_with_default_compile(hidden):
    import keras

    tf.config.set_soft_device_placement(True)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(256, 20)).astype(np.float32)
    y = (x[:, :3].sum(axis=1) > 0).astype(np.int64)
    losses = {}
    for device in ["/CPU:0", "/NPU:0"]:
        with tf.device(device):
            keras.utils.set_random_seed(2)
            model = keras.Sequential([*hidden(keras), keras.layers.Dense(2)])
            model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
            losses[device] = model.fit(x, y, epochs=8, batch_size=32, verbose=0, shuffle=False).history["loss"]
            model.train_on_batch(x[:32], y[:32])
            assert all(device.strip("/") in v.value.device for v in model.trainable_variables)
    np.testing.assert_allclose(losses["/NPU:0"], losses["/CPU:0"], rtol=2e-3)
    assert losses["/NPU:0"][-1] < losses["/NPU:0"][0] * 0.8


def test_copies_between_npus():
    x = np.random.default_rng(4).normal(size=(300, 300)).astype(np.float32)
    with tf.device("/NPU:0"):
        a = tf.constant(x) * 2.0
    with tf.device("/NPU:1"):
        b = tf.identity(a) + 1.0
    assert "NPU:1" in b.device
    np.testing.assert_allclose(b, x * 2 + 1, rtol=1e-6)


def test_threads_each_compute():
    import concurrent.futures

    x = tf.random.stateless_uniform((64, 64), (1, 2))
    expected = x.numpy() @ x.numpy()

    def work(i):
        with tf.device(f"/NPU:{i % 2}"):
            for _ in range(20):
                y = tf.matmul(x, x)
            return y.numpy()

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for result in pool.map(work, range(16)):
            np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_step_of_many_ops_leaves_no_nan():
    """Default kernels touch device memory from host threads: ours have finished by then."""
    with tf.device("/NPU:0"):
        v = tf.Variable(tf.ones((256, 256)))

        @tf.function
        def step():
            g = tf.matmul(v, v, transpose_b=True) * 1e-4
            v.assign_sub(tf.nn.relu(g) * 0.01)

        for _ in range(50):
            step()
        assert np.isfinite(v.numpy()).all()
