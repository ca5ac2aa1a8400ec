"""Cases of the path from TensorFlow to the first instruction: a whole training step of a small model."""

from __future__ import annotations

from case import Case


def _train_step(device: str):
    """One step of Keras's Adam on the digits MLP (64-128-10, batch 64), as a `tf.function` on `device`."""
    import keras
    import tensorflow as tf

    from softascend.demo import load_digits

    (x_train, y_train), _ = load_digits()
    with tf.device(device):
        keras.utils.set_random_seed(0)
        model = keras.Sequential(
            [keras.layers.Input((64,)), keras.layers.Dense(128, activation="relu"), keras.layers.Dense(10)]
        )
        loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        optimizer = keras.optimizers.Adam(1e-3)
        optimizer.build(model.trainable_variables)
        x, y = tf.identity(tf.constant(x_train[:64])), tf.identity(tf.constant(y_train[:64].astype("int64")))

        @tf.function
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = loss_of(y, model(x, training=True))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
            return loss

    def run():
        with tf.device(device):
            return step(x, y)

    return run


def cases() -> list[Case]:
    return [Case("train/mlp", 1, "steps/s", lambda: (_train_step("/NPU:0"), _train_step("/CPU:0")))]
