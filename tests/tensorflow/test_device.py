"""The device as TensorFlow sees it, each time in a process of its own: trouble at start-up is zero
devices and one line that says why; TensorFlow imports and computes."""

import os
import subprocess
import sys

import pytest

LIST = "import tensorflow as tf; print('npus', len(tf.config.list_physical_devices('NPU')), tf.add(1, 2).numpy())"


def run(code, **environment):
    env = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"} | environment
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=300)
    ours = [line for line in done.stderr.splitlines() if line.startswith("softascend:")]
    return done, ours


def test_two_npus_by_default():
    env = {k: v for k, v in os.environ.items() if k not in ("SOFTASCEND_DEVICES", "ASCEND_VISIBLE_DEVICES")}
    done = subprocess.run([sys.executable, "-c", LIST], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "npus 2 3" in done.stdout


@pytest.mark.parametrize("visible,count", [("0", 1), ("1", 1), ("0,1", 2), ("1,0", 2)])
def test_visible_devices(visible, count):
    done, ours = run(LIST, ASCEND_VISIBLE_DEVICES=visible)
    assert done.returncode == 0 and f"npus {count} 3" in done.stdout and not ours


@pytest.mark.parametrize(
    "environment,word",
    [
        ({"ASCEND_VISIBLE_DEVICES": ""}, "ASCEND_VISIBLE_DEVICES"),
        ({"ASCEND_VISIBLE_DEVICES": "banana"}, "banana"),
        ({"ASCEND_VISIBLE_DEVICES": "0,0"}, "0,0"),
        ({"ASCEND_VISIBLE_DEVICES": "7"}, "7"),
        ({"ASCEND_VISIBLE_DEVICES": "-1"}, "-1"),
        ({"SOFTASCEND_CHIP": "Ascend910Z9"}, "Ascend910Z9"),
        ({"SOFTASCEND_CHIP": "/nowhere/chip.ini"}, "/nowhere/chip.ini"),
    ],
)
def test_trouble_at_start_is_no_npu_and_one_line(environment, word):
    done, ours = run(LIST, **environment)
    assert done.returncode == 0, done.stderr
    assert "npus 0 3" in done.stdout
    assert len(ours) == 1 and word in ours[0], done.stderr


def test_broken_chip_file(tmp_path):
    chip = tmp_path / "broken.ini"
    chip.write_text("[chip]\nname = Broken\nfrobnicate = 3\n")
    done, ours = run(LIST, SOFTASCEND_CHIP=str(chip))
    assert done.returncode == 0 and "npus 0 3" in done.stdout
    assert len(ours) == 1 and "broken.ini" in ours[0]


OUT_OF_MEMORY = """
import tensorflow as tf
with tf.device('/NPU:0'):
    for _ in range(2):
        try:
            tf.ones((1024, 1024)) + 1.0
            print('no error')
        except tf.errors.ResourceExhaustedError as error:
            print('exhausted')
    print('lives', (tf.ones((4, 4)) + 1.0).numpy().sum())
"""


def test_out_of_device_memory_is_resource_exhausted():
    done, _ = run(OUT_OF_MEMORY, SOFTASCEND_HBM_BYTES="1M")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:3] == ["exhausted", "exhausted", "lives 32.0"]


ON_CPU_WITHOUT_NPU = """
import sys, tensorflow as tf
ops = tf.load_op_library(sys.argv[1])
try:
    ops.ascend_sigmoid(tf.ones(3))
except tf.errors.FailedPreconditionError as error:
    print('refused', 'no NPU' in str(error))
"""


def test_cpu_kernels_without_an_npu_say_so():
    import plugin

    ops = str(plugin.path().parent / "libsoftascend_ops.so")
    done, _ = run(f"import sys; sys.argv = ['', {ops!r}]\n" + ON_CPU_WITHOUT_NPU, ASCEND_VISIBLE_DEVICES="")
    assert done.returncode == 0 and "refused True" in done.stdout, done.stderr


FALLBACK = """
import tensorflow as tf
@tf.function
def f(x):
    with tf.device('/NPU:0'):
        y = tf.exp(x)
        z = tf.math.erfinv(y * 0.1) + tf.math.lgamma(y)
        w = tf.exp(tf.cast(y, tf.float64))
        return z + tf.cast(w, tf.float32)
for _ in range(2):
    f(tf.ones((3, 3)))
f(tf.ones((5, 3)))
"""


def test_ops_that_fall_back_are_named_once_with_the_reason():
    done, ours = run(FALLBACK)
    assert done.returncode == 0, done.stderr
    assert len(ours) == len(set(ours))
    assert any("'Lgamma' runs on CPU" in line for line in ours), done.stderr
    assert any("'Exp'" in line and "float64" in line for line in ours), done.stderr
    assert not any("AddV2'" in line and "float64" not in line for line in ours)


EAGER_FALLBACK = """
import tensorflow as tf
with tf.device('/NPU:0'):
    for _ in range(2):
        tf.math.lgamma(tf.ones(3))
        tf.exp(tf.ones(3, tf.float64))
with tf.device('/CPU:0'):
    tf.math.erfinv(tf.ones(3) * 0.1)
"""


def test_eager_ops_that_fall_back_are_named_once():
    done, ours = run(EAGER_FALLBACK)
    assert done.returncode == 0, done.stderr
    assert sorted(ours) == [
        "softascend: op 'Exp' runs on CPU: no NPU kernel for dtype float64",
        "softascend: op 'Lgamma' runs on CPU: it has no NPU kernel",
    ]
