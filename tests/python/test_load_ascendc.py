"""`softascend.load_ascendc`: values, shapes, values of every kind, gradients, misuse."""

from __future__ import annotations

import ctypes
import os
import pathlib
import re
import struct
import subprocess
import sys

import numpy as np
import pytest
import softascend
import tensorflow as tf

HERE = pathlib.Path(__file__).parent
SEVERAL = HERE / "kernels" / "several.cpp"
sys.path.insert(0, str(HERE.parent.parent / "examples" / "custom_op"))

import custom_ops

EPS = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """An empty cache, so that everything is built by what is tested."""
    before = os.environ.get("SOFTASCEND_CACHE")
    os.environ["SOFTASCEND_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    with tf.device("/NPU:0"):
        yield
    if before is None:
        del os.environ["SOFTASCEND_CACHE"]
    else:
        os.environ["SOFTASCEND_CACHE"] = before


def load(kernel, inputs, outputs, **more):
    return softascend.load_ascendc(SEVERAL, inputs, outputs, kernel=kernel, **more)


@pytest.fixture(scope="module")
def sigmoid():
    return custom_ops.load_sigmoid()


@pytest.fixture(scope="module")
def matmul():
    return custom_ops.load_matmul()


def close(got, exact, dtype, terms, size=None):
    """Within the dtype's rounding, and `terms` float32 roundings of numbers of `size`."""
    exact = np.asarray(exact, np.float64)
    bound = EPS[dtype] * np.abs(exact) + terms * EPS["float32"] * (np.abs(exact) if size is None else size)
    np.testing.assert_array_less(np.abs(np.asarray(tf.cast(got, tf.float64)) - exact), bound + 2.0**-24)


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (3, 0, 2), (4095,), (2, 3, 1, 1, 2, 1, 1, 5), (33333,)])
def test_sigmoid(sigmoid, dtype, shape):
    x = tf.cast(np.random.default_rng(1).normal(0, 6, shape), dtype)
    y = sigmoid(x)
    assert y.dtype == x.dtype and y.shape == x.shape and y.device.endswith("NPU:0")
    with tf.device("/CPU:0"):
        close(y, tf.sigmoid(tf.cast(x, tf.float64)), dtype, 8)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (17, 33, 65), (128, 128, 128), (131, 257, 129), (5, 1000, 3), (0, 4, 3)])
def test_matmul(matmul, dtype, m, k, n):
    rng = np.random.default_rng(2)
    a, b = (tf.cast(rng.normal(size=s), dtype) for s in ((m, k), (k, n)))
    c = matmul(a, b)
    assert c.dtype == a.dtype and c.shape == (m, n)
    with tf.device("/CPU:0"):
        wide = [tf.cast(x, tf.float64).numpy() for x in (a, b)]
    close(c, wide[0] @ wide[1], dtype, k, np.abs(wide[0]) @ np.abs(wide[1]))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8", "uint8", "int32", "int64", "float64", "bool"])
def test_dtypes(dtype):
    copy = load("copy", {"x": dtype}, {"y": "x"}, values={"n": lambda x: x.size}, blocks=3)
    x = tf.cast(np.random.default_rng(3).integers(-100, 100, 77), dtype)
    assert np.array_equal(copy(x), x)


def test_values_of_every_kind():
    numbers = load("numbers", {"x": "[]"}, {"y": "float64[8]"}, values={"d": 0.1, "g": lambda x: -(2**60) * (1 + x.rank)})
    assert str(numbers) == "<Ascend C kernel numbers(x, *, a, b, c, d=0.1, e, f)>"
    given = {"a": -128, "b": 2**63, "c": 1.5, "e": True, "f": 0.333}
    wanted = [2.0, -128, 2.0**63, 1.5, 0.1, 1, float(np.float16(0.333)), -(2.0**60)]
    assert np.array_equal(numbers(2.0, **given), wanted)
    wanted[4] = 7
    assert np.array_equal(numbers(x=2.0, **given, d=np.float32(7)), wanted)
    graph = tf.function(lambda c: numbers(2.0, **{**given, "c": c}, d=tf.constant(7)))
    assert np.array_equal(graph(tf.constant(1.5)), wanted), "a value that is a graph's tensor"
    for wrong in ({"a": 128}, {"a": -129}, {"b": -1}, {"a": 1.5}, {"c": "one"}, {"c": [1.0, 2.0]}):
        with pytest.raises((TypeError, ValueError), match=f"numbers: {next(iter(wrong))} is a "):
            numbers(2.0, **{**given, **wrong})


