"""Tests of the plug-in run on /NPU:0 with soft placement off: an op that has no NPU kernel fails."""

import os
import pathlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
_PLUGIN = pathlib.Path(__file__).parents[2] / "build/lib64/libsoftascend_tf.so"
if _PLUGIN.exists():
    os.environ.setdefault("TF_PLUGGABLE_DEVICE_LIBRARY_PATH", str(_PLUGIN))

import pytest
import tensorflow as tf


@pytest.fixture(scope="session", autouse=True)
def npu():
    assert tf.config.list_physical_devices("NPU"), "no NPU: is the plug-in built?"
    return "/NPU:0"


@pytest.fixture(autouse=True)
def strict_placement():
    soft = tf.config.get_soft_device_placement()
    tf.config.set_soft_device_placement(False)
    yield
    tf.config.set_soft_device_placement(soft)
