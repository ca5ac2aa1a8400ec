"""What a kernel's file has, against what `load_ascendc` was told about it."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from softascend.ascendc.library import Library, Parameter
from softascend.ascendc.spec import CTYPES, Spec

_BY_KIND = {
    ("f", 4): "float32", ("f", 8): "float64", ("b", 1): "bool", ("i", 1): "int8", ("i", 2): "int16", ("i", 4): "int32",
    ("i", 8): "int64", ("u", 2): "uint16", ("u", 4): "uint32", ("u", 8): "uint64",
}  # fmt: skip


def _named(said: object, what: str) -> Mapping:
    if not isinstance(said, Mapping):
        raise TypeError(f"{what} must be a dict with the kernel's parameters as names, got {said!r}")
    return said


def parse_inputs(inputs: Mapping[str, str]) -> dict[str, Spec]:
    """Input specs by name."""
    specs = {n: Spec.parse(s, f"input {n}") for n, s in _named(inputs, "inputs").items()}
    for n, spec in specs.items():
        spec.check_dtypes(f"input {n}")
    return specs


def parse_outputs(outputs: Mapping[str, str | tuple[str, Callable]]) -> dict[str, Spec]:
    """Output specs by name."""
    specs = {}
    for n, said in _named(outputs, "outputs").items():
        if isinstance(said, tuple):
            if len(said) != 2 or not callable(said[1]):
                raise ValueError(f"output {n}: {said!r} is no pair of a dtype and a function that gives the shape")
            specs[n] = dataclasses.replace(Spec.parse(said[0], f"output {n}"), make=said[1])
        else:
            specs[n] = Spec.parse(said, f"output {n}")
    return specs


def choose(library: Library, kernel: str | None, source: os.PathLike | str) -> str:
    """The kernel's name. Raises ValueError with those that there are."""
    stem = os.path.splitext(os.path.basename(source))[0]
    name = kernel or (library.kernels[0] if len(library.kernels) == 1 else stem)
    if name not in library.kernels:
        there = ", ".join(library.kernels) or 'none; one is extern "C" __global__ __aicore__ void, and no template'
        raise ValueError(f"{source}: there is no kernel {name}; the kernels are: {there}")
    return name


@dataclasses.dataclass
class Declaration:
    """A kernel's parameters with what was said about them; in the kernel's order once `settle` has run.

    Attributes
    ----------
    roles
        A letter for every parameter, as the op ``AscendKernel`` has them.
    given
        The parameters that take a value.
    """

    op: str
    described: Sequence[Parameter]
    inputs: dict[str, Spec]
    outputs: dict[str, Spec]
    values: Mapping[str, object]
    zero: Iterable[str]
    roles: str = ""
    given: dict[str, Parameter] = dataclasses.field(default_factory=dict)

    def settle(self, has_workspace: bool) -> None:
        """Checks names and dtypes, fills in what the kernel's own types say. Raises ValueError."""
        self._check_names(has_workspace)
        for p in self.described:
            specs = self.inputs if p.name in self.inputs else self.outputs
            if p.name in specs:
                specs[p.name] = self._with_dtype(p, specs[p.name])
        self._check_specs()
        names = [p.name for p in self.described]
        self.inputs = {n: self.inputs[n] for n in names if n in self.inputs}
        self.outputs = {n: self.outputs[n] for n in names if n in self.outputs}
        for p in self.described:
            if p.name in self.inputs:
                self.roles += "i"
            elif p.name in self.outputs:
                self.roles += "z" if p.name in self.zero else "o"
            elif p.kind == "p" and p.name not in self.values:
                self.roles += "w"
            else:
                self.roles += "t" if p.kind == "p" else "v"
                self.given[p.name] = p

    def dims(self) -> set[str]:
        """Dimensions that inputs name."""
        return set().union(*(s.names() for s in self.inputs.values()))

    def output_dtype(self, n: str, dtypes: Mapping[str, str]) -> str:
        """Of an output, when the inputs have these."""
        said = self.outputs[n].dtypes[0]
        return dtypes.get(said, said)

    def _check_names(self, has_workspace: bool) -> None:
        op, pointers = self.op, [p.name for p in self.described if p.kind == "p"]
        others = {p.name for p in self.described} - {*self.inputs, *self.outputs}
        there = ", ".join(f"{p.type} {p.name}" for p in self.described)
        for kind, names in (("input", self.inputs), ("output", self.outputs)):
            for n in names:
                if n not in pointers:
                    raise ValueError(f"{op}: {kind} {n} is no pointer parameter of the kernel, which takes ({there})")
        for n in self.inputs:
            if n in self.outputs:
                raise ValueError(f"{op}: {n} is both input and output; an op does not write what it reads")
        for n in self.values:
            if n not in others:
                raise ValueError(f"{op}: value {n} is no other parameter of the kernel, which takes ({there})")
        for n in self.zero:
            if n not in self.outputs:
                raise ValueError(f"{op}: zero names {n}, which is no output")
        if not self.outputs:
            raise ValueError(f"{op}: an op has an output; the kernel takes ({there})")
        for n in pointers:
            if n in others and n not in self.values and n != "workspace":
                raise ValueError(f"{op}: the kernel's pointer {n} is neither input, output nor value")
        if has_workspace and "workspace" not in others:
            raise ValueError(f"{op}: the kernel has no parameter `workspace`; it takes ({there})")

    def _with_dtype(self, p: Parameter, spec: Spec) -> Spec:
        """The spec with the dtype of the kernel's pointer, if that has one (GM_ADDR has none)."""
        named = {c: d for d, c in CTYPES.items() if c in ("half", "bfloat16_t")}
        dtype = next((named[w] for w in p.type.replace("*", " ").split() if w in named), None)
        dtype = dtype or _BY_KIND.get((p.element_kind, p.element_bytes))
        if dtype and not spec.dtypes:
            return dataclasses.replace(spec, dtypes=(dtype,))
        if dtype and spec.dtypes[0] in CTYPES and dtype not in spec.dtypes:
            raise ValueError(f"{self.op}: {p.name} is a {p.type} in the kernel: {dtype}, not {spec.text}")
        return spec

    def _check_specs(self) -> None:
        for n, spec in self.inputs.items():
            if not spec.dtypes:
                raise ValueError(f"{self.op}: input {n} is {spec.text!r}: which dtype does the kernel read?")
        for n, spec in self.outputs.items():
            if len(spec.dtypes) != 1 or spec.dtypes[0] not in {*CTYPES, *self.inputs}:
                raise ValueError(
                    f"{self.op}: output {n} is {spec.text!r}: it needs one dtype, or the name of the input it is like"
                )
            if spec.dtypes[0] in CTYPES and spec.dims is None and not spec.make:
                raise ValueError(f'{self.op}: output {n} is {spec.text!r}, of which shape? "{spec.text}[...]" or so')
            if unknown := spec.names() - self.dims():
                raise ValueError(f"{self.op}: output {n}: no input has the dimension {sorted(unknown)[0]}")

    def check_variants(self, library: Library) -> None:
        """A kernel for several dtypes must be able to know the one of a call."""
        several = [n for n, s in self.inputs.items() if len(s.dtypes) > 1]
        if several and not any(map(callable, self.values.values())):
            texts = (open(f, errors="replace").read() for f in library.files)
            if not any("DTYPE_" in t for t in texts):
                raise ValueError(
                    f"{self.op}: {several[0]} may have several dtypes, and the kernel does not use "
                    f"DTYPE_{several[0].upper()}, which tells it the one that it is compiled for"
                )
