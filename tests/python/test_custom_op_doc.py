"""docs/custom-op.md: every block of it is run, or compared with what it shows."""

import pathlib
import re
import subprocess

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


def test_commands_are_what_new_op_prints(tmp_path):
    """test_new_op.py runs what new-op prints."""
    (script,) = of("sh")
    first, *rest = script.splitlines()
    done = subprocess.run(first.split(), cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert rest == [line.strip() for line in done.stdout.splitlines() if line.startswith("  ")]
