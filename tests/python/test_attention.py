"""Attention without the matrix of all scores: the op against float64, the layer against Keras's."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from reference import DTYPES, as64, half_ulp
from softascend import ascend_attention
from softascend.layers import AscendMultiHeadAttention

EPS32 = 2.0**-23
# batch, queries, keys, query heads, key heads, size, size of values
SHAPES = [
    (1, 1, 1, 1, 1, 1, 1),
    (2, 7, 7, 3, 3, 5, 5),
    (1, 65, 130, 2, 1, 64, 64),
    (2, 130, 65, 4, 2, 80, 33),
    (1, 70, 600, 1, 1, 64, 64),
    (1, 40, 300, 1, 1, 256, 256),
]
EMPTY = [(0, 3, 3, 1, 1, 4, 4), (1, 0, 3, 1, 1, 4, 4), (1, 3, 0, 1, 1, 4, 4)]
COVERS = ["nothing", "causal", "mask", "mask and causal", "bias"]


def operands(rng, shape, dtype):
    b, sq, sk, n, m, d, e = shape
    shapes = [(b, sq, n, d), (b, sk, m, d), (b, sk, m, e), (b, sq, n, e)]
    return [tf.cast(tf.constant(rng.normal(size=s).astype("f4")), dtype) for s in shapes]


def cover(rng, shape, kind):
    """A mask or a bias; the mask's first row hides everything."""
    b, sq, sk, n = shape[:4]
    if kind.startswith("mask"):
        mask = rng.random((b, 1, sq, sk)) > 0.4
        mask[:, :, :1] = False
        return mask
    return rng.normal(size=(n, 1, sk)).astype("f4")[np.newaxis] if kind == "bias" else None


def reference(q, k, v, g, covered, causal):
    """Attention and its gradients in float64, with bounds on what float32 loses.

    A score is off by (D + 2) roundings of |Q| |K|, and so, relatively, is a weight, twice: by its own and
    by its sum's. Sums of n terms lose n roundings. A gradient's majorant takes absolute values throughout.
    """
    q, k, v, g = map(as64, (q, k, v, g))
    groups = q.shape[2] // max(k.shape[2], 1)
    scale = q.shape[3] ** -0.5
    wide_k, wide_v = np.repeat(k, groups, 2), np.repeat(v, groups, 2)
    s = scale * np.einsum("bqnd,bknd->bnqk", q, wide_k)
    largest = scale * np.einsum("bqnd,bknd->bnqk", abs(q), abs(wide_k)).max(initial=0)
    seen = np.ones(s.shape, bool)
    if covered is not None and covered.dtype == bool:
        seen &= covered
    elif covered is not None:
        s, largest = s + covered, largest + abs(covered).max(initial=0)
    if causal:
        seen &= np.tril(np.ones(s.shape[2:], bool))
    s = np.where(seen, s, -1e300)
    p = np.exp(s - s.max(-1, keepdims=True, initial=-1e300))
    p /= np.maximum(p.sum(-1, keepdims=True), 1e-300)
    lost = EPS32 * (2 * (q.shape[3] + 4) * largest + k.shape[1] + 16)

    out = np.einsum("bnqk,bknd->bqnd", p, wide_v)
    dot = np.einsum("bqnd,bqnd->bnq", g, out)[..., np.newaxis]
    ds = np.where(seen, p * (np.einsum("bqnd,bknd->bnqk", g, wide_v) - dot), 0)
    most = p * (
        np.einsum("bqnd,bknd->bnqk", abs(g), abs(wide_v))
        + np.einsum("bqnd,bnqk,bknd->bnq", abs(g), p, abs(wide_v))[..., np.newaxis]
    )

    def back(x, y):  # onto keys, heads that share them added up
        z = np.einsum("bnqk,bqnd->bknd", x, y)
        return z.reshape(*z.shape[:2], -1, groups, z.shape[3]).sum(3) if z.size else z[:, :, : k.shape[2]]

    values = [out, scale * np.einsum("bnqk,bknd->bqnd", ds, wide_k), scale * back(ds, q), back(p, g)]
    majorants = [
        np.einsum("bnqk,bknd->bqnd", p, abs(wide_v)),
        scale * np.einsum("bnqk,bknd->bqnd", most, abs(wide_k)),
        scale * back(most, abs(q)),
        back(p, abs(g)),
    ]
    more = EPS32 * (groups * q.shape[1] + k.shape[1] + v.shape[3] + q.shape[3])
    return values, [m * (lost + (more if i else 0)) for i, m in enumerate(majorants)], majorants


