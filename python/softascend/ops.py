"""SoftAscend's TensorFlow ops and their gradients."""

from __future__ import annotations

import tensorflow as tf

from softascend._library import load_ops

_ops = load_ops()


def ascend_matmul(a, b, transpose_a: bool = False, transpose_b: bool = False, name=None) -> tf.Tensor:
    """Matrix product on the NPU's cube.

    Parameters
    ----------
    a : tensor, shape [M, K], or [K, M] if `transpose_a`
    b : tensor, shape [K, N], or [N, K] if `transpose_b`
        Both of one dtype: float16, bfloat16 or float32. Products are added in float32.
    transpose_a, transpose_b : bool
        Whether to read the operand transposed; nothing is copied for it.

    Returns
    -------
    tensor, shape [M, N], dtype of the operands. K = 0 gives zeros.

    Raises
    ------
    tf.errors.InvalidArgumentError
        If an operand is not a matrix or K differs.
    """
    return _ops.ascend_mat_mul(a, b, transpose_a=transpose_a, transpose_b=transpose_b, name=name)


def ascend_dynamic_matmul(
    a, b, transpose_a: bool = False, transpose_b: bool = False, name=None
) -> tf.Tensor:
    """`ascend_matmul` for shapes that a graph knows in part: unknown dimensions merge."""
    return _ops.ascend_dynamic_mat_mul(
        a, b, transpose_a=transpose_a, transpose_b=transpose_b, name=name
    )


def ascend_sigmoid(input, name=None) -> tf.Tensor:  # noqa: A002 (the op's own name for it)
    """Sigmoid on the NPU's vector unit: computed in float32 and rounded once.

    Parameters
    ----------
    input : tensor, rank 0 to 8, dtype float16, bfloat16 or float32

    Returns
    -------
    tensor of the input's shape and dtype
    """
    return _ops.ascend_sigmoid(input=input, name=name)


def ascend_linear(
    input,  # noqa: A002 (the op's own name for it)
    weight,
    bias=None,
    activation: str = "none",
    transpose_weight: bool = False,
    training: bool = False,
    name=None,
) -> tf.Tensor:
    """A dense layer as one op: ``activation(input weight + bias)``.

    Parameters
    ----------
    input : tensor, shape [..., K], rank 2 to 8
    weight : tensor, shape [K, N], or [N, K] if `transpose_weight`
    bias : tensor, optional, shape [N]
        All of one dtype: float16, bfloat16 or float32. Computed in float32, rounded once.
    activation : str
        "none", "relu", "relu6", "tanh", "sigmoid", "gelu" (x Phi(x)), "gelu_tanh" (its approximation), "silu".
    training : bool
        Whether to keep what the activation is applied to, for the gradient, which without it multiplies again.

    Returns
    -------
    tensor, shape [..., N]

    Raises
    ------
    tf.errors.InvalidArgumentError
        If shapes do not fit.
    """
    return _ops.ascend_linear(
        input,
        weight,
        [] if bias is None else [bias],
        activation=activation,
        transpose_weight=transpose_weight,
        keep_preactivation=training and activation != "none",
        name=name,
    ).output


def _linear_gradient(op, grad, _):
    """By matmuls with swapped operands, after the activation's own."""
    x, weight, *bias = op.inputs
    transpose, activation = op.get_attr("transpose_weight"), op.get_attr("activation").decode()
    if activation != "none":
        before = op.outputs[1]
        if not op.get_attr("keep_preactivation"):
            before = _ops.ascend_linear(x, weight, bias, transpose_weight=transpose).output
        grad = _ops.ascend_activation_grad(grad, before, activation=activation)
    width, depth = tf.shape(grad)[-1], tf.shape(x)[-1]
    rows, flat = tf.reshape(grad, [-1, width]), tf.reshape(x, [-1, depth])
    grad_x = tf.reshape(ascend_matmul(rows, weight, transpose_b=not transpose), tf.shape(x))
    grad_w = ascend_matmul(rows, flat, transpose_a=True) if transpose else ascend_matmul(flat, rows, transpose_a=True)
    return [grad_x, grad_w, *(tf.reduce_sum(rows, 0) for _ in bias)]


def ascend_attention(query, key, value, mask=None, causal: bool = False, scale=None, name=None) -> tf.Tensor:
    """``softmax(scale * query key^T, masked) value`` of each head, without the matrix of all scores.

    Parameters
    ----------
    query : tensor, shape [B, Sq, N, D], D at most 256
    key : tensor, shape [B, Sk, M, D]
        M divides N: N / M heads of the query share one of the key.
    value : tensor, shape [B, Sk, M, E]
        All three of one dtype: float16, bfloat16 or float32. Computed in float32, rounded once.
    mask : tensor, optional
        Broadcasts to [B, N, Sq, Sk]; of rank 2 [Sq, Sk]; of rank 3 [B, Sq, Sk]. bool: true where a query
        sees a key; a query that sees none weighs all keys alike. Of a float dtype: added to the scaled scores;
        minus infinity hides as the mask does.
    causal : bool
        Whether query i sees keys 0 to i only.
    scale : float, optional
        Factor of the scores, by default ``1 / sqrt(D)``.

    Returns
    -------
    tensor, shape [B, Sq, N, E]

    Raises
    ------
    tf.errors.InvalidArgumentError
        If shapes do not fit.
    """
    query = tf.convert_to_tensor(query)
    if scale is None:
        if query.shape.rank is None or query.shape[-1] is None:
            raise ValueError("ascend_attention: the size of query's heads is not known; say scale")
        scale = query.shape[-1] ** -0.5
    covers = []
    if mask is not None:
        mask = tf.convert_to_tensor(mask)
        if mask.shape.rank == 3:
            mask = mask[:, tf.newaxis]
        if mask.dtype != tf.bool:  # the op scales it with the scores
            mask = tf.cast(mask, tf.float32)
            mask = tf.maximum(mask / scale, tf.float32.min) if scale else mask
        covers = [mask]
    return _ops.ascend_attention(
        query, key, value, covers, causal=causal, scale=scale, name=name
    ).attention


