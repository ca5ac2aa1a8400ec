"""Keras layers by SoftAscend's operators; with the arguments, weights and results of Keras's own."""

from softascend.layers.attention import AscendMultiHeadAttention
from softascend.layers.dense import AscendDense, AscendFeedForward
from softascend.layers.normalization import AscendLayerNormalization

__all__ = ["AscendDense", "AscendFeedForward", "AscendLayerNormalization", "AscendMultiHeadAttention"]
