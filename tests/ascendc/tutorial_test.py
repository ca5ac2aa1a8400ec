#!/usr/bin/env python3
"""A page's files and commands, run as its reader runs them, print what the page says.

`<!-- file: NAME -->` before a block of code: the block is that file. A block ```console: lines with
`$ ` are commands, the others what they print; … stands for any text in a line, alone for any lines.
Blocks of sh are not run. FOLDER: the page's paths begin there; its copy is where commands run.

tutorial_test.py BUILD PAGE [FOLDER]
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

build, page, *start = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
environment = dict(
    os.environ, ASCEND_HOME_PATH=str(build), PATH=f"{build}/bin:{os.environ['PATH']}",
    LD_LIBRARY_PATH=f"{build}/lib64:{os.environ.get('LD_LIBRARY_PATH', '')}")  # fmt: skip


def pattern(lines: list[str]) -> str:
    """The regular expression of expected lines."""
    parts = []
    for line in lines:
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(piece) for piece in line.split("…")) + r"\n")
    return "".join(parts)


text = page.read_text()
failed = ran = 0
with tempfile.TemporaryDirectory() as folder:
    if start:
        shutil.copytree(start[0], folder, dirs_exist_ok=True)
    blocks = re.finditer(r"(?:<!-- file: (\S+) -->\n)?```(\w+)\n(.*?)```\n", text, re.DOTALL)
    for name, kind, body in (block.groups() for block in blocks):
        if name:
            (pathlib.Path(folder) / name).write_text(body)
        if kind != "console":
            assert name or kind in ("text", "sh"), f"a block of {kind} does not say which file it is"
            continue
        steps: list[tuple[str, list[str]]] = []
        for line in body.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
        for command, expected in steps:
            if command.startswith("gdb ") and not shutil.which("gdb"):
                print(f"without gdb: {command}")
                continue
            got = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # fmt: skip
            ran += 1
            if not re.fullmatch(pattern(expected), got.stdout):
                failed += 1
                print(f"$ {command}\n{got.stdout}--- but the page says\n" + "\n".join(expected))
assert ran > 2, f"{ran} commands found in {page}"
print("failed" if failed else "passed")
sys.exit(failed != 0)
