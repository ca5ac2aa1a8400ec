"""Bad input is a TensorFlow error that names op, argument and values, and the process lives on."""

import numpy as np
import plugin
import pytest
import tensorflow as tf

raw = tf.raw_ops
OPS = tf.load_op_library(str(plugin.path().parent / "libsoftascend_ops.so"))
Invalid = tf.errors.InvalidArgumentError


def ones(*shape, dtype=tf.float32):
    return tf.ones(shape, dtype)


def ints(*values):
    return tf.constant(values, tf.int64)


def u64(values):
    return tf.constant(values, tf.uint64)


def uniform(shape=(2,), key=(1,), counter=(0, 0), alg=1):
    return raw.StatelessRandomUniformV2(shape=list(shape), key=u64(key), counter=u64(counter), alg=alg)


SAME = {"strides": [1, 1, 1, 1], "padding": "SAME"}


def conv(x, w, **window):
    return raw.Conv2D(input=x, filter=w, **(SAME | window))


BAD = [
    (lambda: OPS.ascend_mat_mul(1.0, ones(2, 2)), Invalid, ["AscendMatMul", "a ", "rank 0"]),
    (lambda: OPS.ascend_mat_mul(ones(2), ones(2, 2)), Invalid, ["AscendMatMul", "rank 1", "[2]"]),
    (lambda: OPS.ascend_mat_mul(ones(2, 2), ones(1, 2, 2)), Invalid, ["AscendMatMul", "b ", "rank 3", "[1, 2, 2]"]),
    (lambda: OPS.ascend_mat_mul(ones(64, 32), ones(48, 16)), Invalid, ["AscendMatMul", "k differs", "[64, 32]", "[48, 16]"]),
    (lambda: OPS.ascend_mat_mul(ones(64, 32), ones(48, 32), transpose_a=True, transpose_b=True), Invalid, ["k differs"]),
    (lambda: OPS.ascend_dynamic_mat_mul(ones(2, 3), ones(2, 3)), Invalid, ["AscendDynamicMatMul", "[2, 3]"]),
    (lambda: OPS.ascend_sigmoid(ones(*[1] * 9)), Invalid, ["AscendSigmoid", "rank 9", "8"]),
    (lambda: raw.MatMul(a=ones(2, 3), b=ones(2, 3)), Invalid, ["MatMul", "[2, 3]"]),
    (lambda: raw.MatMul(a=ones(2, 3, 4), b=ones(2, 3)), Invalid, ["MatMul", "rank 3"]),
    (lambda: conv(ones(2, 8, 8), ones(3, 3, 4, 6)), Invalid, ["Conv2D", "input must be 4-dimensional", "[2, 8, 8]"]),
    (lambda: conv(ones(2, 8, 8, 5), ones(3, 3, 4, 6)), Invalid, ["Conv2D", "input depth", "[2, 8, 8, 5]", "[3, 3, 4, 6]"]),
    (lambda: conv(ones(2, 8, 8, 4), ones(3, 11, 4, 6), padding="VALID"), Invalid, ["Conv2D", "larger", "columns 11", "8"]),
    (lambda: conv(ones(2, 8, 8, 4), ones(0, 3, 4, 6)), Invalid, ["Conv2D", "filter", "[0, 3, 4, 6]"]),
    (lambda: conv(ones(2, 8, 8, 4), ones(3, 3, 4, 6), strides=[2, 1, 1, 1]), tf.errors.OpError, ["strides"]),
    (lambda: raw.Conv2DBackpropInput(input_sizes=[1, 8, 8, 4], filter=ones(3, 3, 4, 6), out_backprop=ones(1, 8, 7, 6), **SAME),
     Invalid, ["Conv2DBackpropInput", "out_backprop must be [1, 8, 8, 6]", "[1, 8, 7, 6]"]),
    (lambda: raw.Conv2DBackpropFilter(input=ones(1, 8, 8, 4), filter_sizes=[3, 3, 4], out_backprop=ones(1, 8, 8, 6), **SAME),
     Invalid, ["Conv2DBackpropFilter", "filter_sizes must hold 4 numbers", "[3]"]),
    (lambda: raw.DepthwiseConv2dNative(input=ones(1, 8, 8, 4), filter=ones(3, 3, 3, 1), **SAME), Invalid,
     ["DepthwiseConv2dNative", "same depth", "[1, 8, 8, 4]", "[3, 3, 3, 1]"]),
    (lambda: raw.BatchMatMulV2(x=ones(2, 3, 4), y=ones(3, 4, 2)), Invalid, ["BatchMatMulV2", "[2, 3, 4]", "[3, 4, 2]"]),
    (lambda: raw.BatchMatMulV2(x=ones(3), y=ones(3, 4)), Invalid, ["BatchMatMulV2", "[3]"]),
    (lambda: raw.AddV2(x=ones(2, 3), y=ones(4)), Invalid, ["AddV2", "[2, 3]", "[4]"]),
    (lambda: raw.SelectV2(condition=ones(2) > 0, t=ones(3), e=ones(1)), Invalid, ["SelectV2", "[2]", "[3]"]),
    (lambda: raw.Select(condition=ones(2) > 0, x=ones(3), y=ones(3)), Invalid, ["Select", "[2]"]),
    (lambda: raw.AddN(inputs=[ones(2), ones(3)]), Invalid, ["AddN", "[2]", "[3]"]),
    (lambda: raw.ReluGrad(gradients=ones(2), features=ones(3)), Invalid, ["ReluGrad", "[2]", "[3]"]),
    (lambda: raw.BiasAdd(value=ones(2, 3), bias=ones(4)), Invalid, ["BiasAdd", "[4]", "[2, 3]"]),
    (lambda: raw.BiasAdd(value=ones(3), bias=ones(3)), Invalid, ["BiasAdd", "[3]"]),
    (lambda: raw.Softmax(logits=1.0), Invalid, ["Softmax", "rank 1"]),
    (lambda: raw.SparseSoftmaxCrossEntropyWithLogits(features=ones(2, 3), labels=[1]), Invalid, ["[2, 3]", "[1]"]),
    (lambda: raw.SoftmaxCrossEntropyWithLogits(features=ones(2, 3), labels=ones(4, 3)), Invalid, ["[2, 3]", "[4, 3]"]),
    (lambda: raw.Sum(input=ones(2, 3), axis=[2]), Invalid, ["Sum", "axis 2", "rank 2"]),
    (lambda: raw.Sum(input=ones(2, 3), axis=[0, -2]), Invalid, ["Sum", "twice"]),
    (lambda: raw.ArgMax(input=ones(2, 0), dimension=1), Invalid, ["ArgMax", "[2, 0]"]),
    (lambda: raw.ArgMax(input=ones(2, 3), dimension=5), Invalid, ["ArgMax", "5"]),
    (lambda: raw.Transpose(x=ones(2, 3), perm=[0, 0]), Invalid, ["Transpose", "[0, 0]", "[2, 3]"]),
    (lambda: raw.Transpose(x=ones(2, 3), perm=[0]), Invalid, ["Transpose", "[0]"]),
    (lambda: raw.Fill(dims=[2, -1], value=1.0), Invalid, ["Fill", "-1"]),
    (lambda: raw.Fill(dims=tf.constant([2**31, 2**31, 2**31], tf.int64), value=1.0), Invalid, ["Fill", "too many"]),
    (lambda: raw.BroadcastTo(input=ones(2, 3), shape=[2, 4]), Invalid, ["BroadcastTo", "[2, 4]"]),
    (lambda: raw.Tile(input=ones(2), multiples=[-1]), Invalid, ["Tile", "-1"]),
    (lambda: raw.Tile(input=ones(2), multiples=[1, 2]), Invalid, ["Tile", "[1, 2]"]),
    (lambda: raw.Pack(values=[ones(2), ones(3)]), Invalid, ["Pack", "[2]", "[3]"]),
    (lambda: raw.Unpack(value=ones(2), num=3), Invalid, ["Unpack", "3"]),
    (lambda: raw.ConcatV2(values=[ones(2, 3), ones(3, 2)], axis=0), Invalid, ["ConcatV2", "[2, 3]", "[3, 2]"]),
    (lambda: raw.ConcatV2(values=[ones(2), ones(3)], axis=4), Invalid, ["ConcatV2", "4"]),
    (lambda: raw.Split(axis=0, value=ones(5), num_split=2), Invalid, ["Split", "[5]", "2"]),
    (lambda: raw.SplitV(value=ones(5), size_splits=[2, 2], axis=0, num_split=2), Invalid, ["SplitV", "[2, 2]"]),
    (lambda: raw.Pad(input=ones(2), paddings=[[1, -1]]), Invalid, ["Pad", "-1"]),
    (lambda: raw.Slice(input=ones(4), begin=[3], size=[2]), Invalid, ["Slice", "[3]", "[4]"]),
    (lambda: raw.StridedSlice(input=ones(4), begin=[0], end=[2], strides=[0]), Invalid, ["StridedSlice", "non-zero"]),
    (lambda: raw.StridedSlice(input=ones(4), begin=[9], end=[2], strides=[1], shrink_axis_mask=1), Invalid, ["9", "4"]),
    (lambda: raw.StridedSlice(input=ones(4), begin=[0, 0], end=[2, 2], strides=[1, 1]), Invalid, ["StridedSlice", "[4]"]),
    (lambda: raw.GatherV2(params=ones(3, 2), indices=[1, 7], axis=0), Invalid, ["GatherV2", "7"]),
    (lambda: raw.GatherV2(params=ones(3, 2), indices=[-1], axis=0), Invalid, ["GatherV2", "-1"]),
    (lambda: raw.GatherV2(params=ones(3, 2), indices=[0], axis=2), Invalid, ["GatherV2", "axis 2"]),
    (lambda: raw.GatherV2(params=ones(0, 2), indices=[0], axis=0), Invalid, ["GatherV2", "[0, 2]"]),
    (lambda: raw.UnsortedSegmentSum(data=ones(3), segment_ids=[0, 1, 9], num_segments=2), Invalid, ["UnsortedSegmentSum", "9"]),
    (lambda: raw.UnsortedSegmentSum(data=ones(3), segment_ids=[0], num_segments=2), Invalid, ["UnsortedSegmentSum", "[1]"]),
    (lambda: raw.OneHot(indices=[1], depth=-2, on_value=1.0, off_value=0.0), Invalid, ["OneHot", "-2"]),
    (lambda: raw.SparseSoftmaxCrossEntropyWithLogits(features=ones(2, 3), labels=[1, 7]), Invalid,
     ["SparseSoftmaxCrossEntropyWithLogits", "label value of 7", "[0, 3)"]),
    (lambda: raw.SparseSoftmaxCrossEntropyWithLogits(features=ones(2, 3), labels=[-1, 0]), Invalid, ["label value of -1", "[0, 3)"]),
    (lambda: raw.FloorMod(x=ints(5, 7), y=ints(2, 0)), Invalid, ["FloorMod", "Integer division by zero"]),
    (lambda: raw.FloorDiv(x=ints(5, 7), y=ints(0)), Invalid, ["FloorDiv", "Integer division by zero"]),
    (lambda: raw.BitwiseAnd(x=ints(5, 7), y=ints(1, 2, 3)), Invalid, ["BitwiseAnd", "[2]", "[3]"]),
    (lambda: raw.Bitcast(input=ones(3), type=tf.float64), Invalid, ["Bitcast", "float32", "float64", "[3]"]),
    (lambda: raw.ArgMin(input=ones(2, 0), dimension=1), Invalid, ["ArgMin", "[2, 0]"]),
    (lambda: raw.StatelessRandomGetKeyCounter(seed=[1, 2, 3]), Invalid, ["StatelessRandomGetKeyCounter", "[3]"]),
    (lambda: uniform(alg=2), tf.errors.UnimplementedError, ["StatelessRandomUniformV2", "ThreeFry"]),
    (lambda: uniform(alg=9), Invalid, ["StatelessRandomUniformV2", "9"]),
    (lambda: uniform(key=[1, 2]), Invalid, ["key", "[2]"]),
    (lambda: uniform(counter=[1]), Invalid, ["counter", "[1]"]),
    (lambda: uniform(shape=[2, -1]), Invalid, ["-1"]),
    (lambda: raw.StatelessRandomUniformIntV2(shape=[2], key=u64([1]), counter=u64([0, 0]), alg=1, minval=3, maxval=3), Invalid,
     ["StatelessRandomUniformIntV2", "minval < maxval", "3 >= 3"]),
    (lambda: raw.Cast(x=ones(2), DstT=tf.bfloat16, Truncate=True), tf.errors.UnimplementedError, ["Truncate"]),
]  # fmt: skip


