#!/usr/bin/env python3
"""The code in docs/kernels-in-c.md is the examples', to the letter and all of the kernels.

doc_test.py SOURCE
"""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
text = (source / "docs/kernels-in-c.md").read_text()
blocks = re.findall(r"<!-- (examples/\S+) -->\n```c\n(.*?)\n```", text, re.DOTALL)
assert len(blocks) == text.count("```c\n"), "a block of code does not say which file it is from"

failed = 0
for name in sorted({name for name, _ in blocks}):
    lines = (source / name).read_text().split("\n")
    at = 0  # blocks come in the file's order; between them only blank lines may be left out
    for code in (code.split("\n") for file, code in blocks if file == name):
        starts = [i for i in range(len(lines)) if lines[i : i + len(code)] == code]
        start = next((i for i in starts if i >= at), None)
        if start is None:
            print(f"{name} does not have (after line {at}):\n" + "\n".join(code))
            failed = 1
            continue
        if at and any(lines[at:start]):
            print(f"the page leaves out {name}:{at + 1}:\n" + "\n".join(lines[at:start]))
            failed = 1
        at = start + len(code)
    if not re.search(r"_kernel\(", "\n".join(lines[:at])) or lines[at - 1] != "}":
        print(f"the page does not read {name}'s kernel to its end")
        failed = 1
for picture in re.findall(r"\]\((\S+?\.svg)\)", text):
    if not (source / "docs" / picture).exists():
        print(f"docs/{picture} is missing")
        failed = 1
print("failed" if failed else "passed")
sys.exit(failed)
