"""A program's own aclInit, aclFinalize and device reset do not take the NPU from under TensorFlow."""

import ctypes

import plugin
import tensorflow as tf


def test_finalize_leaves_tensorflow_alone(npu):
    acl = ctypes.CDLL(str(plugin.path().with_name("libascendcl.so")))
    with tf.device(npu):
        x = tf.zeros([4])
        for _ in range(2):
            assert float(tf.reduce_sum(tf.sigmoid(x))) == 2
            assert acl.aclInit(None) == 0
            assert acl.aclFinalize() == 0
        assert float(tf.reduce_sum(tf.sigmoid(x))) == 2
