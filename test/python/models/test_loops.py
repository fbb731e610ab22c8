"""torch.scan and torch.map: a graph that runs once a step."""

import pytest
import torch
from torch.export import Dim
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan

from exported_model import ExportedModel
from plain_layers import Function


def running_means(x, weight, scale):
    """Two carried tensors, two stepped ones, two results a step, and a tensor that all steps see."""
    def advance(carried, step):
        mean, count = carried
        mean = mean * scale + torch.tanh(step["x"] @ weight) + step["y"]
        return (mean, count + 1.0), (mean.clone(), mean.sum(-1) / count)

    (mean, count), (means, sums) = scan(advance, (torch.zeros(x.shape[1:]), torch.ones(1)), {"x": x, "y": x.cos()})
    return mean, count, means, sums


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_scan(agree, steps):
    agree(Function(running_means), (torch.randn(steps, 3, 4), torch.randn(4, 4), torch.rand(4)))


def test_scan_backwards(agree):
    def run(x):
        return scan(lambda carried, step: (carried + step, carried * step), torch.zeros(3), x, dim=1, reverse=True)

    agree(Function(run), (torch.randn(3, 5),))


def test_scan_of_dynamic_rows(agree):
    def run(x):
        return scan(lambda carried, step: (carried * 0.5 + step, carried.sin()), torch.zeros(x.shape[1], 3), x)

    example = lambda batch: (torch.randn(5, batch, 3),)
    agree(Function(run), example(2), [example(1), example(9)], (({1: Dim("batch", min=1, max=64)},),))


def test_map(agree):
    def run(x, weight):
        return map_rows(lambda row, weight: (torch.softmax(row @ weight, -1), row.sum()), x, weight)

    agree(Function(run), (torch.randn(6, 4), torch.randn(4, 3)))


def test_unknown_numbers_of_steps_are_refused(tmp_path, tc_run):
    function = Function(lambda x: map_rows(lambda row: row.sin() * 2, x))
    exported = ExportedModel.save(function, (torch.randn(3, 4),), tmp_path / "m.pt2", (({0: Dim("rows", min=1, max=64)},),))
    with pytest.raises(AssertionError, match=r"torch.map of 2 calls over s\d+ steps is not supported; "
                       "expected a constant number of steps and at most 20000 calls in all"):
        exported.run((torch.randn(3, 4),))
