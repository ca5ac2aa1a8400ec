"""Ascend C kernels in TensorFlow."""

from softascend.ascendc.library import CompileError
from softascend.ascendc.kernel import AscendKernel, load_ascendc
from softascend.ascendc.spec import Operand

__all__ = ["AscendKernel", "CompileError", "Operand", "load_ascendc"]