def check(got, want, bound, dtype, what):
    assert got.dtype == dtype and got.shape == want.shape, what
    bound = bound + half_ulp(abs(want) + bound, dtype)
    error = abs(as64(got) - want)
    assert (error <= bound).all(), f"{what}: {(error - bound).max()} past the bound"


@pytest.mark.parametrize("kind", COVERS)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_attention_and_gradients(npu, dtype, kind):
    rng = np.random.default_rng(7)
    for shape in SHAPES + EMPTY:
        covered, causal = cover(rng, shape, kind), "causal" in kind
        with tf.device(npu):
            *x, g = (tf.identity(t) for t in operands(rng, shape, dtype))
            with tf.GradientTape() as tape:
                tape.watch(x)
                out = ascend_attention(*x, covered, causal)
            grads = tape.gradient(out, x, output_gradients=g)
        values, bounds, majorants = reference(*x, g, covered, causal)
        # D, the dot of gradient and output, has the output as it was rounded to its dtype.
        rounded = {tf.float32: 0, tf.float16: 2.0**-11, tf.bfloat16: 2.0**-8}[dtype]
        for i, (got, name) in enumerate(zip([out, *grads], ["out", "dq", "dk", "dv"], strict=True)):
            bound = bounds[i] + (rounded * majorants[i] if i in (1, 2) else 0)
            check(got, values[i], bound, dtype, f"{name} of {shape}, {kind}")


def test_bias_gradient(npu):
    rng = np.random.default_rng(8)
    q, k, v, g = operands(rng, (2, 9, 11, 4, 2, 8, 8), tf.float32)
    bias = rng.normal(size=(4, 1, 11)).astype("f4")[np.newaxis]

    def slope(device, attend):
        with tf.device(device), tf.GradientTape() as tape:
            b = tf.constant(bias)
            tape.watch(b)
            loss = tf.reduce_sum(attend(b) * g)
        return tape.gradient(loss, b).numpy()

    def plain(b):
        s = tf.einsum("bqnd,bknd->bnqk", q, tf.repeat(k, 2, 2)) * 8**-0.5 + b
        return tf.einsum("bnqk,bknd->bqnd", tf.nn.softmax(s), tf.repeat(v, 2, 2))

    np.testing.assert_allclose(
        slope(npu, lambda b: ascend_attention(q, k, v, b)), slope("/CPU:0", plain), rtol=1e-4, atol=1e-5
    )


def test_infinite_bias_and_nan(npu):
    rng = np.random.default_rng(9)
    q, k, v, _ = operands(rng, (1, 3, 400, 1, 1, 8, 8), tf.float32)
    bias = np.zeros((3, 400), "f4")
    bias[0, :300] = -np.inf  # a whole tile of keys
    bias[1] = -np.inf
    with tf.device(npu):
        out = ascend_attention(q, k, v, bias).numpy()[0, :, 0]
        sick = ascend_attention(q, tf.tensor_scatter_nd_update(k, [[0, 5, 0, 0]], [np.nan]), v).numpy()
    want = reference(q, k[:, 300:], v[:, 300:], q, None, False)[0][0][0, 0, 0]
    np.testing.assert_allclose(out[0], want, rtol=1e-4)
    np.testing.assert_allclose(out[1], v[0, :, 0].numpy().mean(0), rtol=1e-3, atol=1e-6)  # as a mask's
    assert np.isfinite(out[2]).all() and np.isnan(sick).all()


def test_the_cpu_has_the_same_op(npu):
    rng = np.random.default_rng(10)
    x = operands(rng, (2, 33, 70, 2, 2, 16, 16), tf.float32)[:3]
    results = []
    for device in (npu, "/CPU:0"):
        with tf.device(device):
            results.append(ascend_attention(*x, causal=True).numpy())
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize(
    "shapes, mask, words",
    [
        (((2, 3, 4), (2, 3, 1, 4), (2, 3, 1, 4)), None, ["query", "[2, 3, 4]"]),
        (((1, 3, 2, 4), (1, 3, 2, 5), (1, 3, 2, 4)), None, ["key", "[1, 3, 2, 5]"]),
        (((1, 3, 2, 4), (1, 5, 2, 4), (1, 3, 2, 4)), None, ["value", "[1, 3, 2, 4]"]),
        (((1, 3, 3, 4), (1, 3, 2, 4), (1, 3, 2, 4)), None, ["heads", "[1, 3, 2, 4]"]),
        (((1, 3, 1, 257), (1, 3, 1, 257), (1, 3, 1, 4)), None, ["257", "256"]),
        (((1, 3, 1, 4), (1, 3, 1, 4), (1, 3, 1, 4)), (3, 4), ["attenMask", "[3, 4]"]),
    ],
)
def test_what_is_refused(npu, shapes, mask, words):
    with tf.device(npu), pytest.raises(tf.errors.InvalidArgumentError) as e:
        ascend_attention(*(tf.zeros(s) for s in shapes), mask=None if mask is None else tf.ones(mask, tf.bool))
    assert "AscendAttention" in str(e.value)
    assert [w for w in words if w not in str(e.value)] == []


