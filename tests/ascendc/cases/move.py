"""Moves between GM and UB in all forms, and atomics; the numbers of a case: move.cpp."""
import numpy as np

from lib import SIZES, Case, Image, get, run_of, sample


def blocks(n):
    return (n + 31) // 32 * 32


class Move:
    """A case with tensors in both memories."""

    def __init__(self, rng, dtype, ub_bytes, gm_bytes):
        size = SIZES[dtype]
        self.dtype, self.ub, self.gm = dtype, Image(rng), Image(rng)
        self.u = self.ub.put(dtype, sample(rng, dtype, (ub_bytes + size - 1) // size))
        self.gm.room(64)
        self.g = self.gm.put(dtype, sample(rng, dtype, (gm_bytes + size - 1) // size))

    def case(self, name, numbers, floats=(), note=""):
        return Case(f"{name}.{self.dtype}", [self.u, self.g, *numbers], self.ub, floats, self.gm, note)


def copied(c, to, to_at, source, from_at):
    """Bytes as they are."""
    images = {"ub": c.ub, "gm": c.gm}
    return c.expect("u8", to_at, images[source][np.asarray(from_at).reshape(-1)], memory=to)


def plain(rng, dtype):
    size = SIZES[dtype]
    for n in (32 // size, 7, 1000):
        m = Move(rng, dtype, n * size, n * size)
        where = np.arange(n * size)
        yield copied(m.case("CopyIn", [n], note=str(n)), "ub", m.u + where, "gm", m.g + where)
        yield copied(m.case("CopyOut", [n], note=str(n)), "gm", m.g + where, "ub", m.u + where)
        to = m.ub.room(n * size)
        c = Case(f"CopyLocal.{dtype}", [to, m.u, n], m.ub, note=str(n))
        yield copied(c, "ub", to + where, "ub", m.u + where)
    for count, length, src_gap, dst_gap in ((1, 1, 0, 0), (5, 3, 2, 0), (7, 1, 0, 3), (4, 5, 1, 2)):
        rows = np.arange(count)[:, None]
        row = np.arange(length * 32)
        src, dst = rows * (length + src_gap) * 32 + row, rows * (length + dst_gap) * 32 + row
        numbers = [count, length, src_gap, dst_gap]
        m = Move(rng, dtype, 1600, 1600)
        yield copied(m.case("RowsIn", numbers, note=str(numbers)), "ub", m.u + dst, "gm", m.g + src)
        yield copied(m.case("RowsOut", numbers, note=str(numbers)), "gm", m.g + dst, "ub", m.u + src)
        to = m.ub.room(1600)
        yield copied(Case(f"RowsLocal.{dtype}", [to, m.u, *numbers], m.ub), "ub", to + dst, "ub", m.u + src)


def pads(rng, dtype):
    size = SIZES[dtype]
    for rows, n, src_gap, dst_gap in ((1, 1, 0, 0), (3, 5, 3, 0), (4, 19, 0, 1), (2, 64 // size, 5, 2)):
        length = n * size
        numbers = [rows, length, src_gap * size, dst_gap]
        which = np.arange(rows)[:, None]
        m = Move(rng, dtype, 2048, 2048)
        gm_rows = which * (length + src_gap * size) + np.arange(length)
        ub_rows = which * (blocks(length) + dst_gap * 32) + np.arange(length)
        c = m.case("PadIn", [*numbers, 0, 0, 0], [0.0], note=str(numbers))
        # what a row does not fill of its last block is not told
        for r in range(rows):
            start = m.u + r * (blocks(length) + dst_gap * 32)
            c.any(np.arange(start + length, start + blocks(length)))
        yield copied(c, "ub", m.u + ub_rows, "gm", m.g + gm_rows)
        back = [rows, length, dst_gap, src_gap * size]
        yield copied(m.case("PadOut", back, note=str(back)), "gm", m.g + gm_rows, "ub", m.u + ub_rows)
        left, right = (1, 2) if 3 * size <= 32 else (0, 1)
        whole = blocks((n + left + right) * size)
        c = m.case("PadIn", [*numbers, 1, left, right], [5.0], note=f"{numbers} padded")
        for r in range(rows):
            start = m.u + r * (whole + dst_gap * 32)
            c.expect(dtype, run_of(start, dtype, whole // size), np.full(whole // size, 5.0))
            copied(c, "ub", start + left * size + np.arange(length), "gm",
                   m.g + r * (length + src_gap * size) + np.arange(length))
        yield c


def slices(rng, dtype):
    """The documentation's example: of rows of 87, three blocks from 16 on, every second row (of 4-byte elements)."""
    size = SIZES[dtype]
    if size != 4:
        return
    wide, narrow = [(16, 70, 7, 3, 87), (0, 2, 1, 1, 3)], [(0, 47, 0, 3, 48), (0, 1, 0, 1, 2)]
    pieces = [r * 87 + start for r in (0, 2) for start in (16, 47)]
    source = np.concatenate([p + np.arange(24) for p in pieces])
    m = Move(rng, dtype, 4 * 96, 4 * 87 * 3)
    elements = (np.arange(96)[:, None] * 4 + np.arange(4)).reshape(-1)
    places = (source[:, None] * 4 + np.arange(4)).reshape(-1)
    c = m.case("SlicesIn", [2, *wide[0], *wide[1], *narrow[0], *narrow[1]])
    yield copied(c, "ub", m.u + elements, "gm", m.g + places)
    c = m.case("SlicesOut", [2, *narrow[0], *narrow[1], *wide[0], *wide[1]])
    yield copied(c, "gm", m.g + places, "ub", m.u + elements)


def atomics(rng, dtype):
    size = SIZES[dtype]
    for op, f in enumerate((np.add, np.maximum, np.minimum)):
        for n, padded in ((32 // size * 4, 0), (13, 1)):
            m = Move(rng, dtype, n * size, 2 * n * size)
            a, b = get(m.ub.raw, dtype, run_of(m.u, dtype, n)), get(m.gm.raw, dtype, run_of(m.g, dtype, n))
            if dtype == "i8":   # sums stay in range
                m.ub.raw[m.u:m.u + n] = (a // 4).astype(np.int8).view(np.uint8)
                m.gm.raw[m.g:m.g + n] = (b // 4).astype(np.int8).view(np.uint8)
                a, b = a // 4, b // 4
            c = m.case("Atomic", [n, op, padded], note=f"{f.__name__} {n}")
            c.expect(dtype, run_of(m.g, dtype, n), f(b, a), memory="gm")
            # and none afterwards
            yield c.expect(dtype, run_of(m.g + n * size, dtype, n), a, memory="gm")


def cases():
    rng = np.random.default_rng(18)
    made = []
    for dtype in ("f32", "f16", "i16", "i32", "i8"):
        made += [*plain(rng, dtype), *pads(rng, dtype), *slices(rng, dtype)]
    for dtype in ("f32", "f16", "bf16", "i32", "i16", "i8"):
        made += atomics(rng, dtype)
    return made
