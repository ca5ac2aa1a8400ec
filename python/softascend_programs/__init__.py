"""The programs of an installed package as commands of its environment. A package of its own, since importing
`softascend` imports TensorFlow, which takes seconds."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import sys


def _become(program: str) -> None:
    spec = importlib.util.find_spec("softascend")
    path = pathlib.Path(spec.origin).parent / "bin" / program if spec else None
    if path is None or not path.exists():
        sys.exit(f"{program}: not found in the package softascend ({path}); install it with `pip install .`")
    os.execv(path, [str(path), *sys.argv[1:]])


def softascend() -> None:
    """The command `softascend`."""
    _become("softascend")


def ascc() -> None:
    """The command `ascc`."""
    _become("ascc")
