"""Builds an Ascend C file into a library with ``ascc``, once for its content, and says what is in it."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence

from softascend._library import library_folder


class CompileError(RuntimeError):
    """An Ascend C file does not compile; the text has the compiler's words, with file and line."""


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A kernel's parameter, as its library describes it (``softascend/launch.h``)."""

    name: str
    type: str
    bytes: int
    kind: str  # p(ointer) b(ool) f(loating) i(nteger) u(nsigned) s(tructure)
    element_kind: str
    element_bytes: int


@dataclasses.dataclass(frozen=True)
class Library:
    """A built file: its path, the kernels in it, and the user's files that it was made of."""

    path: pathlib.Path
    kernels: tuple[str, ...]
    files: tuple[str, ...]

    def parameters(self, kernel: str) -> tuple[Parameter, ...]:
        """What the kernel takes, in order."""
        return _parameters(str(self.path), kernel)


class _Description(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_char_p),
        ("bytes", ctypes.c_uint32),
        ("kind", ctypes.c_char),
        ("element_kind", ctypes.c_char),
        ("element_bytes", ctypes.c_uint16),
    ]


@functools.cache
def _parameters(path: str, kernel: str) -> tuple[Parameter, ...]:
    first = ctypes.addressof(_Description.in_dll(ctypes.CDLL(path), f"sa_parameters_{kernel}"))
    found: list[Parameter] = []
    while True:
        d = _Description.from_address(first + len(found) * ctypes.sizeof(_Description))
        if d.name is None:
            break
        name = d.name.decode() or f"argument{len(found)}"
        kinds = d.kind.decode(), d.element_kind.decode()
        found.append(Parameter(name, d.type.decode(), d.bytes, *kinds, d.element_bytes))
    return tuple(found)


def cache_folder() -> pathlib.Path:
    """Where built kernels are kept: ``$SOFTASCEND_CACHE``, else in the user's cache folder.

    A folder that cannot be written is replaced by one that lives as long as the process.
    """
    if named := os.environ.get("SOFTASCEND_CACHE"):
        folder = pathlib.Path(named)
    else:
        user = os.environ.get("XDG_CACHE_HOME")
        folder = (pathlib.Path(user) if user else pathlib.Path.home() / ".cache") / "softascend"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    except OSError:
        pass
    return _passing_folder()


@functools.cache
def _passing_folder() -> pathlib.Path:
    _passing_folder.kept = tempfile.TemporaryDirectory(prefix="softascend-")
    return pathlib.Path(_passing_folder.kept.name)


def _home() -> pathlib.Path:
    home = library_folder().parent
    if not (home / "bin" / "ascc").exists():
        raise FileNotFoundError(
            f"softascend: {home / 'bin' / 'ascc'} is missing: the installation has no compiler for Ascend C"
        )
    return home


@functools.cache
def _compiler_identity() -> str:
    """Changes when ascc, its headers or the C++ compiler do."""
    home = _home()
    parts = []
    for file in [home / "bin" / "ascc", *sorted((home / "include").rglob("*.h"))]:
        state = file.stat()
        parts.append(f"{file}:{state.st_size}:{state.st_mtime_ns}")
    compiler = shutil.which((os.environ.get("CXX") or "g++").split()[0])
    if compiler:
        state = os.stat(compiler)
        parts.append(f"{os.path.realpath(compiler)}:{state.st_size}:{state.st_mtime_ns}")
    return "\n".join(parts)


def _digest(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:32]


def _content(file: str) -> str | None:
    try:
        return hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()
    except OSError:
        return None


def _cached(folder: pathlib.Path) -> Library | None:
    """What an earlier build left, if none of the files that it read has changed."""
    try:
        record = json.loads((folder / "record.json").read_text())
        library = folder / record["library"]
        if library.exists() and all(_content(f) == was for f, was in record["files"].items()):
            return Library(library, tuple(record["kernels"]), tuple(record["files"]))
    except (OSError, ValueError, KeyError):
        pass
    return None


def _dependencies(text: str) -> list[str]:
    """The files of a rule of make; system headers are not in it."""
    words = re.findall(r"(?:\\.|[^\s\\])+", text.replace("\\\n", " ").split(":", 1)[1])
    return [re.sub(r"\\(.)", r"\1", w).replace("$$", "$") for w in words]


def _command(source: pathlib.Path, options: Sequence[str], library: pathlib.Path, folder: str) -> list[str]:
    flags = ["-shared", "-fPIC", "-Wl,-Bsymbolic"]  # a kernel may be called `exp`
    if "clang" not in (os.environ.get("CXX") or "g++"):
        flags.append("-fno-gnu-unique")  # variants of one file have statics of one name
    dependencies = ["-MMD", "-MF", f"{folder}/depends", "-MT", "library"]
    return [
        str(_home() / "bin" / "ascc"), *flags, *options, *dependencies,
        f"--launch-headers={folder}/headers", "-o", str(library), str(source),
    ]  # fmt: skip


def _explain(source: pathlib.Path, done: subprocess.CompletedProcess) -> CompileError:
    said = done.stderr.strip() or f"ascc ended with code {done.returncode} and no message"
    first = re.search(r"^.*?:\d+.*?(?:fatal )?error: .*$", said, re.M)
    head = first.group(0) if first else said.splitlines()[0]
    return CompileError(f"{source} does not compile: {head}\n\n{said}")


def build(source: os.PathLike | str, options: Sequence[str] = ()) -> Library:
    """The library of an Ascend C file, built now or found in the cache.

    Parameters
    ----------
    source
        The file. It is compiled in place, so that errors and faults name its lines.
    options
        More options for ``ascc``, which takes those of g++.

    Raises
    ------
    FileNotFoundError, CompileError
    """
    source = pathlib.Path(source).expanduser().absolute()
    if not source.is_file():
        raise FileNotFoundError(f"softascend.load_ascendc: {source}: no such file")
    folder = cache_folder() / f"{source.stem}-{_digest(source, _compiler_identity(), *options)}"
    if found := _cached(folder):
        return found
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Built beside and moved in place whole: several processes may do this at once.
    with tempfile.TemporaryDirectory(dir=folder, prefix="build-") as work:
        made = pathlib.Path(work) / "library.so"
        done = subprocess.run(
            _command(source, options, made, work), capture_output=True, text=True, errors="replace"
        )
        if done.returncode:
            raise _explain(source, done)
        files = _dependencies(pathlib.Path(work, "depends").read_text())
        files = [str(pathlib.Path(f).absolute()) for f in files if not f.startswith(work)]
        kernels = sorted(h.stem.removeprefix("aclrtlaunch_") for h in pathlib.Path(work).glob("headers/*.h"))
        contents = {f: _content(f) for f in files}
        library = folder / f"{source.stem}-{_digest(*contents.values())}.so"
        record = {"library": library.name, "kernels": kernels, "files": contents}
        pathlib.Path(work, "record.json").write_text(json.dumps(record, indent=1))
        os.replace(made, library)
        os.replace(pathlib.Path(work, "record.json"), folder / "record.json")
    return Library(library, tuple(kernels), tuple(files))
