"""What the benchmarks measure, in small sizes: results and gradients are those of eager PyTorch."""

import copy
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
sys.path.append(str(Path(__file__).resolve().parents[3] / "benchmarks"))

import measure  # noqa: E402
import torch_compile  # noqa: E402
import torch_rows  # noqa: E402
from agreement_with_eager import check_agreement, compiled  # noqa: E402
from torch import nn  # noqa: E402
from workloads import GPT, Block, Function, LayerNormGeluScale, torch_compile_rows  # noqa: E402

from tc.torch_backend import backend, compiled_graphs  # noqa: E402

ROWS = torch_compile_rows()
LARGEST = 24  # of a dimension of inputs


def gpt(layers):
    return lambda: GPT(layers, 32, 4, 64)


# By how the names of rows begin: the module, and the shape of its input or of its ids.
SMALL = {"LN+gelu+scale": (lambda: LayerNormGeluScale(24), (3, 5, 24)),
         "linear+gelu": (lambda: nn.Sequential(nn.Linear(24, 40), nn.GELU()), (6, 24)),
         "linear 1x": (lambda: nn.Linear(24, 40), (1, 24)), "block": (lambda: Block(32, 4), (2, 12, 32)),
         "GPT 4": (gpt(4), (1, 12)), "GPT 12": (gpt(12), (1, 12)), "ResNet-18": (ROWS["ResNet-18 224 b1 f32"].module, (2, 3, 64, 64)),
         "MobileNetV2": (ROWS["MobileNetV2 224 b1 f32"].module, (2, 3, 64, 64))}
# Which have a module and inputs that are small enough.
AS_THEY_ARE = r"20 x linear|MLP|branch"
# Batch norm divides by deviations of the few elements of small images: rounding grows from layer to layer, and only the
# distance to gradients in f64 tells whether they are right.
NORMALIZED_BY_BATCH = r"ResNet|MobileNet"


def small_row(name):
    """A module and inputs."""
    row = ROWS[name]
    if re.match(AS_THEY_ARE, name):
        return row.module(), row.inputs()
    dtype = torch.bfloat16 if name.endswith("bf16") else torch.float32
    for beginning, (make, shape) in SMALL.items():
        if name.startswith(beginning):
            inputs = torch.randint(0, 64, shape) if name.startswith("GPT") else torch.randn(shape, dtype=dtype)
            return make().eval().to(dtype), (inputs,)
    module = row.module()
    assert isinstance(module, Function), f"{name} has no small size"
    return module, tuple(value[tuple(slice(LARGEST) for _ in value.shape)].contiguous() for value in row.inputs())


@pytest.mark.parametrize("way", torch_compile.WAYS)
@pytest.mark.parametrize("name", ROWS)
def test_rows(name, way):
    module, inputs = small_row(name)
    if way == "training":
        module = torch_compile.without_dropout(module.train())
    wanted = torch_compile.Step(copy.deepcopy(module), inputs, way)()
    results = torch_compile.Step(compiled(copy.deepcopy(module), fullgraph=True), inputs, way)()
    assert wanted
    if re.match(NORMALIZED_BY_BATCH, name) and way == "training":
        exact = torch_compile.exact_results(module, inputs, way)
        assert not torch_compile.judge(results, wanted, exact, measure.RIVAL_LIMIT)
        return
    tolerances = {"rtol": 4e-2, "atol": 2e-2} if name.endswith("bf16") else {"rtol": 1e-3, "atol": 1e-5}
    check_agreement(results, wanted, **tolerances)


def test_branches_are_graphs_of_their_own():
    module, (x, _) = small_row("branch 10-20-5 b64 first f32")
    run = compiled(module, fullgraph=True)
    for is_first in (True, False, True):
        check_agreement(run(x, is_first), module(x, is_first))
    assert [graph.kind for graph in compiled_graphs] == ["forward", "forward"]


@pytest.mark.host
@pytest.mark.parametrize("way", torch_compile.WAYS)
@pytest.mark.parametrize("name", ["branch 10-20-5 b64 second f32", "relu(x+y)*2 512^2 f32"])
def test_the_table_of_torch_compile_measures_rows(name, way, monkeypatch):
    monkeypatch.setattr(torch_rows, "rivals", lambda device, modes: {"eager": None, "default": None, "tc": {"backend": backend}})
    options = torch_compile.parse_options(["--device=cpu", f"--row={name}", f"--ways={way}", "--rounds=1", "--threads=1"])
    entries = torch_compile.measure_row(options)
    assert [one["name"] for one in entries] == [f"{name}, {way}/{rival}" for rival in ("eager", "default", "tc")]
    for one in entries:
        assert one["real_time"] > 0 and not {"disagrees", "error_message"} & one.keys()


@pytest.mark.host
def test_the_table_has_models_scorers_and_functions_of_elements():
    left_out = {re.match(r"[a-z+ ]+", name)[0].strip() for name in ROWS if not re.search(torch_compile.MODELS, name)}
    assert left_out == {"attention causal", "column sum", "linear", "linear+gelu", "matmul", "softmax", "transpose+"}
