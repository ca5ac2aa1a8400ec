"""Softmax, normalisations, quantisation, reductions along an axis, choice and padding against numpy in float64, on
rows whose live part is shorter than their pitch; the numbers of a case: norm.cpp.

The core computes rows in float32 or wider and rounds once: half results are within half a unit in the last place
and float32's own errors, which `NEAR` units of float32 of the row's largest magnitude bound."""
import struct

import numpy as np

from lib import Case, Image, SIZES, decode, encode, is_float, rounded, sample

NEAR = 2.0 ** -24 * 16
SHAPES = [(1, 1, 16), (3, 19, 32), (5, 64, 64), (2, 777, 784)]


def table(at, dtype, rows, cols, pitch):
    return at + (np.arange(rows)[:, None] * pitch + np.arange(cols)) * SIZES[dtype]


class Make:
    """A case in the making: operands are placed in order, and their offsets head the numbers."""

    def __init__(self, rng, dtype):
        self.rng, self.dtype, self.ub, self.at = rng, dtype, Image(rng), []

    def out(self, dtype, n):
        self.at.append(self.ub.room(n * SIZES[dtype]))
        return self.at[-1]

    def given(self, dtype, values):
        values = rounded(dtype, values) if is_float(dtype) else values
        self.at.append(self.ub.put(dtype, values))
        return values

    def rows(self, rows, cols, pitch, low=-4.0, high=4.0, dtype=None):
        x = self.given(dtype or self.dtype, sample(self.rng, dtype or self.dtype, rows * pitch, low=low, high=high))
        return x.reshape(rows, pitch)[:, :cols]

    def case(self, name, numbers=(), floats=(), note=""):
        return Case(f"{name}.{self.dtype}", [*self.at, *numbers], self.ub, floats, note=note)


def close(c, dtype, where, values, scale=1.0):
    c.expect(dtype, where, values, 0.51 if dtype != "f32" else 1.0, absolute=NEAR * scale)


