"""Keras multi-head attention by the attention operator."""

from __future__ import annotations

import math

import keras
import tensorflow as tf

from softascend.ops import ascend_attention

_DTYPES = {"float32", "float16", "bfloat16"}


@keras.saving.register_keras_serializable("softascend")
class AscendMultiHeadAttention(keras.layers.MultiHeadAttention):
    """`keras.layers.MultiHeadAttention`, its arguments and weights, without the matrix of all scores.

    A projection is one product of [B * S, D] and [D, N * H]; the heads' attention is one op that takes them
    where they lie, forward and backward. Weights move to and from the parent by `get_weights` and `set_weights`.

    Dropout while training, returned scores, inputs that are not of rank 3, and heads of more than 256 are computed
    as the parent does.
    """

    def call(
        self,
        query,
        value,
        key=None,
        query_mask=None,
        value_mask=None,
        key_mask=None,
        attention_mask=None,
        return_attention_scores=False,
        training=None,
        use_causal_mask=False,
    ):
        if not self._fits(query, value, return_attention_scores, training):
            return super().call(
                query,
                value,
                key=key,
                query_mask=query_mask,
                value_mask=value_mask,
                key_mask=key_mask,
                attention_mask=attention_mask,
                return_attention_scores=return_attention_scores,
                training=training,
                use_causal_mask=use_causal_mask,
            )
        key = value if key is None else key
        query_mask = getattr(query, "_keras_mask", None)
        mask = self._compute_attention_mask(
            query,
            value,
            query_mask=query_mask,
            value_mask=value_mask,
            key_mask=key_mask,
            attention_mask=attention_mask,
        )
        attended = ascend_attention(
            _project(self._query_dense, query),
            _project(self._key_dense, key),
            _project(self._value_dense, value),
            mask=mask,
            causal=use_causal_mask,
            scale=self._inverse_sqrt_key_dim,
        )
        if self._use_gate:
            attended *= self._gate_dense(query)
        result = _project(self._output_dense, attended, inner=2)
        if query_mask is not None:
            result._keras_mask = query_mask  # noqa: SLF001 (where Keras keeps it)
        return result

    def _fits(self, query, value, return_attention_scores, training) -> bool:
        """Whether the operator computes this call."""
        return (
            not return_attention_scores
            and not (self._dropout > 0 and training)
            and len(query.shape) == 3
            and len(value.shape) == 3
            and max(self._key_dim, self._value_dim) <= 256
            and self.compute_dtype in _DTYPES
        )


def _project(dense, x, inner: int = 1):
    """What `dense`, an `EinsumDense` over the last `inner` dimensions of x, gives, as one product of matrices."""
    if dense.quantization_mode or dense.lora_enabled or dense.activity_regularizer:
        return dense(x)
    kernel = tf.convert_to_tensor(dense.kernel)
    depth, width = math.prod(kernel.shape[:inner]), math.prod(kernel.shape[inner:])
    y = tf.matmul(tf.reshape(x, [-1, depth]), tf.reshape(kernel, [depth, width]))
    if dense.bias is not None:
        y = tf.nn.bias_add(y, tf.reshape(tf.convert_to_tensor(dense.bias), [width]))
    known = [*x.shape[:-inner], *kernel.shape[inner:]]
    if None in known[1:]:
        return tf.reshape(y, tf.concat([tf.shape(x)[:-inner], kernel.shape[inner:]], 0))
    return tf.reshape(y, [-1 if known[0] is None else known[0], *known[1:]])
