"""MirroredStrategy over two NPUs learns what one CPU learns."""

import keras
import numpy as np
import tensorflow as tf


def weights_after_training(scope):
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=(64, 8)).astype("f4"), rng.normal(size=(64, 2)).astype("f4")
    keras.utils.set_random_seed(3)
    with scope:
        model = keras.Sequential(
            [keras.layers.Input((8,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(2)]
        )
        model.compile(loss="mse", optimizer=keras.optimizers.SGD(0.1))
    # The whole set is one batch: halves of it on two devices have the mean gradient of the batch.
    model.fit(x, y, batch_size=64, epochs=5, shuffle=False, verbose=0)
    return model.get_weights()


def test_mirrored_training_equals_the_cpus():
    strategy = tf.distribute.MirroredStrategy(["/NPU:0", "/NPU:1"])
    assert strategy.num_replicas_in_sync == 2
    npu = weights_after_training(strategy.scope())
    cpu = weights_after_training(tf.device("/CPU:0"))
    for mine, theirs in zip(npu, cpu, strict=True):
        # five steps of at most 16 float32 products, and the two halves of a mean
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)
