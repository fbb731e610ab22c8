"""Reductions over a dimension that may have no elements when the function is called."""

import pytest
import torch
from torch.export import Dim

from exported_model import ExportedModel, run_tool
from plain_layers import Function

SHAPES = (({1: Dim("columns", min=0, max=64)},),)

WITHOUT_IDENTITY = {
    "amax": lambda x: x.amax(1),
    "amin": lambda x: x.amin(1),
    "max": lambda x: tuple(x.max(1)),
    "min": lambda x: tuple(x.min(1)),
    "argmax": lambda x: x.argmax(1),
    "argmin": lambda x: x.argmin(1),
    "argmax_of_all": lambda x: x.argmax(),
    "max_of_all": lambda x: x.max(),
    "aminmax": lambda x: tuple(torch.aminmax(x, dim=1)),
    "median": lambda x: tuple(x.median(1)),
    "kthvalue": lambda x: tuple(x.kthvalue(2, 1)),
    "infinity_norm": lambda x: torch.linalg.vector_norm(x, float("inf"), 1),
    "select": lambda x: x[:, 0],
}

WITH_IDENTITY = {
    "sum": lambda x: x.sum(1),
    "prod": lambda x: x.prod(1),
    "mean": lambda x: x.mean(1),
    "logsumexp": lambda x: x.logsumexp(1),
    "norm": lambda x: x.norm(dim=1),
    "all": lambda x: (x > 0).all(1),
    "any": lambda x: (x > 0).any(1),
    "softmax": lambda x: x.softmax(1),
    "log_softmax": lambda x: x.log_softmax(1),
    "cumsum": lambda x: x.cumsum(1),
    "sort": lambda x: tuple(x.sort(1)),
    "flip": lambda x: x.flip(1),
}


@pytest.mark.parametrize("name", WITHOUT_IDENTITY)
def test_nothing_is_refused(name, tmp_path, tc_run):
    """PyTorch raises, and so do compiled code and the interpreter."""
    model = Function(WITHOUT_IDENTITY[name])
    with pytest.raises((RuntimeError, IndexError)):
        model(torch.empty(3, 0))
    exported = ExportedModel.save(model, (torch.randn(3, 5),), tmp_path / "model.pt2", SHAPES)
    assert not exported.differences((torch.randn(3, 7),))
    for device in ("cpu", "reference"):
        finished = run_tool(exported.path, "--input=3x0xf32", f"--device={device}")
        assert finished.returncode == 1, finished.stdout
        assert "error: " in finished.stderr


@pytest.mark.parametrize("name", WITH_IDENTITY)
def test_nothing_has_a_value(name, agree):
    agree(Function(WITH_IDENTITY[name]), (torch.randn(3, 5),), others=[(torch.empty(3, 0),), (torch.randn(3, 1),)],
          dynamic_shapes=SHAPES)
