"""A call allocates no more than the captured graph would, run op by op.

The arena is compared with the peak of intermediates, results counted on neither
side; arena and workspaces with the peak of all live tensors.
"""

import re
import sys
from pathlib import Path

import pytest
import torch
from torch.export import Dim

import transformers_models as zoo
from exported_model import BUILD, ExportedModel, run_tool
from test_transformers import MAIN, OTHERS, TYPES, build, dynamic_batch

sys.path.append(str(Path(__file__).resolve().parents[3] / "benchmarks"))

import memory  # noqa: E402
import workloads  # noqa: E402

pytestmark = pytest.mark.skipif(not (BUILD / "bin/tc-run").exists(), reason="tc-run is not built")


def check(sizes):
    assert sizes["arena"] <= sizes["op by op, without results"], sizes
    assert sizes["arena"] + sizes["workspaces"] <= sizes["op by op"], sizes


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("make", MAIN + OTHERS, ids=lambda make: make.__name__)
def test_models_of_fixed_sizes(tmp_path, make, dtype):
    model, inputs = build(make, dtype)
    exported = ExportedModel.save(model.eval(), inputs(2), tmp_path / "model.pt2")
    check(memory.measure_call(exported.path, 2))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("make", MAIN + OTHERS, ids=lambda make: make.__name__)
def test_models_of_any_batch(tmp_path, make, dtype):
    """One compiled plan holds for every size: the smallest, the largest, odd ones."""
    model, inputs = build(make, dtype)
    exported = ExportedModel.save(model.eval(), inputs(2), tmp_path / "model.pt2", dynamic_batch(inputs(2)))
    symbol = exported.symbols()[0]
    for batch in (1, 2, 7, 64):
        check(memory.measure_call(exported.path, 2, f"--size={symbol}={batch}"))


@pytest.mark.parametrize("name", workloads.rows())
def test_measured_rows(name):
    check(memory.measure_row(workloads.rows()[name], 2))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("widths", [(64, 10), (64, 32, 10), (256, 256)], ids=str)
def test_a_few_hundred_bytes(tmp_path, widths, dtype):
    layers = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers[:-1]).to(dtype).requires_grad_(False)
    for batch in (1, 4):
        exported = ExportedModel.save(model, (torch.randn(batch, widths[0], dtype=dtype),), tmp_path / "model.pt2")
        check(memory.measure_call(exported.path, 2))


def skip_unless_runs(target):
    example = Path(__file__).resolve().parents[3] / "examples/relu.mlir"
    if "would not run here" in run_tool(example, f"--target={target}", "--random-inputs=1", "--output=").stderr:
        pytest.skip(f"this machine does not run code for {target}")


def check_any_batch(make, dtype, tmp_path, target, threads, batches):
    """One program of a symbolic batch size, called with each of `batches`."""
    model, inputs = build(make, dtype)
    exported = ExportedModel.save(model.eval(), inputs(2), tmp_path / "model.pt2", dynamic_batch(inputs(2)))
    symbol = exported.symbols()[0]
    skip_unless_runs(target)
    for batch in batches:
        check(memory.measure_call(exported.path, threads, f"--target={target}", f"--size={symbol}={batch}"))


@pytest.mark.parametrize("target", ["cpu:x86-64", "cpu:x86-64-v3", "cpu:x86-64-v4"])
@pytest.mark.parametrize("make", [zoo.masked_bert, zoo.vit, zoo.resnet18], ids=lambda make: make.__name__)
def test_other_targets(tmp_path, make, target):
    """Few registers, and no bf16 dot products: rows are converted before they are multiplied."""
    model, inputs = build(make, torch.bfloat16)
    exported = ExportedModel.save(model.eval(), inputs(2), tmp_path / "model.pt2")
    skip_unless_runs(target)
    check(memory.measure_call(exported.path, 2, f"--target={target}"))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("target", ["cpu:x86-64", "cpu:x86-64-v3", "cpu:x86-64-v4"])
@pytest.mark.parametrize("make", [zoo.masked_bert, zoo.vit, zoo.whisper_encoder, zoo.clip_vision],
                         ids=lambda make: make.__name__)
def test_other_targets_of_any_batch(tmp_path, make, target, dtype):
    """The smallest sizes write less than what rows and panels of narrow floats take as f32."""
    check_any_batch(make, dtype, tmp_path, target, threads=2, batches=(1, 2))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
@pytest.mark.parametrize("target", ["cpu:x86-64", "cpu:x86-64-v3", "cpu:x86-64-v4"])
@pytest.mark.parametrize("make", [zoo.resnet18, zoo.convnext], ids=lambda make: make.__name__)
def test_sixteen_threads(tmp_path, make, target, dtype):
    """The stacks of all tasks together, on a machine of 16 cores as a named target has them."""
    check_any_batch(make, dtype, tmp_path, target, threads=16, batches=(1, 2, 7))


@pytest.mark.parametrize("name", [name for name in workloads.rows() if re.match(r"(matmul 1024|block).*bf16", name)])
def test_measured_rows_on_sixteen_threads(name):
    """Packed rows of bf16 as f32, and the accumulators of their block, for each thread."""
    skip_unless_runs("cpu:x86-64-v4")
    check(memory.measure_row(workloads.rows()[name], 16, "--target=cpu:x86-64-v4"))


class Chain(torch.nn.Module):
    def forward(self, x):
        y = torch.relu(x @ x.T)
        return torch.softmax(y, -1) @ x + x


def test_two_symbols(tmp_path):
    exported = ExportedModel.save(Chain(), (torch.randn(6, 10),), tmp_path / "model.pt2",
                                  ({0: Dim("rows", min=2, max=4096), 1: Dim("columns", min=2, max=4096)},))
    rows, columns = re.search(r"tc.sizes<\[(\w+), (\w+)\]>", run_tool(exported.path, "--compile-to=import").stdout).groups()

    def measure(*sizes):
        return memory.measure_call(exported.path, 2, *(
            f"--size={symbol}={size}" for symbol, size in zip((rows, columns), sizes)))

    # The softmax is written over its operand: of rows x rows elements one tensor lives.
    for sizes in ((2, 3), (3, 900), (10, 10), (20, 50), (50, 20), (64, 64), (900, 3), (700, 701)):
        check(measure(*sizes))
