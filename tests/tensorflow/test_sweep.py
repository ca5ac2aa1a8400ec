"""Every kernel of the table, on the NPU and on the CPU, with soft placement off.

The reference is TensorFlow's CPU device in float64 on the same (already rounded) inputs. A result may
differ by the rounding of its dtype and by what the op's own arithmetic may lose, nothing else; the
same call twice gives the same bits.
"""

from __future__ import annotations

import functools
import pathlib

import numpy as np
import plugin
import pytest
import tensorflow as tf
from cases import CASES, Bits, Fixed, Index

# Of variables: test_variables.py; joined by the graph pass: test_fusion.py; of loaded kernels, attention, dense layers, layer norm: tests/python.
ELSEWHERE = {
    "AscendActivationGrad",
    "AscendAttention",
    "AscendAttentionGrad",
    "AscendKernel",
    "AscendLayerNorm",
    "AscendLayerNormGrad",
    "AscendLinear",
    "AscendOperator",
    "ResourceGather",
    "ResourceScatterAdd",
    "ResourceScatterSub",
    "_AscendElementwise",
    "_AscendUpdate",
    "_FusedMatMul",
}
# Units in the last place of the result's dtype that the op's arithmetic may lose besides the final
# half: ops made of several rounded steps, and transcendental functions in float32.
LOSES = {
    "Exp": 2, "Log": 2, "Tanh": 2, "Sigmoid": 2, "AscendSigmoid": 2, "Pow": 8, "Rsqrt": 1, "Reciprocal": 1, "Inv": 1,
    "SqrtGrad": 2, "RsqrtGrad": 4, "ReciprocalGrad": 2, "InvGrad": 2, "SigmoidGrad": 3, "TanhGrad": 3, "Softmax": 4,
    "SquaredDifference": 2, "Log1p": 4, "Expm1": 4, "DivNoNan": 1, "RealDiv": 1, "Div": 1,
    "FloorMod": 1, "StatelessRandomNormalV2": 4, "StatelessTruncatedNormalV2": 4,
}  # fmt: skip
# Ops that add many terms: |error| <= terms * eps32 * (the same op on absolute values).
ADDS = {
    "Sum", "Mean", "MatMul", "AscendMatMul", "AscendDynamicMatMul", "BatchMatMul", "BatchMatMulV2", "BiasAddGrad",
    "UnsortedSegmentSum", "AddN", "Sub", "AddV2", "Add", "BiasAdd", "SquaredDifference", "Softmax", "LogSoftmax",
    "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits", "TanhGrad", "Conv2D", "Conv2DBackpropInput",
    "Conv2DBackpropFilter", "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter",
}  # fmt: skip
EPS = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
TINY = {"float32": 2.0**-126, "float16": 2.0**-24, "bfloat16": 2.0**-126}
REDUCES = {"Sum", "Mean", "Prod", "BiasAddGrad", "UnsortedSegmentSum"}
FLOATS = set(EPS)
# Made of bits: the CPU's own numbers in the same dtype, not better ones in float64. The normal ones
# differ by sine, cosine and logarithm of the CPU's library, then round to their dtype.
RANDOM = {
    "StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2", "StatelessRandomUniformIntV2",
    "StatelessRandomUniformFullIntV2",
}  # fmt: skip
EXACT = {"StatelessRandomUniformV2", "Bitcast"}
ASCEND = {"AscendMatMul": "MatMul", "AscendDynamicMatMul": "MatMul", "AscendSigmoid": "Sigmoid"}


@functools.cache
def ascend_ops():
    return tf.load_op_library(str(plugin.path().parent / "libsoftascend_ops.so"))


def op_function(op):
    if op not in ASCEND:
        return getattr(tf.raw_ops, op)
    names = {"AscendMatMul": "ascend_mat_mul", "AscendDynamicMatMul": "ascend_dynamic_mat_mul"}
    return getattr(ascend_ops(), names.get(op, "ascend_sigmoid"))


