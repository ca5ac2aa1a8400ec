"""Cast: every documented pair in every rounding mode, counts and repeats; the numbers of a case: cast.cpp."""
import numpy as np

from lib import Case, FORMATS, Image, NUMPY, SIZES, get, is_float, lanes, place, sample, span, step

NONE, RINT, FLOOR, CEIL, ROUND, TRUNC, ODD = range(7)
MODES = [RINT, FLOOR, CEIL, ROUND, TRUNC]
PAIRS = {
    ("f32", "f16"): [NONE], ("i32", "f16"): MODES, ("i16", "f16"): MODES, ("i8", "f16"): [NONE, *MODES],
    ("u8", "f16"): [NONE, *MODES], ("f32", "f32"): MODES, ("f16", "f32"): [NONE, *MODES, ODD],
    ("bf16", "f32"): MODES, ("i64", "f32"): MODES, ("i32", "f32"): MODES, ("i16", "f32"): MODES,
    ("f32", "bf16"): [NONE], ("i32", "bf16"): MODES, ("f16", "u8"): [NONE], ("f16", "i8"): [NONE],
    ("f16", "i16"): [NONE, *MODES], ("f32", "i16"): [NONE], ("f32", "i32"): [NONE, *MODES], ("i64", "i32"): [NONE],
    ("i16", "i32"): [NONE], ("f16", "i32"): [NONE], ("i32", "i64"): [NONE], ("f32", "i64"): MODES,
}
BITS_OF = [0x123456789ABCDEF1, 0xFEDCBA9876543211]
FORMS = [(0, 1, None, 1), (0, 103, None, 1), (0, 1000, None, 1), (1, 29, None, 2), (1, 32, None, 255),
         (2, 0, BITS_OF, 2), (3, 150, None, 1), (4, 0, BITS_OF, 3)]


def integral(x, mode):
    """Integral values in a rounding mode."""
    if mode == FLOOR:
        return np.floor(x)
    if mode == CEIL:
        return np.ceil(x)
    if mode == TRUNC:
        return np.trunc(x)
    if mode == ROUND:
        whole = np.trunc(x)
        return whole + np.where(np.abs(np.nan_to_num(x) - np.nan_to_num(whole)) >= 0.5, np.sign(x), 0)
    if mode == ODD:
        down = np.floor(x)
        return np.where((down == x) | (np.mod(down, 2) == 1), down, down + 1)
    return np.rint(x)


def to_float(dtype, x, mode):
    s = step(dtype, x)
    with np.errstate(all="ignore"):
        r = np.where(np.isfinite(x), integral(x / s, mode) * s, x)
    largest = FORMATS[dtype][2]
    over = np.isfinite(x) & (np.abs(r) > largest)
    inward = {TRUNC: True, ODD: True, FLOOR: x > 0, CEIL: x < 0}.get(mode, False)
    return np.where(over, np.copysign(np.where(inward, largest, np.inf), x), r)


def reference(to, source, x, mode):
    """Values of `to`: float64, or integers."""
    if is_float(to):
        if to == source:
            return integral(x, mode)
        return to_float(to, np.asarray(x, np.float64), mode)
    info = np.iinfo(NUMPY[to])
    if is_float(source):
        r = np.where(np.isnan(x), 0, integral(np.where(np.isnan(x), 0, x), mode))
        clipped = np.clip(r, float(info.min), float(info.max))
        out = np.array([info.max if v >= float(info.max) else int(v) for v in clipped.tolist()], dtype=object)
        return out.astype(np.int64)
    return np.clip(x, info.min, info.max)


def values_of(rng, dtype, n):
    if is_float(dtype):
        v = sample(rng, dtype, n, special=True, low=-300.0, high=300.0)
        halves = np.round(v * 2) / 2
        return np.where(rng.random(n) < 0.5, v, halves)
    if dtype == "i64":
        return np.where(rng.random(n) < 0.5, rng.integers(-1 << 62, 1 << 62, n), rng.integers(-70000, 70000, n))
    if dtype == "i32":
        return np.where(rng.random(n) < 0.5, rng.integers(-1 << 31, 1 << 31, n), rng.integers(-70000, 70000, n))
    return sample(rng, dtype, n, special=True)


def signed(x):
    return x - (1 << 64 if x >> 63 else 0)


def repeats(rng):
    for (to, source), modes in PAIRS.items():
        wide = max(SIZES[to], SIZES[source])
        for mode in modes:
            for form, count, bits, times in FORMS:
                if form == 1:
                    count = min(count, 256 // wide)
                stride = [256 // wide * SIZES[t] // 32 for t in (to, source)]
                if times == 255:
                    stride = [1, 1] if SIZES[to] <= SIZES[source] else stride
                    stride[1] = 1
                    if wide == SIZES[to]:
                        stride[0] = 8 if SIZES[to] < 8 else 4
                ub = Image(rng)
                bytes_ = [span(t, form, wide, count, times, 1, s) for t, s in zip((to, source), stride)]
                if bytes_[0] + bytes_[1] > 180000:
                    times = 31
                    bytes_ = [span(t, form, wide, count, times, 1, s) for t, s in zip((to, source), stride)]
                a_at = ub.put(source, values_of(rng, source, bytes_[1] // SIZES[source]))
                d_at = ub.room(bytes_[0])
                scale = 0.5 if (to, source) == ("f16", "i32") else 1.0
                c = Case(f"Cast.{to}.{source}", [form, d_at, a_at, 0, *(map(signed, bits) if bits else (count, 0)),
                                                 times, 1, 1, 1, stride[0], stride[1], 8, mode], ub, [scale],
                         note=f"mode {mode}, form {form}, count {count}, times {times}")
                for t, live in enumerate(lanes(wide, form, count, bits, times)):
                    x = get(c.ub, source, place(a_at, source, form, live, t, 1, stride[1]))
                    where = place(d_at, to, form, live, t, 1, stride[0])
                    c.expect(to, where, reference(to, source, x * scale if scale != 1 else x, mode))
                yield c


def nibbles(rng):
    for mode in [NONE, *MODES]:
        for n in (2, 32, 66):
            ub = Image(rng)
            x = np.round(sample(rng, "f16", n, low=-12.0, high=12.0) * 4) / 4
            a_at = ub.put("f16", x)
            d_at = ub.room(n // 2)
            c = Case("Cast.i4.f16", [0, d_at, a_at, 0, n, 0, 1, 1, 1, 1, 8, 8, 8, mode], ub, [1.0], note=f"mode {mode}")
            v = np.clip(integral(x, mode), -8, 7).astype(np.int64) & 15
            yield c.expect("u8", d_at + np.arange(n // 2), v[::2] | v[1::2] << 4)
    ub = Image(rng)
    packed = rng.integers(0, 256, 33)
    a_at = ub.put("u8", packed)
    d_at = ub.room(132)
    c = Case("Cast.f16.i4", [0, d_at, a_at, 0, 66, 0, 1, 1, 1, 1, 8, 8, 8, NONE], ub, [1.0])
    v = np.stack([packed & 15, packed >> 4], 1).reshape(-1)
    yield c.expect("f16", d_at + 2 * np.arange(66), np.where(v > 7, v - 16, v))


def cases():
    rng = np.random.default_rng(13)
    return [*repeats(rng), *nibbles(rng)]