def ascend_layer_norm(x, gamma=None, beta=None, epsilon: float = 1e-3, name=None) -> tf.Tensor:
    """``(x - mean) / sqrt(variance + epsilon) * gamma + beta`` over the last dimension.

    Parameters
    ----------
    x : tensor, shape [..., size], dtype float16, bfloat16 or float32
        Computed in float32, rounded once.
    gamma, beta : tensor, shape [size], optional
        Of x's dtype or float32; by default ones and zeros.
    epsilon : float

    Returns
    -------
    tensor of x's shape and dtype

    Raises
    ------
    tf.errors.InvalidArgumentError
        If x is a scalar, or gamma or beta is not of its last dimension.
    """
    x = tf.convert_to_tensor(x)
    given = [None if w is None else tf.convert_to_tensor(w) for w in (gamma, beta)]
    kinds = {w.dtype for w in given if w is not None}
    dtype = kinds.pop() if len(kinds) == 1 else tf.float32
    if dtype != x.dtype:
        dtype = tf.float32
    gamma, beta = (
        tf.cast(w, dtype) if w is not None else tf.fill(tf.shape(x)[-1:], tf.constant(value, dtype))
        for w, value in zip(given, (1, 0))
    )
    return _ops.ascend_layer_norm(x, gamma, beta, epsilon=epsilon, name=name).y


def _layer_norm_gradient(op, grad, *_):
    x, gamma, _ = op.inputs
    _, mean, rstd = op.outputs
    return list(_ops.ascend_layer_norm_grad(grad, x, mean, rstd, gamma))


def _attention_gradient(op, grad, *_):
    """From the rows' maxima and sums that the forward pass left; a bias's by the matrix of all scores."""
    query, key, value, *covers = op.inputs
    attention, softmax_max, softmax_sum = op.outputs
    causal, scale = op.get_attr("causal"), op.get_attr("scale")
    grads = _ops.ascend_attention_grad(
        query, key, value, attention, softmax_max, softmax_sum, grad, covers, causal=causal, scale=scale
    )
    cover_grads = [
        None if cover.dtype == tf.bool else _bias_gradient(op.inputs, i, attention, grad, causal, scale)
        for i, cover in enumerate(covers)
    ]
    return [*grads, *cover_grads]


def _bias_gradient(inputs, index, attention, grad, causal, scale):
    query, key, value, *covers = (x if x.dtype == tf.bool else tf.cast(x, tf.float32) for x in inputs)
    grad, bias = tf.cast(grad, tf.float32), covers[index]
    groups = query.shape[2] // key.shape[2]
    key, value = tf.repeat(key, groups, axis=2), tf.repeat(value, groups, axis=2)
    scores = tf.einsum("bqnd,bknd->bnqk", query, key)
    seen = tf.ones_like(scores, tf.bool)
    for cover in covers:
        if cover.dtype == tf.bool:
            seen &= cover
        else:
            scores += cover
    if causal:
        seen &= tf.linalg.band_part(tf.ones_like(scores, tf.bool), -1, 0)
    weights = tf.nn.softmax(tf.where(seen, scale * scores, 0.7 * tf.float32.min))
    dot = tf.einsum("bqnd,bqnd->bnq", grad, tf.cast(attention, tf.float32))
    slope = scale * weights * (tf.einsum("bqnd,bknd->bnqk", grad, value) - dot[..., tf.newaxis])
    slope = tf.where(seen, slope, 0.0)
    rank = len(bias.shape)
    slope = tf.reduce_sum(slope, axis=list(range(4 - rank)))
    axes = [i for i in range(rank) if bias.shape[i] == 1 and slope.shape[i] != 1]
    return tf.cast(tf.reduce_sum(slope, axis=axes, keepdims=True), inputs[3 + index].dtype)


def _matmul_gradient(matmul, op, grad):
    """Gradients of C = op(A) op(B) by swapped operands: no matrix is transposed in memory."""
    a, b = op.inputs
    transpose_a, transpose_b = op.get_attr("transpose_a"), op.get_attr("transpose_b")
    if transpose_a:
        grad_a = matmul(b, grad, transpose_a=transpose_b, transpose_b=True)
    else:
        grad_a = matmul(grad, b, transpose_a=False, transpose_b=not transpose_b)
    if transpose_b:
        grad_b = matmul(grad, a, transpose_a=True, transpose_b=transpose_a)
    else:
        grad_b = matmul(a, grad, transpose_a=not transpose_a, transpose_b=False)
    return grad_a, grad_b


def _register_gradients() -> None:
    gradients = {
        "AscendMatMul": lambda op, grad: _matmul_gradient(ascend_matmul, op, grad),
        "AscendDynamicMatMul": lambda op, grad: _matmul_gradient(ascend_dynamic_matmul, op, grad),
        # y (1 - y) of the output that the forward pass left, by the stock op that has an NPU kernel
        "AscendAttention": _attention_gradient,
        "AscendLayerNorm": _layer_norm_gradient,
        "AscendLinear": _linear_gradient,
        "AscendSigmoid": lambda op, grad: tf.raw_ops.SigmoidGrad(y=op.outputs[0], dy=grad),
    }
    for name, gradient in gradients.items():
        tf.RegisterGradient(name)(gradient)


_register_gradients()
