"""Keras layer normalization by the layer-normalization operator."""

from __future__ import annotations

import keras
import tensorflow as tf

from softascend.ops import ascend_layer_norm

_DTYPES = {"float32", "float16", "bfloat16"}


@keras.saving.register_keras_serializable("softascend")
class AscendLayerNormalization(keras.layers.LayerNormalization):
    """`keras.layers.LayerNormalization`, its arguments and weights, in one op that reads its input once.

    Other axes than the last, `rms_scaling` and other dtypes than float16, bfloat16 and float32 are computed as the
    parent does.
    """

    def call(self, inputs):
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.shape.rank
        last = rank is not None and list(self.axis) in ([-1], [rank - 1])
        if not last or self.rms_scaling or inputs.dtype.name not in _DTYPES:
            return super().call(inputs)
        gamma, beta = (None if w is None else tf.convert_to_tensor(w) for w in (self.gamma, self.beta))
        outputs = ascend_layer_norm(inputs, gamma, beta, self.epsilon)
        return tf.cast(outputs, self.compute_dtype)
