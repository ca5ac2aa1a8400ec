"""The graph pass that joins elementwise ops: the bits of the separate ops, what is joined and what is not."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.eager import context

FUSED = ("_AscendElementwise", "_AscendUpdate")


def nodes_of(function, *args):
    """The nodes that ran, and the result of a call that is traced here for the first time."""
    context.context().enable_run_metadata()
    context.context().export_run_metadata()  # forgets earlier calls
    try:
        result = function(*args)
        graphs = context.context().export_run_metadata().partition_graphs
    finally:
        context.context().disable_run_metadata()
    return [node for graph in graphs for node in graph.node], result


def steps_of(nodes) -> list[list[str]]:
    """The ops of each fused node, in order."""
    programs = [n.attr["program"].s.decode() for n in nodes if n.op in FUSED]
    return [[step.split()[0] for step in p.split(";") if step] for p in programs]


def both(monkeypatch, make, *args, device="/NPU:0"):
    """Results of a function with and without fusion, and the nodes with it. `make()` makes the function."""
    results = []
    for fusion in ("0", "1"):
        monkeypatch.setenv("SOFTASCEND_FUSION", fusion)
        with tf.device(device):
            nodes, result = nodes_of(make(), *args)
        assert (fusion == "1") or not steps_of(nodes)
        results.append([np.asarray(r.numpy()) for r in tf.nest.flatten(result)])
    for apart, joined in zip(*results):
        assert apart.dtype == joined.dtype and apart.shape == joined.shape
        assert apart.tobytes() == joined.tobytes()
    return results[1], nodes


def random(*shape, dtype=tf.float32, low=0.1, high=3.0, seed=0):
    return tf.constant(np.random.default_rng(seed).uniform(low, high, shape).astype(dtype.as_numpy_dtype))


DTYPES = [tf.float32, tf.float16, tf.bfloat16]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (7,), (64, 33), (5000,), (200, 1000)])
def test_every_step(monkeypatch, dtype, shape):
    def make():
        @tf.function
        def f(a, b):
            c = tf.sqrt(a * b + 1.0) / (b - a * 0.5 + 4.0)
            c = tf.maximum(tf.exp(-c), tf.minimum(a, b)) + tf.square(tf.math.log(a)) * tf.tanh(b)
            c = tf.abs(c - 1.0) + tf.sigmoid(a) * tf.nn.relu(b - 1.0) + tf.math.rsqrt(a)
            c = tf.pow(tf.abs(c) + 0.5, b) + tf.math.squared_difference(a, b) + tf.math.reciprocal(b)
            return tf.math.divide_no_nan(c, tf.nn.relu(b - 1.5)) - tf.negative(a) * 0.25

        return f

    a, b = random(*shape, dtype=dtype), random(*shape, dtype=dtype, seed=1)
    (got,), nodes = both(monkeypatch, make, a, b)
    ops = {op for steps in steps_of(nodes) for op in steps}
    assert {"Sqrt", "RealDiv", "Exp", "Maximum", "Tanh", "Sigmoid", "Relu", "Pow", "DivNoNan"} <= ops
    wide = make().python_function(tf.cast(a, tf.float64), tf.cast(b, tf.float64)).numpy()
    tolerance = {tf.float32: 2e-5, tf.float16: 3e-2, tf.bfloat16: 2e-1}[dtype]
    large = np.abs(wide) < 1e3  # a quotient by what is near 0 is not what this tests
    np.testing.assert_allclose(got.astype("f8")[large], wide[large], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    "a,b",
    [((4, 5), ()), ((), (4, 5)), ((4, 5), (1, 1)), ((1, 1, 1), (5,)), ((4, 5), (5,)), ((4, 1), (1, 5)), ((0, 3), (3,)),
     ((3000, 3), (3,)), ((5,), (1,)), ((2, 1), (1, 2))],
)  # fmt: skip
def test_broadcasting(monkeypatch, a, b):
    def make():
        return tf.function(lambda x, y: tf.exp(-(x * y)) + x)

    x, y = random(*a), random(*b, seed=1)
    (got,), nodes = both(monkeypatch, make, x, y)
    assert len(steps_of(nodes)) == 1
    np.testing.assert_allclose(got, np.exp(-(x.numpy() * y.numpy())) + x.numpy(), rtol=1e-6)


def test_shapes_that_do_not_broadcast_are_refused():
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    def f(x, y):
        return tf.exp(x * y) + x

    with tf.device("/NPU:0"):
        f(tf.ones((2, 3)), tf.ones(3))
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"x is \[2, 3\], y is \[4\]"):
            f(tf.ones((2, 3)), tf.ones(4))


def test_values_that_others_use_stay(monkeypatch):
    def make():
        @tf.function
        def f(x):
            shared = tf.exp(x)  # an output, and of two groups
            return shared, tf.sqrt(shared + 1.0), tf.reduce_sum(tf.square(shared) * 2.0)

        return f

    _, nodes = both(monkeypatch, make, random(40))
    assert not any("Exp" in steps for steps in steps_of(nodes))
    assert any(n.op == "Exp" for n in nodes)


def test_a_group_bears_its_last_ops_name():
    @tf.function
    def f(x):
        return tf.sqrt(x + 1.0, name="root")

    with tf.device("/NPU:0"):
        nodes, _ = nodes_of(f, random(3))
    assert [n.name for n in nodes if n.op in FUSED] == ["root"]


def test_branches_and_loops(monkeypatch):
    def make():
        @tf.function
        def f(x, n):
            for _ in tf.range(n):
                x = tf.exp(-x) * 0.5 + x
                if tf.reduce_sum(x) > 10.0:
                    x = tf.sqrt(x) + 1.0
                else:
                    x = tf.square(x) - 0.25
            return tf.tanh(x) * x

        return f

    for n in (0, 1, 4):
        (got,), _ = both(monkeypatch, make, random(6), tf.constant(n))
        np.testing.assert_allclose(got, make().python_function(random(6), tf.constant(n)), rtol=1e-5)


def test_casts_join_what_differs_in_dtype(monkeypatch):
    def make():
        @tf.function
        def f(x, n):
            y = tf.cast(tf.cast(x, tf.float16) * 3.0, tf.float32) + tf.cast(n + 1, tf.float32)
            return tf.cast(y * 2.0, tf.bfloat16)

        return f

    (got,), nodes = both(monkeypatch, make, random(30), tf.constant(4, tf.int64))
    assert steps_of(nodes) and steps_of(nodes)[0].count("Cast") == 4
    expected = tf.cast((tf.cast(tf.cast(random(30), tf.float16) * 3, tf.float32) + 5.0) * 2.0, tf.bfloat16)
    np.testing.assert_array_equal(got, expected)


def test_variables_are_read_and_updated_in_order(monkeypatch):
    def make():
        a, b = tf.Variable(random(50)), tf.Variable(random(50, seed=1))

        @tf.function
        def f(x):
            before = a.read_value()
            a.assign_add(x * 2.0)
            after = a.read_value()
            b.assign_sub(before * after + tf.sqrt(b))
            a.assign_add(before)
            return tf.identity(a), tf.identity(b)

        return f

    x = random(50, seed=2)
    (a, b), nodes = both(monkeypatch, make, x)
    assert any("AssignSubVariableOp" in steps for steps in steps_of(nodes))
    before, other, added = random(50).numpy(), random(50, seed=1).numpy(), x.numpy() * 2
    np.testing.assert_allclose(a, before + added + before, rtol=1e-6)
    np.testing.assert_allclose(b, other - (before * (before + added) + np.sqrt(other)), rtol=1e-5)


def test_a_tensor_that_was_read_keeps_its_value():
    with tf.device("/NPU:0"):
        v = tf.Variable(tf.ones(10))

        @tf.function
        def f(x):
            old = v.read_value()
            v.assign_sub(x * 2.0 + 1.0)
            return old

        kept = v.read_value()
        np.testing.assert_array_equal(f(tf.ones(10)), np.ones(10))
        np.testing.assert_array_equal(kept, np.ones(10))
        np.testing.assert_array_equal(v, np.full(10, -2.0))


def test_one_variable_by_two_handles(monkeypatch):
    """What one handle changes the other sees."""

    def make():
        v = tf.Variable(tf.fill([20], 3.0))

        @tf.function
        def f(a, b):
            old = tf.raw_ops.ReadVariableOp(resource=a, dtype=tf.float32)
            with tf.control_dependencies([old]):
                change = tf.raw_ops.AssignAddVariableOp(resource=b, value=tf.exp(old * 0.5))
            with tf.control_dependencies([change]):
                last = tf.raw_ops.AssignSubVariableOp(resource=a, value=old * 2.0)
            with tf.control_dependencies([last]):
                return tf.raw_ops.ReadVariableOp(resource=b, dtype=tf.float32)

        return lambda: f(v.handle, v.handle)

    (got,), _ = both(monkeypatch, make)
    np.testing.assert_allclose(got, 3 + np.exp(1.5) - 6, rtol=1e-6)


def test_an_update_of_another_shape_is_refused():
    with tf.device("/NPU:0"):
        v = tf.Variable(tf.ones((2, 3)), shape=tf.TensorShape(None))

        @tf.function(input_signature=[tf.TensorSpec(None)])
        def f(x):
            v.assign_add(tf.sqrt(x) + 1.0)

        f(tf.ones((2, 3)))
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"variable with shape \[2, 3\].*shape \[3\]"):
            f(tf.ones(3))


def test_gradients(monkeypatch):
    def make():
        @tf.function
        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(tf.tanh(x * 0.5) * tf.exp(-tf.square(x)))
            return tape.gradient(y, x)

        return f

    x = random(100, low=-2)
    (got,), nodes = both(monkeypatch, make, x)
    assert steps_of(nodes)
    np.testing.assert_allclose(got, make().python_function(x), rtol=1e-4, atol=1e-6)


def train(monkeypatch, fusion, optimizer, policy, strategy=None, steps=50):
    """Weights and slots after steps of a small model, and the nodes of the first."""
    import keras

    monkeypatch.setenv("SOFTASCEND_FUSION", fusion)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(steps * 16, 20)).astype("f4")
    y = (x[:, :3].sum(axis=1) > 0).astype("i8")
    keras.config.set_dtype_policy(policy)
    try:
        with strategy.scope() if strategy else tf.device("/NPU:0"):
            keras.utils.set_random_seed(1)
            model = keras.Sequential([keras.layers.Input((20,)), keras.layers.Dense(24, "relu"), keras.layers.Dense(2)])
            tool = optimizer(keras)
            model.compile(tool, keras.losses.SparseCategoricalCrossentropy(from_logits=True))
            if strategy:
                tf.config.set_soft_device_placement(True)
                model.fit(x, y, batch_size=16, shuffle=False, verbose=0)
                nodes = []
            else:
                nodes, _ = nodes_of(lambda: model.train_on_batch(x[:16], y[:16]))
                for i in range(1, steps):
                    model.train_on_batch(x[16 * i : 16 * i + 16], y[16 * i : 16 * i + 16])
            return [np.asarray(v) for v in model.variables + tool.variables], nodes
    finally:
        keras.config.set_dtype_policy("float32")


OPTIMIZERS = {
    "adam": lambda keras: keras.optimizers.Adam(1e-2),
    "adamw, clipped": lambda keras: keras.optimizers.AdamW(1e-2, clipnorm=1.0),
    "sgd with momentum": lambda keras: keras.optimizers.SGD(1e-2, momentum=0.9, nesterov=True),
    "rmsprop": lambda keras: keras.optimizers.RMSprop(1e-3),
}


@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_is_the_same_bit_for_bit(monkeypatch, name, policy):
    apart, _ = train(monkeypatch, "0", OPTIMIZERS[name], policy)
    joined, nodes = train(monkeypatch, "1", OPTIMIZERS[name], policy)
    assert len(apart) == len(joined)
    for a, b in zip(apart, joined):
        assert a.tobytes() == b.tobytes()
    if policy == "float32":
        assert any(n.op == "_AscendUpdate" for n in nodes)


def test_adam_is_one_node_a_variable(monkeypatch):
    _, nodes = train(monkeypatch, "1", OPTIMIZERS["adam"], "float32", steps=1)
    updates = [s for s in steps_of(nodes) if s[-1] == "AssignSubVariableOp"]
    assert len(updates) == 4
    for steps in updates:
        assert Counter(steps)["AssignAddVariableOp"] == 2 and {"Pow", "Square", "Sqrt"} <= set(steps)


def test_replicas(monkeypatch):
    strategy = tf.distribute.MirroredStrategy(["/NPU:0", "/NPU:1"])
    runs = [train(monkeypatch, f, OPTIMIZERS["adam"], "float32", strategy, steps=6)[0] for f in "01"]
    for a, b in zip(*runs):
        assert a.tobytes() == b.tobytes()
