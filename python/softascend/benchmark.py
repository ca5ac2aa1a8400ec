"""Sigmoid on the NPU beside TensorFlow's CPU device over sizes, and a monitor of memory.

Run as ``python -m softascend.benchmark [--sizes N...] [--dtypes T...] [--output DIR] [--json FILE]``. The plot needs
matplotlib: ``pip install softascend[plots]``. The project's own table of cases is ``./dev bench``.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

from softascend.memory import monitor_memory_usage

__all__ = ["DTYPES", "SIZES", "SigmoidBenchmark", "crossover", "monitor_memory_usage", "regimes"]

SIZES = (1024, 4096, 16384, 65536, 262144, 1048576, 4194304)
DTYPES = ("float32", "float16", "bfloat16")
ROUNDS = 15
ROUND_SECONDS = 0.02  # of one side, at least one call
LAUNCH = 2  # small: no more than so many times the time of the smallest size
STEADY = 1.25  # large: within so many times of the rate of the largest size


class SigmoidBenchmark:
    """Times ``ascend_sigmoid`` on a device against ``tf.nn.sigmoid`` on the CPU.

    Parameters
    ----------
    device : "npu", or "cpu" for the operator placed there.
    dtype : one of `DTYPES`.

    Raises
    ------
    ValueError
        for another device or dtype.
    RuntimeError
        if TensorFlow has no such device.
    """

    def __init__(self, device: str = "npu", dtype: str = "float32") -> None:
        import tensorflow as tf

        if device not in ("npu", "cpu"):
            raise ValueError(f"device is '{device}', not 'npu' or 'cpu'")
        if dtype not in DTYPES:
            raise ValueError(f"dtype is '{dtype}', not one of {', '.join(DTYPES)}")
        if not tf.config.list_physical_devices(device.upper()):
            raise RuntimeError(f"TensorFlow has no {device.upper()}: is the plug-in installed, or is this ./dev run?")
        self.device = f"/{device.upper()}:0"
        self.dtype = dtype

    def benchmark(
        self, sizes: Sequence[int] = SIZES, rounds: int = ROUNDS, progress: Callable[[str], None] | None = None
    ) -> dict[str, Any]:
        """Times every size: rounds of both sides turn about, each of finished calls.

        Returns
        -------
        dict of lists, in the order of `sizes`: ``sizes``; ``tensorflow`` and ``ascend``, the median seconds of a call;
        ``speedup``, the median of the rounds' ratios (above 1 where the NPU is ahead), ``low`` and ``high``, its
        quartiles; ``regime`` (`regimes`). Besides ``dtype``, ``device`` and ``crossover`` (`crossover`).
        """
        sizes = list(sizes)
        if not sizes or min(sizes) < 1:
            raise ValueError(f"sizes are {sizes}; at least one, each 1 or more")
        if rounds < 1:
            raise ValueError(f"rounds is {rounds}, not 1 or more")
        results: dict[str, Any] = {"dtype": self.dtype, "device": self.device, "sizes": sizes}
        results |= {key: [] for key in ("tensorflow", "ascend", "speedup", "low", "high")}
        for size in sizes:
            times = self._times(size, rounds)
            ratios = sorted(cpu / npu for cpu, npu in times)
            results["tensorflow"].append(statistics.median(cpu for cpu, _ in times))
            results["ascend"].append(statistics.median(npu for _, npu in times))
            results["speedup"].append(statistics.median(ratios))
            results["low"].append(ratios[len(ratios) // 4])
            results["high"].append(ratios[-1 - len(ratios) // 4])
            if progress:
                progress(_line(results, len(results["speedup"]) - 1))
        results["regime"] = regimes(sizes, results["ascend"])
        results["crossover"] = crossover(sizes, results["speedup"])
        return results

    def _times(self, size: int, rounds: int) -> list[tuple[float, float]]:
        import numpy as np
        import tensorflow as tf

        from softascend.ops import ascend_sigmoid

        values = np.random.default_rng(42).standard_normal(size, dtype=np.float32)

        def side(device: str, call: Callable[[Any], Any]) -> Callable[[], Any]:
            with tf.device(device):
                x = tf.identity(tf.cast(tf.constant(values), self.dtype))

            def run():
                with tf.device(device):
                    return call(x)

            return run

        # Eager calls: on both devices the result is there when a call returns.
        sides = side("/CPU:0", tf.nn.sigmoid), side(self.device, ascend_sigmoid)
        counts = []
        for run in sides:
            _seconds(run, 3)
            counts.append(max(1, int(ROUND_SECONDS / _seconds(run, 3))))
        times = []
        for turn in range(rounds):
            order = (0, 1) if turn % 2 else (1, 0)
            spent = {i: _seconds(sides[i], counts[i]) for i in order}
            times.append((spent[0], spent[1]))
        return times

    @staticmethod
    def plot_results(
        results: dict[str, Any] | Sequence[dict[str, Any]], path: str | os.PathLike = "performance_comparison.png"
    ) -> None:
        """Saves a picture: time over size, both axes logarithmic, and bars of the speed-up, for each dtype a row."""
        from softascend._plots import comparison

        comparison([results] if isinstance(results, dict) else list(results), path)


def _seconds(run: Callable[[], Any], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - start) / count


def crossover(sizes: Sequence[int], speedups: Sequence[float]) -> int | None:
    """The least size from which on the NPU is ahead at every larger one; None if it is not at the largest."""
    found = None
    for size, speedup in sorted(zip(sizes, speedups), reverse=True):
        if speedup < 1:
            break
        found = size
    return found


def regimes(sizes: Sequence[int], seconds: Sequence[float]) -> list[str]:
    """What each size is bound by: ``small`` the call (at most twice the time of the smallest size), ``large`` the
    memory (the rate of the largest size, within a quarter, and so at every size between), ``medium`` what is between."""
    ordered = sorted(zip(sizes, seconds))
    largest, least = ordered[-1][1] / ordered[-1][0], ordered[0][1]
    steady = crossover(sizes, [STEADY / max(s / n / largest, largest * n / s) for n, s in zip(sizes, seconds)])

    def regime(size: int, s: float) -> str:
        if s <= LAUNCH * least:
            return "small"
        return "large" if size >= steady else "medium"

    return [regime(n, s) for n, s in zip(sizes, seconds)]


def _line(results: dict[str, Any], i: int) -> str:
    ms = [1e3 * results[key][i] for key in ("ascend", "tensorflow")]
    spread = f"({results['low'][i]:.2f} - {results['high'][i]:.2f})"
    return (
        f"{results['dtype']:9} {results['sizes'][i]:>9,} {ms[0]:10.4f} {ms[1]:10.4f} {results['speedup'][i]:8.2f}  {spread}"
    )


def rows(results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The results as a flat list, one dict for a dtype and size."""
    return [
        {
            "dtype": r["dtype"], "size": size, "tensorflow_s": r["tensorflow"][i], "ascend_s": r["ascend"][i],
            "speedup": r["speedup"][i], "low": r["low"][i], "high": r["high"][i], "regime": r["regime"][i],
            "crossover": r["crossover"],
        }
        for r in results for i, size in enumerate(r["sizes"])
    ]  # fmt: skip


