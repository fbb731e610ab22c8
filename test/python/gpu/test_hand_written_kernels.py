"""The measurement of hand-written kernels, as far as it needs no GPU."""

import sys
import time
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "test/Device/Kernels"), str(ROOT / "benchmarks")]

import kernel_cases  # noqa: E402
import measure_kernels  # noqa: E402

# Inputs of the cases' forms, by the beginning of their names.
SIZES = {"layer_norm": [(64, 256), (256,), (256,)], "softmax": [(64, 512)], "transpose": [(64, 32)],
         "column sum": [(64, 32)], "matmul 4096^3 bf16, weights [n": [(64, 32), (48, 32)],
         "matmul 8192^3": [(64, 32), (48, 32)], "matmul 4096^3 bf16, weights [k": [(64, 32), (32, 48)],
         "linear": [(64, 32), (48, 32), (48,)], "attention": [(2, 2, 64, 128)] * 3}
FIGURES = {"agrees": True, "rms_error": 1e-3, "torch_rms_error": 2e-3,
           "kernel": {"cold": 1e-3, "ratio": 1.0}, "torch": {"cold": 2e-3, "ratio": 2.0}}


def make_inputs(case):
    torch.manual_seed(0)
    element = "float32" if "f32" in case.name and "bf16" not in case.name else "bfloat16"
    sizes = next(sizes for begin, sizes in SIZES.items() if case.name.startswith(begin))
    return [kernel_cases.random(*size, dtype=element) for size in sizes]


@pytest.fixture(autouse=True)
def on_host(monkeypatch):
    monkeypatch.setattr(kernel_cases, "DEVICE", "cpu")


@pytest.mark.parametrize("name", kernel_cases.CASES)
def test_references_agree_with_pytorch(name):
    """What a kernel is compared with is what PyTorch computes, but for its rounding."""
    case = kernel_cases.CASES[name]
    inputs = make_inputs(case)
    result = case.torch(*inputs)
    errors = measure_kernels.errors_of(case, inputs, result, torch.zeros_like(result))
    limit = 1e-6 if result.dtype == torch.float32 else 2**-7
    assert errors["rms_error"] <= limit * errors["torch_rms_error"]  # of zeros: the result's own size


@pytest.mark.parametrize("name", kernel_cases.CASES)
def test_modules_have_run_phase_generate(name):
    text = kernel_cases.CASES[name].module()
    assert text.startswith('module attributes {gpu.container_module, tc.phase = "generate"')


def test_a_kernel_that_hangs_is_ended(monkeypatch):
    monkeypatch.setattr(measure_kernels, "measure", lambda *_: time.sleep(60))
    case = next(iter(kernel_cases.CASES.values()))
    begin = time.monotonic()
    assert measure_kernels.run_apart(case, 1, 0.5) == {"error": "still running after 0.5 seconds"}
    assert time.monotonic() - begin < 30


def test_a_kernel_that_fails_is_a_line_of_the_table(monkeypatch):
    def measure(*_):
        raise ValueError("no such\nkernel")
    monkeypatch.setattr(measure_kernels, "measure", measure)
    case = next(iter(kernel_cases.CASES.values()))
    figures = measure_kernels.run_apart(case, 1, 30)
    assert figures == {"error": "no such"}
    assert measure_kernels.row(case, figures)[1] == "no such"


def test_rates_are_of_the_needed_traffic():
    case = kernel_cases.CASES["transpose + 1, 8192^2 f32"]
    line = measure_kernels.row(case, FIGURES)
    assert line[1:4] == ["agrees", "0.001 (0.002)", "0.537 TB/s"]
    assert line[6] == "2.000"