@pytest.mark.parametrize("i", range(len(BAD)), ids=lambda i: f"{i}-{BAD[i][2][0]}")
def test_bad_input(i):
    call, kind, words = BAD[i]
    with tf.device("/NPU:0"), pytest.raises(kind) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
    with tf.device("/NPU:0"):  # the thread and the device still work
        assert raw.AddV2(x=1.0, y=2.0).numpy() == 3


@pytest.mark.parametrize("dtype", [tf.float64, tf.int32, tf.complex64])
def test_unsupported_dtype(dtype):
    x = tf.constant(np.ones((2, 2)), dtype)
    with tf.device("/NPU:0"), pytest.raises((tf.errors.InvalidArgumentError, tf.errors.NotFoundError, TypeError)):
        OPS.ascend_mat_mul(x, x)
    with tf.device("/NPU:0"), pytest.raises((tf.errors.NotFoundError, Invalid)) as caught:
        raw.Exp(x=tf.constant([1j, 2j]))
    assert "Exp" in str(caught.value)


def test_more_dimensions_than_the_npu_takes():
    """Dimensions that merge are no limit; 9 that do not are refused, with the shape."""
    with tf.device("/NPU:0"):
        x = tf.ones((2,) * 12)
        np.testing.assert_array_equal(raw.Neg(x=x), -np.ones((2,) * 12))
        with pytest.raises(tf.errors.UnimplementedError, match=r"AddV2.*\[3, 2, 3, 2"):
            raw.AddV2(x=tf.ones((3, 1) * 6), y=tf.ones((1, 2) * 6))
