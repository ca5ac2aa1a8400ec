"""`softascend.placement` tells the truth about eager ops, graphs and both devices."""

import numpy as np
import tensorflow as tf

import softascend


def test_eager_op_on_each_device(npu):
    x = tf.ones((4, 4))

    def both():
        with tf.device("/CPU:0"):
            y = tf.tanh(x)
        with tf.device(npu):
            return softascend.ascend_sigmoid(y)

    seen = softascend.placement(both)
    assert seen.ops[("Tanh", "CPU:0")] == 1
    assert seen.ops[("AscendSigmoid", "NPU:0")] == 1
    np.testing.assert_allclose(seen.result.numpy(), 1 / (1 + np.exp(-np.tanh(1))), rtol=1e-6)


def test_function_that_ran_before_is_seen(npu):
    @tf.function
    def step(x):
        with tf.device(npu):
            y = softascend.ascend_matmul(x, x)
        with tf.device("/CPU:0"):
            return tf.cumsum(y)

    x = tf.eye(3)
    step(x)
    for _ in range(2):
        seen = softascend.placement(step, x)
        assert seen.ops[("AscendMatMul", "NPU:0")] == 1
        assert seen.ops[("Cumsum", "CPU:0")] == 1
        assert seen.copies >= 1


def test_shares_and_text():
    seen = softascend.Placement(None, {("A", "NPU:0"): 3, ("B", "NPU:1"): 3, ("C", "CPU:0"): 2}, 1)
    assert (seen.total, seen.npu_share) == (8, 0.75)
    assert seen.on("NPU") == {"A": 3, "B": 3} and seen.on("CPU") == {"C": 2}
    assert "75.0% on NPU" in str(seen)
    assert softascend.Placement(None, {}, 0).npu_share == 0.0


def test_an_error_leaves_nothing_behind(npu):
    def bad():
        with tf.device(npu):
            return softascend.ascend_matmul(tf.ones((2, 3)), tf.ones((2, 3)))

    try:
        softascend.placement(bad)
    except tf.errors.InvalidArgumentError as error:
        assert "[2,3]" in str(error).replace(" ", "")
    else:
        raise AssertionError("k differs, and nothing was raised")
    assert softascend.placement(lambda: tf.add(1.0, 2.0)).result.numpy() == 3.0
