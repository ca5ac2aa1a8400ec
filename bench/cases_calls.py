"""Cases of the way from a program to the first instruction: a small model's training step, unified memory."""

from __future__ import annotations

import ctypes

import numpy as np

from case import Case


def _train_step(device: str):
    """One step of Keras's Adam on the digits MLP (64-128-10, batches of 64 in turn), as a `tf.function` on `device`.

    The rate is small, so that thousands of steps stay like training's first: gradients that vanish make subnormal
    numbers, which TensorFlow's CPU device flushes and the NPU's arithmetic keeps. Labels are int64, as scikit-learn gives them: TensorFlow keeps int32 tensors on the host for every accelerator.
    """
    import keras
    import tensorflow as tf

    from softascend.demo import load_digits

    (x_train, y_train), _ = load_digits()
    with tf.device(device):
        keras.utils.set_random_seed(0)
        model = keras.Sequential(
            [keras.layers.Input((64,)), keras.layers.Dense(128, activation="relu"), keras.layers.Dense(10)]
        )
        loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        optimizer = keras.optimizers.Adam(1e-5)
        optimizer.build(model.trainable_variables)
        batches = [
            (tf.identity(tf.constant(x_train[i : i + 64])), tf.identity(tf.constant(y_train[i : i + 64].astype("i8"))))
            for i in range(0, len(x_train) - 63, 64)
        ]

        @tf.function
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = loss_of(y, model(x, training=True))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
            return loss

    steps = 0

    def run():
        nonlocal steps
        steps += 1
        with tf.device(device):
            return step(*batches[steps % len(batches)])

    return run


class _Acl:
    """AscendCL and aclnn by their C interface, on a stream of its own."""

    FLOAT, ND = 0, 2
    TO_DEVICE, TO_HOST = 1, 2

    def __init__(self):
        from softascend import UnifiedMemoryManager
        from softascend._library import library_folder

        self.unified = UnifiedMemoryManager()
        self.rt, self.base, self.op = (
            ctypes.CDLL(str(library_folder() / f"lib{name}.so")) for name in ("ascendcl", "nnopbase", "opapi")
        )
        self.base.aclCreateTensor.restype = ctypes.c_void_p
        self.check(self.rt.aclrtSetDevice(0))
        self.stream = ctypes.c_void_p()
        self.check(self.rt.aclrtCreateStreamWithConfig(ctypes.byref(self.stream), 0, 2))

    def check(self, code):
        self.rt.aclGetRecentErrMsg.restype = ctypes.c_char_p
        assert code == 0, (code, self.rt.aclGetRecentErrMsg())

    def tensor(self, pointer: int, *shape: int) -> ctypes.c_void_p:
        dims = (ctypes.c_int64 * len(shape))(*shape)
        rank = ctypes.c_uint64(len(shape))
        none, at = ctypes.c_void_p(), ctypes.c_int64(0)
        return ctypes.c_void_p(
            self.base.aclCreateTensor(dims, rank, self.FLOAT, none, at, self.ND, dims, rank, ctypes.c_void_p(pointer))
        )

    def device(self, array: np.ndarray) -> int:
        pointer = ctypes.c_void_p()
        self.check(self.rt.aclrtMalloc(ctypes.byref(pointer), ctypes.c_size_t(array.nbytes), 0))
        return pointer.value

    def copy(self, to: int, source: int, size: int, kind: int) -> None:
        self.check(
            self.rt.aclrtMemcpy(ctypes.c_void_p(to), ctypes.c_size_t(size), ctypes.c_void_p(source),
                                ctypes.c_size_t(size), kind)  # fmt: skip
        )

    def run(self, name: str, *arguments) -> None:
        """Both phases, the workspace taken once, and the wait."""
        size, executor = ctypes.c_uint64(), ctypes.c_void_p()
        first = getattr(self.op, f"{name}GetWorkspaceSize")
        self.check(first(*arguments, ctypes.byref(size), ctypes.byref(executor)))
        room = self.__dict__.setdefault("room", {})
        if size.value and size.value not in room:
            room[size.value] = self.device(np.empty(size.value, "u1"))
        self.check(getattr(self.op, name)(ctypes.c_void_p(room.get(size.value)), size, executor, self.stream))
        self.check(self.rt.aclrtSynchronizeStream(self.stream))


def _unified(name: str, operator: str, shapes: list[tuple[int, ...]], more: tuple) -> Case:
    """Latency from operands that the host has written to a result that it can read (last of `shapes`)."""

    def make():
        acl = _Acl()
        rng = np.random.default_rng(0)
        shared = [acl.unified.allocate_shared(s) for s in shapes]
        host = [np.empty(s, "f4") for s in shapes]
        for a, b in zip(shared[:-1], host[:-1]):
            a[...] = b[...] = rng.normal(size=a.shape)
        device = [acl.device(a) for a in host]
        in_place = [acl.tensor(a.ctypes.data, *a.shape) for a in shared]
        copied = [acl.tensor(p, *a.shape) for p, a in zip(device, host)]

        def ours(memory=shared):  # which lives as long as the call
            acl.run(operator, *in_place, *more)

        def peer():
            for p, a in zip(device[:-1], host[:-1]):
                acl.copy(p, a.ctypes.data, a.nbytes, acl.TO_DEVICE)
            acl.run(operator, *copied, *more)
            acl.copy(host[-1].ctypes.data, device[-1], host[-1].nbytes, acl.TO_HOST)

        ours(), peer()
        assert (shared[-1] == host[-1]).all()
        return ours, peer

    return Case(name, 1, "calls/s", make, peer_name="the same operator with copies in and out")


def cases() -> list[Case]:
    n = 128
    return [
        Case("train/mlp", 1, "steps/s", lambda: (_train_step("/NPU:0"), _train_step("/CPU:0"))),
        _unified("unified/sigmoid", "aclnnSigmoid", [(1 << 20,)] * 2, ()),
        _unified("unified/matmul", "aclnnMatmul", [(n, n)] * 3, (ctypes.c_int8(0),)),
    ]
