"""Elementwise calls: every dtype, five forms (count, first of a repeat, bits, counter mode, mask register),
strides, in place. The numbers of a case: elementwise.cpp."""
import numpy as np

from lib import Case, Image, SIZES, get, is_float, lanes, place, rounded, sample, span

FLOATS = ["f32", "f16"]
ARITH = [*FLOATS, "i16", "i32"]
SHORTS = ["i16", "u16"]
BITS = [*SHORTS, "i32", "u32"]
MOVED = [*FLOATS, "bf16", *BITS]


def relu(x):
    return np.where(x > 0, x, np.where(np.isnan(x), x, 0 * x if not np.issubdtype(np.asarray(x).dtype, np.floating) else 0.0))


# name: dtypes, operands (2: two sources, 1: one, "s": one and a scalar), reference(a, b, d, scalar), ulps by dtype,
# range of samples
CALLS = {
    "Add": (ARITH, 2, lambda a, b, d, s: a + b),
    "Sub": (ARITH, 2, lambda a, b, d, s: a - b),
    "Mul": (ARITH, 2, lambda a, b, d, s: a * b),
    "Div": (FLOATS, 2, lambda a, b, d, s: a / b),
    "Max": (ARITH, 2, lambda a, b, d, s: np.maximum(a, b)),
    "Min": (ARITH, 2, lambda a, b, d, s: np.minimum(a, b)),
    "And": (SHORTS, 2, lambda a, b, d, s: a & b),
    "Or": (SHORTS, 2, lambda a, b, d, s: a | b),
    "AddRelu": ([*FLOATS, "i16"], 2, lambda a, b, d, s: relu(a + b)),
    "SubRelu": ([*FLOATS, "i16"], 2, lambda a, b, d, s: relu(a - b)),
    "Prelu": (FLOATS, 2, lambda a, b, d, s: np.where(a > 0, a, a * b)),
    "FusedMulAdd": (FLOATS, 2, lambda a, b, d, s: a * d + b),
    "FusedMulAddRelu": (FLOATS, 2, lambda a, b, d, s: relu(a * d + b)),
    "MulAddDst": (FLOATS, 2, lambda a, b, d, s: a * b + d),
    "Abs": (FLOATS, 1, lambda a, b, d, s: np.abs(a)),
    "Exp": (FLOATS, 1, lambda a, b, d, s: np.exp(a), {"f32": 1.0, "f16": 0.51}),
    "Ln": (FLOATS, 1, lambda a, b, d, s: np.log(a), {"f32": 1.0, "f16": 0.51}),
    "Sqrt": (FLOATS, 1, lambda a, b, d, s: np.sqrt(a)),
    "Rsqrt": (FLOATS, 1, lambda a, b, d, s: 1 / np.sqrt(a), {"f32": 1.0, "f16": 0.51}),
    "Reciprocal": (FLOATS, 1, lambda a, b, d, s: 1 / a, {"f32": 0.5, "f16": 0.5}),
    "Relu": ([*FLOATS, "i32"], 1, lambda a, b, d, s: relu(a)),
    "Not": (SHORTS, 1, lambda a, b, d, s: ~a),
    "Adds": (ARITH, "s", lambda a, b, d, s: a + s),
    "Muls": (ARITH, "s", lambda a, b, d, s: a * s),
    "Maxs": (ARITH, "s", lambda a, b, d, s: np.maximum(a, s)),
    "Mins": (ARITH, "s", lambda a, b, d, s: np.minimum(a, s)),
    "Divs": (FLOATS, "s", lambda a, b, d, s: a / s),
    "LeakyRelu": (FLOATS, "s", lambda a, b, d, s: np.where(a > 0, a, a * s)),
    "ShiftLeft": (BITS, "s", lambda a, b, d, s: a << int(s)),
    "ShiftRight": (BITS, "s", lambda a, b, d, s: a >> int(s)),
    "ShiftRightRound": (["i16", "i32"], "s", lambda a, b, d, s: (a + (1 << (int(s) - 1))) >> int(s)),
    "Axpy": (FLOATS, "s", None),
    "Duplicate": (MOVED, "s", lambda a, b, d, s: np.broadcast_to(np.asarray(s), a.shape)),
    "Copy": (MOVED, 1, lambda a, b, d, s: a),
}
# a float destination and half sources
WIDE = {"MulAddDst.f32.f16": CALLS["MulAddDst"], "Axpy.f32.f16": CALLS["Axpy"]}