def softmaxes(rng, dtype, m, n, k):
    block = 32 // SIZES[dtype]
    shape = (m, n, k)
    # whole rows
    t = Make(rng, dtype)
    d, s_at, m_at = t.out(dtype, m * k), t.out("f32", m * 8), t.out("f32", m * 8)
    x = t.rows(m, n, k)
    top = x.max(1, keepdims=True)
    e = np.exp(x - top)
    s = e.sum(1, keepdims=True)
    c = t.case("SoftMax", shape, note=str(shape))
    close(c, dtype, table(d, dtype, m, n, k), e / s)
    c.expect("f32", table(s_at, "f32", m, 8, 8), np.repeat(s, 8), 4, absolute=NEAR * n)
    c.expect("f32", table(m_at, "f32", m, 8, 8), np.repeat(top, 8))
    yield c
    for name in ("SoftMaxPlain", "LogSoftMax"):
        t = Make(rng, dtype)
        d = t.out(dtype, m * k)
        x = t.rows(m, n, k)
        e = np.exp(x - x.max(1, keepdims=True))
        c = t.case(name, shape, note=str(shape))
        s = e.sum(1, keepdims=True)
        close(c, dtype, table(d, dtype, m, n, k), e / s if name == "SoftMaxPlain" else np.log(e / s), 16)
        yield c
    # given sum and maximum
    t = Make(rng, dtype)
    d = t.out(dtype, m * k)
    s = t.given("f32", np.repeat(rng.uniform(1, 9, m), 8)).reshape(m, 8)[:, :1]
    top = t.given("f32", np.repeat(rng.uniform(3, 5, m), 8)).reshape(m, 8)[:, :1]
    x = t.rows(m, n, k)
    c = t.case("SimpleSoftMax", shape, note=str(shape))
    close(c, dtype, table(d, dtype, m, n, k), np.exp(x - top) / s, 4)
    yield c
    # a further tile
    for name in ("SoftmaxFlashV2", "SoftmaxFlash"):
        t = Make(rng, dtype)
        d, s_at, m_at = t.out(dtype, m * k), t.out("f32", m * 8), t.out("f32", m * 8)
        x = t.rows(m, n, k)
        f_at = t.out(dtype, m * block)
        old_s = t.given("f32", np.repeat(rng.uniform(1, 9, m), 8)).reshape(m, 8)[:, :1]
        old_m = t.given("f32", np.repeat(rng.uniform(-3, 5, m), 8)).reshape(m, 8)[:, :1]
        top = np.maximum(x.max(1, keepdims=True), old_m)
        e, factor = np.exp(x - top), np.exp(old_m - top)
        s = factor * old_s + e.sum(1, keepdims=True)
        c = t.case(name, shape, note=str(shape))
        if name == "SoftmaxFlash":
            e, factor = e / s, factor * old_s / s
        close(c, dtype, table(d, dtype, m, n, k), e, 4)
        c.expect("f32", table(s_at, "f32", m, 8, 8), np.repeat(s, 8), 4, absolute=NEAR * n)
        c.expect("f32", table(m_at, "f32", m, 8, 8), np.repeat(top, 8))
        close(c, dtype, table(f_at, dtype, m, block, block), np.repeat(factor, block), 4)
        yield c
    for front in (False, True):
        t = Make(rng, dtype)
        d = t.out(dtype, m * (block if front else k))
        g, y = t.rows(m, n, k), t.rows(m, n, k, 0, 1)
        s = (g * y).sum(1, keepdims=True)
        c = t.case("SoftmaxGradFront" if front else "SoftmaxGrad", shape, note=str(shape))
        if front:
            close(c, dtype, table(d, dtype, m, block, block), np.repeat(s, block), n)
        else:
            close(c, dtype, table(d, dtype, m, n, k), (g - s) * y, n)
        yield c
    for hit in (0, 1):
        t = Make(rng, dtype)
        t.rows(m, n, k)
        tops = rounded("f32", rng.uniform(0, 1, m))
        low = struct.unpack("f", struct.pack("I", 0xFF7FFFFF))[0]
        tops[-1] = low if hit else tops[-1]
        t.given("f32", np.repeat(tops, 8))
        c = t.case("AdjustSoftMaxRes", [*shape, 0xFF7FFFFF], [0.0], note=str(shape))
        c.results = [hit]
        if hit:
            c.expect(dtype, table(t.at[0], dtype, m, n, k)[-1], np.zeros(n))
        yield c


