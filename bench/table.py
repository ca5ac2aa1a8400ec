#!/usr/bin/env python3
"""Writes the rows of a run into the documentation, between its marks.

    ./dev bench all --json rows.json && bench/table.py rows.json

Rows of kernels/ go to docs/kernel-bench.md, the others to docs/performance.md: a run with SOFTASCEND_CPU=avx2 or
generic into the table of that name, any other into the first. A table is replaced whole by the rows of all files given.
"""

from __future__ import annotations

import argparse
import datetime
import json
import pathlib
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
HEAD = "| case | ours | peer | unit | ratio | quartiles | target | nearest roof | peer |\n|---|---:|---:|---|---:|---|---|---|---|\n"


def document(row: dict) -> tuple[str, str]:
    """The file and the name of the table of a row."""
    if row["case"].startswith("kernels/"):
        return "kernel-bench.md", "kernels"
    return "performance.md", row["backend"] if row["backend"] in ("avx2", "generic") else "best"


def line(row: dict) -> str:
    spread = f"{number(row['low'])} - {number(row['high'])}" if "low" in row else ""
    wanted = ""
    if "target" in row:
        sign = "<=" if row.get("lower_is_better") else ">="
        wanted = f"{sign} {row['target']:g}: {'met' if row['met'] else '**not met**'}"
        if row["met"] and not row.get("lower_is_better") and row["ratio"] < row["target"]:
            wanted += " at 0.92 of the peak"
    values = [row["case"], f"{row['ours']:.3g}", f"{row['peer']:.3g}", row["unit"], number(row["ratio"]), spread, wanted]
    return "| " + " | ".join([*values, roof(row), row["peer_name"]]) + " |\n"


def number(x: float) -> str:
    return f"{x:.2f}" if x < 100 else f"{x:.0f}"


def roof(row: dict) -> str:
    """Which of the machine's limits, measured beside the row, is nearest, and how near."""
    shares = []
    if row.get("peak"):
        shares.append((row["gflops"] / row["peak"], "of the multiply-add peak"))
    if row.get("copy"):
        shares.append((row["gbytes"] / row["copy"], "of a copy's rate"))
    return "{:.2f} {}".format(*max(shares)) if shares else ""


def table(rows: list[dict]) -> str:
    first = rows[0]
    day = datetime.date.today().isoformat()
    where = f"{first['cpu']}, SoftAscend's {first['backend']} bodies, {first['threads']} threads on both sides; {day}."
    return f"{where}\n\n{HEAD}{''.join(map(line, rows))}"


def fill(text: str, name: str, content: str) -> str:
    """`text` with `content` between the marks of that name.

    Raises
    ------
    ValueError
        if the marks are not there.
    """
    begin, end = f"<!-- bench {name} -->\n", f"<!-- end {name} -->\n"
    before, mark, rest = text.partition(begin)
    _, other, after = rest.partition(end)
    if not mark or not other:
        raise ValueError(f"no marks {begin.strip()} and {end.strip()}")
    return before + begin + content + end + after


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="+", help="what ./dev bench --json wrote")
    parser.add_argument("--docs", type=pathlib.Path, default=DOCS, help="the folder of the documents (default docs/)")
    given = parser.parse_args()
    tables: dict[tuple[str, str], dict[str, dict]] = {}
    for file in given.file:
        for row in json.loads(pathlib.Path(file).read_text(encoding="utf-8")):
            tables.setdefault(document(row), {})[row["case"]] = row
    for (name, block), rows in tables.items():
        path = given.docs / name
        try:
            path.write_text(fill(path.read_text(encoding="utf-8"), block, table(list(rows.values()))), encoding="utf-8")
        except (OSError, ValueError) as error:
            print(f"table: {path}: {error}", file=sys.stderr)
            return 1
        print(f"{path}: {block}, {len(rows)} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
