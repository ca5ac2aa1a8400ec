"""Compare and CompareScalar in all modes, Select in its three, with bits and counts; the numbers of a case:
compare.cpp."""
import numpy as np

from lib import Case, Image, SIZES, get, is_float, lanes, place, rounded, sample, span

MODES = [np.less, np.greater, np.equal, np.less_equal, np.greater_equal, np.not_equal]
BITS_OF = [0x123456789ABCDEF1, 0xFEDCBA9876543211]
SHAPES = [
    (0, 1, None, 1, (1, 1, 1), (8, 8, 8)),
    (0, 101, None, 1, (1, 1, 1), (8, 8, 8)),
    (0, 2048, None, 1, (1, 1, 1), (8, 8, 8)),
    (1, 64, None, 3, (1, 1, 1), (8, 8, 8)),
    (1, 37, None, 2, (1, 2, 1), (8, 16, 8)),
    (1, 64, None, 255, (1, 1, 1), (8, 0, 1)),
    (2, 0, BITS_OF, 2, (1, 1, 0), (8, 8, 0)),
    (5, 61, None, 1, (1, 1, 1), (8, 8, 8)),
]


def signed(x):
    return x - (1 << 64 if x >> 63 else 0)


def mask_of(bits, count):
    return tuple(map(signed, bits)) if bits else (count, 0)


def bits_put(c, byte_at, positions, values):
    """Bits into the expected image."""
    raw = c.after["ub"]
    for p, v in zip(positions, values):
        at, bit = byte_at + p // 8, 1 << (p % 8)
        raw[at] = (raw[at] | bit) if v else (raw[at] & (255 ^ bit))


def compares(rng):
    for dtype in ("f32", "f16", "i32"):
        for scalar_form in (False, True):
            for mode, f in enumerate(MODES):
                for k, (form, count, bits, times, block, repeat) in enumerate(SHAPES):
                    if scalar_form and form == 5:
                        continue
                    size, sform = SIZES[dtype], 1 if form == 5 else form
                    ub = Image(rng)
                    at, values = [0], []
                    for which in (1, 2):
                        bytes_ = span(dtype, sform, size, count, times, block[which], repeat[which])
                        values.append(sample(rng, dtype, bytes_ // size, special=(k + mode) % 2 == 1))
                        at.append(ub.put(dtype, np.round(values[-1]) if is_float(dtype) else values[-1] // 20))
                    at[0] = ub.room(max(32, (times if form else 1) * 256 // size // 8 + count // 8 + 16))
                    scalar = 1.0
                    c = Case(("CompareScalar." if scalar_form else "Compare.") + dtype,
                             [form, *at, *mask_of(bits, count), times, *block, *repeat, mode], ub, [scalar],
                             note=f"mode {f.__name__}, form {form}, count {count}, times {times}")
                    width = 256 // size
                    for t, live in enumerate(lanes(size, sform, count, bits, times)):
                        a, b = (get(c.ub, dtype, place(at[w], dtype, sform, live, t, block[w], repeat[w])) for w in (1, 2))
                        if scalar_form:
                            b = scalar
                        if form == 5:
                            c.expect("u8", at[0] + np.arange(16), np.zeros(16))
                        bits_put(c, at[0], t * width + live, f(a, b))
                        if form == 0:   # a count's last byte is filled with zeros
                            bits_put(c, at[0], range(count, (count + 7) // 8 * 8), np.zeros(8))
                    if form == 5:   # of the register's bits those past the live ones are not told
                        c.any(at[0] + np.arange(61 // 8, 16))
                    yield c


def selects(rng):
    for dtype in ("f32", "f16"):
        for mode in (0, 1, 2):
            for form, count, bits, times, block, repeat in SHAPES:
                if form == 5 and mode:
                    continue
                if form == 5:
                    bits = BITS_OF
                size = SIZES[dtype]
                sform = 4 if form == 5 else form
                ub = Image(rng)
                at = []
                for which in range(3):
                    bytes_ = span(dtype, sform, size, count, times, block[which], repeat[which])
                    at.append(ub.put(dtype, sample(rng, dtype, bytes_ // size, special=True)))
                width = 256 // size
                bit_bytes = ub.room(max(32, (times * width + count) // 8 + 32))
                scalar = float(rounded(dtype, 1.5))
                c = Case(f"Select.{dtype}", [form, *at, *mask_of(bits, count), times, *block, *repeat, mode, bit_bytes],
                         ub, [scalar], note=f"mode {mode}, form {form}, count {count}, times {times}")
                steps = lanes(size, sform, count, bits, times)
                if form == 0 and mode == 0:   # repeats of a whole width all look at the first bits
                    steps = lanes(size, 3, count, None, 1)
                for t, live in enumerate(steps):
                    if form == 0 and mode == 0:
                        where = [a + (t * width + live) * size for a in at]
                    else:
                        where = [place(at[w], dtype, sform, live, t, block[w], repeat[w]) for w in range(3)]
                    position = live if mode == 0 else t * width + live
                    chosen = (c.ub[bit_bytes + position // 8] >> (position % 8)) & 1
                    a, b = get(c.after["ub"], dtype, where[1]), get(c.after["ub"], dtype, where[2])
                    c.expect(dtype, where[0], np.where(chosen, a, scalar if mode == 1 else b))
                yield c


def cases():
    rng = np.random.default_rng(12)
    return [*compares(rng), *selects(rng)]