def tensor(value, dtype, index):
    """An argument as a tensor of the dtype under test, of the index dtype, or of its own."""
    if isinstance(value, list):
        return [tensor(v, dtype, index) for v in value]
    if isinstance(value, Bits):
        return tf.constant(value.values.astype(tf.as_dtype(dtype).as_numpy_dtype))
    if isinstance(value, Index):
        return tf.constant(value.values, index)
    if isinstance(value, Fixed):
        return tf.constant(value.values)
    if isinstance(value, (np.ndarray, np.float64)):
        kind = tf.as_dtype(dtype)
        if not kind.is_floating:
            value = np.nan_to_num(value, nan=0, posinf=5, neginf=-5)
            value = np.abs(value) if kind.is_unsigned else value
            return tf.constant(np.asarray(value).astype(kind.as_numpy_dtype))
        return tf.cast(tf.constant(value, tf.float64), kind)
    return value


def run(op, call, device):
    with tf.device(device):
        result = op_function(op)(**call)
    return result if isinstance(result, (list, tuple)) else [result]


def wide(value):
    """Floating tensors as float64; the reference computes with them."""
    if isinstance(value, list):
        return [wide(v) for v in value]
    if tf.is_tensor(value) and value.dtype.is_floating:
        return tf.cast(value, tf.float64)
    return value


def absolute(value):
    if isinstance(value, list):
        return [absolute(v) for v in value]
    return tf.abs(value) if tf.is_tensor(value) and value.dtype.is_floating else value


def reference(op, call, dtype):
    if op == "StatelessRandomUniformIntV2" and tf.as_dtype(dtype).is_unsigned:  # the CPU has signed ones only
        kind = tf.as_dtype(dtype.removeprefix("u"))
        call = call | {k: tf.cast(call[k], kind) for k in ("minval", "maxval")}
        return [tf.bitcast(v, dtype) for v in run(op, call, "/CPU:0")]
    if dtype not in FLOATS or op == "Bitcast" or op in RANDOM:
        return run(op, call, "/CPU:0")
    call = {k: wide(v) for k, v in call.items()}
    if op in ASCEND:
        if op == "AscendSigmoid":
            call = {"x": call["input"]}
        op = ASCEND[op]
    return run(op, call, "/CPU:0")


def largest(call):
    """The largest magnitude of each floating argument."""
    values = [v for v in call.values() if tf.is_tensor(v) and v.dtype.is_floating]
    return [np.max(np.abs(tf.cast(v, tf.float64)), initial=1, where=np.isfinite(tf.cast(v, tf.float64))) for v in values]


def terms(op, call):
    if op in REDUCES or op in ("Softmax", "LogSoftmax") or "CrossEntropy" in op:
        return max([8] + [int(tf.size(v)) for v in call.values() if tf.is_tensor(v) and v.dtype.is_floating])
    if "Conv2" in op or "Conv2d" in op:  # of a sum: taps and channels, or positions of dy
        other = call["filter"] if "filter" in call else call["out_backprop"]
        return 2 * max(int(tf.size(other)), 1)
    if "MatMul" in op:
        x = next(iter(call.values()))
        return 2 * max(list(x.shape) + [1])
    return 4


def tolerance(op, call, dtype, expected, i):
    eps = EPS[dtype]
    allowed = (1 + 2 * LOSES.get(op, 0)) * eps * np.abs(expected) + TINY[dtype]
    if op in ADDS:
        if op in ("Sub", "SquaredDifference", "TanhGrad"):
            scale = np.abs(expected) + sum(largest(call)) ** 2
            allowed = allowed + 4 * EPS["float32"] * scale
            if op != "Sub":
                allowed = allowed + 2 * eps * np.abs(expected)
        elif op in ("Softmax", "LogSoftmax") or "CrossEntropy" in op:
            allowed = allowed + 16 * EPS["float32"] * max(largest(call)) + 2 * eps * (np.abs(expected) + ("Cross" in op and i == 1))
        else:
            scale = np.asarray(reference(op, {k: absolute(v) for k, v in call.items()}, dtype)[i], np.float64)
            allowed = allowed + terms(op, call) * EPS["float32"] * scale
            if op == "AddN":  # each partial sum rounds
                allowed = allowed + len(call["inputs"]) * eps * scale
    if op == "Prod":
        allowed = allowed + terms(op, call) * (eps if dtype == "float32" else EPS["float32"]) * np.abs(expected)
        allowed = allowed + 3 * eps * np.abs(expected)
    return allowed


