"""Variables that live on the NPU: gathers, sparse updates, embeddings."""

import numpy as np
import pytest
import tensorflow as tf

rng = np.random.default_rng(3)


@pytest.fixture
def variable():
    with tf.device("/NPU:0"):
        return tf.Variable(rng.normal(size=(10, 4)).astype(np.float32))


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_gather(variable, graph, index):
    assert "NPU:0" in variable.device
    ids = np.array([[3, 3], [0, 9]], index)
    call = tf.function(tf.gather) if graph else tf.gather
    with tf.device("/NPU:0"):
        np.testing.assert_array_equal(call(variable, ids), variable.numpy()[ids])
        np.testing.assert_array_equal(tf.nn.embedding_lookup(variable, ids), variable.numpy()[ids])
    with pytest.raises(tf.errors.InvalidArgumentError, match="10"):
        tf.gather(variable, [2, 10])


def test_gather_gradient(variable):
    with tf.device("/NPU:0"), tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(variable, [1, 1, 5]) * tf.constant([[1.0], [2.0], [3.0]]))
    slices = tape.gradient(loss, variable)
    assert isinstance(slices, tf.IndexedSlices)
    expected = np.zeros((10, 4), np.float32)
    expected[1], expected[5] = 3, 3
    with tf.device("/NPU:0"):
        np.testing.assert_array_equal(tf.convert_to_tensor(slices), expected)


@pytest.mark.parametrize("sign", [1, -1])
def test_scatter(variable, sign):
    before = variable.numpy()
    kept = variable.read_value()
    updates = rng.normal(size=(3, 4)).astype(np.float32)
    slices = tf.IndexedSlices(tf.constant(updates), tf.constant([2, 7, 2]), (10, 4))
    (variable.scatter_add if sign > 0 else variable.scatter_sub)(slices)
    expected = before.astype(np.float64)
    np.add.at(expected, [2, 7, 2], sign * updates.astype(np.float64))
    np.testing.assert_allclose(variable, expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(kept, before)  # what was read before does not change


def test_bad_scatter(variable):
    before = variable.numpy()
    for ids, shape in [([2, 10], (2, 4)), ([2], (2, 4))]:
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.raw_ops.ResourceScatterAdd(resource=variable.handle, indices=ids, updates=tf.ones(shape))
    np.testing.assert_array_equal(variable, before)


def test_uninitialised_variable():
    with tf.device("/NPU:0"):
        handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[3], shared_name="never_set")
        with pytest.raises((tf.errors.NotFoundError, tf.errors.FailedPreconditionError)):
            tf.raw_ops.ResourceGather(resource=handle, indices=[0], dtype=tf.float32)


def test_keras_embedding_trains():
    import keras

    tf.config.set_soft_device_placement(True)
    with tf.device("/NPU:0"):
        keras.utils.set_random_seed(1)
        model = keras.Sequential([keras.layers.Embedding(20, 8), keras.layers.Flatten(), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        x = rng.integers(0, 20, (64, 5))
        y = (x.sum(axis=1, keepdims=True) / 50).astype(np.float32)
        first = model.evaluate(x, y, verbose=0)
        model.fit(x, y, epochs=10, verbose=0)
        assert "NPU:0" in model.layers[0].embeddings.value.device
        assert model.evaluate(x, y, verbose=0) < first / 2
