"""`load_ascendc`: an Ascend C file as a function on tensors."""

from __future__ import annotations

import inspect
import itertools
import os
import threading
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import tensorflow as tf

from softascend._library import load_ops
from softascend.ascendc.library import Library, build
from softascend.ascendc.declare import Declaration, choose, parse_inputs, parse_outputs
from softascend.ascendc.spec import CTYPES, Operand, Shape, shape_text
from softascend.ascendc.values import Named, value_bytes, words

_PLANS = 1024  # how many plans a kernel keeps
_kernels: dict[str, AscendKernel] = {}
_numbers = itertools.count(1)


def load_ascendc(
    source: os.PathLike | str,
    inputs: Mapping[str, str],
    outputs: Mapping[str, str | tuple[str, Callable]],
    *,
    kernel: str | None = None,
    values: Mapping[str, object] | None = None,
    workspace: int | Callable = 0,
    blocks: int | Callable = 1,
    zero: Sequence[str] = (),
    grad: Callable | None = None,
    options: Sequence[str] = (),
) -> AscendKernel:
    """Compiles an Ascend C kernel and makes it a function on tensors of ``/NPU:0``.

    The kernel's parameters are known from its file; here is said what they are. Wherever a function
    is taken, its parameters' names say what it gets: an `Operand` for a tensor, a number for a value
    or a dimension.

    Parameters
    ----------
    source
        An Ascend C file. It is built once for its content, and kept in the user's cache folder.
    inputs
        For each tensor that is read its dtypes and shape: ``"float32|float16[m, k]"``; names of
        dimensions must agree between tensors, ``...`` is any number of them, without brackets any
        shape goes. With several dtypes the file is compiled once for each that is used, with
        ``DTYPE_X`` defined for an argument ``x``.
    outputs
        For each tensor that is written the same, or the name of the input that it is like, or that
        name with a shape (``"x[m, n]"``), or a pair of a dtype and a function that gives the shape.
    kernel
        Which kernel of the file; default: the only one, or the one that is called as the file.
    values
        For the other parameters: a function, or a number, which is then the default of a keyword
        argument. One that is not named here is a dimension of that name, or a keyword argument
        without a default. For a parameter that is a pointer, as a tiling's is, the value is bytes,
        which the kernel finds in global memory.
    workspace
        Bytes for the parameter ``workspace``.
    blocks
        How many blocks to launch.
    zero
        Outputs that are set to zeros before the kernel runs, for kernels that add to them.
    grad
        The gradient: a function of inputs, outputs, values and, for an output ``y``, ``dy``. It
        returns a gradient for every input (None for one that has none). Another kernel is one.
    options
        More options for ``ascc``: ``-I``, ``-D`` …

    Raises
    ------
    FileNotFoundError, CompileError
    TypeError, ValueError
        If the kernel's parameters are not what is said here.
    """
    return AscendKernel(
        source, inputs, outputs, kernel, dict(values or {}), workspace, blocks, tuple(zero), grad, tuple(options)
    )


