"""Finds SoftAscend's libraries and loads the op definitions."""

from __future__ import annotations

import functools
import os
import pathlib

_OPS = "libsoftascend_ops.so"


def library_folder() -> pathlib.Path:
    """Folder of SoftAscend's libraries.

    Looked for in this order: beside this package (an installed wheel), in ``$ASCEND_HOME_PATH/lib64``
    (an installed tree), beside the plug-in that ``$TF_PLUGGABLE_DEVICE_LIBRARY_PATH`` names (a build
    tree).

    Raises
    ------
    ImportError
        If none of them holds the library; the text lists where it looked.
    """
    places = [pathlib.Path(__file__).parent / "lib64"]
    if home := os.environ.get("ASCEND_HOME_PATH"):
        places.append(pathlib.Path(home) / "lib64")
    if plugin := os.environ.get("TF_PLUGGABLE_DEVICE_LIBRARY_PATH"):
        path = pathlib.Path(plugin)
        places.append(path if path.is_dir() else path.parent)
    for place in places:
        if (place / _OPS).exists():
            return place
    looked = ", ".join(str(p) for p in places)
    raise ImportError(
        f"softascend: {_OPS} not found (looked in {looked}). "
        "Install the package with `pip install .`, or run through `./dev run`."
    )


@functools.cache
def load_ops():
    """The generated Python wrappers of SoftAscend's TensorFlow ops; TensorFlow writes them anew at each loading."""
    import tensorflow as tf

    return tf.load_op_library(str(library_folder() / _OPS))
