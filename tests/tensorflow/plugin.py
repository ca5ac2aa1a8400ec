"""The plug-in's own list of its kernels."""

import ctypes
import itertools
import os
import pathlib


def path() -> pathlib.Path:
    named = pathlib.Path(os.environ["TF_PLUGGABLE_DEVICE_LIBRARY_PATH"])
    return named / "libsoftascend_tf.so" if named.is_dir() else named


def rows() -> list[tuple[str, dict[str, list[str]]]]:
    """Rows of the kernel table: op, {type attribute: dtype names}."""
    table = ctypes.CDLL(str(path())).sa_tf_kernel_table
    table.restype = ctypes.c_char_p
    result = []
    for line in table().decode().splitlines():
        op, *attributes = line.split()
        result.append((op, {a.split("=")[0]: a.split("=")[1].split(",") for a in attributes}))
    return result


def kernels() -> list[tuple[str, dict[str, str]]]:
    """Every registered kernel: op, {type attribute: dtype name}."""
    return [
        (op, dict(zip(types, combination)))
        for op, types in rows()
        for combination in itertools.product(*types.values())
    ]