class AscendKernel:
    """A kernel that `load_ascendc` made: call it with tensors, and values as keyword arguments.

    Attributes
    ----------
    name : str
        The kernel's.
    """

    def __init__(self, source, inputs, outputs, kernel, values, workspace, blocks, zero, grad, options):
        self._ops = load_ops()
        self._source, self._options = source, options
        self._lock, self._libraries, self._plans = threading.Lock(), {}, {}
        inputs, outputs = parse_inputs(inputs), parse_outputs(outputs)
        first = self._build({n: s.dtypes[0] for n, s in (inputs | outputs).items() if s.dtypes})
        self.name = self.__name__ = choose(first, kernel, source)
        d = self._declared = Declaration(self.name, first.parameters(self.name), inputs, outputs, values, zero)
        d.settle(has_workspace=bool(workspace))
        d.check_variants(first)
        self._libraries[tuple(s.dtypes[0] for s in d.inputs.values())] = first
        self._attributes = [n for n in d.given if not callable(values.get(n)) and (n in values or n not in d.dims())]
        self._defaults = {n: values[n] for n in self._attributes if n in values}
        self._name_functions(values, workspace, blocks, grad)
        self._key = f"{self.name}#{next(_numbers)}"
        _kernels[self._key] = self
        self.__signature__ = inspect.Signature(
            [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in d.inputs]
            + [
                inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=self._defaults.get(n, inspect._empty))
                for n in self._attributes
            ]
        )

    def _name_functions(self, values, workspace, blocks, grad) -> None:
        """Binds what the functions given to `load_ascendc` may ask for."""
        d = self._declared
        tensors, others = list(d.inputs), [*self._attributes, *sorted(d.dims() - {"...", *d.inputs, *d.outputs})]
        self._shapes = {
            n: Named(s.make, [*tensors, *others], f"{self.name}: output {n}") for n, s in d.outputs.items() if s.make
        }
        tensors += d.outputs
        self._computed = {
            n: Named(f, [*tensors, *others], f"{self.name}: the value of {n}") for n, f in values.items() if callable(f)
        }

        def number(what, given):
            return Named(given, [*tensors, *others], f"{self.name}: {what}") if callable(given) else given

        self._workspace, self._blocks = number("workspace", workspace), number("blocks", blocks)
        known = [*tensors, *(f"d{n}" for n in d.outputs), *self._attributes]
        self._grad = Named(grad, known, f"{self.name}: grad") if grad else None
        self._kept = [n for n in self._attributes if self._grad and n in self._grad.names]

    def __repr__(self) -> str:
        return f"<Ascend C kernel {self.name}{self.__signature__}>"

    # ---- libraries, one for the dtypes of a call

    def _build(self, dtypes: Mapping[str, str]) -> Library:
        ctypes = {n: CTYPES.get(dtypes.get(d, d)) for n, d in sorted(dtypes.items())}
        return build(self._source, [*(f"-DDTYPE_{n.upper()}={c}" for n, c in ctypes.items() if c), *self._options])

    def _library(self, dtypes: Mapping[str, str]) -> Library:
        key = tuple(dtypes.values())
        if key not in self._libraries:
            with self._lock:
                if key not in self._libraries:
                    d = self._declared
                    self._libraries[key] = self._build({**dtypes, **{n: d.output_dtype(n, dtypes) for n in d.outputs}})
        return self._libraries[key]

    # ---- a call

    def __call__(self, *tensors, name: str | None = None, **attributes):
        """The kernel's output, or a tuple of them."""
        tensors = self._bind(tensors, attributes)
        given = {**self._defaults, **attributes}
        if len(given) != len(self._attributes):
            missing = [n for n in self._attributes if n not in given]
            raise TypeError(f"{self.name}: takes {self.name}{self.__signature__}, {', '.join(missing)} is missing")
        dtypes = {n: t.dtype.name for n, t in zip(self._declared.inputs, tensors)}
        symbolic = []
        for n, value in given.items():
            if tf.is_tensor(value):
                known = tf.get_static_value(value)
                given[n] = value if known is None else known.item() if known.ndim == 0 else known
                if known is None:
                    symbolic.append(n)
        if symbolic or not all(t.shape.is_fully_defined() for t in tensors):
            plan = self._later(tensors, dtypes, given, symbolic)
        else:
            plan = self._now(tensors, dtypes, given)
        kept = []
        if self._kept:
            with tf.device("/CPU:0"):
                kept = [tf.convert_to_tensor(given[n]) for n in self._kept]
        results = self._ops.ascend_kernel(
            inputs=tensors, plan=plan, attributes=kept, library=str(self._library(dtypes).path), kernel=self.name,
            arguments=self._declared.roles, gradient=self._key, name=name,
            Tout=[tf.as_dtype(self._declared.output_dtype(n, dtypes)) for n in self._declared.outputs],
        )  # fmt: skip
        if not tf.executing_eagerly():
            for result, shape in zip(results, self._known_shapes(tensors)):
                if shape is not None:
                    result.set_shape(shape)
        return results[0] if len(results) == 1 else tuple(results)

    def _bind(self, tensors: Sequence, attributes: dict) -> list[tf.Tensor]:
        """Tensors in the kernel's order, their dtypes checked; what is left in `attributes` are values."""
        specs = self._declared.inputs
        tensors = list(tensors)
        for n in list(specs)[len(tensors) :]:
            if n in attributes:
                tensors.append(attributes.pop(n))
        unknown = [n for n in attributes if n not in self._attributes]
        if len(tensors) != len(specs) or unknown:
            got = f"{len(tensors)} of {len(specs)} tensors" + (f" and {', '.join(unknown)}" if unknown else "")
            raise TypeError(f"{self.name}: takes {self.name}{self.__signature__}, got {got}")
        for i, (n, spec) in enumerate(specs.items()):
            t = tensors[i]
            if not isinstance(t, tf.Tensor):
                own = getattr(t, "dtype", None)
                t = tensors[i] = tf.convert_to_tensor(t, spec.dtypes[0] if own is None else None)
            if t.dtype.name not in spec.dtypes:
                raise TypeError(f"{self.name}: {n} must be {' or '.join(spec.dtypes)}, got {t.dtype.name}")
        return tensors

    # ---- plans: what the op needs beside tensors (src/tensorflow/kernels/library.c)

    def _plan(self, shapes: Sequence[Shape], dtypes: Mapping[str, str], given: Mapping[str, object]) -> np.ndarray:
        """The plan for shapes that are known. Raises ValueError or TypeError for what does not fit."""
        d, dims = self._declared, {}
        inputs = {n: Operand(tuple(s), dtypes[n]) for n, s in zip(d.inputs, shapes)}
        for n, operand in inputs.items():
            d.inputs[n].match(operand.shape, dims, self.name, n)
        outputs = {n: Operand(self._shape(n, inputs, dims, given), d.output_dtype(n, dtypes)) for n in d.outputs}
        things = {**dims, **given, **outputs, **inputs}
        plan = [self._number("blocks", self._blocks, things), self._number("workspace", self._workspace, things)]
        for operand in outputs.values():
            plan += [operand.rank, *operand.shape]
        for n, parameter in d.given.items():
            value = self._computed[n](things) if n in self._computed else things[n]
            plan += words(value_bytes(value, parameter, self.name))
        return np.asarray(plan, np.int64)

    def _shape(self, n: str, inputs: Mapping[str, Operand], dims, given) -> tuple[int, ...]:
        spec = self._declared.outputs[n]
        if n in self._shapes:
            made = self._shapes[n]({**dims, **given, **inputs})
            try:
                shape = tuple(int(d) for d in made)
            except (TypeError, ValueError):
                raise TypeError(f"{self.name}: the shape of output {n} must be a tuple of sizes, got {made!r}") from None
            if min(shape, default=0) < 0:
                raise ValueError(f"{self.name}: output {n} would have shape {shape_text(shape)}")
            return shape
        return inputs[spec.dtypes[0]].shape if spec.dims is None else spec.shape(dims)

    def _number(self, what: str, number, things) -> int:
        value = number(things) if callable(number) else number
        if not isinstance(value, (int, np.integer)) or value < 0:
            raise ValueError(f"{self.name}: {what} must be a whole number, got {value!r}")
        return int(value)

    def _now(self, tensors, dtypes, given) -> tf.Tensor:
        """The plan as a tensor; of an eager call it is kept."""
        shapes, eager = tuple(tuple(t.shape) for t in tensors), tf.executing_eagerly()
        key = (shapes, tuple(dtypes.values()), tuple(map(given.get, self._attributes)))
        try:
            kept = self._plans.get(key) if eager else None
        except TypeError:  # a value that cannot be a key
            kept, eager = None, False
        if kept is None:
            with tf.device("/CPU:0"):
                kept = tf.constant(self._plan(shapes, dtypes, given))
            if eager:
                if len(self._plans) >= _PLANS:
                    self._plans.clear()
                self._plans[key] = kept
        return kept

    def _later(self, tensors, dtypes, given, symbolic) -> tf.Tensor:
        """The plan of what a graph does not know when it is made: by this function when it runs."""
        self._known_shapes(tensors)  # what can be checked now

        def make(*late):
            shapes = [tuple(map(int, s)) for s in late[: len(tensors)]]
            values = {n: v.item() for n, v in zip(symbolic, late[len(tensors) :])}
            return self._plan(shapes, dtypes, {**given, **values})

        with tf.device("/CPU:0"):
            shapes = [tf.shape(t, out_type=tf.int64) for t in tensors]
            plan = tf.numpy_function(make, [*shapes, *(given[n] for n in symbolic)], tf.int64, stateful=False)
        plan.set_shape([None])
        return plan

    def _known_shapes(self, tensors) -> list[Shape | None]:
        """Of the outputs, as far as a graph knows them."""
        d, dims = self._declared, {}
        shapes = {n: None if t.shape.rank is None else tuple(t.shape) for n, t in zip(d.inputs, tensors)}
        for n, shape in shapes.items():
            d.inputs[n].match(shape, dims, self.name, n)
        return [
            None if s.make else shapes[s.dtypes[0]] if s.dims is None else s.shape(dims) for s in d.outputs.values()
        ]

    # ---- the gradient

    def gradient(self, op, *grads):
        """What TensorFlow calls for an op `AscendKernel` that this kernel made."""
        d = self._declared
        if not self._grad:
            raise LookupError(f"{self.name} has no gradient; give load_ascendc grad=, a function of {self._named()}")
        n = len(d.inputs)
        things = dict(zip(d.inputs, op.inputs)) | dict(zip(d.outputs, op.outputs))
        things |= {f"d{o}": g for o, g in zip(d.outputs, grads)} | dict(zip(self._kept, list(op.inputs)[n + 1 :]))
        result = self._grad(things)
        result = list(result) if isinstance(result, (tuple, list)) else [result]
        if len(result) != n:
            raise ValueError(f"{self.name}: grad must give a gradient for each of {', '.join(d.inputs)}: got {len(result)}")
        for name, x, dx in zip(d.inputs, op.inputs, result):
            if tf.is_tensor(dx) and x.dtype.is_floating:
                if dx.dtype != x.dtype or not x.shape.is_compatible_with(dx.shape):
                    raise ValueError(
                        f"{self.name}: grad must give for {name} {x.dtype.name} {x.shape}, got {dx.dtype.name} {dx.shape}"
                    )
        return [*result, *[None] * (len(op.inputs) - n)]

    def _named(self) -> str:
        d = self._declared
        return ", ".join([*d.inputs, *d.outputs, *(f"d{n}" for n in d.outputs), *self._attributes])


@tf.RegisterGradient("AscendKernel")
def _gradient(op, *grads):
    key = op.get_attr("gradient")
    key = key.decode() if isinstance(key, bytes) else key
    if key not in _kernels:
        raise LookupError(f"{key}: no kernel of this process; load it with softascend.load_ascendc again")
    return _kernels[key].gradient(op, *grads)
