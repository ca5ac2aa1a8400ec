"""Gathering, packing, broadcasts, index vectors, transposes, sorting; the numbers of a case: arrange.cpp."""
import numpy as np

from lib import SIZES, Case, Image, encode, get, lanes, place, sample

MOVED = ["f32", "f16", "bf16", "i16", "u16", "i32", "u32"]
BITS_OF = [0x123456789ABCDEF1, 0xFEDCBA9876543211]


def signed(x):
    return x - (1 << 64 if x >> 63 else 0)


def moves(rng, dtype):
    size = SIZES[dtype]
    width, each = 256 // size, 32 // size
    # Gather
    for form, count, bits, times, stride in ((0, 1, None, 1, 8), (0, 333, None, 1, 8), (1, 37, None, 3, 9),
                                             (2, 0, BITS_OF, 2, 8), (1, width, None, 200 // size, 8)):
        ub = Image(rng)
        n = count if form == 0 else times * width
        src = sample(rng, dtype, 500)
        base = 4 * size
        offsets = rng.integers(0, 496, n) * size
        d_at = ub.room(n * size + times * 64)
        s_at, o_at = ub.put(dtype, src), ub.put("u32", offsets)
        c = Case(f"Gather.{dtype}", [d_at, s_at, o_at, base, form, *(map(signed, bits) if bits else (count, 0)), times,
                                     stride], ub, note=f"form {form}, count {count}")
        for t, live in enumerate(lanes(size, form, count, bits, times)):
            at = offsets[t * width + live] if form else offsets[live]
            c.expect(dtype, place(d_at, dtype, form, live, t, 1, stride), get(ub.raw, dtype, s_at + base + at))
        yield c
    # Gatherb: whole blocks
    for times, block, repeat in ((1, 1, 8), (3, 2, 16)):
        ub = Image(rng)
        s_at = ub.put(dtype, sample(rng, dtype, 64 * each))
        offsets = rng.integers(0, 64, times * 8) * 32
        o_at, d_at = ub.put("u32", offsets), ub.room(((times - 1) * repeat + 7 * block + 1) * 32)
        c = Case(f"Gatherb.{dtype}", [d_at, s_at, o_at, times, block, repeat], ub, note=f"times {times}")
        for t in range(times):
            for b in range(8):
                where = d_at + (t * repeat + b * block) * 32 + np.arange(each) * size
                c.expect(dtype, where, get(ub.raw, dtype, s_at + offsets[t * 8 + b] + np.arange(each) * size))
        yield c
    # Scatter
    for n in (1, 77):
        ub = Image(rng)
        src = sample(rng, dtype, n)
        offsets = rng.permutation(200)[:n] * size
        d_at, s_at, o_at = ub.room(210 * size), ub.put(dtype, src), ub.put("u32", offsets)
        c = Case(f"Scatter.{dtype}", [d_at, s_at, o_at, 2 * size, n], ub, note=f"count {n}")
        yield c.expect(dtype, d_at + 2 * size + offsets, src)
    # GatherMask: patterns of its own, and bits
    for pattern in range(8):
        for reduce_mode, mask, block, times, repeat, bit_repeat in ((0, 0, 1, 2, 8, 1), (1, 70, 1, 3, 16, 2),
                                                                    (1, 33, 2, 2, 32, 1), (1, 1, 1, 1, 0, 0)):
            ub = Image(rng)
            n = mask if reduce_mode else width
            blocks = (n + each - 1) // each
            s_at = ub.put(dtype, sample(rng, dtype, (((times - 1) * repeat + (blocks - 1) * block) + 1) * each))
            bit_at = ub.put("u8", rng.integers(0, 256, 32 * (bit_repeat * (times - 1) + 1) + 32))
            d_at = ub.room(times * n * size)
            c = Case(f"GatherMask.{dtype}", [d_at, s_at, bit_at, pattern, reduce_mode, mask, block, times, repeat,
                                             bit_repeat], ub, note=f"pattern {pattern}, mask {mask}, times {times}")
            live = np.arange(n)
            kept = []
            for t in range(times):
                bits = ub.raw[bit_at + t * bit_repeat * 32 + live // 8] >> (live % 8) & 1
                choice = [bits, live % 2 == 0, live % 2 == 1, live % 4 == 0, live % 4 == 1, live % 4 == 2, live % 4 == 3,
                          live >= 0][pattern]
                where = place(s_at, dtype, 1, live[choice != 0], t, block, repeat)
                kept.append(get(ub.raw, dtype, where))
            kept = np.concatenate(kept)
            c.results = [len(kept), len(kept)]
            yield c.expect(dtype, d_at + np.arange(len(kept)) * size, kept)
    # Brcb
    for times, block, repeat in ((1, 1, 8), (2, 2, 16)):
        ub = Image(rng)
        src = sample(rng, dtype, times * 8)
        s_at, d_at = ub.put(dtype, src), ub.room(((times - 1) * repeat + 7 * block + 1) * 32)
        c = Case(f"Brcb.{dtype}", [d_at, s_at, times, block, repeat], ub, note=f"times {times}")
        for i, x in enumerate(src):
            where = d_at + (i // 8 * repeat + i % 8 * block) * 32 + np.arange(each) * size
            c.expect(dtype, where, np.full(each, x))
        yield c


def broadcasts(rng):
    for dtype in ("f32", "f16", "i8", "u8"):
        for rows, cols in ((1, 32), (5, 64), (16, 19), (33, 8)):
            for axis in (0, 1):
                ub = Image(rng)
                src = sample(rng, dtype, cols if axis == 0 else rows)
                s_at, d_at = ub.put(dtype, src), ub.room(rows * cols * SIZES[dtype])
                shape = [1, cols] if axis == 0 else [rows, 1]
                c = Case(f"Broadcast.{dtype}", [d_at, s_at, rows, cols, *shape, axis], ub, note=f"{rows} {cols} {axis}")
                want = np.broadcast_to(src if axis == 0 else src[:, None], (rows, cols))
                yield c.expect(dtype, d_at + np.arange(rows * cols) * SIZES[dtype], want)


def indices(rng):
    for dtype in ("f32", "f16", "i16", "i32"):
        size = SIZES[dtype]
        for form, count, bits, times in ((0, 1, None, 1), (0, 201, None, 1), (1, 37, None, 3), (2, 0, BITS_OF, 2)):
            block, repeat = (2, 16) if form == 2 else (1, 8)
            ub = Image(rng)
            d_at = ub.room(max(count * size, times * repeat * 32 + 512))
            c = Case(f"CreateVecIndex.{dtype}", [d_at, form, times, *(map(signed, bits) if bits else (count, 0))], ub,
                     [3.0], note=f"form {form}, count {count}")
            for t, live in enumerate(lanes(size, form, count, bits, times)):
                c.expect(dtype, place(d_at, dtype, form, live, t, block, repeat), 3 + t * (256 // size) + live)
            yield c
        for n in (1, 95):
            ub = Image(rng)
            d_at = ub.room(n * size)
            yield Case(f"ArithProgression.{dtype}", [d_at, 0, 0, n], ub, [7.0, -2.0]).expect(
                dtype, d_at + np.arange(n) * size, 7 - 2 * np.arange(n))


def transposes(rng):
    for dtype in ("f16", "u16", "f32", "i32", "i8", "u8"):
        size = SIZES[dtype]
        each = 32 // size
        for dst_high, src_high in ((0, 0), (1, 0), (0, 1)) if size == 1 else ((0, 0),):
            for times in (1, 3):
                ub = Image(rng)
                s_at = ub.put(dtype, sample(rng, dtype, 16 * times * each))
                d_at = ub.room(16 * times * 32)
                pitch = times * 32
                step = (1, 1) if times > 1 else (0, 0)
                c = Case(f"TransDataTo5HD.{dtype}", [d_at, s_at, pitch, pitch, dst_high, src_high, times, *step], ub,
                         note=f"times {times} {dst_high} {src_high}")
                for t in range(times):
                    raw = np.stack([get(ub.raw, dtype, s_at + i * pitch + t * 32 + np.arange(each) * size)
                                    for i in range(16)])
                    for i in range(16):
                        to = d_at + i * pitch + t * 32
                        if size == 2:
                            c.expect(dtype, to + np.arange(16) * 2, raw[:, i])
                        elif size == 4:   # 16 x 8 -> 8 rows of 16, each over two blocks
                            c.expect(dtype, to + np.arange(8) * 4, raw[i % 2 * 8:i % 2 * 8 + 8, i // 2])
                        else:
                            c.expect(dtype, to + dst_high * 16 + np.arange(16), raw[:, src_high * 16 + i])
                yield c
    for dtype in ("f16", "i16", "u16"):
        ub = Image(rng)
        x = sample(rng, dtype, 256).reshape(16, 16)
        s_at, d_at = ub.put(dtype, x.reshape(-1)), ub.room(512)
        yield Case(f"Transpose.{dtype}", [d_at, s_at], ub).expect(dtype, d_at + 2 * np.arange(256), x.T.reshape(-1))
    for dtype in ("f16", "f32"):
        for n, c_, h, w in ((1, 3, 4, 8), (2, 16, 3, 16), (1, 7, 5, 5)):
            for back in (0, 1):
                ub = Image(rng)
                x = sample(rng, dtype, n * c_ * h * w)
                s_at, d_at = ub.put(dtype, x), ub.room(x.size * SIZES[dtype])
                want = (x.reshape(n, h, w, c_).transpose(0, 3, 1, 2) if back else
                        x.reshape(n, c_, h, w).transpose(0, 2, 3, 1))
                yield Case(f"TransposeExt.{dtype}", [d_at, s_at, n, c_, h, w, back], ub).expect(
                    dtype, d_at + np.arange(x.size) * SIZES[dtype], want.reshape(-1))


def pairs_at(dtype, at, n):
    return at + np.arange(n) * 8


def sorts(rng):
    for dtype in ("f32", "f16"):
        size = SIZES[dtype]
        for times in (1, 3):
            x = sample(rng, dtype, 32 * times)   # with equals
            index = rng.permutation(32 * times)
            ub = Image(rng)
            s_at, i_at, d_at = ub.put(dtype, x), ub.put("u32", index), ub.room(32 * times * 8)
            c = Case(f"Sort32.{dtype}", [d_at, s_at, i_at, times], ub, note=f"times {times}")
            for t in range(times):
                part = x[t * 32:t * 32 + 32]
                order = np.argsort(-part, kind="stable")
                at = pairs_at(dtype, d_at + t * 256, 32)
                c.expect(dtype, at, part[order]).expect("u32", at + 4, index[t * 32 + order])
                if dtype == "f16":
                    c.any(np.stack([at + 2, at + 3], 1))
            yield c
            ub = Image(rng)
            s_at, i_at, d_at = ub.put(dtype, x), ub.put("u32", index), ub.room(32 * times * 8)
            v_at, k_at = ub.room(32 * times * size), ub.room(32 * times * 4)
            c = Case(f"SortFull.{dtype}", [d_at, s_at, i_at, times, v_at, k_at], ub, note=f"times {times}")
            order = np.argsort(-x, kind="stable")
            n = 32 * times
            c.any(d_at + np.arange(n * 8))
            c.results = [32 * 8 // size, 3 * 8 // size]
            yield c.expect(dtype, v_at + np.arange(n) * size, x[order]).expect("u32", k_at + np.arange(n) * 4, index[order])
        for lengths, valid, suspend in (((32, 32, 0, 0), 3, 0), ((32, 17, 64, 0), 7, 0), ((32, 32, 32, 32), 15, 0),
                                        ((16, 48, 8, 32), 15, 1), ((5, 3, 0, 0), 3, 1)):
            ub = Image(rng)
            d_at = ub.room(sum(lengths) * 8)
            at, runs = [], []
            for k, n in enumerate(lengths):
                values = np.sort(sample(rng, dtype, n))[::-1]
                raw = np.zeros((max(n, 1), 8), np.uint8)
                raw[:n, :size] = encode(dtype, values).reshape(-1, size)
                raw[:n, 4:] = encode("u32", 1000 * k + np.arange(n)).reshape(-1, 4)
                at.append(ub.put("u8", raw.reshape(-1)))
                runs.append([(v, k, i) for i, v in enumerate(values)])
            merged = sorted((e for r in runs for e in r), key=lambda e: (-e[0], e[1], e[2]))
            if suspend:   # until one of them is at its end
                left = [len(r) for r in runs]
                for end, (_, k, _) in enumerate(merged):
                    left[k] -= 1
                    if left[k] == 0:
                        merged = merged[:end + 1]
                        break
            c = Case(f"MrgSort.{dtype}", [d_at, *at, *lengths, valid, suspend], ub, note=f"{lengths} {suspend}")
            where = pairs_at(dtype, d_at, len(merged))
            c.expect(dtype, where, np.array([e[0] for e in merged]))
            c.expect("u32", where + 4, np.array([1000 * e[1] + e[2] for e in merged]))
            if dtype == "f16":
                c.any(np.stack([where + 2, where + 3], 1))
            c.results = [sum(e[1] == k for e in merged) for k in range(4)]
            yield c


def cases():
    rng = np.random.default_rng(17)
    return [*(c for d in MOVED for c in moves(rng, d)), *broadcasts(rng), *indices(rng), *transposes(rng), *sorts(rng)]
