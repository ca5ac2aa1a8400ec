"""The pictures; matplotlib is imported here only."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

OURS, THEIRS, GREY = "#c8553d", "#2e5e8c", "#8a8a8a"


def comparison(results: Sequence[dict[str, Any]], path: str | os.PathLike) -> None:
    """`SigmoidBenchmark`'s results, a dtype a row: time over size, and bars of the speed-up."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter, NullLocator

    figure = Figure(figsize=(12, 4.4 * len(results)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(results), 2, squeeze=False)
    for (left, right), result in zip(axes, results):
        order = sorted(range(len(result["sizes"])), key=result["sizes"].__getitem__)
        sizes = [result["sizes"][i] for i in order]
        ours, theirs, speedup = ([result[key][i] for i in order] for key in ("ascend", "tensorflow", "speedup"))

        left.loglog(sizes, theirs, "-o", color=THEIRS, label="TensorFlow, CPU")
        left.loglog(sizes, ours, "-s", color=OURS, label=f"SoftAscend, {result['device'].strip('/')}")
        left.set_xticks(sizes, [_short(n) for n in sizes])
        left.xaxis.set_minor_locator(NullLocator())
        left.xaxis.set_minor_formatter(NullFormatter())
        left.set(xlabel="elements", ylabel="seconds a call", title=f"sigmoid, {result['dtype']}: time")
        left.grid(True, which="major", alpha=0.3)
        _name_regimes(left, sizes, [result["regime"][i] for i in order])
        left.legend(loc="lower right")

        spread = [[s - result["low"][i] for s, i in zip(speedup, order)], [result["high"][i] - s for s, i in zip(speedup, order)]]
        colors = [OURS if s >= 1 else GREY for s in speedup]
        bars = right.bar(range(len(sizes)), speedup, color=colors, yerr=spread, error_kw={"elinewidth": 1, "capsize": 3})
        right.bar_label(bars, [f"{s:.2f}" for s in speedup], padding=2, fontsize=9)
        right.axhline(1, color="black", linestyle="--", linewidth=1)
        right.set_xticks(range(len(sizes)), [_short(n) for n in sizes])
        right.margins(y=0.15)
        over = f"ahead from {_short(result['crossover'])} on" if result["crossover"] else "not ahead at the largest size"
        right.set(xlabel="elements", ylabel="CPU time / NPU time", title=f"speed-up: {over}")
    figure.savefig(path, dpi=150)


def _name_regimes(axes: Any, sizes: Sequence[int], names: Sequence[str]) -> None:
    """Lines between the regimes, and their names at the top."""
    begin = 0
    for i in range(1, len(sizes) + 1):
        if i < len(sizes) and names[i] == names[begin]:
            continue
        middle = (sizes[begin] * sizes[i - 1]) ** 0.5
        axes.text(middle, 0.97, names[begin], transform=axes.get_xaxis_transform(), ha="center", va="top", color=GREY)
        if i < len(sizes):
            axes.axvline((sizes[i - 1] * sizes[i]) ** 0.5, color=GREY, linestyle=":", linewidth=1)
        begin = i


def _short(n: int) -> str:
    for factor, letter in ((1 << 20, " Mi"), (1 << 10, " Ki")):
        if n >= factor and n % factor == 0:
            return f"{n // factor}{letter}"
    return f"{n:,}"
