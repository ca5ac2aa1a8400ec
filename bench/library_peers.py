"""The other side of ``./dev bench peers``: numpy with OpenBLAS, onnxruntime, PyTorch, each used at its best.

Results go into arrays that are there already wherever a library can; every problem's values are checked.
"""

from __future__ import annotations

import importlib
import os

import numpy as np

import library_problems
import worker

THREADS = int(os.environ["OMP_NUM_THREADS"])
TORCH = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}


def versions() -> dict[str, str | None]:
    found = {}
    for name in ("numpy", "onnxruntime", "torch"):
        try:
            found[name] = importlib.import_module(name).__version__
        except ImportError:
            found[name] = None
    found["numpy"] += f" with OpenBLAS {np.show_config('dicts')['Build Dependencies']['blas']['version']}"
    return found


def with_numpy(kind: str, dtype: str, given: list[np.ndarray]):
    if dtype != "f32":
        raise TypeError(f"numpy has no fast {dtype}")
    if kind == "matmul":
        out = np.empty((given[0].shape[0], given[1].shape[1]), "f4")
        return lambda: np.matmul(*given, out=out), lambda: out
    if kind == "sigmoid":
        x, out = given[0], np.empty_like(given[0])

        def run():
            np.negative(x, out=out)
            np.exp(out, out=out)
            np.add(out, 1, out=out)
            np.reciprocal(out, out=out)

        return run, lambda: out
    raise TypeError(f"numpy has no {kind}")


def with_torch(kind: str, dtype: str, given: list[np.ndarray]):
    import torch

    torch.set_num_threads(THREADS)
    torch.set_grad_enabled(False)
    x = [torch.from_numpy(g).to(getattr(torch, TORCH[dtype])) for g in given]
    if kind == "attention":
        q, k, v = (t.transpose(1, 2).contiguous() for t in x)  # B H S D, as it wants them
        result = []

        def run():
            result[:] = [torch.nn.functional.scaled_dot_product_attention(q, k, v)]

        return run, lambda: result[0].transpose(1, 2).numpy()
    if kind == "matmul":
        out = torch.empty((x[0].shape[0], x[1].shape[1]), dtype=x[0].dtype)
        return lambda: torch.mm(*x, out=out), lambda: out.float().numpy()
    out = torch.empty_like(x[0])
    return lambda: torch.sigmoid(x[0], out=out), lambda: out.float().numpy()


def with_onnxruntime(kind: str, dtype: str, given: list[np.ndarray]):
    import onnx
    import onnxruntime

    element = {"f32": onnx.TensorProto.FLOAT, "f16": onnx.TensorProto.FLOAT16}.get(dtype)
    if element is None:
        raise TypeError(f"onnxruntime has no {kind} in {dtype} on the CPU")
    given = [g.astype("f2") for g in given] if dtype == "f16" else given
    shape = given[0].shape
    if kind == "attention":  # B, S, all heads' numbers
        batch, length, heads, size = shape
        given = [g.reshape(batch, length, heads * size) for g in given]
        node = onnx.helper.make_node(
            "MultiHeadAttention", ["x0", "x1", "x2"], ["y"], domain="com.microsoft", num_heads=heads
        )
        result = given[0].shape
    elif kind == "matmul":
        node, result = onnx.helper.make_node("MatMul", ["x0", "x1"], ["y"]), (shape[0], given[1].shape[1])
    else:
        node, result = onnx.helper.make_node("Sigmoid", ["x0"], ["y"]), shape

    def info(name, shape):
        return onnx.helper.make_tensor_value_info(name, element, shape)

    inputs = [info(f"x{i}", g.shape) for i, g in enumerate(given)]
    graph = onnx.helper.make_graph([node], "problem", inputs, [info("y", result)])
    opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("com.microsoft", 1)]
    model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    out = onnxruntime.OrtValue.ortvalue_from_numpy(np.empty(result, given[0].dtype))
    binding = session.io_binding()
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(g) for g in given]
    for i, value in enumerate(values):
        binding.bind_ortvalue_input(f"x{i}", value)
    binding.bind_ortvalue_output("y", out)
    return lambda: session.run_with_iobinding(binding), lambda: out.numpy().reshape(result)


LIBRARIES = {"numpy": with_numpy, "torch": with_torch, "onnxruntime": with_onnxruntime}


def make(library: str, kind: str, dtype: str, shape: list[int]):
    given = library_problems.operands(kind, tuple(shape))
    run, value = LIBRARIES[library](kind, dtype, given)
    run()
    library_problems.check(kind, dtype, value(), given)
    return run


if __name__ == "__main__":
    worker.serve(versions, make)
