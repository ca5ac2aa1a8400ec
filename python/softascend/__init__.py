"""SoftAscend: an Ascend NPU in software, for TensorFlow."""

from softascend.ascendc import AscendKernel, CompileError, Operand, load_ascendc
from softascend.memory import monitor_memory_usage
from softascend.op_library import OpLibrary, Operator, load_op_library
from softascend.ops import (
    ascend_attention,
    ascend_dynamic_matmul,
    ascend_layer_norm,
    ascend_linear,
    ascend_matmul,
    ascend_sigmoid,
)
from softascend.placement import Placement, placement
from softascend.unified import UnifiedMemoryManager

__version__ = "0.1.0"

__all__ = [
    "AscendKernel",
    "CompileError",
    "OpLibrary",
    "Operand",
    "Operator",
    "Placement",
    "UnifiedMemoryManager",
    "ascend_attention",
    "ascend_dynamic_matmul",
    "ascend_layer_norm",
    "ascend_linear",
    "ascend_matmul",
    "ascend_sigmoid",
    "load_ascendc",
    "load_op_library",
    "monitor_memory_usage",
    "placement",
]
