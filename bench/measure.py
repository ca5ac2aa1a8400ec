"""Times a case: rounds of every side turn about, so that a slow phase of the machine meets all of them."""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Mapping, Sequence

import targets
from case import Case, Timer
from machine import Machine


FAR_BEHIND = 3  # times as slow as the best peer
SETTLE = 0.02  # seconds before a turn, in which the threads of the side before stop spinning


@dataclasses.dataclass(frozen=True)
class Effort:
    """How long a case is measured: about `seconds`, in `rounds` rounds at most."""

    seconds: float = 3.0
    rounds: int = 25

    def calls(self, single: Sequence[float]) -> tuple[int, list[int]]:
        """Rounds, and calls of each side in one, from seconds of a single call of each.

        Each side has its equal share of a round, one call at least; fewer rounds, not under 5, where calls are
        long, and 3 where even those would take ten times as long as asked.
        """
        share = self.seconds / (self.rounds * len(single))
        counts = [max(1, int(share / max(s, 1e-9))) for s in single]
        round_seconds = sum(c * s for c, s in zip(counts, single))
        rounds = min(self.rounds, max(5, int(2 * self.seconds / round_seconds)))
        if rounds * round_seconds > 10 * self.seconds:
            rounds = 3
        return rounds, counts


def warm_up(side: Timer, effort: Effort) -> float:
    """Seconds of a single call, the least of three; one is enough where it takes long."""
    least = side.seconds(1)
    for _ in range(2):
        if least > effort.seconds / 4:
            break
        least = min(least, side.seconds(1))
    return least


def rounds_of(sides: Sequence[Timer], single: Sequence[float], effort: Effort, beside=None) -> list[tuple[float, ...]]:
    """Seconds of one call of each side, in each round; `beside()` is called once a round, between rounds."""
    rounds, counts = effort.calls(single)
    for side, count in zip(sides, counts):  # as long as a round, so that clocks and caches are a round's
        if count > 1:
            side.seconds(count)
    times = []
    for turn in range(rounds):
        order = list(range(len(sides)))
        if turn % 2:
            order.reverse()
        spent = [0.0] * len(sides)
        for i in order:
            time.sleep(SETTLE)
            spent[i] = sides[i].seconds(counts[i])
        if beside:
            beside()
        times.append(tuple(spent))
    return times


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Lower quartile, median, upper quartile; of what was measured, not between."""
    ordered = sorted(values)
    return ordered[len(ordered) // 4], statistics.median(ordered), ordered[-1 - len(ordered) // 4]


def measure(case: Case, machine: Machine, effort: Effort = Effort()) -> dict[str, object]:
    """A case's row.

    Returns
    -------
    dict with ``case``, ``ours`` and ``peer`` (medians, in ``unit``), ``peer_name``, ``unit``, ``ratio`` (median of the
    rounds' ratios, above 1 where ours is faster), ``low`` and ``high`` (its quartiles), ``rounds``; where known
    ``target``, ``met`` and ``note``; ``gflops`` and ``gbytes`` a second, ``intensity`` (flops a byte); ``peak`` and
    ``copy``, what the machine did beside it of multiply-adds (GFLOP/s) and of copying as many bytes (GB/s);
    ``peers`` (medians) where there are several; ``backend``, ``threads`` and ``cpu``.
    """
    if case.measured:
        return _judged(case, machine, {"case": case.name, "unit": case.unit} | case.measured())
    ours, peer = case.make()
    peers = peer if isinstance(peer, Mapping) else {case.peer_name or machine.tensorflow(): peer}
    sides = [Timer.of(side) for side in (ours, *peers.values())]
    single = [warm_up(side, effort) for side in sides]
    rates = {name: case.work / s for name, s in zip(peers, single[1:])}
    # A peer that is far behind another is not worth its time.
    kept = [0] + [i for i, s in enumerate(single) if i and s < FAR_BEHIND * min(single[1:])]
    sides, single, names = [sides[i] for i in kept], [single[i] for i in kept], [list(peers)[i - 1] for i in kept[1:]]
    peaks: list[float] = []
    beside = (lambda: peaks.append(machine.fma_peak(case.dtype))) if case.flops else None
    times = rounds_of(sides, single, effort, beside)

    medians = [statistics.median(t[i] for t in times) for i in range(len(sides))]
    # The best peer is the one that leaves the least ratio.
    ratios = [[t[i] / t[0] for t in times] for i in range(1, len(sides))]
    best = min(range(len(ratios)), key=lambda i: statistics.median(ratios[i]))
    low, ratio, high = quartiles(ratios[best])
    row = {
        "case": case.name,
        "ours": case.work / medians[0],
        "peer": case.work / medians[best + 1],
        "peer_name": names[best],
        "unit": case.unit,
        "ratio": ratio,
        "low": low,
        "high": high,
        "rounds": len(times),
    }
    if len(peers) > 1:
        row["peers"] = rates | {name: case.work / s for name, s in zip(names, medians[1:])}
    if case.flops:
        row["gflops"] = 1e-9 * case.flops / medians[0]
        row["peak"] = statistics.median(peaks)
    if case.bytes:
        row["gbytes"] = 1e-9 * case.bytes / medians[0]
        row["copy"] = machine.copy_of(int(case.bytes) // 2)
    if case.flops and case.bytes:
        row["intensity"] = case.flops / case.bytes
    return _judged(case, machine, row)


def _judged(case: Case, machine: Machine, row: dict) -> dict[str, object]:
    row |= {"backend": machine.backend, "threads": machine.threads, "cpu": machine.cpu}
    if targets.lower(case.name):
        row["lower_is_better"] = True
    wanted = targets.target(case.name, case.dtype, machine.backend)
    if wanted is None:
        return row
    ours = row.get("gflops", 0) / row["peak"] if row.get("peak") else 0
    needed = ours * wanted / row["ratio"]
    met, note = targets.met(row["ratio"], wanted, case.name, ours, needed)
    return row | {"target": wanted, "met": met} | ({"note": note} if note else {})
