"""What each case must show: the table of targets, in the order of the report.

A pattern (fnmatch) and its target; the first that fits a case's name is its own. A ratio must reach the
target; names that begin with one of `LOWER` are shares that must stay below it.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

TARGETS: dict[str, float] = {
    "matmul/f32/128": 1.2,
    "matmul/f32/512": 1.1,
    "matmul/f32/1024": 1.05,
    "matmul/f32/2048": 1.0,
    "matmul/bf16/512": 1.1,
    "matmul/bf16/1024": 1.05,
    "matmul/bf16/2048": 1.0,
    "matmul/f16/512": 1.1,
    "matmul/f16/1024": 1.05,
    "matmul/f16/2048": 1.0,
    "matmul/f32/*x*": 1.1,
    "sigmoid/f32/4194304": 2,
    "sigmoid/bf16/4194304": 4,
    "sigmoid/f16/4194304": 2.5,
    "sigmoid/f32/65536": 1.5,
    "sigmoid/bf16/65536": 2,
    "sigmoid/f16/65536": 1.5,
    "sigmoid/f32/1024": 1,
    "softmax/f32/4096x1024": 1.5,
    "layernorm/f32/4096x1024": 2,
    "mha/forward/f32/B4xS512": 1.15,
    "mha/forward/f32/B1xS2048": 1.2,
    "mha/memory/f32/B4xS512": 0.63,
    "mha/memory/f32/B1xS2048": 0.30,
    "mha/train/*": 1.1,
    "mha/f16/*": 4,
    "ffn/*": 1.1,
    "conv2d/forward/*": 1.0,
    "conv2d/train/*": 1.0,
    "unified/*": 1.2,
    "train/mlp": 1.0,
    "peers/matmul/*": 1.0,
    "peers/sigmoid/*": 1.0,
    "peers/attention/*": 1.0,
    "peak/matmul/f32/*": 0.92,
    "peak/matmul/bf16/*": 0.88,
    "peak/sigmoid/f32/4194304": 0.85,
    "kernels/add": 20,
    "kernels/sigmoid": 20,
    "kernels/softmax": 20,
    "kernels/matmul": 20,
    "kernels/*-small": 100,
}
LOWER = ("mha/memory/",)
# With SOFTASCEND_CPU=avx2 beside a TensorFlow that uses all that the CPU has.
AVX2 = {"f32": 0.5, "f16": 0.5, "bf16": 0.35}
OVER_TENSORFLOW = ("matmul/", "sigmoid/", "softmax/", "layernorm/", "mha/", "ffn/", "conv2d/", "train/")
# No more of the multiply-add peak than this is asked of anyone.
PEAK_SHARE = 0.92


def place(name: str) -> int:
    """Where a case comes in the report; without a target, behind those of its kind."""
    kind = name.split("/")[0] + "/"
    fits = [i for i, pattern in enumerate(TARGETS) if fnmatchcase(name, pattern)]
    kin = [i + 1 for i, pattern in enumerate(TARGETS) if pattern.startswith(kind)]
    return 2 * fits[0] if fits else 2 * max(kin, default=len(TARGETS)) - 1


def target(name: str, dtype: str, backend: str) -> float | None:
    """The case's target on the backend (``avx512`` ...), None if there is none."""
    if lower(name) or backend not in ("avx2", "generic"):
        return next((t for pattern, t in TARGETS.items() if fnmatchcase(name, pattern)), None)
    return AVX2[dtype] if backend == "avx2" and name.startswith(OVER_TENSORFLOW) else None


def lower(name: str) -> bool:
    """Whether less is better."""
    return name.startswith(LOWER)


def met(ratio: float, wanted: float, name: str, ours_share: float = 0, needed_share: float = 0) -> tuple[bool, str]:
    """Whether a row meets its target, and a note.

    `ours_share` and `needed_share` are what we did and what the target would need of the multiply-add peak that was
    measured beside it; a target that would need more than `PEAK_SHARE` is met there.
    """
    if lower(name):
        return ratio <= wanted, "a share: lower is better"
    if ratio >= wanted:
        return True, ""
    if needed_share > PEAK_SHARE:
        note = f"the target needs {needed_share:.2f} of the peak, ours is {ours_share:.2f}"
        return ours_share >= PEAK_SHARE, note
    return False, ""
