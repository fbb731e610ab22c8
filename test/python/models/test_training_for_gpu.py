"""The graphs of a step of training of models, compiled for a GPU, which this machine need not have.

The backend writes each forward and backward graph as torch.compile captures it on the CPU; tc-run compiles them to the
last phase for a GPU.
"""

import subprocess

import architecture
import compiled_steps
import compiled_table
import pytest
import torch
from exported_model import in_dtype

pytest.importorskip("tc")  # which writes the graphs

TARGET = "--target=cuda:sm_90a"
SECONDS = 300  # of a graph
TYPES = [torch.float32, torch.bfloat16]
# One of each kind: PyTorch captures all of them in both element types.
PLAIN = ["loss_of_many_classes", "convolutions", "residual_network", "unet", "generator", "volumes", "vision_transformer",
         "encoder_and_decoder", "sorted_experts", "spatial_transformer", "selective_scan", "recurrent_cells", "gru", "bag_of_maxima"]
OF_TRANSFORMERS = ["flex_olmo", "phimoe", "granitemoe", "granitemoehybrid", "axk1", "mamba", "bert", "t5", "vit", "resnet"]
KINDS = [f"plain/{kind}" for kind in PLAIN] + OF_TRANSFORMERS
SLICE = [name for name in compiled_table.all_names()[::18] if name not in KINDS]


def build(name, dtype):
    """A model in training mode, and its arguments."""
    torch.manual_seed(0)
    torch.set_num_threads(1)  # small tensors
    _, model, make = architecture.build(name)
    return compiled_steps.without_dropout(model.to(dtype)), in_dtype(make(2), dtype)


def check_graphs(graphs, folder, tc_run):
    """There is a forward and a backward graph, and each graph is compiled without a message."""
    kinds = [kind for kind, _ in graphs]
    assert {"forward", "backward"} <= set(kinds), f"the graphs are {kinds}"
    for number, (kind, text) in enumerate(graphs):
        path = folder / f"{number}-{kind}.json"
        path.write_text(text)
        command = [tc_run, path, TARGET, "--compile-to=generate"]
        finished = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=SECONDS)
        assert finished.returncode == 0 and not finished.stderr, (
            f"exit status {finished.returncode} of {' '.join(map(str, command))}\n{finished.stderr[-3000:]}")


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("name", KINDS)
def test_each_kind(tmp_path, tc_run, name, dtype):
    check_graphs(compiled_steps.graphs_of_training(*build(name, dtype)), tmp_path, tc_run)


def why_not_captured(model, arguments):
    """What PyTorch says of the step without TC; None where it captures it."""
    torch._dynamo.reset()
    try:
        compiled_steps.train(model, arguments, lambda one: torch.compile(one, backend="aot_eager"))
    except Exception as error:  # of many kinds
        return f"PyTorch: {error!r}"[:300]
    return None


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("name", SLICE)
def test_slice(full, tmp_path, tc_run, name, dtype):
    """Of all models; those that PyTorch does not train or capture are skipped."""
    try:
        model, arguments = build(name, dtype)
    except architecture.Skipped as skipped:
        pytest.skip(str(skipped))
    try:
        graphs = compiled_steps.graphs_of_training(model, arguments)
    except Exception:  # of many kinds
        if why := why_not_captured(model, arguments):
            pytest.skip(why)
        raise
    check_graphs(graphs, tmp_path, tc_run)
