#!/usr/bin/env python3
"""Side-by-side benchmarks: each case beside its peer in one process, turn about, medians with spread.

Run as ``./dev bench [case...]``; a case is a name or the start of one (``matmul``, ``sigmoid/f32``).
A ratio above 1 is ours ahead. Cases come from cases_*.py beside this file, targets from targets.py.
"""

from __future__ import annotations

import importlib
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
HERE = pathlib.Path(__file__).resolve().parent

import rows
import targets
from case import THREADS, Case

BACKENDS = ("generic", "avx2", "avx512", "avx512_bf16", "amx", "neon")


def cases() -> list[Case]:
    """Every case of every file, in the order of the table of targets."""
    found = []
    for path in sorted(HERE.glob("cases_*.py")):
        found += importlib.import_module(path.stem).cases()
    return sorted(found, key=lambda case: targets.place(case.name))


def main() -> int:
    parser = rows.parser("bench", __doc__.splitlines()[0])
    parser.add_argument("--cpu", choices=BACKENDS, help="run SoftAscend's bodies for this CPU (SOFTASCEND_CPU)")
    parser.add_argument("--roofline", metavar="FILE.png", help="also draw the operators under the machine's roofs")
    arguments = parser.parse_args()
    chosen = rows.choose(cases(), arguments)
    if isinstance(chosen, int):
        return chosen
    for file in (arguments.json, arguments.roofline):  # known before the time is spent
        folder = pathlib.Path(file or "-").resolve().parent
        if file and file != "-" and not os.access(folder, os.W_OK):
            print(f"bench: {file}: the folder {folder} does not exist or cannot be written", file=sys.stderr)
            return 2
    if arguments.cpu:
        os.environ["SOFTASCEND_CPU"] = arguments.cpu
    os.environ["SOFTASCEND_THREADS"] = str(THREADS)

    import machine
    from measure import Effort, measure

    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(THREADS)
    if not tf.config.list_physical_devices("NPU"):
        print("bench: no NPU device; run through ./dev bench", file=sys.stderr)
        return 1
    here = machine.this()
    if arguments.cpu not in (None, here.backend):
        print(f"bench: this CPU or build has no backend {arguments.cpu}", file=sys.stderr)
        return 1
    print(here.heading(), file=sys.stderr if arguments.json == "-" else sys.stdout)
    effort = Effort(arguments.seconds, arguments.rounds)
    results, failed = rows.table(chosen, lambda case: measure(case, here, effort), arguments.json)
    if arguments.roofline:
        import roofline

        try:
            roofline.draw(results, here, arguments.roofline)
        except (OSError, ValueError) as error:
            print(f"bench: --roofline {arguments.roofline}: {error}", file=sys.stderr)
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