# ---- the layer


def layers(policy="float32", query=(2, 9, 24), value=(2, 13, 24), **kwargs):
    """Ours and Keras's with the same weights."""
    keras.utils.set_random_seed(3)
    made = []
    for kind in (AscendMultiHeadAttention, keras.layers.MultiHeadAttention):
        layer = kind(num_heads=4, key_dim=6, dtype=policy, bias_initializer="normal", **kwargs)
        layer.build(query, value)
        made.append(layer)
    made[0].set_weights(made[1].get_weights())
    return made


@pytest.mark.parametrize("policy", ["float32", "mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize(
    "arguments, call",
    [
        ({}, {}),
        ({"value_dim": 5, "output_shape": (3, 7), "use_bias": False}, {"use_causal_mask": True}),
        ({"use_gate": True}, {"attention_mask": "mask"}),
        ({"sliding_window": 3}, {"attention_mask": "mask", "use_causal_mask": True}),
        ({"dropout": 0.5}, {"training": False}),
        ({}, {"return_attention_scores": True}),
    ],
)
def test_layer_is_keras(npu, policy, arguments, call):
    rng = np.random.default_rng(11)
    call = dict(call)
    if "attention_mask" in call:
        call["attention_mask"] = rng.random((2, 9, 13)) > 0.3
        call["attention_mask"][0, 2] = False
    query, value = rng.normal(size=(2, 9, 24)).astype("f4"), rng.normal(size=(2, 13, 24)).astype("f4")
    results = []
    for device, layer in zip((npu, "/CPU:0"), layers(policy, **arguments), strict=True):
        with tf.device(device), tf.GradientTape() as tape:
            q = tf.constant(query)
            tape.watch(q)
            out = layer(q, tf.constant(value), **call)
            loss = tf.reduce_sum(tf.cast(tf.nest.flatten(out)[0], tf.float32) ** 2)
        grads = tape.gradient(loss, [q, *layer.trainable_variables])
        results.append([tf.cast(t, tf.float32).numpy() for t in [*tf.nest.flatten(out), *grads]])
    tolerance = {"float32": 2e-5, "mixed_float16": 2e-2, "mixed_bfloat16": 1.5e-1}[policy]
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance * max(1, abs(theirs).max()))


def test_layer_in_a_model(npu, tmp_path):
    """fit, masks from an embedding, save and load."""
    rng = np.random.default_rng(12)
    x, y = rng.integers(0, 30, (48, 10)), rng.normal(size=(48, 10, 8)).astype("f4")
    keras.utils.set_random_seed(4)
    with tf.device(npu):
        tokens = keras.Input((None,), dtype="int32")
        z = keras.layers.Embedding(30, 8, mask_zero=True)(tokens)
        out = AscendMultiHeadAttention(2, 4)(z, z, use_causal_mask=True)
        model = keras.Model(tokens, out)
        model.compile("adam", "mse")
        losses = model.fit(x, y, epochs=3, batch_size=16, verbose=0).history["loss"]
        want = model.predict(x, verbose=0)
        model.save(tmp_path / "m.keras")
        again = keras.models.load_model(tmp_path / "m.keras")
        np.testing.assert_array_equal(again.predict(x, verbose=0), want)
    assert losses[-1] < losses[0]
    tokens = keras.Input((None,), dtype="int32")
    z = keras.layers.Embedding(30, 8, mask_zero=True)(tokens)
    plain = keras.Model(tokens, keras.layers.MultiHeadAttention(2, 4)(z, z, use_causal_mask=True))
    plain.set_weights(model.get_weights())
    with tf.device("/CPU:0"):
        np.testing.assert_allclose(plain(x).numpy(), want, rtol=1e-4, atol=1e-5)
