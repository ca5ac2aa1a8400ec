"""What a run prints and writes: the choice of cases, a line for each row, JSON."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence

from worker import Unavailable


def parser(prog: str, description: str) -> argparse.ArgumentParser:
    """The arguments that every table takes."""
    made = argparse.ArgumentParser(prog=prog, description=description)
    made.add_argument("case", nargs="*", help="a case, or the start of its name; all if none, or all")
    made.add_argument("--json", metavar="FILE", help="also write the rows to FILE; - is standard output")
    made.add_argument("--list", action="store_true", help="name the cases and stop")
    made.add_argument("--seconds", type=_positive(float), default=3.0, help="for a case (default %(default)s)")
    made.add_argument("--rounds", type=_positive(int), default=25, help="turns of each side at most (default %(default)s)")
    return made


def _positive(kind: type) -> Callable[[str], float]:
    def read(text: str):
        value = kind(text)
        if not 0 < value < 1e6:
            raise argparse.ArgumentTypeError(f"{text} is not above 0")
        return value

    read.__name__ = "number"  # for argparse's own message
    return read


def choose(cases: Sequence, arguments: argparse.Namespace) -> list | int:
    """Those asked for, or the exit code if there is nothing to measure."""
    wanted = [] if "all" in arguments.case else [w.rstrip("*") for w in arguments.case]
    unknown = [w for w in wanted if not any(c.name.startswith(w) for c in cases)]
    if unknown:
        print(f"bench: no case starts with {' or '.join(unknown)}; see --list", file=sys.stderr)
        return 2
    chosen = [c for c in cases if not wanted or any(c.name.startswith(w) for w in wanted)]
    if arguments.list:
        print("\n".join(case.name for case in chosen))
        return 0
    return chosen


def line(row: dict, width: int) -> str:
    """A row of the table; `width` is the case's column."""
    spread = f"{_number(row['low'])} - {_number(row['high'])}" if "low" in row else ""
    verdict = "" if "target" not in row else f"{'met' if row['met'] else 'NOT MET'} ({row['target']:g})"
    text = (
        f"{row['case']:{width}} {row['ours']:9.3g} {row['peer']:9.3g} {row['unit']:13} {_number(row['ratio']):>6}  "
        f"{spread:13}  {verdict:15} {row['peer_name']}"
    )
    return text + (f"; {row['note']}" if "note" in row else "")


def _number(x: float) -> str:
    return f"{x:.2f}" if x < 100 else f"{x:.0f}"


def table(cases: Sequence, measure: Callable[[object], dict], file: str | None) -> tuple[list[dict], int]:
    """Measures the cases, prints a line for each as it is there, and writes them to `file` if one is named.

    A case whose peer is not installed is left out and said so. One that fails is named on standard error and has no
    row; the others are measured. Gives the rows and how many failed.
    """
    out = sys.stderr if file == "-" else sys.stdout
    width = max(len(case.name) for case in cases)
    print(
        f"{'case':{width}} {'ours':>9} {'peer':>9} {'unit':13} {'ratio':>6}  {'quartiles':13}  {'target':15} peer", file=out
    )
    results, begin = [], time.monotonic()
    left_out: dict[str, list[str]] = {}
    failed = 0
    for done, case in enumerate(cases):
        progress = _Progress(done, len(cases), case.name, time.monotonic() - begin)
        try:
            row = measure(case)
        except Unavailable as reason:
            progress.clear()
            left_out.setdefault(str(reason), []).append(case.name)
            continue
        except Exception as error:  # one case must not cost the others of a long run
            progress.clear()
            print(f"bench: {case.name}: {type(error).__name__}: {error}", file=sys.stderr)
            failed += 1
            continue
        progress.clear()
        results.append(row)
        print(line(row, width), file=out, flush=True)
    judged = [row for row in results if "target" in row]
    if judged:
        print(f"{sum(row['met'] for row in judged)} of {len(judged)} targets met", file=out)
    for reason, names in left_out.items():
        print(f"left out: {len(names)} cases, {names[0]} ...: {reason}", file=out)
    if file:
        write(results, file)
    return results, failed


def write(results: Sequence[dict], file: str) -> None:
    text = json.dumps(list(results), indent=2) + "\n"
    if file == "-":
        sys.stdout.write(text)
    else:
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)


class _Progress:
    """Which case runs and how long the rest may take, on a terminal's last line."""

    def __init__(self, done: int, count: int, name: str, seconds: float) -> None:
        self.shown = sys.stderr.isatty()
        if self.shown:
            left = f", about {seconds / done * (count - done):.0f} s left" if done else ""
            print(f"[{done + 1}/{count}] {name}{left}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
