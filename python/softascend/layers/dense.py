"""Keras dense layers by the dense operator."""

from __future__ import annotations

import keras
import tensorflow as tf

from softascend.ops import ascend_linear

_DTYPES = {"float32", "float16", "bfloat16"}
_FUSED = {
    keras.activations.linear: "none",
    keras.activations.relu: "relu",
    keras.activations.relu6: "relu6",
    keras.activations.tanh: "tanh",
    keras.activations.sigmoid: "sigmoid",
    keras.activations.silu: "silu",
    keras.activations.gelu: "gelu",
    None: "none",
}


@keras.saving.register_keras_serializable("softascend")
class AscendDense(keras.layers.Dense):
    """`keras.layers.Dense`, its arguments and weights; product, bias and activation are one op.

    An activation that the op lacks follows it. Weights move to and from the parent by `get_weights` and
    `set_weights`. Quantized layers and LoRA are computed as the parent does.
    """

    def call(self, inputs, training=None):
        if self.quantization_mode or self.lora_enabled or self.compute_dtype not in _DTYPES:
            return super().call(inputs, training=training)
        fused = _FUSED.get(self.activation)
        y = ascend_linear(
            inputs,
            tf.convert_to_tensor(self.kernel),
            None if self.bias is None else tf.convert_to_tensor(self.bias),
            activation=fused or "none",
            training=bool(training),
        )
        return y if fused else self.activation(y)


@keras.saving.register_keras_serializable("softascend")
class AscendFeedForward(keras.layers.Layer):
    """A transformer's feed-forward block: an `AscendDense` of `units`, then one back to the input's width.

    Parameters
    ----------
    units : int
        Width of the middle.
    activation : str or callable
        As of `keras.layers.Dense`.
    use_bias : bool

    Input [..., D] of rank 2 to 8; output the same. Weights: as of two `keras.layers.Dense`, one after the other.
    """

    def __init__(self, units, activation="gelu", use_bias=True, **kwargs):
        super().__init__(**kwargs)
        self.units, self.use_bias = units, use_bias
        self.inner = AscendDense(units, activation=activation, use_bias=use_bias, dtype=self.dtype_policy, name="inner")
        self.supports_masking = True

    def build(self, input_shape):
        self.outer = AscendDense(input_shape[-1], use_bias=self.use_bias, dtype=self.dtype_policy, name="outer")
        self.inner.build(input_shape)
        self.outer.build((*input_shape[:-1], self.units))
        self.built = True

    def call(self, inputs, training=None):
        return self.outer(self.inner(inputs, training=training), training=training)

    def compute_output_shape(self, input_shape):
        return tuple(input_shape)

    def get_config(self):
        activation = self.inner.get_config()["activation"]
        return super().get_config() | {"units": self.units, "activation": activation, "use_bias": self.use_bias}
