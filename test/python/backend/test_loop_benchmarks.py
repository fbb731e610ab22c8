"""The benchmark of training loops on models that are small, with TC next to eager PyTorch."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
sys.path.append(str(Path(__file__).resolve().parents[3] / "benchmarks"))

import torch_compile_report  # noqa: E402
import torch_loops  # noqa: E402
import torch_loops_report  # noqa: E402
import torch_rows  # noqa: E402
from workloads import GPT, Row  # noqa: E402

from tc.torch_backend import backend, compiled_graphs  # noqa: E402

NAMES = list(torch_loops.workloads_of("cpu"))


@pytest.fixture
def small(monkeypatch):
    images = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 36, 10))
    text_row = Row(lambda: GPT(1, 32, 2, 64), lambda: (torch.randint(0, 64, (2, 16)),))
    image_row = Row(lambda: images, lambda: (torch.randn(2, 3, 8, 8),))
    monkeypatch.setattr(torch_loops, "text_model", lambda device: text_row)
    monkeypatch.setattr(torch_loops, "image_model", lambda device: image_row)
    # What takes the place of Inductor compiles nothing.
    monkeypatch.setattr(torch_rows, "rivals", lambda device: {"eager": None, "default": None, "tc": {"backend": backend}})


def entries_of(name):
    return torch_loops.measure_workload(SimpleNamespace(device="cpu", row=name, seed=0, rounds=1, threads=1))


def check_agreement(entries, rows):
    assert [one["run_name"] for one in entries] == [row for row in rows for _ in range(3)]
    for one in entries:
        assert one["real_time"] > 0 and one["first_seconds"] > 0
        assert not [one[key] for key in ("disagrees", "refused", "error_message") if key in one]
        assert one["rival"].startswith("tc") or not any(value["from_eager"] for value in one["agreement"].values())


@pytest.mark.parametrize("name", NAMES)
def test_tc_agrees_in_each_row(small, name):
    check_agreement(entries_of(name), torch_loops.workloads_of("cpu")[name].rows)


def test_a_scaler_calls_the_optimizer_that_is_compiled(small, monkeypatch):
    rows = torch_loops.workloads_of("cpu")["AMP"].rows
    half = torch_loops.Workload(torch_loops.training(1, torch.float32, torch.float16), rows, torch.float16)
    monkeypatch.setattr(torch_loops, "workloads_of", lambda device: {"AMP": half})
    check_agreement(entries_of("AMP"), rows)
    assert [graph.kind for graph in compiled_graphs] == ["forward", "backward", "inference"]


def results_of(entries):
    return {"context": {"device": "D", "threads": 2, "date": "T", "rounds": 3, "executable": "command", "versions": {"tc": "1"}},
            "benchmarks": entries}


def entry(rival, milliseconds, **extra):
    seconds = {"eager": [4e-3] * 3, "default": [3e-3] * 3, "tc": [2e-3] * 3}
    assert seconds[rival][0] == milliseconds * 1e-3
    return torch_compile_report.entry("AMP", rival, seconds, {"first_seconds": 2 * milliseconds} | extra)


def test_the_table_says_how_results_agree():
    near = {"parameters": {"from_eager": 0.0123, "error": 0.03, "error_of_eager": 0.02}}
    entries = [entry("eager", 4), entry("default", 3, agreement=near), entry("tc", 2, agreement=near, refused=["aten.sort"])]
    text = torch_loops_report.markdown(results_of(entries), ["AMP"], 3, 1.1)
    assert ("| AMP | 3 | 4 | 3 (default) | 2 (tc) | 1.50 | 2.00 | 6 | 4 | 1.5 | parameters 1.2e-02 (1.50) "
            "| parameters 1.2e-02 (1.50), PyTorch runs aten.sort |") in text
    entries[2]["disagrees"] = "loss: error 1, eager's is 0.1"
    assert "| DISAGREE: loss: error 1, eager's is 0.1 |" in torch_loops_report.markdown(results_of(entries), ["AMP"], 3, 1.1)


def test_results_that_are_far_from_exact_ones_disagree():
    exact = {"loss": torch.tensor([2.0], dtype=torch.float64)}
    eager, far = {"loss": torch.tensor([2.0001])}, {"loss": torch.tensor([float("nan")])}
    assert torch_loops.agreement(eager, eager, exact, 1.1, torch.float32)[1] == ""
    assert torch_loops.agreement(far, eager, exact, 1.1, torch.float32)[1].startswith("loss: nan, eager's is 2.0001")


def test_a_process_that_fails_is_a_cell_of_each_of_its_rows(tmp_path, capsys):
    script = tmp_path / "script.py"
    script.write_text("import sys\nsys.exit(3)\n")
    options = torch_rows.read_options(torch_rows.make_parser(str(script), ""), [f"--out={tmp_path / 'table'}"])
    written = []
    measurement = torch_rows.Measurement(["AMP", "AMP, compiled optimizer"], ["--row=AMP"])
    assert torch_rows.run_all(str(script), [measurement], options, ["--rounds=1"], written.append) == 1
    assert [one["error_message"] for one in written[0]["benchmarks"]] == ["the process of the row ended with status 3"] * 2
    assert written[0]["context"]["executable"] == "benchmarks/script.py --rounds=1"
    torch_compile_report.write(written[0], options.out, "page")
    assert json.loads((tmp_path / "table.json").read_text()) == written[0] and (tmp_path / "table.md").read_text() == "page"
    assert "AMP, compiled optimizer\n" in capsys.readouterr().out
