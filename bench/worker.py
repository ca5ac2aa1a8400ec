"""A peer in a process and an environment of its own, over a pipe of lines of JSON.

`Worker` is our end. `serve` is the loop of a script that runs there: ``{"versions": true}`` is answered by what it
has, ``{"make": [...]}`` makes, runs and checks a problem and gives its number, ``{"time": [number, count]}`` gives
seconds a run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

# Pools of threads look for work for a while after a run: not in the other side's time.
SETTLE = 0.003


class Unavailable(Exception):
    """A side cannot be had here; the text says what to do."""


class Worker:
    def __init__(self, python: str, script: str, threads: int) -> None:
        # Ours are for us, and the settings of some machines make a current OpenBLAS slow.
        ours = ("OPENBLAS_", "PYTHONPATH", "LD_LIBRARY_PATH", "TF_PLUGGABLE_DEVICE_LIBRARY_PATH")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        environment |= {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
        self._process = subprocess.Popen(
            [python, script], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.versions: dict[str, str | None] = self.ask({"versions": True})

    def ask(self, wish: dict) -> Any:
        self._process.stdin.write(json.dumps(wish) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer = json.loads(line) if line else {"error": "the peers' process ended"}
        if "error" in answer:
            raise Unavailable(f"{wish}: {answer['error']}")
        return answer["answer"]

    def make(self, *problem) -> Callable[[int], float]:
        """Seconds of one of `count` runs of a problem."""
        number = self.ask({"make": problem})

        def seconds(count: int) -> float:
            time.sleep(SETTLE)
            answer = self.ask({"time": [number, count]})
            self._rest()
            return answer

        return seconds

    def _rest(self) -> None:
        """Waits until the process computes no more: OpenBLAS's threads spin for a tenth of a second after a product."""
        before = None
        for _ in range(20):
            now = cpu_ticks(self._process.pid)
            if now == before:
                return
            before = now
            time.sleep(0.03)


def cpu_ticks(pid: int) -> int:
    """What a process has computed so far, in hundredths of a second; 0 where the system does not say."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
            fields = f.read().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


def serve(versions: Callable[[], dict], make: Callable[..., Callable[[], object]]) -> None:
    """Answers until the pipe ends. The latest problems are kept, as many as a case has."""
    answers, sys.stdout = sys.stdout, sys.stderr
    runs: dict[int, Callable[[], object]] = {}
    made = 0
    for line in sys.stdin:
        wish = json.loads(line)
        try:
            if "versions" in wish:
                answer = versions()
            elif "make" in wish:
                made += 1
                runs[made] = make(*wish["make"])
                runs.pop(made - 8, None)
                answer = made
            else:
                number, count = wish["time"]
                run = runs[number]
                start = time.perf_counter()
                for _ in range(count):
                    run()
                answer = (time.perf_counter() - start) / count
                time.sleep(SETTLE)
            text = json.dumps({"answer": answer})
        except Exception as error:  # whatever a peer throws is the answer
            text = json.dumps({"error": f"{type(error).__name__}: {error}"})
        print(text, file=answers, flush=True)