def check(op, call, dtype, got, expected, i):
    assert got.shape == expected.shape, (op, got.shape, expected.shape)
    if got.dtype.name not in FLOATS:
        np.testing.assert_array_equal(got.numpy(), tf.cast(expected, got.dtype).numpy())
        return
    if op in EXACT:
        assert tf.io.serialize_tensor(tf.identity(got)) == tf.io.serialize_tensor(tf.identity(expected))
        return
    g = tf.cast(got, tf.float64).numpy()
    e = tf.cast(expected, tf.float64).numpy()
    limit = float(tf.cast(got.dtype.max, tf.float64))
    over = np.abs(e) >= limit * (1 + EPS[got.dtype.name])
    e = np.where(over & np.isfinite(e), np.copysign(np.inf, e), e)
    np.testing.assert_array_equal(np.isnan(g), np.isnan(e))
    finite = np.isfinite(e) & np.isfinite(g)
    np.testing.assert_array_equal(g[~finite & ~np.isnan(e)], e[~finite & ~np.isnan(e)])
    error = np.abs(g - e)[finite]
    allowed = np.broadcast_to(tolerance(op, call, got.dtype.name, e, i), e.shape)[finite]
    worst = np.max(error / allowed, initial=0)
    assert worst <= 1, f"{op} {dtype}: error {worst:.3g} of what is allowed, at {np.argmax(error / allowed)}"


KERNELS = [k for k in plugin.kernels() if k[0] not in ELSEWHERE]
CONSTRAINTS = {"Tindices", "TI", "index_type", "Tlabels", "Tshape", "Tseed"}


@pytest.mark.parametrize("op,types", KERNELS, ids=[f"{op}-{'-'.join(t.values())}" for op, t in KERNELS])
def test_kernel(op, types):
    values = list(types.values())
    dtype = values[0] if values else "bool"
    index = next((t for a, t in types.items() if a in CONSTRAINTS), "int32")
    assert CASES[op]
    for case in CASES[op]:
        call = {k: tensor(v, dtype, index) for k, v in case.items()}
        if op == "Cast":
            call["DstT"] = tf.as_dtype(types["DstT"])
            if call["DstT"].is_unsigned:  # negative numbers have no unsigned value
                call["x"] = tensor(np.abs(case["x"]), dtype, index)
        if op in RANDOM:
            call["dtype"] = tf.as_dtype(dtype)
            if "minval" in call:
                del call["dtype"]
        if op == "Bitcast":
            call["type"] = tf.as_dtype(types["type"])
            if call["type"].size > call["input"].dtype.size:
                call["input"] = call["input"][..., : call["type"].size // call["input"].dtype.size]
        if op in ("ArgMax", "ArgMin"):
            call["output_type"] = tf.as_dtype(types["output_type"])
        first = run(op, call, "/NPU:0")
        second = run(op, call, "/NPU:0")
        expected = reference(op, call, dtype)
        assert len(first) == len(expected)
        for i, (a, b, e) in enumerate(zip(first, second, expected)):
            assert tf.io.serialize_tensor(tf.identity(a)) == tf.io.serialize_tensor(tf.identity(b)), "not the same bits twice"
            check(op, call, dtype, a, e, i)


def test_table_has_no_row_twice():
    seen = [(op, tuple(sorted(t.items()))) for op, t in plugin.kernels()]
    assert len(seen) == len(set(seen))


def test_tensorflow_has_each_kernel_once_and_knows_the_attributes():
    from tensorflow.python.framework import kernels, op_def_registry

    ascend_ops()
    for op, types in plugin.rows():
        definition = op_def_registry.get(op)
        assert definition is not None, op
        attributes = {a.name: a for a in definition.attr}
        for attribute, dtypes in types.items():
            assert attribute in attributes, f"{op} has no attribute {attribute}"
            allowed = attributes[attribute].allowed_values.list.type
            unknown = {tf.as_dtype(d).as_datatype_enum for d in dtypes} - set(allowed)
            assert not allowed or not unknown, f"{op}.{attribute} cannot be {unknown}"
        arguments = {a.name for a in (*definition.input_arg, *definition.output_arg)}
        found = []
        for k in kernels.get_registered_kernels_for_op(op).kernel:
            assert set(k.host_memory_arg) <= arguments, f"{op} has no argument among {k.host_memory_arg}"
            if k.device_type in ("NPU", "DEFAULT"):
                found.append(tuple(sorted((c.name, tuple(c.allowed_values.list.type)) for c in k.constraint)))
        assert len(found) == len(set(found)), f"{op}: a kernel is registered twice, or shadows a default one"


def test_plugin_is_where_it_says():
    assert pathlib.Path(plugin.path()).exists()
