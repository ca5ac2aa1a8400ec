"""Which ops ran where."""

from __future__ import annotations

import collections
import dataclasses
import itertools

from typing import Any, Callable

# What TensorFlow adds to a graph to carry arguments, results and copies: not ops that anybody placed.
_PLUMBING = {"_Arg", "_Retval", "_DeviceArg", "_DeviceRetval", "NoOp"}
_COPIES = {"_Send", "_Recv", "_HostSend", "_HostRecv"}

_run = itertools.count(1)


@dataclasses.dataclass(frozen=True)
class Placement:
    """Where the ops of one call ran.

    Attributes
    ----------
    result
        What the function returned.
    ops : dict from (op type, device) to count
        A node of a graph counts once, however often a loop ran it. Devices are short: ``NPU:0``.
    copies : int
        Tensors that a graph sends from one device to another.
    """

    result: Any
    ops: dict[tuple[str, str], int]
    copies: int

    @property
    def total(self) -> int:
        """Number of ops."""
        return sum(self.ops.values())

    @property
    def npu_share(self) -> float:
        """Share of the ops that ran on an NPU, 0 to 1; 0 if there were none."""
        on_npu = sum(n for (_, device), n in self.ops.items() if device.startswith("NPU"))
        return on_npu / self.total if self.total else 0.0

    def on(self, kind: str) -> dict[str, int]:
        """Counts of the ops on devices of one kind, ``"NPU"`` or ``"CPU"``."""
        counts: collections.Counter[str] = collections.Counter()
        for (op, device), n in self.ops.items():
            if device.startswith(kind):
                counts[op] += n
        return dict(counts)

    def __str__(self) -> str:
        lines = [f"{self.total} ops, {self.npu_share:.1%} on NPU, {self.copies} copies between devices"]
        for (op, device), n in sorted(self.ops.items(), key=lambda item: (item[0][1], item[0][0])):
            lines.append(f"  {device:8} {op:40} {n}")
        return "\n".join(lines)


def placement(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Placement:
    """Calls ``fn(*args, **kwargs)`` and tells on which device each of its ops was placed.

    Eager ops and ``tf.function`` graphs are both seen, after TensorFlow's own graph optimisation: what
    is counted is what ran. Functions that ran before are instantiated anew for the call, with the
    same code and state.

    Returns
    -------
    Placement
    """
    from tensorflow.core.protobuf import config_pb2
    from tensorflow.python.eager import context

    ctx = context.context()
    ctx.ensure_initialized()
    kept = ctx.function_call_options
    # Graphs are collected when a function is instantiated, and a function is instantiated once for
    # each configuration: a configuration that differs in its name only makes it happen again.
    config = config_pb2.ConfigProto()
    config.CopyFrom(ctx.config)
    config.experimental.session_metadata.name = "softascend_placement"
    config.experimental.session_metadata.version = next(_run)
    ctx.function_call_options = context.FunctionCallOptions(
        executor_type=kept.executor_type, config_proto=config
    )
    context.enable_run_metadata()
    try:
        result = fn(*args, **kwargs)
        metadata = context.export_run_metadata()
    finally:
        context.disable_run_metadata()
        ctx.function_call_options = kept

    ops: collections.Counter[tuple[str, str]] = collections.Counter()
    copies = 0
    for function in metadata.function_graphs:
        for graph in function.partition_graphs:
            for node in graph.node:
                if node.op in _COPIES:
                    copies += node.op.endswith("Send")
                elif node.op not in _PLUMBING:
                    ops[(node.op, _short(node.device))] += 1
    return Placement(result, dict(ops), copies)


def _short(device: str) -> str:
    """``/job:localhost/replica:0/task:0/device:NPU:0`` as ``NPU:0``."""
    return device.rpartition("device:")[2] or "unplaced"