class Affine(ctypes.Structure):
    _fields_ = [("scale", ctypes.c_float), ("shift", ctypes.c_float), ("n", ctypes.c_uint32)]


@pytest.mark.parametrize(
    "tiling", [lambda x: struct.pack("<ffI", 2, 1, x.size), lambda x: Affine(2, 1, x.size),
               lambda x: np.array((2, 1, x.size), "f4,f4,u4")]
)  # fmt: skip
def test_structures_workspace_and_outputs(tiling):
    affine = load(
        "affine", {"x": "[...]"}, {"y": "x", "most": ("int32", lambda x: (1,))},
        values={"tiling": tiling, "by_value": lambda x: struct.pack("<ffI", -1, 0, x.size)},
        workspace=lambda x: x.nbytes,
    )  # fmt: skip
    y, most = affine(tf.reshape(tf.range(6.0), [2, 3]))
    assert np.array_equal(y, -(2 * np.arange(6.0).reshape(2, 3) + 1)) and np.array_equal(most, [0])
    y, most = affine(tf.zeros([0, 3]))
    assert y.shape == (0, 3) and np.array_equal(most, [-1])


def test_parameters_as_cpp_has_them():
    unnamed = load("unnamed", {"x": "[]"}, {"y": "x"}, values={"by": struct.pack("<ffI", 3, 0, 0)})
    assert str(unnamed).startswith("<Ascend C kernel unnamed(x, *, argument2, by=") and "more" in str(unnamed)
    assert unnamed(2.0, argument2=7, more=0.5) == 6.5


def test_zeroed_outputs():
    total = load("total", {"x": "[n]"}, {"sum": "float32[8]"}, zero=["sum"], blocks=4)
    for _ in range(3):
        assert total(tf.range(100.0))[0] == 4950


def test_named_dimensions_and_values():
    scale = load("scale_rows", {"x": "[rows, columns]", "s": "[rows]"}, {"y": "x"}, values={"by": 2})
    x, s = tf.reshape(tf.range(12.0), [4, 3]), tf.range(4.0)
    assert np.array_equal(scale(x, s), x * s[:, None] * 2)
    assert np.array_equal(scale(s=s, x=x, by=-1), -x * s[:, None])
    graph = tf.function(lambda x, s: scale(x, s, by=3))
    assert np.array_equal(graph(x, s), x * s[:, None] * 3)


@pytest.mark.parametrize("shape, known", [([None], (None,)), ([None, 3], (None, 3)), (None, None)])
def test_unknown_shapes(sigmoid, shape, known):
    graph = tf.function(sigmoid, input_signature=[tf.TensorSpec(shape, tf.float32)])
    static = graph.get_concrete_function().output_shapes
    assert static.rank is None if known is None else tuple(static) == known
    for size in (0, 3, 30):
        x = tf.reshape(tf.range(float(size)), [size] if known == (None,) else [-1, 3])
        assert np.array_equal(graph(x), sigmoid(x))


