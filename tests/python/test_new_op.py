"""`softascend new-op`: what it writes builds and passes its test; what it refuses."""

import os
import subprocess
import sys

import pytest


def run(*words, cwd, **environment):
    return subprocess.run(
        words, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, errors="replace"
    )


def test_passes_as_written(tmp_path):
    done = run("softascend", "new-op", "conv2_like", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    # without the variable, it finds the toolkit of the program that wrote it
    commands = [line.strip() for line in done.stdout.splitlines() if line.startswith("  ")]
    assert len(commands) == 3
    for command in commands:
        command = command.replace("$(which python3)", sys.executable)
        done = run("sh", "-c", command, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "100% tests passed" in done.stdout
    written = {p.name for p in (tmp_path / "conv2_like").iterdir() if p.is_file()}
    assert written == {
        "CMakeLists.txt", "README.md", "conv2_like_kernel.cpp", "conv2_like_tiling.h", "conv2_like_op.cc",
        "conv2_like.py", "test_conv2_like.py",
    }  # fmt: skip
    for name in written:
        text = (tmp_path / "conv2_like" / name).read_text()
        assert not any(mark in text for mark in ("@name@", "@Name@", "@NAME@", "@home@"))


@pytest.mark.parametrize(
    "name",
    ["Relu", "2d", "a-b", "../x", "", "x__y", "_x", "x_", "a_2", "class", "import", "numpy", "ü", "x" * 49, "a b"]
    + ["test", "all", "install", "tf", "np", "x", "shape", *sorted(sys.stdlib_module_names & {"copy", "math", "random", "re"})],
)
def test_bad_names(tmp_path, name):
    done = run("softascend", "new-op", name, cwd=tmp_path)
    assert done.returncode == 2 and f'"{name}" cannot be an op\'s name' in done.stderr
    assert not list(tmp_path.iterdir())


def test_existing_folder_and_usage(tmp_path):
    (tmp_path / "mine").mkdir()
    done = run("softascend", "new-op", "mine", cwd=tmp_path)
    assert done.returncode == 2 and "mine: exists already" in done.stderr and not list((tmp_path / "mine").iterdir())
    assert run("softascend", "new-op", cwd=tmp_path).returncode == 2
    assert run("softascend", "new-op", "a", "b", cwd=tmp_path).returncode == 2
    done = run("softascend", "new-op", "--help", cwd=tmp_path)
    assert done.returncode == 0 and "NAME" in done.stdout and "Ascend C" in done.stdout
    assert "new-op" in run("softascend", "--help", cwd=tmp_path).stdout
