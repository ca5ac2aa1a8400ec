"""Unified memory: one allocation that NumPy, TensorFlow and AscendCL all address."""

import gc
import threading

import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf

import softascend


@pytest.fixture(scope="module")
def manager():
    return softascend.UnifiedMemoryManager()


@pytest.mark.parametrize("dtype", ["float32", "float16", tf.bfloat16, np.int64])
@pytest.mark.parametrize("shape", [5, (3, 4), (), (2, 0, 3)])
def test_arrays(manager, shape, dtype):
    x = manager.allocate_shared(shape, dtype)
    assert x.shape == np.zeros(shape).shape and x.dtype == tf.as_dtype(dtype).as_numpy_dtype
    assert x.ctypes.data % 512 == 0
    x[...] = 1
    manager.prefetch_to_device(x)
    manager.prefetch_to_host(x)
    assert manager.is_shared(x) and (x == 1).all()


@pytest.mark.parametrize("dtype", ["float32", "float16", ml_dtypes.bfloat16])
def test_operator_on_shared_memory(manager, dtype):
    """The tensor is the array's memory: what the host writes, the CPU-placed op reads."""
    x = manager.allocate_shared((64, 33), dtype)
    t = manager.tensor(x)
    for seed in range(2):
        x[...] = np.random.default_rng(seed).normal(0, 3, x.shape)
        manager.prefetch_to_device(x)
        with tf.device("/CPU:0"):
            y = softascend.ascend_sigmoid(t).numpy()
        want = 1 / (1 + np.exp(-x.astype("f8")))
        assert np.abs(y - want).max() <= {4: 2e-7, 2: 4e-3}[x.itemsize]
    gc.collect()
    del x
    gc.collect()
    assert t.shape == (64, 33) and np.isfinite(t.numpy().astype("f4")).all()  # it holds the memory


def test_memory_comes_back(manager):
    size = 64 << 20
    for i in range(4096):  # 256 GiB in all, were it kept: more than a device has
        x = manager.allocate_shared(size, np.uint8)
        view = x[10:20]
        view[...] = 3
        del x
        assert view.sum() == 30


def test_wrong_use(manager):
    own = np.zeros(8, "f4")
    x = manager.allocate_shared((8, 8))
    assert not manager.is_shared(own)
    for call in (manager.prefetch_to_device, manager.prefetch_to_host, manager.tensor):
        with pytest.raises(ValueError):
            call(own)
        with pytest.raises(ValueError):
            call(x[:, 1:3])
    with pytest.raises(ValueError, match="negative"):
        manager.allocate_shared((2, -1))
    with pytest.raises(ValueError, match="objects"):
        manager.allocate_shared(2, object)
    with pytest.raises(MemoryError):
        manager.allocate_shared(1 << 60, np.uint8)
    with pytest.raises(MemoryError):
        manager.allocate_shared(1 << 62, "f8")
    with pytest.raises(RuntimeError):
        softascend.UnifiedMemoryManager(device=63)


def test_threads(manager):
    wrong = []

    def work(seed):
        for i in range(50):
            x = manager.allocate_shared(1000 + i, "int32")
            x[...] = seed
            manager.prefetch_to_device(x)
            if not (x == seed).all():
                wrong.append((seed, i))

    threads = [threading.Thread(target=work, args=(s,)) for s in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
