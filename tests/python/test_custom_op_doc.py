"""docs/custom-op.md: every block of it is run, or compared with what it shows."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent.parent
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", (ROOT / "docs" / "custom-op.md").read_text(), re.M | re.S)


def of(language):
    return [text for kind, text in BLOCKS if kind == language]


def test_kinds():
    assert {kind for kind, _ in BLOCKS} == {"cpp", "python", "text", "sh"}


def test_kernels_are_the_files():
    files = [ROOT / "examples" / "custom_op" / name for name in ("sigmoid.cpp", "matmul.cpp")]
    assert of("cpp") == [f.read_text() for f in files]


def test_python(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SOFTASCEND_CACHE", str(tmp_path))
    monkeypatch.chdir(ROOT / "examples" / "custom_op")
    scope = {}
    for text in of("python"):
        exec(compile(text, "custom-op.md", "exec"), scope)
    assert [capsys.readouterr().out] == of("text")


def test_commands(tmp_path):
    (script,) = of("sh")
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (bin / "python3").chmod(0o755)
    environment = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-e", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "100% tests passed" in done.stdout, done.stdout + done.stderr
