"""Keras layers by SoftAscend's operators; with the arguments, weights and results of Keras's own."""

from softascend.layers.attention import AscendMultiHeadAttention

__all__ = ["AscendMultiHeadAttention"]
