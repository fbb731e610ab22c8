"""Models that are recorded with PyTorch's results, and run from there by check_models.py."""

import subprocess
import sys
from pathlib import Path

import numpy
import torch

import recorded_calls
from exported_model import BUILD, ExportedModel
from plain_layers import Function

DEVICE = Path(__file__).resolve().parents[2] / "Device"
sys.path[:0] = [str(DEVICE)]

import seeded_weights  # noqa: E402


def record(folder, model, arguments, name="model"):
    """One call, as architecture.py and agree() record it."""
    recipes = seeded_weights.reseed(model, name)
    folder.mkdir(parents=True)
    exported = ExportedModel.save(model.eval(), arguments, folder / "model.pt2")
    recorded_calls.write_call(folder, arguments, *exported.expected(arguments))
    return recipes


def check(folder, *options):
    command = [sys.executable, DEVICE / "check_models.py", folder, "--device=cpu", f"--tools={BUILD / 'bin'}", *options]
    return subprocess.run(command, capture_output=True, text=True)


def test_values_are_the_same_everywhere():
    """They are part of the archives' format."""
    values = seeded_weights.values(7, 5, -1.0, 3.0)
    assert values.dtype == numpy.float32 and ((-1 <= values) & (values < 3)).all()
    assert [value.hex() for value in values.tolist()] == ['0x1.63ca940000000p+1', '0x1.8019040000000p+0', '0x1.bc99a80000000p+0', '0x1.4b5f9a0000000p+1', '0x1.502be40000000p+0']


def test_weights_come_back_bit_for_bit(tmp_path):
    model = torch.nn.Sequential(torch.nn.Linear(48, 40), torch.nn.LayerNorm(40))
    recipes = record(tmp_path / "layer", model, (torch.randn(3, 48),))
    original = (tmp_path / "layer/model.pt2").read_bytes()
    assert len(recipes) == 1  # neither the bias nor the constant weight of the norm
    seeded_weights.take_out(tmp_path / "layer", recipes)
    assert (tmp_path / "layer/model.pt2").read_bytes() != original
    assert seeded_weights.restore(tmp_path / "layer", tmp_path / "copy.pt2").read_bytes() == original


def test_exact_results_are_shortened_far_below_the_error_of_eager():
    exact = torch.randn(1000, dtype=torch.float64) * 10.0 ** torch.randint(-300, 300, (1000,))
    exact[:4] = torch.tensor([float("inf"), float("-inf"), float("nan"), 0.0])
    shorter = recorded_calls.shortened(exact)
    torch.testing.assert_close(shorter, exact, rtol=2.0**-31, atol=0, equal_nan=True)
    assert not (shorter.view(torch.int64)[4:] & (2**22 - 1)).any()


def test_models_that_agree_and_that_do_not(tmp_path, tc_run):
    torch.manual_seed(0)
    for name in ("right", "wrong"):
        model, arguments = torch.nn.Linear(48, 40), (torch.randn(3, 48),)
        seeded_weights.take_out(tmp_path / name, record(tmp_path / name, model, arguments, name))
    finished = check(tmp_path, f"--summary={tmp_path / 'page.md'}")
    assert finished.returncode == 0 and "2 models on cpu: 2 agrees, 0 refused, 0 failed, 0 not run" in finished.stdout, finished.stdout
    assert "| types of transformers | 2 | 0 | 0 | 0 |" in (tmp_path / "page.md").read_text()
    results = numpy.load(tmp_path / "wrong/eager-0.npy")
    numpy.save(tmp_path / "wrong/eager-0.npy", results + numpy.float32(0.01))
    numpy.save(tmp_path / "wrong/exact-0.npy", results.astype(float))
    finished = check(tmp_path)
    assert finished.returncode == 0, "nearer to f64 than eager is"
    numpy.save(tmp_path / "wrong/exact-0.npy", results.astype(float) + 0.01)
    finished = check(tmp_path)
    assert finished.returncode == 1 and "1 agrees, 0 refused, 1 failed" in finished.stdout, finished.stdout
    assert "--- failed: wrong\nwrong:\nresult 0 of 1: has RMSE 0.01 against f64" in finished.stdout, finished.stdout


def test_what_is_refused_is_named(tmp_path, tc_run):
    rows = Function(torch.vmap(lambda row: torch.ops.aten.softmax.int(row, 0)))
    record(tmp_path / "rows", rows, (torch.randn(4, 4),))
    finished = check(tmp_path)
    assert finished.returncode == 1 and "0 agrees, 1 refused, 0 failed" in finished.stdout, finished.stdout
    assert "--- refused: rows" in finished.stdout and "is not supported" in finished.stdout


def test_equal_elements_in_another_order(tmp_path, tc_run):
    """Results of either order agree."""
    (tmp_path / "first").mkdir()
    model, arguments = torch.nn.Softmax(-1), (torch.randn(3, 4),)
    exported = ExportedModel.save(model, arguments, tmp_path / "first/model.pt2")
    eager, exact = exported.expected(arguments)
    other = [result.flip(0) for result in eager], [result.flip(0) for result in exact]
    recorded_calls.write_call(tmp_path / "first", arguments, *other, first_of_equal=(eager, exact))
    assert (tmp_path / "first/first-of-equal/eager-0.npy").exists()
    assert check(tmp_path).returncode == 0
