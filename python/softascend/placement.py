"""Which ops ran where."""

from __future__ import annotations

import collections
import dataclasses
import itertools

from typing import Any, Callable

# What TensorFlow adds to a graph to carry arguments, results and copies: not ops that anybody placed.
_PLUMBING = {"_Arg", "_Retval", "_DeviceArg", "_DeviceRetval", "NoOp"}
_CALLS = {"PartitionedCall", "StatefulPartitionedCall"}
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
    from tensorflow.python.framework import op_callbacks

    ctx = context.context()
    ctx.ensure_initialized()
    ops: collections.Counter[tuple[str, str]] = collections.Counter()

    def note_eager_op(op_type, inputs, attrs, outputs, op_name=None, graph=None):
        is_function = context.context().has_function(op_type)
        if graph is None and not is_function and op_type not in _CALLS:
            # The device of an op without results is that of the variable it works on.
            on = [t for t in (*outputs, *inputs) if getattr(t, "device", None)]
            ops[(_text(op_type), _short(on[0].device if on else ""))] += 1

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
    op_callbacks.add_op_callback(note_eager_op)
    context.enable_run_metadata()
    try:
        # TensorFlow goes on collecting after an earlier call has ended: what is there is not ours.
        context.export_run_metadata()
        result = fn(*args, **kwargs)
        metadata = context.export_run_metadata()
    finally:
        context.disable_run_metadata()
        op_callbacks.remove_op_callback(note_eager_op)
        ctx.function_call_options = kept

    copies = 0
    for function in metadata.function_graphs:
        nodes = [node for graph in function.partition_graphs for node in graph.node]
        if _is_eager_op(nodes):
            continue
        for node in nodes:
            if node.op in _COPIES:
                copies += node.op.endswith("Send")
            elif node.op not in _PLUMBING:
                ops[(node.op, _short(node.device))] += 1
    return Placement(result, dict(ops), copies)


def _is_eager_op(nodes) -> bool:
    """Whether a graph is what TensorFlow wraps round an eager op, which was noted when it ran.

    Such a graph holds one op, named as its type; results are named as the op's definition names
    them, while those of a ``tf.function`` are named ``identity``.
    """
    work = [node for node in nodes if node.op not in _PLUMBING | _COPIES]
    results = [node for node in nodes if node.op == "_Retval"]
    return (
        len(work) == 1
        and work[0].name == work[0].op
        and not any(node.name.lower().startswith("identity") for node in results)
    )


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


def _short(device: str) -> str:
    """``/job:localhost/replica:0/task:0/device:NPU:0`` as ``NPU:0``."""
    return device.rpartition("device:")[2] or "unplaced"
