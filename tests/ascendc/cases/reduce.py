"""Reductions of everything, of repeats, of blocks, of pairs, with indices; the numbers of a case: reduce.cpp.

A sum of n rounds at most log2 n times on a value's way, in its own dtype: that many half units in the last
place of the sum of magnitudes bound it."""
import numpy as np

from lib import FORMATS, Case, Image, SIZES, get, lanes, place, sample, span

BITS_OF = [0x123456789ABCDEF1, 0xFEDCBA9876543211]
INDEX = {2: "u16", 4: "u32"}


def signed(x):
    return x - (1 << 64 if x >> 63 else 0)


def mask_of(bits, count):
    return tuple(map(signed, bits)) if bits else (count, 0)


def bound(dtype, x):
    return 2.0 ** -FORMATS[dtype][0] * (np.log2(max(len(x), 2)) + 2) * np.sum(np.abs(x))


def whole(rng):
    """ReduceSum, ReduceMax, ReduceMin: to one."""
    shapes = [(0, n, None, 1, 8) for n in (1, 7, 64, 101, 1000, 8191)]
    shapes += [(1, 64, None, 4, 8), (1, 33, None, 3, 8), (1, 64, None, 255, 1), (2, 0, BITS_OF, 2, 8), (1, 64, None, 2, 0)]
    for dtype in ("f32", "f16"):
        for name in ("ReduceSum", "ReduceMax", "ReduceMin"):
            for with_index in (0, 1) if name != "ReduceSum" else (0,):
                for form, count, bits, times, stride in shapes:
                    size = SIZES[dtype]
                    if name != "ReduceSum" and stride == 0:
                        continue
                    ub = Image(rng)
                    a_at = ub.put(dtype, sample(rng, dtype, span(dtype, form, size, count, times, 1, stride) // size))
                    w_at, d_at = ub.room(8192), ub.room(64)
                    c = Case(f"{name}.{dtype}", [form, d_at, a_at, w_at, *mask_of(bits, count), times, 1, 1, stride,
                                                 with_index], ub,
                             note=f"form {form}, count {count}, times {times}, stride {stride}, index {with_index}")
                    all_, where = [], []
                    for t, live in enumerate(lanes(size, form, count, bits, times)):
                        all_.append(get(c.ub, dtype, place(a_at, dtype, form, live, t, 1, stride)))
                        where.append(t * (256 // size) + live)
                    x, where = np.concatenate(all_), np.concatenate(where)
                    c.any(w_at + np.arange(8192))
                    if name == "ReduceSum":
                        c.expect(dtype, [d_at], [x.sum()], 0.5, absolute=bound(dtype, x))
                    else:
                        best = int((np.argmax if name == "ReduceMax" else np.argmin)(x))
                        c.expect(dtype, [d_at], [x[best]])
                        if with_index:
                            c.expect(INDEX[size], [d_at + size], [where[best]])
                    yield c


def inside(rng):
    """One result a repeat, a block, a pair."""
    shapes = [(1, 64, None, 1, 1, 8), (1, 37, None, 3, 1, 8), (1, 64, None, 2, 2, 16), (1, 64, None, 255, 1, 1),
              (2, 0, BITS_OF, 2, 1, 8), (1, 1, None, 4, 1, 8), (1, 64, None, 3, 1, 0)]
    names = [("WholeReduceSum", None), ("RepeatReduceSum", None), *((n, o) for n in ("WholeReduceMax", "WholeReduceMin")
                                                                     for o in range(4)),
             ("BlockReduceSum", None), ("BlockReduceMax", None), ("BlockReduceMin", None), ("PairReduceSum", None)]
    for dtype in ("f32", "f16"):
        size = SIZES[dtype]
        width = 256 // size
        for name, order in names:
            for dst_stride in (1, 2):
                for form, count, bits, times, block, stride in shapes:
                    if dtype == "f16" and form == 1 and count == 64:
                        count = 128
                    ub = Image(rng)
                    a_at = ub.put(dtype, sample(rng, dtype, span(dtype, form, size, count, times, block, stride) // size))
                    group = {"W": width, "R": width, "B": 32 // size, "P": 2}[name[0]]
                    results = width // group
                    unit = size if order in (None, 2) else 4 if order == 3 else 2 * size
                    d_at = ub.room(((times - 1) * dst_stride + 1) * results * unit)
                    c = Case(f"{name}.{dtype}", [form, d_at, a_at, 0, *mask_of(bits, count), times, dst_stride, block,
                                                 stride, order or 0], ub,
                             note=f"form {form}, count {count}, times {times}, strides {dst_stride} {block} {stride},"
                                  f" order {order}")
                    sums, values, indices = [], [], []   # place, value
                    for t, live in enumerate(lanes(size, form, count, bits, times)):
                        for g in range(results):
                            mine = live[live // group == g]
                            if not len(mine):
                                continue
                            x = get(c.ub, dtype, place(a_at, dtype, form, mine, t, block, stride))
                            to = d_at + (t * dst_stride * results + g) * unit
                            if "Sum" in name:
                                sums.append((to, x.sum(), bound(dtype, x)))
                                continue
                            best = int((np.argmax if "Max" in name else np.argmin)(x))
                            if order != 3:
                                values.append((to + (size if order == 1 else 0), x[best]))
                            if order in (0, 1, 3):
                                indices.append((to + (size if order == 0 else 0), mine[best]))
                    if sums:
                        to, exact, near = np.array(sums).T
                        c.expect(dtype, to.astype(int), exact, 0.5, absolute=near)
                    if values:
                        to, exact = np.array(values).T
                        c.expect(dtype, to.astype(int), exact)
                    if indices:
                        to, exact = np.array(indices).T
                        c.expect("u32" if order == 3 else INDEX[size], to, exact)
                    yield c


def cases():
    rng = np.random.default_rng(14)
    return [*whole(rng), *inside(rng)]
