"""Inputs for the sweep: for every op of the kernel table, calls that differ in shapes and attributes.

A call is {argument: value}. numpy float64 arrays become tensors of the kernel's dtype (float64 for
the reference); `Fixed` arrays keep their own dtype; other values are attributes.
"""

from __future__ import annotations

import numpy as np

rng = np.random.default_rng(7)
SHAPES = [(), (1,), (7,), (0,), (3, 0, 2), (17, 33), (2, 3, 4, 5), (1, 1, 5, 1, 2), (2,) * 8, (40000,)]
PAIRS = [
    ((), ()), ((5,), (5,)), ((4, 3), (3,)), ((4, 1), (1, 3)), ((2, 3, 4), (3, 1)), ((), (2, 2)),
    ((0, 3), (1, 3)), ((7, 1, 5), (7, 6, 5)), ((1, 2) * 2, (3, 1) * 2), ((301, 70), (301, 70)),
]  # fmt: skip


class Fixed:
    """An array whose dtype does not depend on the kernel."""

    def __init__(self, values, dtype=np.int32):
        self.values = np.asarray(values, dtype)


class Index(Fixed):
    """An array of the kernel's index dtype."""


class Bits(Fixed):
    """Integers of the kernel's dtype: the low bits of 64."""

    def __init__(self, values):
        super().__init__(values, np.int64)


def normal(shape, scale=2.0):
    return np.asarray(rng.normal(0, scale, shape), np.float64)


def positive(shape):
    return np.asarray(rng.uniform(0.1, 4, shape), np.float64)


def small_integers(shape):
    return np.asarray(rng.integers(-3, 4, shape), np.float64)


def divisors(shape):
    """Of both signs, none 0, also as integers."""
    return np.asarray(rng.choice([-3.0, -2.0, -1.0, 1.0, 2.0, 5.0], shape), np.float64)


def truth(shape):
    return Fixed(rng.integers(0, 2, shape), np.bool_)


SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.5, -3.5, 0.25])


def unary(values=normal, special=True, name="x"):
    calls = [{name: values(s)} for s in SHAPES]
    return calls + ([{name: SPECIAL}] if special else [])


def binary(values=normal, special=True):
    calls = [{"x": values(a), "y": values(b)} for a, b in PAIRS]
    if special:
        calls.append({"x": SPECIAL[:, None], "y": SPECIAL[None, :]})
    return calls


def matrices():
    calls = []
    for m, k, n in [(1, 1, 1), (3, 5, 2), (17, 63, 7), (64, 128, 10), (2, 0, 3), (0, 4, 2), (130, 33, 65)]:
        for ta in (False, True):
            for tb in (False, True):
                calls.append({
                    "a": normal((k, m) if ta else (m, k)), "b": normal((n, k) if tb else (k, n)),
                    "transpose_a": ta, "transpose_b": tb,
                })  # fmt: skip
    return calls


def batches(broadcast):
    calls = []
    shapes = [((), ()), ((3,), (3,)), ((2, 3), (2, 3)), ((0,), (0,))]
    if broadcast:
        shapes += [((2, 1), (3,)), ((5, 1, 1), (1, 2, 3)), ((4,), ())]
    for x, y in shapes:
        for ax in (False, True):
            for ay in (False, True):
                calls.append({
                    "x": normal(x + ((7, 5) if ax else (5, 7))),
                    "y": normal(y + ((3, 7) if ay else (7, 3))), "adj_x": ax, "adj_y": ay,
                })  # fmt: skip
    return calls


AXES = [
    ((), []), ((5,), [0]), ((4, 6), [0]), ((4, 6), [1]), ((4, 6), [-1, 0]), ((4, 6), []), ((3, 4, 5, 6), [0, 2]),
    ((3, 4, 5, 6), [1, 3]), ((2, 1, 3), [1]), ((0, 3), [0]), ((3, 0), [0]), ((2,) * 10, [9, 8, 0]), ((700, 130), [0]),
    ((3, 40000), [1]),
]  # fmt: skip


def reductions(values=normal):
    return [
        {"input": values(s), "axis": Fixed(a), "keep_dims": keep} for s, a in AXES for keep in (False, True)
    ]


def biased(extra):
    calls = []
    for shape in [(4, 10), (0, 3), (2, 5, 6, 3), (3, 2, 4, 5, 7), (1, 1)]:
        for form in ["NHWC", "NCHW"]:
            channels = shape[1] if form == "NCHW" else shape[-1]
            calls.append(extra(shape, channels) | {"data_format": form})
    return calls


