"""Tests of the Python package run on /NPU:0; a build without it is an error, not a skip."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import pytest
import tensorflow as tf


@pytest.fixture(scope="session", autouse=True)
def npu():
    devices = tf.config.list_physical_devices("NPU")
    assert devices, "no NPU: is the plug-in built, and are the tests run through ./dev test?"
    return "/NPU:0"