def norms(rng, dtype, m, n, k):
    shape, eps = (m, n, k), float(rounded(dtype, 1e-3))
    wide = 64.0

    def weights(t):
        return [t.given(dtype, sample(rng, dtype, k))[:n] for _ in range(2)]

    t = Make(rng, dtype)
    d, mean_at, var_at = t.out(dtype, m * k), t.out(dtype, m), t.out(dtype, m)
    x = t.rows(m, n, k)
    gamma, beta = weights(t)
    mean, var = x.mean(1, keepdims=True), x.var(1, keepdims=True)
    c = t.case("LayerNorm", shape, [eps], note=str(shape))
    close(c, dtype, table(d, dtype, m, n, k), (x - mean) / np.sqrt(var + eps) * gamma + beta, wide)
    close(c, dtype, table(mean_at, dtype, 1, m, m), mean, 8)
    close(c, dtype, table(var_at, dtype, 1, m, m), var, wide)
    yield c

    t = Make(rng, dtype)
    d, mean_at, var_at = t.out(dtype, m * k), t.out(dtype, m), t.out(dtype, m)
    src, gx = t.rows(m, n, k), t.rows(m, n, k)
    beta, gamma = weights(t)
    alpha = 1.5
    x = rounded(dtype, rounded(dtype, src * alpha) + gx)
    mean, var = x.mean(1, keepdims=True), x.var(1, keepdims=True)
    c = t.case("DeepNorm", shape, [eps, alpha], note=str(shape))
    close(c, dtype, table(d, dtype, m, n, k), (x - mean) / np.sqrt(var + eps) * gamma + beta, wide)
    close(c, dtype, table(mean_at, dtype, 1, m, m), mean, 8)
    close(c, dtype, table(var_at, dtype, 1, m, m), var, wide)
    # what lies between the rows goes through the sum too
    gap = np.setdiff1d(np.arange(d, d + m * k * SIZES[dtype]),
                       (table(d, dtype, m, n, k)[..., None] + np.arange(SIZES[dtype])).reshape(-1))
    yield c.any(gap)

    t = Make(rng, dtype)
    d = t.out(dtype, m * k)
    x = t.rows(m, n, k)
    gamma = t.given(dtype, sample(rng, dtype, k))[:n]
    c = t.case("RmsNorm", shape, [eps], note=str(shape))
    close(c, dtype, table(d, dtype, m, n, k), x / np.sqrt((x * x).mean(1, keepdims=True) + eps) * gamma, wide)
    yield c

    # gradients by the chain rule written out: y = (x - mean) rstd gamma
    t = Make(rng, dtype)
    dx_at, normal_at = t.out(dtype, m * k), t.out(dtype, m * k)
    dy, x = t.rows(m, n, k), t.rows(m, n, k)
    var = t.given(dtype, x.var(1))[:, None]
    mean = t.given(dtype, x.mean(1))[:, None]
    gamma = t.given(dtype, sample(rng, dtype, k))[:n]
    rstd = 1 / np.sqrt(var + eps)
    normal = (x - mean) * rstd
    d_normal = dy * gamma
    d_var = (d_normal * (x - mean) * -0.5 * rstd ** 3).sum(1, keepdims=True)
    d_mean = (-d_normal * rstd).sum(1, keepdims=True) + d_var * (-2 * (x - mean)).mean(1, keepdims=True)
    dx = d_normal * rstd + d_var * 2 * (x - mean) / n + d_mean / n
    c = t.case("LayerNormGrad", shape, [eps], note=str(shape))
    size = np.abs(d_normal * rstd).max() + np.abs(d_var * x).max() + np.abs(d_mean).max()
    close(c, dtype, table(dx_at, dtype, m, n, k), dx, size)
    close(c, dtype, table(normal_at, dtype, m, n, k), normal, 8)
    yield c

    t = Make(rng, dtype)
    dg_at, db_at = t.out(dtype, n), t.out(dtype, n)
    normal, dy = t.rows(m, n, k), t.rows(m, n, k)
    c = t.case("LayerNormGradBeta", shape, note=str(shape))
    close(c, dtype, table(dg_at, dtype, 1, n, n), (normal * dy).sum(0), m)
    close(c, dtype, table(db_at, dtype, 1, n, n), dy.sum(0), m)
    yield c

    t = Make(rng, dtype)
    b = m + 2
    d, mean_at, var_at = t.out(dtype, b * k), t.out(dtype, k), t.out(dtype, k)
    x = t.rows(b, k, k)
    gamma, beta = (t.given(dtype, sample(rng, dtype, b))[:, None] for _ in range(2))
    c = t.case("BatchNorm", (b, k), [eps], note=str((b, k)))
    close(c, dtype, table(d, dtype, b, k, k), (x - x.mean(0)) / np.sqrt(x.var(0) + eps) * gamma + beta, wide)
    close(c, dtype, table(mean_at, dtype, 1, k, k), x.mean(0), 8)
    close(c, dtype, table(var_at, dtype, 1, k, k), x.var(0), wide)
    yield c

    t = Make(rng, dtype)
    samples, groups, channels = 2, m, 2
    r = samples * groups * channels
    d, mean_at, var_at = t.out(dtype, r * k), t.out(dtype, samples * groups), t.out(dtype, samples * groups)
    x = t.rows(r, n, k).reshape(samples, groups, channels, n)
    gamma, beta = (t.given(dtype, sample(rng, dtype, groups * channels)).reshape(1, groups, channels, 1)
                   for _ in range(2))
    mean, var = x.mean((2, 3), keepdims=True), x.var((2, 3), keepdims=True)
    c = t.case("GroupNorm", (samples, groups, channels, n, k), [eps], note=str(shape))
    close(c, dtype, table(d, dtype, r, n, k), (x - mean) / np.sqrt(var + eps) * gamma + beta, wide)
    close(c, dtype, table(mean_at, dtype, 1, samples * groups, 0), mean, 8)
    close(c, dtype, table(var_at, dtype, 1, samples * groups, 0), var, wide)
    yield c

    t = Make(rng, dtype)
    d, rstd_at = t.out(dtype, m * k), t.out("f32", m)
    mean, var = (t.given("f32", rng.uniform(0.1, 2, m))[:, None] for _ in range(2))
    x = t.rows(m, n, k)
    gamma, beta = weights(t)
    c = t.case("Normalize", shape, [eps], note=str(shape))
    close(c, dtype, table(d, dtype, m, n, k), (x - mean) / np.sqrt(var + eps) * gamma + beta, wide)
    yield c.expect("f32", table(rstd_at, "f32", 1, m, m), 1 / np.sqrt(var + eps), 1)

    t = Make(rng, dtype)
    mean_at, m2_at = t.out("f32", n), t.out("f32", n)
    mean, m2 = (t.given("f32", rng.uniform(0, 3, n)) for _ in range(2))
    x = t.given(dtype, sample(rng, dtype, n))
    rec = float(np.float32(1 / 7))
    c = t.case("WelfordUpdate", [n], [rec], note=str(n))
    now = mean + (x - mean) * rec
    c.expect("f32", table(mean_at, "f32", 1, n, n), now, 1)
    yield c.expect("f32", table(m2_at, "f32", 1, n, n), m2 + (x - mean) * (x - now), 1)