WINDOWS = [
    # input, filter, strides, padding, further attributes
    ((2, 9, 11, 5), (3, 3, 5, 7), (1, 1), "SAME", {}), ((1, 8, 8, 16), (3, 3, 16, 33), (2, 2), "SAME", {}),
    ((2, 7, 6, 4), (1, 1, 4, 5), (2, 3), "VALID", {}), ((1, 12, 10, 3), (5, 2, 3, 8), (1, 1), "VALID", {}),
    ((1, 9, 7, 4), (3, 3, 4, 6), (2, 1), "EXPLICIT", {"explicit_paddings": [0, 0, 2, 1, 0, 3, 0, 0]}),
    ((0, 5, 5, 3), (3, 3, 3, 2), (1, 1), "SAME", {}), ((2, 2, 5, 3), (3, 3, 3, 2), (1, 1), "VALID", {}),
    ((1, 1, 1, 2), (3, 3, 2, 3), (1, 1), "SAME", {}), ((2, 28, 28, 1), (3, 3, 1, 32), (1, 1), "VALID", {}),
]  # fmt: skip


def convolutions(of=None, depthwise=False):
    """Forward calls, or those of the gradient of the input or of the filter."""
    calls = []
    for shape, window, (rows, columns), padding, extra in WINDOWS:
        if depthwise:
            window, rows = (*window[:3], 2), columns  # TensorFlow's CPU wants equal strides
        attributes = {"strides": [1, rows, columns, 1], "padding": padding} | extra
        pads = extra.get("explicit_paddings", [0] * 8)
        axes = zip(shape[1:3], window, (rows, columns), (pads[2:4], pads[4:6]))
        out = [-(-n // s) if padding == "SAME" else (n + sum(p) - k + s) // s for n, k, s, p in axes]
        dy = (shape[0], *out, window[3] * (window[2] if depthwise else 1))
        x, w = {"input": normal(shape)}, {"filter": normal(window)}
        if of == "input":
            calls.append({"input_sizes": Fixed(shape), **w, "out_backprop": normal(dy)} | attributes)
        elif of == "filter":
            if 0 in dy:  # TensorFlow's CPU leaves what it allocated
                continue
            calls.append({**x, "filter_sizes": Fixed(window), "out_backprop": normal(dy)} | attributes)
        else:
            calls.append({**x, **w} | attributes)
    return calls


def same_pairs(a, b, first=normal, second=normal):
    return [{a: first(s), b: second(s)} for s in SHAPES]


def strided_slices(spec):
    """spec(shape, begin, end, strides, masks) -> call"""
    table = [
        ((10,), [2], [7], [1], {}), ((10,), [7], [2], [-2], {}), ((4, 5), [1, 0], [3, 5], [1, 2], {}),
        ((4, 5), [0], [0], [1], {"shrink_axis_mask": 1}), ((4, 5), [-1, 1], [0, 2], [1, 1], {"shrink_axis_mask": 3}),
        ((3, 4, 5), [0, 0, 1], [0, 0, 3], [1, 1, 1], {"ellipsis_mask": 2, "begin_mask": 1, "end_mask": 1}),
        ((3, 4), [0, 0, 0], [0, 0, 0], [1, 1, 1], {"new_axis_mask": 2, "begin_mask": 5, "end_mask": 5}),
        ((6,), [5], [0], [-1], {"end_mask": 1, "begin_mask": 1}), ((5, 3), [3, 0], [3, 3], [1, 1], {}),
        ((0, 3), [0], [5], [1], {}), ((2,) * 7, [0, 1], [2, 2], [1, 1], {}), ((6, 6), [100, -100], [-100, 100], [-1, 1], {}),
    ]  # fmt: skip
    return [spec(*row) for row in table]


def strided_slice(shape, begin, end, strides, masks):
    return {"input": small_integers(shape), "begin": Fixed(begin), "end": Fixed(end), "strides": Fixed(strides)} | masks


def strided_slice_grad(shape, begin, end, strides, masks):
    import tensorflow as tf

    with tf.device("/CPU:0"):
        out = tf.raw_ops.StridedSlice(input=np.zeros(shape), begin=begin, end=end, strides=strides, **masks)
    return {
        "shape": Fixed(shape), "begin": Fixed(begin), "end": Fixed(end), "strides": Fixed(strides),
        "dy": small_integers(out.shape),
    } | masks  # fmt: skip


def gathers(with_axis):
    calls = []
    for shape, indices, axis, batch in [
        ((5,), [0, 4, 4], 0, 0), ((5, 3), [[1], [2]], 0, 0), ((4, 6, 3), [5, 0], 1, 0), ((4, 6), [3], -1, 0),
        ((3, 4), 2, 0, 0), ((3, 4, 2), [[0, 3], [1, 1], [2, 2]], 1, 1), ((7, 2), np.zeros((0,)), 0, 0),
        ((300, 64), rng.integers(0, 300, 1000), 0, 0), ((2, 3, 4, 5), [[[1, 3]] * 3] * 2, 3, 2),
    ]:  # fmt: skip
        if with_axis:
            calls.append({
                "params": small_integers(shape), "indices": Index(indices), "axis": Fixed(axis), "batch_dims": batch,
            })  # fmt: skip
        elif axis == 0:
            calls.append({"params": small_integers(shape), "indices": Index(indices)})
    return calls


def joined(shapes, axis):
    return {"values": [small_integers(s) for s in shapes], "axis": axis}


def random(**extra):
    """Shapes that end inside a group of numbers and past a block's share; counters that carry."""
    calls = []
    for shape in [[], [1], [2], [3, 5], [0, 4], [70001], [64, 257]]:
        for key, counter in [(0, [0, 0]), (2**64 - 5, [2**64 - 3, 7]), (12345678901234567, [3, 2**64 - 1])]:
            calls.append({
                "shape": Index(shape), "key": Fixed([key], np.uint64), "counter": Fixed(counter, np.uint64), "alg": Fixed(1),
            } | extra)  # fmt: skip
    return calls


CASES: dict[str, list[dict]] = {
    "Relu": unary(name="features"),
    "Sigmoid": unary(), "Tanh": unary(), "Neg": unary(), "Abs": unary(), "Exp": unary(),
    "Log": unary(positive), "Sqrt": unary(positive), "Rsqrt": unary(positive), "Reciprocal": unary(positive),
    "Inv": unary(positive), "Square": unary(), "IsFinite": unary(),
    "Log1p": unary(lambda s: rng.uniform(-0.9, 3, s)) + [{"x": 10.0 ** np.arange(-30.0, 4)}],
    "Expm1": unary() + [{"x": np.concatenate([10.0 ** np.arange(-30.0, 2), -(10.0 ** np.arange(-30.0, 3))])}],
    "LogicalNot": [{"x": truth(s)} for s in SHAPES],
    "AddV2": binary(), "Add": binary(), "Sub": binary(), "Mul": binary(), "RealDiv": binary(positive),
    "Div": binary(positive), "DivNoNan": binary(), "Maximum": binary(), "Minimum": binary(),
    "SquaredDifference": binary(), "Pow": binary(positive, special=False),
    "LogicalAnd": [{"x": truth(a), "y": truth(b)} for a, b in PAIRS],
    "LogicalOr": [{"x": truth(a), "y": truth(b)} for a, b in PAIRS],
    "Equal": binary(small_integers) + [{"x": normal((2,)), "y": normal((3,)), "incompatible_shape_error": False}],
    "NotEqual": binary(small_integers) + [{"x": normal((2,)), "y": normal((3,)), "incompatible_shape_error": False}],
    "Less": binary(small_integers), "LessEqual": binary(small_integers), "Greater": binary(small_integers),
    "GreaterEqual": binary(small_integers),
    "AddN": [{"inputs": [normal(s) for _ in range(n)]} for s in SHAPES for n in (1, 2, 5)],
    "SelectV2": [{"condition": truth(c), "t": small_integers(a), "e": small_integers(b)}
                 for a, b in PAIRS[:-2] for c in [(), a]]
    + [{"condition": truth((3, 1, 2)), "t": small_integers((4, 1)), "e": small_integers(())}],
    "Select": [{"condition": truth(c), "x": small_integers(s), "y": small_integers(s)}
               for s in SHAPES for c in {(), s, s[:1]}],
    "Cast": [{"x": small_integers(s)} for s in SHAPES]
    + [{"x": np.array([0.0, 1, 2, 100, 127, 0.5, 1.5, 2.5, 3.75, 99.99])}],
    "ReluGrad": same_pairs("gradients", "features"),
    "SigmoidGrad": same_pairs("y", "dy", lambda s: rng.uniform(0, 1, s)),
    "TanhGrad": same_pairs("y", "dy", lambda s: rng.uniform(-1, 1, s)),
    "SqrtGrad": same_pairs("y", "dy", positive), "RsqrtGrad": same_pairs("y", "dy", positive),
    "ReciprocalGrad": same_pairs("y", "dy", positive), "InvGrad": same_pairs("y", "dy", positive),
    "MatMul": matrices(), "AscendMatMul": matrices(), "AscendDynamicMatMul": matrices(),
    "Conv2D": convolutions() + [{
        "input": normal((1, 9, 8, 4)), "filter": normal((3, 3, 4, 6)), "strides": [1] * 4, "padding": "SAME",
        "dilations": [1, 2, 3, 1],
    }],
    "Conv2DBackpropInput": convolutions("input"), "Conv2DBackpropFilter": convolutions("filter"),
    "DepthwiseConv2dNative": convolutions(depthwise=True),
    "DepthwiseConv2dNativeBackpropInput": convolutions("input", True),
    "DepthwiseConv2dNativeBackpropFilter": convolutions("filter", True),
    "BatchMatMul": batches(False), "BatchMatMulV2": batches(True),
    "AscendSigmoid": [{"input": normal(s)} for s in SHAPES if len(s) <= 8] + [{"input": SPECIAL}],
    "BiasAdd": biased(lambda s, c: {"value": normal(s), "bias": normal((c,))}),
    "BiasAddGrad": biased(lambda s, c: {"out_backprop": normal(s)}),
    "Softmax": [{"logits": normal(s)} for s in SHAPES if s] + [{"logits": normal((3, 1000), 50)}],
    "LogSoftmax": [{"logits": normal(s)} for s in SHAPES if s] + [{"logits": normal((3, 1000), 50)}],
    "SoftmaxCrossEntropyWithLogits": [
        {"features": normal(f), "labels": rng.dirichlet(np.ones(f[-1]), lab)}
        for f, lab in [((4, 10), (4,)), ((1, 10), (3,)), ((64, 1000), (64,)), ((5, 1), (5,))]
    ] + [{"features": normal((0, 3)), "labels": normal((0, 3))}],
    "SparseSoftmaxCrossEntropyWithLogits": [
        {"features": normal((b, c)), "labels": Index(rng.integers(0, max(c, 1), b))}
        for b, c in [(4, 10), (1, 1), (0, 5), (64, 1000), (300, 3)]
    ],
    "Sum": reductions(), "Mean": reductions(), "Max": reductions(), "Min": reductions(),
    "Prod": reductions(lambda s: rng.uniform(0.8, 1.2, s)[()] if len(s) else np.float64(1.1)),
    "All": reductions(truth), "Any": reductions(truth),
    "ArgMax": [{"input": small_integers(s), "dimension": Fixed(d)} for s, d in
               [((5,), 0), ((4, 10), 1), ((4, 10), 0), ((3, 4, 5), -2), ((64, 1000), 1), ((0, 3), 1)]],
    "Fill": [{"dims": Index(s), "value": small_integers(())} for s in SHAPES],
    "ZerosLike": unary(), "OnesLike": unary(),
    "Transpose": [{"x": small_integers(s), "perm": Fixed(p)} for s, p in
                  [((), np.zeros(0)), ((5,), [0]), ((3, 4), [1, 0]), ((2, 3, 4), [2, 0, 1]), ((2, 0, 4), [1, 2, 0]),
                   ((64, 8, 16), [1, 0, 2]), ((2, 3) * 4, [1, 0, 3, 2, 5, 4, 7, 6]), ((33, 257), [1, 0])]],
    "BroadcastTo": [{"input": small_integers(a), "shape": Fixed(b)} for a, b in
                    [((), [2, 3]), ((3,), [4, 3]), ((4, 1), [4, 3]), ((1, 3), [2, 5, 3]), ((1,), [0]), ((2, 1, 3, 1), [2, 9, 3, 7])]],
    "Tile": [{"input": small_integers(s), "multiples": Fixed(m)} for s, m in
             [((), np.zeros(0)), ((3,), [2]), ((2, 3), [1, 4]), ((2, 3), [3, 2]), ((2, 3), [0, 2]), ((2, 3, 4), [2, 1, 3]), ((1, 5), [100, 1])]],
    "Pack": [joined([s] * n, a) for s, n, a in [((), 3, 0), ((4,), 2, 0), ((4,), 2, -1), ((2, 3), 20, 1), ((0, 2), 2, 0)]],
    "Unpack": [{"value": small_integers(s), "num": s[a], "axis": a} for s, a in
               [((3,), 0), ((3, 4), 1), ((2, 5, 3), -2), ((2, 0), 0)]],
    "ConcatV2": [joined(s, Fixed(a)) for s, a in
                 [([(2,), (3,)], 0), ([(2, 3), (2, 1), (2, 4)], 1), ([(0, 3), (2, 3)], 0), ([(2, 3, 4)] * 3, -2)]],
    "Split": [{"value": small_integers(s), "axis": Fixed(a), "num_split": n} for s, a, n in
              [((6,), 0, 3), ((4, 6), 1, 2), ((4, 6), -2, 4), ((0, 2), 1, 2)]],
    "SplitV": [{"value": small_integers(s), "size_splits": Index(z), "axis": Fixed(a), "num_split": len(z)} for s, a, z in
               [((6,), 0, [1, 5]), ((4, 6), 1, [2, -1, 3]), ((4, 6), 0, [4, 0])]],
    "Pad": [{"input": small_integers(s), "paddings": Fixed(p)} for s, p in
            [((3,), [[1, 2]]), ((2, 3), [[0, 0], [2, 1]]), ((2, 0), [[1, 1], [2, 0]]), ((2, 3, 4), [[1, 0], [0, 0], [3, 2]])]],
    "StridedSlice": strided_slices(strided_slice), "StridedSliceGrad": strided_slices(strided_slice_grad),
    "Slice": [{"input": small_integers(s), "begin": Fixed(b), "size": Fixed(z)} for s, b, z in
              [((5,), [1], [3]), ((4, 6), [1, 2], [-1, 2]), ((4, 6), [4, 0], [0, 6]), ((2, 3, 4), [0, 1, 1], [2, 1, 3])]],
    "GatherV2": gathers(True), "Gather": gathers(False),
    "UnsortedSegmentSum": [
        {"data": normal(s), "segment_ids": Index(rng.integers(-1, n, s[:r])), "num_segments": Fixed(n)}
        for s, r, n in [((5,), 1, 3), ((5, 4), 1, 7), ((6, 2, 3), 2, 4), ((0, 3), 1, 2), ((1000, 64), 1, 50), ((4,), 1, 2)]
    ],
    "OneHot": [{"indices": Index(i), "depth": Fixed(d), "on_value": np.float64(3), "off_value": np.float64(-1), "axis": a}
               for i, d, a in [([0, 2, 9, -1], 4, -1), ([[1, 2], [0, 3]], 4, 0), ([[1, 2], [0, 3]], 4, 1), (2, 3, -1), (np.zeros(0), 3, -1)]],
}  # fmt: skip
CASES["ArgMin"] = CASES["ArgMax"] + [{"input": SPECIAL[~np.isnan(SPECIAL)], "dimension": Fixed(0)}]
CASES["FloorDiv"] = CASES["FloorMod"] = [{"x": small_integers(a), "y": divisors(b)} for a, b in PAIRS] + [
    {"x": np.arange(-20.0, 20)[:, None], "y": np.array([-7.0, -2, -1, 1, 3, 8])}
]
for _op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
    CASES[_op] = [{"x": Bits(rng.integers(0, 2**63, a)), "y": Bits(rng.integers(-(2**63), 2**63, b))} for a, b in PAIRS]
CASES["Bitcast"] = [{"input": small_integers(s + (8,))} for s in SHAPES[:-1]]
CASES["StatelessRandomGetKeyCounter"] = CASES["StatelessRandomGetKeyCounterAlg"] = [
    {"seed": Index(s)} for s in [[0, 0], [1, 2], [-1, 5], [2**31 - 1, -(2**31)]]
]
CASES["StatelessRandomGetAlg"] = [{}]
CASES["StatelessRandomUniformV2"] = CASES["StatelessRandomNormalV2"] = CASES["StatelessTruncatedNormalV2"] = random()
CASES["StatelessRandomUniformFullIntV2"] = random()
CASES["StatelessRandomUniformIntV2"] = random(minval=np.float64(3), maxval=np.float64(1000003)) + random(
    minval=np.float64(0), maxval=np.float64(2)
)
CASES["PadV2"] = [c | {"constant_values": np.float64(7)} for c in CASES["Pad"]]
