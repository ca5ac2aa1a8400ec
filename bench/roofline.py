"""The roofline: what each case does in flops a second, over its flops a byte, under the machine's two roofs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from machine import KIND_NAMES, Machine

KINDS = {  # by the first word of a case's name: colour, mark
    "matmul": ("#2e5e8c", "o"),
    "sigmoid": ("#c8553d", "s"),
    "softmax": ("#c8553d", "D"),
    "layernorm": ("#c8553d", "^"),
    "mha": ("#6a4c93", "o"),
    "ffn": ("#3a7d44", "s"),
    "conv2d": ("#b5892e", "D"),
}
DTYPES = {"f32": "float32", "bf16": "bfloat16", "f16": "float16"}
FILLS = {"f32": None, "bf16": "white", "f16": "#d0d0d0"}  # None: the operator's colour
COPIES = {"memory": 256 << 20, "caches": 512 << 10}  # bytes of a copy


def points(rows: Sequence[dict]) -> list[dict]:
    """The rows that a figure can show: operators with flops and bytes."""
    return [r for r in rows if r["case"].split("/")[0] in KINDS and "intensity" in r and "gflops" in r]


def draw(rows: Sequence[dict], machine: Machine, path: str) -> None:
    """Saves the figure of the rows that `points` keeps.

    Raises
    ------
    ValueError
        if there is none.
    """
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = sorted(points(rows), key=lambda r: (r["intensity"], -r["gflops"]))
    if not shown:
        raise ValueError("no case measured has flops and bytes, for example matmul/f32/1024")

    figure = Figure(figsize=(12, 7.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    intensities = [r["intensity"] for r in shown]
    x = np.geomspace(min(intensities) / 8, max(intensities) * 3, 200)

    # The roofs: bandwidths slant, peaks are level; the lowest of both bounds a case.
    bandwidths = {name: max(machine.copy_of(size) for _ in range(4)) for name, size in COPIES.items()}
    peaks = {}
    for dtype in ("f32", "bf16"):
        kind = machine.kind(dtype)
        peaks[f"{KIND_NAMES[kind]} peak"] = max(
            [machine.fma_rate(kind, 0.02) for _ in range(5)] + [r["peak"] for r in shown if _dtype(r) == dtype]
        )
    top = max(peaks.values())
    for rate, style in zip(bandwidths.values(), ("-", "--")):
        axes.plot(x, np.minimum(rate * x, top), style, color="black", linewidth=1.3)
    for name, rate in peaks.items():
        begin = rate / bandwidths["caches"]
        axes.plot([begin, x[-1]], [rate, rate], "-", color="black", linewidth=1.3)
        axes.text(x[-1] / 1.05, rate * 1.06, f"{name}, {rate:.0f} GFLOP/s", ha="right", va="bottom", fontsize=9)

    axes.set(xscale="log", yscale="log", xlim=(x[0], x[-1]))
    axes.set_ylim(min(r["gflops"] for r in shown) / 2.5, top * 2)
    axes.set_xlabel(
        "flops a byte of operands and results (a function, as exp or division, counts as one flop)\n"
        "above the memory's roof: data that stays in the caches"
    )
    axes.set_ylabel("GFLOP/s")
    axes.set_title(f"Operators of SoftAscend ({machine.backend}, {machine.threads} threads) under this machine's roofs")
    axes.grid(True, which="major", alpha=0.25)
    _legend(axes, shown)
    figure.draw_without_rendering()  # what follows is laid out in pixels
    for name, rate in bandwidths.items():
        _along(axes, x[0] * 1.15, rate, f"{name}, {rate:.0f} GB/s copied")
    _label(axes, shown)
    figure.savefig(path, dpi=150)


def _dtype(row: dict) -> str:
    return next((part for part in row["case"].split("/") if part in ("f16", "bf16")), "f32")


def _legend(axes, rows: Sequence[dict]) -> None:
    """Operators by colour and mark, dtypes by filling."""
    from matplotlib.lines import Line2D

    kinds = dict.fromkeys(r["case"].split("/")[0] for r in rows)
    marks = [(kind, *KINDS[kind], KINDS[kind][0]) for kind in kinds]
    marks += [(DTYPES[t], "#444444", "o", FILLS[t] or "#444444") for t in dict.fromkeys(map(_dtype, rows))]
    axes.legend(
        handles=[
            Line2D([], [], linestyle="", marker=mark, color=color, markerfacecolor=fill, label=name)
            for name, color, mark, fill in marks
        ],
        loc="lower right", ncols=2,
    )  # fmt: skip


def _along(axes, x: float, rate: float, text: str) -> None:
    """Text along the line of `rate` bytes a second, from `x` on."""
    (x0, y0), (x1, y1) = axes.transData.transform([(x, rate * x), (2 * x, 2 * rate * x)])
    angle = math.degrees(math.atan2(y1 - y0, x1 - x0))
    axes.text(x, 1.08 * rate * x, text, rotation=angle, rotation_mode="anchor", va="bottom", fontsize=9)


def _label(axes, rows: Sequence[dict]) -> None:
    """A point for each row, and its name beside it, or where there is room, with a line."""
    taken: list[tuple[float, float, float, float]] = []
    spots = [axes.transData.transform((r["intensity"], r["gflops"])) for r in rows]
    points_a_pixel = 72 / axes.figure.dpi
    for row, (px, py) in zip(rows, spots):
        kind, _, name = row["case"].partition("/")
        color, mark = KINDS[kind]
        at = row["intensity"], row["gflops"]
        axes.plot(*at, mark, color=color, markerfacecolor=FILLS[_dtype(row)] or color, markersize=7, zorder=3)
        text = axes.annotate(name, at, (0, 0), textcoords="offset points", va="center", fontsize=8, color=color, zorder=4)
        extent = text.get_window_extent()
        for dx, dy in _places(extent.width):
            box = (px + dx, py + dy - extent.height / 2, px + dx + extent.width, py + dy + extent.height / 2)
            inside = axes.bbox.x0 < box[0] and box[2] < axes.bbox.x1 and axes.bbox.y0 < box[1] and box[3] < axes.bbox.y1
            clear = not any(box[0] - 6 < sx < box[2] + 6 and box[1] - 4 < sy < box[3] + 4 for sx, sy in spots)
            if inside and clear and not any(_overlap(box, other) for other in taken):
                break
        taken.append(box)
        text.set_position((dx * points_a_pixel, dy * points_a_pixel))
        if math.hypot(dx if dx > 0 else dx + extent.width, dy) > 20:
            end = axes.transData.inverted().transform((box[0] if dx > 0 else box[2], py + dy))
            axes.plot(*zip(at, end), "-", color=color, linewidth=0.5, alpha=0.6, zorder=2)


def _places(width: float):
    """Offsets of a text's left middle from its point: beside it, then ever further up and down."""
    yield 9, 0
    yield -width - 9, 0
    for dy in range(12, 500, 6):
        for dx in (9, 30, -width - 9, -width - 30):
            yield dx, dy
            yield dx, -dy


def _overlap(a: tuple, b: tuple) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
