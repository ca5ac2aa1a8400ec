"""Operators of an op project's library, called from TensorFlow: values by numpy, eagerly and in graphs."""

import os
import pathlib
import subprocess

import numpy as np
import pytest
import softascend
import tensorflow as tf

PROJECT = pathlib.Path(__file__).parents[1] / "ascendc" / "op_project" / "ops"


@pytest.fixture(scope="module")
def ops(tmp_path_factory):
    out = tmp_path_factory.mktemp("op_library")
    ascc = pathlib.Path(os.environ["ASCEND_HOME_PATH"]) / "bin" / "ascc"
    subprocess.run([ascc, f"--op-project={PROJECT}", "-O1", "-o", out], check=True)
    return softascend.load_op_library(out)


def on_npu(function):
    with tf.device("/NPU:0"):
        result = function()
    for one in result if isinstance(result, tuple) else (result,):
        assert "NPU:0" in one.device
    return result


X = (np.arange(-30, 31).reshape(1, 61) / 4).astype(np.float32)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("shape", [(61,), (1, 61), (61, 1, 1), (0, 4), (2, 2500)])
def test_attributes_and_dtypes(ops, dtype, shape):
    x = np.resize(X, shape).astype(dtype)
    y = on_npu(lambda: ops.scale_shift(x, scale=1.5, constant_shift=0.25))
    assert y.dtype == dtype and y.shape == shape
    np.testing.assert_array_equal(y.numpy(), x * 1.5 + 0.25)  # exact in both dtypes
    y = on_npu(lambda: ops.scale_shift(x=x, constant_shift=1, negate=True, mode="all"))
    np.testing.assert_array_equal(y.numpy(), -2 * x + 1)  # the OpDef's default scale


@pytest.mark.parametrize("signature", [[1, 61], [None, 61], None])
def test_in_a_graph(ops, signature):
    @tf.function(input_signature=[tf.TensorSpec(signature, tf.float32)])
    def twice(x):
        with tf.device("/NPU:0"):
            y = ops.scale_shift(x, constant_shift=0.5)
            if signature and None not in signature:
                assert y.shape == signature
            return ops.scale_shift(y, constant_shift=-1.0)

    np.testing.assert_array_equal(twice(X).numpy(), (2 * X + 0.5) * 2 - 1)


def test_several_outputs_and_a_workspace(ops):
    total, most = on_npu(lambda: ops.sum_and_max(X))
    assert total.shape == (1,) and most.shape == () and most.dtype == tf.int32
    assert total.numpy()[0] == X.sum() and most.numpy() == int(X.max())


@pytest.mark.parametrize("by, step", [(1, 1), (2, 10), (3, 100)])
def test_tiling_keys(ops, by, step):
    x = np.array([-3, 0, 70000], np.int32)
    y, same = on_npu(lambda: ops.step_by(x, by=by))
    np.testing.assert_array_equal(y.numpy(), x + step)
    np.testing.assert_array_equal(same.numpy(), x)


@pytest.mark.parametrize("key, want", [(10**16 + 1, X + 4), (10**16 + 2, X * 4), (7, X / 4)])
def test_tiling_keys_of_the_preprocessor(ops, key, want):
    np.testing.assert_array_equal(on_npu(lambda: ops.choose_by(X, key=key, by=4)).numpy(), want)


@pytest.mark.parametrize("biased", [False, True])
def test_lists_host_values_and_writing_over_an_input(ops, biased):
    total = tf.constant([1.0, 2.0, 3.0])
    parts = [tf.constant([10.0, 20, 30]), tf.constant([100.0, 200, 300])]
    bias = tf.constant([1000.0, 0, 5000]) if biased else None
    out, hits = on_npu(
        lambda: ops.gather_add(total, parts, bias, [2, 0, 2], weights=[0.25], signs=(3, -1))
    )
    want = np.array([1.0, 2, 3]) + 0.25 * 9 * np.array([110.0, 220, 330])
    if biased:
        want += [1000, 0, 10000]
    np.testing.assert_array_equal(out.numpy(), want)
    np.testing.assert_array_equal(hits.numpy(), [1, 0, 2])
    np.testing.assert_array_equal(total.numpy(), [1, 2, 3])  # the input keeps its values


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda o: o.scale_shift(X), TypeError, "constant_shift is required"),
        (lambda o: o.scale_shift(constant_shift=1), TypeError, "input x is missing"),
        (lambda o: o.scale_shift(X, X, constant_shift=1), TypeError, "takes 1 inputs, got 2"),
        (lambda o: o.scale_shift(X, x=X, constant_shift=1), TypeError, "got x twice"),
        (lambda o: o.scale_shift(X, constant_shift=1, slope=1), TypeError, "has no slope"),
        (lambda o: o.scale_shift(X, constant_shift="a lot"), TypeError, "constant_shift is 'a lot'"),
        (lambda o: o.gather_add(X, X, None, [0]), TypeError, "list is a list of tensors"),
        (
            lambda o: o.scale_shift(X.astype(np.int32), constant_shift=1),
            tf.errors.InvalidArgumentError,
            "no kernel for the dtypes of x int32",
        ),
        (
            lambda o: o.scale_shift(X, constant_shift=1, mode="refuse"),
            tf.errors.InvalidArgumentError,
            r"scale_shift.cpp:\d+\) returned GRAPH_FAILED.*mode .refuse.",
        ),
        (
            lambda o: o.choose_by(X, key=5, by=4),
            tf.errors.InvalidArgumentError,
            r"choose_by.cpp:\d+\) set the tiling key 5, .*of ChooseBy has: 7, 10000000000000001",
        ),
        (lambda o: o.no_such_op, AttributeError, "it has choose_by, gather_add, scale_shift"),
    ],
)
def test_what_is_wrong_is_said(ops, call, error, text):
    with pytest.raises(error, match=text):
        on_npu(lambda: call(ops))


def test_a_library_that_is_none(tmp_path):
    with pytest.raises(FileNotFoundError, match="none"):
        softascend.load_op_library(tmp_path)
    with pytest.raises(ValueError, match="no library that ascc"):
        softascend.load_op_library(
            pathlib.Path(os.environ["ASCEND_HOME_PATH"]) / "lib64" / "libnnopbase.so"
        )
