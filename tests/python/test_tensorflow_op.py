"""examples/tensorflow_op, built by CMake as its README says, passes its own test."""

import os
import pathlib
import subprocess
import sys

EXAMPLE = pathlib.Path(__file__).parent.parent.parent / "examples" / "tensorflow_op"


def test_built_and_tested(tmp_path):
    environment = {k: v for k, v in os.environ.items() if k not in ("CXXFLAGS", "EXAMPLE_OPS")}
    commands = [
        ["cmake", "-S", EXAMPLE, "-B", tmp_path, f"-DPython3_EXECUTABLE={sys.executable}"],
        ["cmake", "--build", tmp_path],
        ["ctest", "--test-dir", tmp_path, "--output-on-failure"],
    ]
    for command in commands:
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "1 tests passed" in done.stdout or "100% tests passed" in done.stdout, done.stdout