def _summary(result: dict[str, Any]) -> str:
    named = {}
    for size, regime in sorted(zip(result["sizes"], result["regime"])):
        named.setdefault(regime, []).append(size)
    bound = {"small": "bound by the call", "medium": "in the caches", "large": "at the memory's rate"}
    parts = [f"{regime} {s[0]:,} to {s[-1]:,} ({bound[regime]})" for regime, s in named.items()]
    over = f"from {result['crossover']:,} elements on" if result["crossover"] else "none"
    return f"{result['dtype']}: {'; '.join(parts)}; NPU ahead: {over}"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 0, or 1 with a message if it could not run."""
    parser = argparse.ArgumentParser(prog="python -m softascend.benchmark", description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), metavar="N", help="elements")
    parser.add_argument("--dtypes", nargs="+", default=["float32"], choices=DTYPES, metavar="T", help=", ".join(DTYPES))
    parser.add_argument("--device", choices=("npu", "cpu"), default="npu", help="where AscendSigmoid runs")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="turns of each side (default %(default)s)")
    parser.add_argument("--output", metavar="DIR", help="save performance_comparison.png there")
    parser.add_argument("--json", metavar="FILE", help="write the results to FILE; - is standard output")
    given = parser.parse_args(arguments)

    out = sys.stderr if given.json == "-" else sys.stdout
    try:
        if given.output:
            import matplotlib  # noqa: F401  asked for before the time is spent
        print(f"{'dtype':9} {'size':>9} {'NPU, ms':>10} {'CPU, ms':>10} {'speed-up':>8}  (quartiles)", file=out)
        results = []
        for dtype in given.dtypes:
            benchmark = SigmoidBenchmark(given.device, dtype)
            results.append(benchmark.benchmark(given.sizes, given.rounds, lambda line: print(line, file=out, flush=True)))
        print("\n".join(map(_summary, results)), file=out)
        if given.output:
            path = pathlib.Path(given.output) / "performance_comparison.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            SigmoidBenchmark.plot_results(results, path)
            print(f"saved {path}", file=out)
        text = json.dumps(rows(results), indent=2) + "\n"
        if given.json == "-":
            sys.stdout.write(text)
        elif given.json:
            pathlib.Path(given.json).write_text(text, encoding="utf-8")
    except ImportError as error:
        print(f"benchmark: {error}; the plot needs matplotlib: pip install softascend[plots]", file=sys.stderr)
        return 1
    except (OSError, RuntimeError, ValueError) as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
