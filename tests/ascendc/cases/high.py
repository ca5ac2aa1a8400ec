"""High-level mathematics against numpy and the C library's gamma functions, on odd and large counts.

half results are computed wide and rounded once: half a unit in the last place, and a little. float results of
functions that the core computes in double: likewise; sigmoid, tanh and exp: their own bodies, two units."""
import math

import numpy as np

from lib import Case, Image, sample

gamma_ln = np.vectorize(lambda x: math.lgamma(x) if x > 0 or x != int(x) else math.inf)


def digamma(x):
    """By differences of lgamma's asymptotic series, which is another way than the core's."""
    x = np.asarray(x, np.float64)
    total = np.zeros_like(x)
    z = x.copy()
    for _ in range(40):   # up to where 1/z is small
        total -= 1 / z
        z = z + 1
    series = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760)
    return total + np.log(z) - 0.5 / z - sum(b / z ** (2 * k + 2) for k, b in enumerate(series))


erf, erfc = np.vectorize(math.erf), np.vectorize(math.erfc)


def gelu(x):
    return x / (1 + np.exp(-1.5957691216057308 * (x + 0.044715 * x ** 3)))


# reference, range
UNARY = {
    "Sigmoid": (lambda a: 1 / (1 + np.exp(-a)), -20, 20), "Tanh": (np.tanh, -6, 6), "Gelu": (gelu, -6, 6),
    "FasterGelu": (lambda a: a / (1 + np.exp(-1.702 * a)), -6, 6),
    "FasterGeluV2": (lambda a: a / (1 + np.exp(-1.702 * a)), -6, 6), "Silu": (lambda a: a / (1 + np.exp(-a)), -9, 9),
    "Erf": (erf, -3, 3), "Erfc": (erfc, -3, 3), "Sin": (np.sin, -100, 100), "Cos": (np.cos, -100, 100),
    "Tan": (np.tan, -1.5, 1.5), "Asin": (np.arcsin, -1, 1), "Acos": (np.arccos, -1, 1), "Atan": (np.arctan, -50, 50),
    "Sinh": (np.sinh, -9, 9), "Cosh": (np.cosh, -9, 9), "Asinh": (np.arcsinh, -50, 50), "Acosh": (np.arccosh, 1, 50),
    "Atanh": (np.arctanh, -0.99, 0.99), "Floor": (np.floor, -40, 40), "Ceil": (np.ceil, -40, 40),
    "Round": (np.rint, -40, 40), "Trunc": (np.trunc, -40, 40), "Frac": (lambda a: a - np.trunc(a), -40, 40),
    "Log": (np.log, 0.01, 90), "Log2": (np.log2, 0.01, 90), "Log10": (np.log10, 0.01, 90), "Sign": (np.sign, -2, 2),
    "Lgamma": (gamma_ln, 0.1, 20), "Digamma": (digamma, 0.2, 30), "ExpTaylor": (np.exp, -8, 8),
}
BINARY = {
    "Power": (lambda a, b: a ** b, 0.1, 3), "Fmod": (np.fmod, 0.5, 9), "GeGLU": (lambda a, b: a * gelu(b), -4, 4),
    "ReGlu": (lambda a, b: a * np.maximum(b, 0), -4, 4),
}
SCALAR = {
    "Power.vs": (lambda a, b, s: a ** s, 0.1, 3), "Power.sv": (lambda a, b, s: s ** a, -3, 3),
    "Swish": (lambda a, b, s: a / (1 + np.exp(-s * a)), -6, 6),
    "SwiGLU": (lambda a, b, s: a * b / (1 + np.exp(-s * b)), -4, 4), "ClampMax": (lambda a, b, s: np.minimum(a, s), -4, 4),
    "ClampMin": (lambda a, b, s: np.maximum(a, s), -4, 4),
}
OWN_BODIES = ("Sigmoid", "Tanh", "ExpTaylor", "Log")


def cases():
    rng = np.random.default_rng(15)
    made = []
    for group, operands in ((UNARY, 1), (BINARY, 2), (SCALAR, 3)):
        for name, (f, low, high) in group.items():
            for dtype in ("f32", "f16"):
                for n in (1, 31, 64, 777, 4096):
                    ub = Image(rng)
                    a, b = (sample(rng, dtype, n, low=low, high=high) for _ in range(2))
                    if name == "Sign":
                        a[::3] = 0
                    at = [ub.put(dtype, a), ub.put(dtype, b)]
                    d = ub.room(n * (4 if dtype == "f32" else 2))
                    s = 1.25
                    c = Case(f"{name}.{dtype}", [d, *at, n], ub, [s], note=f"count {n}")
                    with np.errstate(all="ignore"):
                        want = f(a) if operands == 1 else f(a, b) if operands == 2 else f(a, b, s)
                    ulps = 2.0 if name in OWN_BODIES and dtype == "f32" else 0.51
                    made.append(c.expect(dtype, d + np.arange(n) * (4 if dtype == "f32" else 2), want, ulps))
    for dtype in ("i16", "u16"):
        for n in (1, 33, 500):
            ub = Image(rng)
            a, b = sample(rng, dtype, n, special=True), sample(rng, dtype, n, special=True)
            at = [ub.put(dtype, a), ub.put(dtype, b)]
            d = ub.room(n * 2)
            made.append(Case(f"Xor.{dtype}", [d, *at, n], ub).expect(dtype, d + 2 * np.arange(n), a ^ b))
    return made