BITS_OF = [0x123456789ABCDEF1, 0xFEDCBA9876543211]
# form, count, bits, times, block strides, repeat strides, in place (0: no, 1: dst is a, 2: dst is b)
SHAPES = [
    (0, 1, None, 1, (1, 1, 1), (8, 8, 8), 0),
    (0, 97, None, 1, (1, 1, 1), (8, 8, 8), 0),
    (0, 512, None, 1, (1, 1, 1), (8, 8, 8), 1),
    (0, 4099, None, 1, (1, 1, 1), (8, 8, 8), 2),
    (1, 64, None, 1, (1, 1, 1), (8, 8, 8), 0),
    (1, 37, None, 2, (1, 1, 1), (8, 8, 8), 1),
    (1, 61, None, 3, (1, 2, 1), (8, 16, 8), 0),
    (1, 1, None, 255, (1, 1, 1), (1, 1, 1), 0),
    (1, 64, None, 4, (1, 1, 0), (8, 8, 0), 0),
    (1, 64, None, 3, (1, 1, 1), (8, 0, 8), 0),
    (1, 64, None, 2, (2, 1, 2), (16, 8, 1), 0),
    (2, 0, BITS_OF, 1, (1, 1, 1), (8, 8, 8), 0),
    (2, 0, BITS_OF, 2, (1, 2, 8), (8, 16, 64), 0),
    (2, 0, BITS_OF, 3, (1, 1, 1), (8, 4, 4), 0),
    (2, 0, BITS_OF, 2, (1, 1, 1), (8, 8, 8), 1),
    (3, 150, None, 1, (1, 1, 1), (8, 8, 8), 0),
    (3, 1, None, 1, (1, 1, 1), (8, 8, 8), 0),
    (3, 257, None, 1, (1, 2, 1), (8, 16, 8), 0),
    (4, 0, BITS_OF, 2, (1, 1, 1), (8, 8, 8), 0),
]


def one(rng, name, call, d_type, s_type, shape, special):
    operands, f = call[1], call[2]
    ulps = call[3].get(d_type, 0.0) if len(call) > 3 else 0.0
    form, count, bits, times, block, repeat, same = shape
    wide = max(SIZES[d_type], SIZES[s_type])
    if wide != SIZES[s_type]:
        same = 0
    types = [d_type, s_type, s_type]
    spans = [span(t, form, wide, count, times, b, r) for t, b, r in zip(types, block, repeat)]
    if form == 1:
        count = min(count, 256 // wide)
    if same:
        block = (block[0],) * 3
        repeat = (repeat[0],) * 3
    ub = Image(rng)
    low, high = (0.01, 8.0) if name.split(".")[0] in ("Ln", "Sqrt", "Rsqrt") else (-4.0, 4.0)
    at = []
    for t, size in zip(types, spans):
        n = (size + SIZES[t] - 1) // SIZES[t]
        at.append(ub.put(t, sample(rng, t, n, special, low, high)))
    if same:
        at[same] = at[0]
    scalar = 0.0
    if operands == "s":
        scalar = float(rounded(s_type, rng.uniform(0.25, 3)) if is_float(s_type) else rng.integers(1, 7))
    c = Case(name, [form, *at, *((bits[0] - (1 << 64 if bits[0] >> 63 else 0), bits[1] - (1 << 64 if bits[1] >> 63 else 0))
                                 if bits else (count, 0)), times, *block, *repeat], ub, [scalar],
             note=f"form {form}, count {count}, times {times}, strides {block} {repeat}, in place {same}"
                  f"{', special values' if special else ''}")
    image = c.after["ub"]
    for t, live in enumerate(lanes(wide, form, count, bits, times)):
        where = [place(at[k], types[k], form, live, t, block[k], repeat[k]) for k in range(3)]
        d, a, b = (get(image, types[k], where[k]) for k in range(3))
        with np.errstate(all="ignore"):
            if name.startswith("Axpy"):
                product = a * scalar
                value = d + (rounded(d_type, product) if d_type == s_type else product)
            else:
                value = f(a, b, d, scalar if is_float(s_type) else int(scalar))
        c.expect(d_type, where[0], value, ulps)
    return c


def cases():
    rng = np.random.default_rng(11)
    made = []
    for name, call in CALLS.items():
        for dtype in call[0]:
            shapes = SHAPES
            if name == "ShiftRightRound":
                shapes = [s for s in SHAPES if s[0] in (0, 2)]
            if name == "Copy":
                shapes = [s for s in SHAPES if s[0] != 0]
            for i, shape in enumerate(shapes):
                # integers that overflow are nobody's promise
                special = i % 4 == 3 and (is_float(dtype) or name not in ("Mul", "Muls", "ShiftLeft", "AddRelu",
                                                                          "SubRelu"))
                made.append(one(rng, f"{name}.{dtype}", call, dtype, dtype, shape, special))
    for name, call in WIDE.items():
        for shape in SHAPES:
            made.append(one(rng, name, call, "f32", "f16", shape, False))
    return made
