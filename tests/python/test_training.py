"""The demo's claim: the same Keras classifier learns as well on the NPU as on the CPU."""

import json

import numpy as np

from softascend import demo


def test_accuracy_is_the_cpus_over_five_seeds():
    cpu = [demo.train("/CPU:0", seed)[0] for seed in range(5)]
    npu = [demo.train("/NPU:0", seed)[0] for seed in range(5)]
    assert min(npu) >= 0.95
    assert abs(np.mean(npu) - np.mean(cpu)) <= 0.005


def test_training_step_runs_on_the_npu():
    _, _, model = demo.train("/NPU:0", epochs=1)
    step = demo.train_step_placement(model)
    assert step.total > 50
    assert step.npu_share >= 0.97, str(step)
    assert set(step.on("CPU")) <= demo.INPUT_OPS, str(step)


def test_demo_writes_its_figures(tmp_path, capsys):
    file = tmp_path / "demo.json"
    assert demo.main(["--json", str(file)]) == 0
    figures = json.loads(file.read_text())
    assert figures["npu_accuracy"] >= 0.95
    assert figures["fell_back"] == []
    assert figures["sigmoid_max_ulp"] <= 2
    assert figures["matmul_max_rel"] <= 2 * 1024 * 2.0**-23
    assert {"npu_share", "cpu_accuracy", "sigmoid_npu_ms", "matmul_cpu_ms"} <= figures.keys()
    assert "NPU" in capsys.readouterr().out


def test_demo_says_what_is_wrong_with_its_file(tmp_path, capsys):
    assert demo.main(["--json", str(tmp_path / "no" / "such.json")]) == 1
    assert "cannot write" in capsys.readouterr().err
