"""Cases for the programme of main.cpp: images of memory with tensors in them, what a call should leave
there, and the comparison. References are numpy's, in float64, rounded to the dtype at the end."""
import os
import struct
import subprocess
import tempfile

import numpy as np

SIZES = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1, "u8": 1, "bool": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4,
         "i64": 8, "u64": 8}
NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16, "i8": np.int8, "u8": np.uint8, "bool": np.uint8,
         "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64}
# significand bits, exponent of the smallest normal number, largest finite number
FORMATS = {"f32": (24, -126, float(np.finfo(np.float32).max)), "f16": (11, -14, 65504.0),
           "bf16": (8, -126, float.fromhex("0x1.fep127"))}


def is_float(dtype):
    return dtype in FORMATS


def step(dtype, values):
    """Distance between neighbours of `dtype` at each value."""
    bits, lowest, _ = FORMATS[dtype]
    exponent = np.frexp(np.where(np.isfinite(values), values, 1.0))[1] - 1
    return np.ldexp(1.0, np.maximum(exponent, lowest) - (bits - 1))


def rounded(dtype, values):
    """float64 values as `dtype` holds them, to nearest, ties to even; integers wrap."""
    if not is_float(dtype):
        return values if dtype in ("i64", "u64") else np.asarray(values).astype(np.int64).astype(NUMPY[dtype])
    values = np.asarray(values, np.float64)
    s = step(dtype, values)
    with np.errstate(all="ignore"):
        r = np.where(np.isfinite(values), np.rint(values / s) * s, values)
    largest = FORMATS[dtype][2]
    r = np.where(np.abs(r) > largest, np.copysign(np.inf, r), r)
    return np.where(r == 0, np.copysign(0.0, values), r)


def encode(dtype, values):
    """Values as the bytes of `dtype`."""
    if dtype == "bf16":
        bits = rounded("bf16", values).astype(np.float32).view(np.uint32)
        return (bits >> 16).astype(np.uint16).view(np.uint8)
    if is_float(dtype):
        return rounded(dtype, values).astype(NUMPY[dtype]).view(np.uint8)
    return np.atleast_1d(rounded(dtype, values)).astype(NUMPY[dtype]).view(np.uint8)


def decode(dtype, raw):
    """Bytes as float64, or as int64 (uint64) where it is an integer dtype."""
    values = np.frombuffer(np.ascontiguousarray(raw).tobytes(), NUMPY[dtype])
    if dtype == "bf16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if is_float(dtype):
        return values.astype(np.float64)
    return values if dtype in ("i64", "u64") else values.astype(np.int64)


class Image:
    """Bytes of a memory; tensors are laid into it one after the other, from blocks of 32 bytes."""

    def __init__(self, rng, size=0):
        self.rng = rng
        self.raw = rng.integers(0, 256, size, dtype=np.uint8)

    def put(self, dtype, values):
        """Appends a tensor; its byte offset."""
        at = (len(self.raw) + 31) // 32 * 32
        data = encode(dtype, values)
        end = (at + len(data) + 31) // 32 * 32
        raw = self.rng.integers(0, 256, end, dtype=np.uint8)
        raw[:len(self.raw)] = self.raw
        raw[at:at + len(data)] = data
        self.raw = raw
        return at

    def room(self, size):
        """Appends `size` bytes of anything; their offset."""
        return self.put("u8", self.rng.integers(0, 256, size))


def get(raw, dtype, offsets):
    """Elements of `dtype` at byte offsets."""
    size = SIZES[dtype]
    index = np.asarray(offsets)[..., None] + np.arange(size)
    return decode(dtype, raw[index].reshape(-1)).reshape(np.shape(offsets))


def run_of(at, dtype, n):
    return at + np.arange(n) * SIZES[dtype]


class Case:
    """One call: its numbers, the images before, and what is expected after."""

    def __init__(self, name, ints, ub, floats=(), gm=None, note=""):
        self.name, self.ints, self.floats, self.note = name, [int(i) for i in ints], list(floats), note
        self.ub = ub.raw.copy()
        self.gm = gm.raw.copy() if gm is not None else np.zeros(0, np.uint8)
        self.after = {"ub": self.ub.copy(), "gm": self.gm.copy()}
        self.near = []      # memory, dtype, offsets, exact values, ulps
        self.results = None
        self.error = None   # text that the error must have

    def expect(self, dtype, offsets, values, ulps=0.0, memory="ub", absolute=0.0):
        """Elements become `values` (float64 or integers): correctly rounded with ulps 0, else within
        `ulps` steps of the exact value (and `absolute`)."""
        offsets, values = np.asarray(offsets).reshape(-1), np.asarray(values).reshape(-1)
        raw = self.after[memory]
        raw[offsets[:, None] + np.arange(SIZES[dtype])] = encode(dtype, values).reshape(-1, SIZES[dtype])
        if is_float(dtype):
            self.near.append((memory, dtype, offsets, values, ulps, absolute))
        return self

    def any(self, offsets, memory="ub"):
        """Bytes of which nothing is said."""
        self.near.append((memory, None, np.asarray(offsets).reshape(-1), None, 0, 0))
        return self

    def check(self, error, ub, gm, results):
        """A complaint, or None."""
        if self.error is not None:
            return None if self.error in error else f"error {error!r}, expected {self.error!r}"
        if error:
            return error
        got = {"ub": ub, "gm": gm}
        after = {memory: raw.copy() for memory, raw in self.after.items()}
        checked = {"ub": np.zeros(len(ub), bool), "gm": np.zeros(len(gm), bool)}
        for memory, dtype, offsets, values, ulps, absolute in self.near:
            if dtype is None:
                after[memory][offsets] = got[memory][offsets]
                continue
            # of elements written twice the last counts
            now = encode(dtype, values).reshape(-1, SIZES[dtype])
            mine = (after[memory][offsets[:, None] + np.arange(SIZES[dtype])] == now).all(axis=1)
            g = get(got[memory], dtype, offsets)
            w = np.asarray(values, np.float64)
            r = rounded(dtype, w)
            with np.errstate(all="ignore"):
                ok = (g == r) | (np.isnan(g) & np.isnan(r))
                if ulps or np.any(absolute):
                    bound = ulps * step(dtype, np.where(np.isfinite(w), w, 0)) + absolute
                    ok |= np.abs(g - w) <= bound
                    largest = FORMATS[dtype][2]
                    # either side of the overflow
                    ok |= np.isinf(g) & (np.sign(g) == np.sign(w)) & (np.abs(w) + bound > largest)
                    ok |= np.isinf(r) & (np.abs(np.abs(g) - largest) <= bound) & np.isfinite(w)
            bad = np.flatnonzero(~ok & mine)
            if len(bad):
                i = bad[0]
                return (f"{memory} byte {offsets[i]} ({dtype} {i} of {len(offsets)}): {g[i]!r}, expected {w[i]!r}"
                        f" ({len(bad)} such)")
            checked[memory][offsets[mine, None] + np.arange(SIZES[dtype])] = True
        for memory in ("ub", "gm"):
            want = after[memory]
            want[checked[memory]] = got[memory][checked[memory]]
            bad = np.flatnonzero(want != got[memory])
            if len(bad):
                i = bad[0]
                return f"{memory} byte {i} is {got[memory][i]}, expected {want[i]} ({len(bad)} such)"
        if self.results is not None and list(results[:len(self.results)]) != list(self.results):
            return f"returned {list(results)}, expected {self.results}"
        return None