def quants(rng, dtype, n):
    t = Make(rng, dtype)
    d = t.out("i8", n)
    x = t.given(dtype, sample(rng, dtype, n, low=-9, high=9))
    c = Case(f"AscendQuant.{dtype}", [*t.at, 0, 0, n], t.ub, [16.25, 3.0], note=str(n))
    near = x * 16.25 + 3
    yield c.expect("i8", d + np.arange(n), np.clip(np.rint(near), -128, 127).astype(int))
    rows = 3
    t = Make(rng, dtype)
    d = t.out("i8", n * rows)
    x = t.given(dtype, sample(rng, dtype, n * rows, low=-9, high=9)).reshape(rows, n)
    scale, offset = t.given(dtype, rng.integers(1, 9, n) / 2), t.given(dtype, rng.integers(-9, 9, n) * 1.0)
    c = t.case("AscendQuantColumns", [rows * n, n], note=str(n))
    yield c.expect("i8", d + np.arange(rows * n), np.clip(np.rint(x * scale + offset), -128, 127).astype(int))
    for scalar_first in (0, 1):
        t = Make(rng, dtype)
        cols, pitch = (n + 15) // 16 * 16, (n + 31) // 32 * 32 + 32
        d = t.out(dtype, 3 * cols)
        x = t.rows(3, cols, cols)
        mask = t.given("u8", rng.integers(0, 3, 3 * pitch)).reshape(3, pitch)[:, :cols] != 0
        c = t.case("SelectWithBytesMask", [3, cols, pitch, scalar_first], [1.5], note=str(n))
        yield c.expect(dtype, table(d, dtype, 3, cols, cols), np.where(mask, x if scalar_first else 1.5,
                                                                       1.5 if scalar_first else x))
    t = Make(rng, dtype)
    pitch = (n + 15) // 16 * 16
    d = t.out(dtype, 3 * (n + 5))
    x = t.rows(3, n, pitch)
    c = t.case("Pad", [3, n, pitch, 2, 3], [7.0], note=str(n))
    yield c.expect(dtype, table(d, dtype, 3, n + 5, n + 5), np.pad(x, ((0, 0), (2, 3)), constant_values=7))
    t = Make(rng, dtype)
    d = t.out(dtype, 3 * (pitch - 5))
    x = t.rows(3, pitch, pitch)
    c = t.case("UnPad", [3, 0, pitch, 2, 3], note=str(n))
    yield c.expect(dtype, table(d, dtype, 3, pitch - 5, pitch - 5), x[:, 2:-3])
    for name in ("Sum", "Mean"):
        t = Make(rng, dtype)
        d = t.out(dtype, 3)
        x = t.rows(3, n, pitch)
        c = t.case(name, [3, n, pitch], note=str(n))
        total = x.sum(1) / (n if name == "Mean" else 1)
        slack = np.abs(x).sum() * 2.0 ** (-24 if dtype == "f32" else -11) * 8
        yield c.expect(dtype, table(d, dtype, 1, 3, 3), total, 1, absolute=slack)
    for largest in (0, 1):
        t = Make(rng, dtype)
        k = min(n, 8)
        value_pitch, index_pitch = (k + 32 // SIZES[dtype] - 1) // (32 // SIZES[dtype]) * (32 // SIZES[dtype]), 8
        d, i_at = t.out(dtype, 3 * value_pitch), t.out("i32", 3 * index_pitch)
        x = t.rows(3, n, pitch)
        order = np.argsort(-x if largest else x, axis=1, kind="stable")[:, :k]
        c = t.case("TopK", [3, n, pitch, k, largest], note=str(n))
        c.expect(dtype, table(d, dtype, 3, k, value_pitch), np.take_along_axis(x, order, 1))
        yield c.expect("i32", table(i_at, "i32", 3, k, index_pitch), order)


def wholes(rng):
    """Calls of one dtype."""
    for n in (8, 45, 300):
        for dtype in ("f32", "f16", "bf16"):
            for words in (False, True):
                t = Make(rng, dtype)
                pitch = (n + 32 // SIZES[dtype] - 1) // (32 // SIZES[dtype]) * (32 // SIZES[dtype])
                d = t.out(dtype, 3 * pitch)
                x = t.given("i32", rng.integers(-30000, 30000, 3 * n)).reshape(3, n)
                scale = rounded("f32", rng.uniform(0.001, 0.1, n))
                if words:
                    t.given("u64", decode("u32", encode("f32", scale)).astype(np.uint64))
                else:
                    t.given("f32", scale)
                live = n - 3
                c = t.case("AscendDequantWords" if words else "AscendDequant", [3, n, live], note=str(n))
                close(c, dtype, table(d, dtype, 3, live, pitch), (x * scale)[:, :live])
                yield c
        for dtype in ("f16", "bf16"):
            for heights in (1, 2):
                t = Make(rng, dtype)
                d = t.out(dtype, 6 * n)
                x = t.given("i8", rng.integers(-128, 128, 6 * n)).reshape(6, n)
                offset = t.given(dtype, rng.integers(-9, 9, heights * n) * 1.0).reshape(heights, n)
                scale = t.given(dtype, rng.integers(1, 17, heights * n) / 16).reshape(heights, n)
                c = t.case("AscendAntiQuant", [6, heights, n], note=f"{n} {heights}")
                by = np.repeat(np.arange(heights), 6 // heights)
                close(c, dtype, d + 2 * np.arange(6 * n), (x + offset[by]) * scale[by])
                yield c
        for equal in (0, 5):
            ub = Image(rng)
            mean_at, var_at = ub.room(4), ub.room(4)
            means, m2 = (rounded("f32", rng.uniform(0, 3, n)) for _ in range(2))
            counts = np.full(n, equal) if equal else rng.integers(1, 9, n)
            at = [mean_at, var_at, ub.put("f32", means), ub.put("f32", m2), ub.put("i32", counts)]
            rec = float(np.float32(1 / counts.sum()))
            c = Case("WelfordFinalize", [*at, n, equal], ub, [rec], note=f"{n} {equal}")
            mean = (means * counts).sum() * rec
            c.expect("f32", [mean_at], [mean], 1)
            yield c.expect("f32", [var_at], [(m2 + counts * (means - mean) ** 2).sum() * rec], 1)
        ub = Image(rng)
        d = ub.room(n * 2)
        a, b = (rng.integers(-3000, 3000, 128 + n) for _ in range(2))
        at = [d, ub.put("i32", a), ub.put("i32", b)]
        second = ub.room(256)
        c = Case("AddDeqRelu", [*at, n, second], ub, [0.125], note=str(n))
        want = np.maximum((a + b) * 0.125, 0)
        c.expect("f16", d + 2 * np.arange(n), want[:n])
        for t in (0, 1):
            c.expect("f16", second + t * 128 + 2 * np.arange(37), want[t * 64:t * 64 + 37])
        yield c
        for columns in (False, True):
            ub = Image(rng)
            d = ub.room((n + 15) // 16 * 32)
            x = rng.integers(-3000, 3000, n)
            a = ub.put("i16", x)
            w = ub.room(128)
            scales = rounded("f32", rng.uniform(0.01, 0.1, 16)) if columns else np.full(16, 0.03125)
            c = Case("CastDeqColumns" if columns else "CastDeq", [d, a, w, n], ub,
                     list(scales) if columns else [0.03125, 5.0], note=str(n))
            i = np.arange(n)
            if columns:
                c.any(w + np.arange(128))
            v = np.rint(x * scales[i % 16]).astype(int) + (i % 16 - 8 if columns else 5)
            c.expect("i8", d + i // 16 * 32 + i % 16, np.clip(v, -128, 127))
            if not columns:
                c.expect("u8", d + i // 16 * 32 + 16 + i % 16, np.clip(v, 0, 255))
            yield c
    ub = Image(rng)
    x = np.round(sample(rng, "f32", 64) * 8) / 8   # sums are exact
    at = [ub.room(32), ub.put("f32", x), ub.room(256)]
    c = Case("GetAccVal", [*at, 61], ub)
    best = int(np.argmax(x[:37]))
    word = lambda v: struct.unpack("i", struct.pack("f", v))[0]   # noqa: E731
    c.results = [word(x[:61].sum()), word(x[best]), best, 1]
    yield c.any(at[0] + np.arange(32)).any(at[2] + np.arange(256))


FOLDS = {"ReduceSum": np.sum, "ReduceMax": np.max, "ReduceMin": np.min, "ReduceMean": np.mean, "ReduceProd": np.prod,
         "ReduceAny": lambda x, axis: (x != 0).any(axis) * 1, "ReduceAll": lambda x, axis: (x != 0).all(axis) * 1}


def folds(rng):
    for name, f in FOLDS.items():
        for dtype in ("f32", "u8", "f16"):
            if dtype == "u8" and name not in ("ReduceAny", "ReduceAll") or dtype == "f16" and name not in ("ReduceMax",
                                                                                                       "ReduceMin"):
                continue
            for rows, cols in ((1, 1), (3, 19), (8, 64), (7, 300)):
                for axis in (0, 1):
                    each = 32 // SIZES[dtype]
                    pitch = (cols + each - 1) // each * each
                    t = Make(rng, dtype)
                    d = t.out(dtype, rows if axis else cols)
                    x = sample(rng, dtype, rows * pitch, low=0.5, high=1.5) if name == "ReduceProd" else sample(
                        rng, dtype, rows * pitch)
                    if name in ("ReduceAny", "ReduceAll"):
                        x = x * (rng.random(rows * pitch) < (0.05 if name == "ReduceAny" else 0.95))
                    x = t.given(dtype, x).reshape(rows, pitch)[:, :cols]
                    c = t.case("Axis" + name, [rows, cols, axis], note=f"{rows} x {cols}, axis {axis}")
                    want = f(x, axis=axis)
                    slack = np.abs(x).sum(axis) * 2.0 ** -22 if name in ("ReduceSum", "ReduceMean") else 0.0
                    yield c.expect(dtype, table(d, dtype, 1, len(want), 0), want, 1 if is_float(dtype) else 0,
                                   absolute=slack)


def cases():
    rng = np.random.default_rng(16)
    made = [*wholes(rng), *folds(rng)]
    for dtype in ("f32", "f16"):
        for shape in SHAPES:
            made += [*softmaxes(rng, dtype, *shape), *norms(rng, dtype, *shape)]
        for n in (16, 45, 300):
            made += quants(rng, dtype, n)
    return made
