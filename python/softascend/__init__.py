"""SoftAscend: an Ascend NPU in software, for TensorFlow."""

from softascend.ascendc import AscendKernel, CompileError, Operand, load_ascendc
from softascend.ops import ascend_dynamic_matmul, ascend_matmul, ascend_sigmoid
from softascend.placement import Placement, placement

__version__ = "0.1.0"

__all__ = [
    "AscendKernel",
    "CompileError",
    "Operand",
    "Placement",
    "ascend_dynamic_matmul",
    "ascend_matmul",
    "ascend_sigmoid",
    "load_ascendc",
    "placement",
]