def run(program, cases, cpu=None):
    """Complaints of all cases, as texts."""
    environment = dict(os.environ)
    if cpu:
        environment["SOFTASCEND_CPU"] = cpu
    with tempfile.TemporaryDirectory() as folder:
        source, answer = os.path.join(folder, "in"), os.path.join(folder, "out")
        with open(source, "wb") as f:
            for c in cases:
                name = c.name.encode()
                f.write(struct.pack("I", len(name)) + name)
                f.write(struct.pack(f"=I{len(c.ints)}q", len(c.ints), *c.ints))
                f.write(struct.pack(f"=I{len(c.floats)}d", len(c.floats), *c.floats))
                f.write(struct.pack("I", len(c.ub)) + c.ub.tobytes())
                f.write(struct.pack("I", len(c.gm)) + c.gm.tobytes())
        subprocess.run([*program, source, answer], check=True, env=environment)
        with open(answer, "rb") as f:
            raw = f.read()
    complaints, at = [], 0
    for c in cases:
        (length,) = struct.unpack_from("I", raw, at)
        error = raw[at + 4:at + 4 + length].decode()
        at += 4 + length
        ub = np.frombuffer(raw, np.uint8, len(c.ub), at)
        gm = np.frombuffer(raw, np.uint8, len(c.gm), at + len(c.ub))
        at += len(c.ub) + len(c.gm)
        complaint = c.check(error, ub, gm, struct.unpack_from("4q", raw, at))
        at += 32
        if complaint:
            complaints.append(f"{c.name} {c.note}: {complaint}")
    return complaints


# ---- repeats

def lanes(size, form, count, bits, times):
    """Which elements of each repeat live; `size`: bytes of the widest operand."""
    width = 256 // size
    if form == 0:
        return [np.arange(count)]
    if form == 3:
        return [np.arange(min(width, count - t * width)) for t in range((count + width - 1) // width)]
    if form == 1:
        live = np.arange(min(width, count))
    else:
        mask = [(bits[j // 64] >> (j % 64)) & 1 for j in range(width)]
        live = np.flatnonzero(mask)
    return [live for _ in range(times)]


def place(at, dtype, form, live, repeat, block_stride, repeat_stride):
    """Byte offsets of elements `live` of a repeat."""
    size = SIZES[dtype]
    if form == 0:
        return at + live * size
    each = 32 // size
    return at + (repeat * repeat_stride + live // each * block_stride) * 32 + live % each * size


def span(dtype, form, width_size, count, times, block_stride, repeat_stride):
    """Bytes that an operand may touch."""
    size = SIZES[dtype]
    if form == 0:
        return count * size
    width = 256 // width_size
    if form == 3:
        times = max(1, (count + width - 1) // width)
    blocks = width * size // 32
    return ((times - 1) * repeat_stride + (blocks - 1) * block_stride + 1) * 32


def sample(rng, dtype, n, special=False, low=-4.0, high=4.0):
    """Numbers that a dtype holds exactly."""
    if not is_float(dtype):
        info = np.iinfo(NUMPY[dtype])
        if dtype == "bool":
            return rng.integers(0, 2, n)
        if special:
            return rng.integers(info.min, info.max, n, dtype=NUMPY[dtype], endpoint=True).astype(
                NUMPY[dtype] if dtype in ("i64", "u64") else np.int64)
        return rng.integers(0 if info.min == 0 else -100, 101, n)
    v = rounded(dtype, rng.uniform(low, high, n))
    if special and n:
        bits, lowest, largest = FORMATS[dtype]
        odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, largest, -largest, 2.0 ** lowest,
                        2.0 ** (lowest - bits + 1), -2.0 ** (lowest - 3), 1.0, -1.0])
        where = rng.random(n) < 0.4
        v = np.where(where, rng.choice(odd, n), v)
    return v
