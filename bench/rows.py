"""What the benchmarks share: choosing cases, a row of figures from the rounds' times, the table."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Sequence


def parser(prog: str, description: str) -> argparse.ArgumentParser:
    """The arguments that every table takes."""
    made = argparse.ArgumentParser(prog=prog, description=description)
    made.add_argument("case", nargs="*", help="a case, or the start of its name; all if none")
    made.add_argument("--json", metavar="FILE", help="also write the rows to FILE")
    made.add_argument("--list", action="store_true", help="name the cases and stop")
    return made


def choose(cases: Sequence, arguments: argparse.Namespace) -> list | int:
    """Those asked for, or the exit code if there is nothing to measure."""
    chosen = [c for c in cases if not arguments.case or any(c.name.startswith(want) for want in arguments.case)]
    if arguments.list:
        print("\n".join(case.name for case in chosen))
        return 0
    if not chosen:
        print(f"bench: no case starts with {' or '.join(arguments.case)}; see --list", file=sys.stderr)
        return 2
    return chosen


def row(case, peer_name: str, times: Sequence[tuple[float, float]]) -> dict[str, object]:
    """A case's row, from seconds of ours and the peer's in each round.

    Returns
    -------
    dict with ``case``, ``ours`` and ``peer`` (medians, in ``unit``), ``peer_name``, ``ratio`` (median of the
    rounds' ratios, above 1 where ours is faster) and its ``low`` and ``high`` quartiles.
    """
    ratios = sorted(b / a for a, b in times)
    return {
        "case": case.name,
        "ours": case.work / statistics.median(a for a, _ in times),
        "peer": case.work / statistics.median(b for _, b in times),
        "peer_name": peer_name,
        "unit": case.unit,
        "ratio": statistics.median(ratios),
        "low": ratios[len(ratios) // 4],
        "high": ratios[-1 - len(ratios) // 4],
    }


def table(
    cases: Sequence, measure: Callable[..., dict], file: str | None, *, heads: tuple[str, str], widths: tuple[int, int, int],
    name_peers: bool = False,
) -> None:  # fmt: skip
    """Measures the cases, prints a line for each as it is there, and writes them to `file` if one is named."""
    case_width, unit_width, ratio_width = widths
    print(
        f"{'case':{case_width}} {heads[0]:>9} {heads[1]:>9} {'unit':{unit_width}} {'ratio':>{ratio_width}}  (quartiles)"
        + ("  peer" if name_peers else "")
    )
    results = []
    for case in cases:
        r = measure(case)
        results.append(r)
        print(
            f"{r['case']:{case_width}} {r['ours']:9.3g} {r['peer']:9.3g} {r['unit']:{unit_width}} "
            f"{r['ratio']:{ratio_width}.2f}  ({r['low']:.2f} - {r['high']:.2f})"
            + (f"  {r['peer_name']}" if name_peers else ""),
            flush=True,
        )
    if file:
        with open(file, "w", encoding="utf-8") as out:
            json.dump(results, out, indent=2)
            out.write("\n")