def test_unknown_dimensions_meet(matmul):
    graph = tf.function(matmul, input_signature=[tf.TensorSpec([None, 8], tf.float16), tf.TensorSpec([None, None], tf.float16)])
    assert tuple(graph.get_concrete_function().output_shapes) == (None, None)
    a, b = tf.ones([3, 8], tf.float16), tf.ones([8, 5], tf.float16)
    assert np.array_equal(graph(a, b), 8 * np.ones((3, 5)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"matmul: b must be .*\[7, 5\].*k is 8"):
        graph(a, tf.ones([7, 5], tf.float16))


def test_known_shapes_of_a_graph(matmul):
    graph = tf.function(matmul).get_concrete_function(*[tf.TensorSpec([16, 16], tf.float16)] * 2)
    assert graph.output_shapes == (16, 16)
    ops = {op.type for op in graph.graph.get_operations()}
    assert "AscendKernel" in ops and not any("PyFunc" in op for op in ops)


@pytest.mark.parametrize("in_graph", [False, True])
def test_gradient_by_differences(sigmoid, in_graph):
    x = tf.constant(np.linspace(-3, 3, 11), tf.float32)
    call = tf.function(sigmoid, input_signature=[tf.TensorSpec([None], tf.float32)]) if in_graph else sigmoid
    got, numeric = tf.test.compute_gradient(call, [x], delta=1 / 64)
    assert np.abs(got[0] - numeric[0]).max() < 2e-4
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        first = tape.gradient(y, x)
    s = 1 / (1 + np.exp(-x.numpy().astype("f8")))
    np.testing.assert_allclose(outer.gradient(first, x), s * (1 - s) * (1 - 2 * s), atol=1e-6)


def test_gradient_of_matmul(matmul):
    rng = np.random.default_rng(4)
    a, b, dc = (tf.cast(rng.integers(-3, 4, s), tf.float16) for s in ((5, 7), (7, 4), (5, 4)))
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        c = matmul(a, b)
    da, db = tape.gradient(c, [a, b], output_gradients=dc)
    assert np.array_equal(da, np.float32(dc) @ np.float32(b).T) and np.array_equal(db, np.float32(a).T @ np.float32(dc))


def test_gradient_by_another_kernel_and_of_values():
    back = load("scale_rows", {"x": "[rows, columns]", "s": "[rows]"}, {"y": "x"})
    scale = load(
        "scale_rows", {"x": "[rows, columns]", "s": "[rows]"}, {"y": "x"},
        grad=lambda s, x, dy, by: (back(dy, s, by=by), by * tf.reduce_sum(x * dy, 1)),
    )  # fmt: skip
    x, s = tf.Variable(tf.reshape(tf.range(12.0), [4, 3])), tf.range(4.0)

    def both(by):
        with tf.GradientTape() as tape:
            tape.watch(s)
            y = scale(x, s, by=by)
        return tape.gradient(y, [x, s])

    for call in (both, tf.function(both)):
        for by in (2.0, tf.constant(3.0)):
            dx, ds = call(by)
            assert np.array_equal(dx, tf.ones([4, 3]) * s[:, None] * float(by))
            assert np.array_equal(ds, tf.reduce_sum(x, 1) * float(by))


def test_trains_in_keras(sigmoid):
    class Layer(tf.keras.layers.Layer):
        def call(self, x):
            return sigmoid(x)

    tf.keras.utils.set_random_seed(5)
    model = tf.keras.Sequential([tf.keras.layers.Dense(8), Layer(), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    x = np.random.default_rng(5).normal(size=(64, 4)).astype("f4")
    losses = model.fit(x, x.sum(1), epochs=4, verbose=0, batch_size=24).history["loss"]
    assert losses[-1] < losses[0]


def test_on_the_cpu_and_on_the_other_npu(sigmoid):
    for device in ("/CPU:0", "/NPU:1"):
        with tf.device(device):
            y = sigmoid(tf.zeros([9]))
            assert y.device.endswith(device[1:]) and np.array_equal(y, np.full(9, 0.5))


# ---- misuse: what is called, the error, what its text has

ONE = {"x": "float32"}, {"y": "x"}
N = {"n": lambda x: x.size}
CALLS = [
    (lambda s, m: s(tf.ones(3, tf.int32)), TypeError, ["sigmoid: x", "float32", "bfloat16", "got int32"]),
    (lambda s, m: s(np.ones(3)), TypeError, ["sigmoid: x", "got float64"]),
    (lambda s, m: s(), TypeError, ["sigmoid(x)", "0 of 1"]),
    (lambda s, m: s(1.0, 2.0), TypeError, ["sigmoid(x)", "2 of 1"]),
    (lambda s, m: s(1.0, scale=2.0), TypeError, ["sigmoid(x)", "scale"]),
    (lambda s, m: m(tf.ones(3, tf.float16), tf.ones([3, 3], tf.float16)), ValueError, ["matmul: a", "rank 2", "[m, k]", "rank 1", "[3]"]),
    (lambda s, m: m(tf.ones([3, 4], tf.float16), tf.ones([3, 3], tf.float16)), ValueError, ["matmul: b", "[3, 3]", "k is 4"]),
    (lambda s, m: tf.function(m)(tf.ones(3, tf.float16), tf.ones(3, tf.float16)), ValueError, ["matmul: a", "rank 1"]),
    (lambda s, m: load("total", {"x": "[n]"}, {"sum": "float32[8]"}, blocks=70000)(tf.ones(2)), tf.errors.InvalidArgumentError, ["total", "70000", "65535"]),
    (lambda s, m: load("total", {"x": "[n]"}, {"sum": "float32[8]"}, blocks=1.5)(tf.ones(2)), ValueError, ["total", "blocks", "1.5"]),
    (lambda s, m: load("total", {"x": "[...]"}, {"sum": "float32[8]"})(tf.ones(2)), TypeError, ["total(x, *, n)", "n is missing"]),
    (lambda s, m: load("copy", {"x": "float32"}, {"y": ("float32", lambda x: x.size)}, values=N)(tf.ones(2)), TypeError, ["copy", "output y", "got 2"]),
    (lambda s, m: load("affine", {"x": "[...]"}, {"y": "x", "most": "int32[1]"}, values={"tiling": 3, "by_value": b""})(tf.ones(2)), TypeError, ["affine: tiling", "got 3"]),
    (lambda s, m: load("affine", {"x": "[...]"}, {"y": "x", "most": "int32[1]"}, values={"tiling": b"", "by_value": b"1"})(tf.ones(2)), ValueError, ["affine: by_value", "12 bytes", "got 1"]),
]  # fmt: skip
LOADS = [
    (lambda: softascend.load_ascendc("missing.cpp", *ONE), FileNotFoundError, ["missing.cpp"]),
    (lambda: load("sub", *ONE), ValueError, ["several.cpp", "sub", "copy", "total"]),
    (lambda: load("no_entry", *ONE), ValueError, ["no kernel no_entry"]),
    (lambda: softascend.load_ascendc(SEVERAL, *ONE), ValueError, ["no kernel several"]),
    (lambda: load("copy", {"z": "float32"}, {"y": "float32[1]"}), ValueError, ["copy: input z", "uint8_t* x"]),
    (lambda: load("copy", {"x": "float32"}, {"n": "x"}), ValueError, ["copy: output n", "pointer"]),
    (lambda: load("copy", {"x": "float32"}, {}), ValueError, ["copy", "output"]),
    (lambda: load("copy", {"x": "float32", "y": "float32"}, {"y": "x"}), ValueError, ["both"]),
    (lambda: load("affine", {"x": ""}, {"y": "x"}), ValueError, ["affine", "most", "neither"]),
    (lambda: load("copy", *ONE, values={"m": 1}), ValueError, ["copy: value m"]),
    (lambda: load("copy", *ONE, values={"n": lambda z: 1}), TypeError, ["n takes 'z'", "x, y"]),
    (lambda: load("copy", *ONE, values=N, grad=lambda dz: 1), TypeError, ["grad takes 'dz'", "dy"]),
    (lambda: load("copy", *ONE, values=N, workspace=64), ValueError, ["workspace"]),
    (lambda: load("copy", *ONE, values=N, zero=["x"]), ValueError, ["zero", "x"]),
    (lambda: load("copy", {"x": "float33"}, {"y": "x"}), ValueError, ["float33", "float32"]),
    (lambda: load("copy", {"x": "float32[a-b]"}, {"y": "x"}), ValueError, ["input x", "a-b"]),
    (lambda: load("copy", {"x": ""}, {"y": "x"}), ValueError, ["copy: input x", "dtype"]),
    (lambda: load("copy", *[{"x": "float32"}, {"y": "float32"}]), ValueError, ["copy: output y", "shape"]),
    (lambda: load("copy", {"x": "float32[m]"}, {"y": "x[k]"}), ValueError, ["copy: output y", "dimension k"]),
    (lambda: load("copy", ["x"], {"y": "x"}), TypeError, ["inputs", "dict", "['x']"]),
    (lambda: load("copy", {"x": "float32"}, "y"), TypeError, ["outputs", "dict", "'y'"]),
    (lambda: load("total", {"x": "int32[n]"}, {"sum": "float32[8]"}), ValueError, ["total: x", "float", "int32"]),
]  # fmt: skip


@pytest.mark.parametrize("call, error, texts", CALLS)
def test_misuse_of_a_call(sigmoid, matmul, call, error, texts):
    with pytest.raises(error) as caught:
        call(sigmoid, matmul)
    for text in texts:
        assert text in str(caught.value)


@pytest.mark.parametrize("call, error, texts", LOADS)
def test_misuse_of_load(call, error, texts):
    with pytest.raises(error) as caught:
        call()
    for text in texts:
        assert text in str(caught.value)


def test_several_dtypes_need_a_macro(tmp_path):
    file = tmp_path / "plain.cpp"
    file.write_text('#include "kernel_operator.h"\nextern "C" __global__ __aicore__ void plain(GM_ADDR x, GM_ADDR y) {}\n')
    with pytest.raises(ValueError, match="plain: x .* DTYPE_X"):
        softascend.load_ascendc(file, {"x": "float32|float16"}, {"y": "x"})


@pytest.mark.parametrize("dx", [tf.ones(7), tf.ones([1, 3]), tf.ones(3, tf.float16)], ids=["longer", "rank", "dtype"])
def test_gradient_of_another_shape_or_dtype(dx):
    copy = load("copy", *ONE, values=N, grad=lambda dy: dx)
    with tf.GradientTape() as tape:
        x = tf.ones(3)
        tape.watch(x)
        y = copy(x)
    with pytest.raises(ValueError, match=r"copy: grad must give for x float32 \(3,\), got float"):
        tape.gradient(y, x)


def test_no_gradient():
    copy = load("copy", *ONE, values=N)
    with tf.GradientTape() as tape:
        x = tf.ones(3)
        tape.watch(x)
        y = copy(x)
    with pytest.raises(LookupError, match="copy has no gradient.*grad="):
        tape.gradient(y, x)


@pytest.mark.parametrize("kernel, line", [("faulty", "the fault"), ("null", "nothing there")])
@pytest.mark.parametrize("in_graph", [False, True])
def test_a_fault_names_the_line_and_is_survived(sigmoid, kernel, line, in_graph):
    number = next(i for i, text in enumerate(SEVERAL.read_text().splitlines(), 1) if line in text)
    bad = load(kernel, {"x": "[...]"}, {"y": "x"})
    with pytest.raises(tf.errors.InternalError, match=rf"{kernel}.*several\.cpp:{number}"):
        (tf.function(bad) if in_graph else bad)(tf.ones(4))
    assert np.array_equal(sigmoid(tf.zeros(3)), np.full(3, 0.5))


# ---- building

KERNEL = '#include "kernel_operator.h"\n#include "value.h"\nextern "C" __global__ __aicore__ void put(__gm__ int32_t *x, __gm__ int32_t *y)\n{\n    y[0] = VALUE;\n}\n'


def put(file, **more):
    return softascend.load_ascendc(file, {"x": "[...]"}, {"y": "x"}, **more)(tf.zeros(1, tf.int32))[0]


def test_built_once_and_again_when_a_file_changes(tmp_path, monkeypatch):
    cache = tmp_path / "a cache"
    monkeypatch.setenv("SOFTASCEND_CACHE", str(cache))
    file, header = tmp_path / "put it.cpp", tmp_path / "value.h"
    file.write_text(KERNEL)
    for value in (1, 2, 1):
        header.write_text(f"#define VALUE {value}\n")
        assert put(file) == value
        built = {p: p.stat().st_mtime_ns for p in cache.rglob("*.so")}
        assert put(file) == value
        assert built == {p: p.stat().st_mtime_ns for p in cache.rglob("*.so")}
    assert put(file, options=["-DOTHER"]) == 1
    assert not list(cache.rglob("build-*")), "work folders are left"


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SOFTASCEND_CACHE", str(tmp_path / "file" / "cache"))
    (tmp_path / "put.cpp").write_text(KERNEL)
    (tmp_path / "value.h").write_text("#define VALUE 5\n")
    assert put(tmp_path / "put.cpp") == 5


def test_compile_errors_name_the_line(tmp_path):
    file = tmp_path / "wrong.cpp"
    file.write_text(KERNEL.replace("VALUE;", "VALUE").replace('#include "value.h"\n', "\n"))
    with pytest.raises(softascend.CompileError, match=r"wrong\.cpp:5:.*VALUE") as caught:
        put(file)
    assert str(file) in str(caught.value)


def test_no_compiler(tmp_path):
    """A message says what to install; in a process of its own, since compilers are asked for once."""
    (tmp_path / "put.cpp").write_text(KERNEL)
    script = "import softascend\ntry: softascend.load_ascendc('put.cpp', {'x': ''}, {'y': 'x'})\nexcept softascend.CompileError as e: print(e)"
    environment = {**os.environ, "PATH": str(tmp_path), "SOFTASCEND_CACHE": str(tmp_path / "cache")}
    environment.pop("CXX", None)
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert re.search(r"g\+\+ is not installed.*apt-get install g\+\+", done.stdout), done.stdout + done.stderr
