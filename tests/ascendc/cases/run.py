#!/usr/bin/env python3
"""Runs the cases of the families in this folder and says which went wrong.

run.py PROGRAM [--cpu NAME]... [--under COMMAND] [FAMILY...]
"""
import argparse
import collections
import importlib
import pathlib
import shlex
import sys
import time

from lib import run

FOLDER = pathlib.Path(__file__).parent
FAMILIES = sorted(p.stem for p in FOLDER.glob("*.py") if p.stem not in ("lib", "run"))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program")
    options.add_argument("family", nargs="*")
    options.add_argument("--cpu", action="append")
    options.add_argument("--under", default="", help="a command that runs the program, for example an emulator")
    options.add_argument("--show", type=int, default=12, help="complaints to print of a family")
    o = options.parse_args()
    failed = 0
    for family in o.family or FAMILIES:
        cases = importlib.import_module(family).cases()
        for cpu in o.cpu or [None]:
            start = time.time()
            complaints = run([*shlex.split(o.under), o.program], cases, cpu)
            by_call = collections.Counter(c.split()[0] for c in complaints)
            for text in complaints[:o.show]:
                print(text)
            if complaints:
                print("wrong:", ", ".join(f"{n} ({k})" for n, k in by_call.items()))
            print(f"{family}{' on ' + cpu if cpu else ''}: {len(cases)} cases, {len(complaints)} wrong, "
                  f"{time.time() - start:.1f} s")
            failed += len(complaints)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
