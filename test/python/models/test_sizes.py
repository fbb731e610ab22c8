"""Sizes that are known when the function is called alone."""

import re

import pytest
import torch
import torch.nn.functional as F
from torch.export import Dim

from exported_model import ExportedModel, run_tool
from plain_layers import Function


def auto(*dims):
    """These dimensions of an input as torch.export finds them."""
    return dict.fromkeys(dims, Dim.AUTO)


def test_windows_that_hang_over(agree):
    """With ceil_mode a guard decides whether the last window counts."""
    for pool in (lambda x: F.max_pool2d(x, 2, 3, 1, ceil_mode=True, return_indices=True),
                 lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
                 lambda x: F.avg_pool2d(x, 2, 3, 1, ceil_mode=True)):
        agree(Function(pool), (torch.randn(2, 3, 11, 12),), others=[(torch.randn(2, 3, 14, 9),)],
              dynamic_shapes=((auto(2, 3),),))


@pytest.mark.parametrize("function", [
    lambda x, y: torch.cat([y, x, x.sin()]) * 2,
    lambda x, y: F.pad(x.exp(), (0, 0, 2, 3), value=1.0),
    lambda x, y: F.pad(x.T[None], (2, 2), mode="circular"),
    lambda x, y: F.max_pool2d(x.T[None], (1, 2), 1, (0, 1)),
    lambda x, y: F.avg_pool1d(x.T, 2, 1, 1),
    lambda x, y: F.conv1d(x.T[None], y.view(1, 4, 2), padding=1),
    lambda x, y: torch.roll(x.flip(0), 2, 0).softmax(0),
    lambda x, y: torch.slice_scatter(x, y, 0, 1, 3),
    lambda x, y: torch.select_scatter(x, y[0], 0, 1),
], ids=["concat", "pad", "circular", "max_pool", "avg_pool", "convolution", "roll", "slice_scatter", "select_scatter"])
def test_sizes_with_a_minimum(function, agree):
    """The positions of elements are then not affine in the size."""
    least = Function(lambda x, y: function(x.narrow(0, 0, torch.sym_min(x.shape[0], 5)), y))
    agree(least, (torch.randn(7, 4), torch.randn(2, 4)),
          others=[(torch.randn(rows, 4), torch.randn(2, 4)) for rows in (3, 5, 9)], dynamic_shapes=((auto(0), None),))


def test_a_symbolic_number_of_channels(agree):
    """The weight is an argument, as one that another network gives."""
    arguments = torch.randn(2, 6, 9, 8), torch.randn(4, 6, 3, 3), torch.randn(4)
    others = [(torch.randn(2, c, 9, 8), torch.randn(o, c, 3, 3), torch.randn(o)) for c, o in ((3, 5), (70, 33))]
    agree(Function(lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1)), arguments, others=others,
          dynamic_shapes=((auto(1), auto(0, 1), auto(0)),))
    arguments = torch.randn(2, 6, 8), torch.randn(6, 4, 3)
    others = [(torch.randn(2, c, 8), torch.randn(c, o, 3)) for c, o in ((3, 5), (70, 33))]
    agree(Function(lambda x, w: F.conv_transpose1d(x, w, stride=2)), arguments, others=others,
          dynamic_shapes=((auto(1), auto(0, 1)),))


def test_sizes_that_a_call_compares(agree):
    """torch.export leaves it to the call that its tensors fit each other."""
    agree(Function(lambda x, y: torch.select_scatter(x, y, 0, 1)), (torch.randn(6, 5), torch.randn(5)),
          others=[(torch.randn(6, 8), torch.randn(8))], dynamic_shapes=((auto(1), auto(0)),))
    agree(Function(lambda x, y: torch.slice_scatter(x, y, 0, 1)), (torch.randn(6, 3), torch.randn(5, 3)),
          others=[(torch.randn(8, 4), torch.randn(7, 4))], dynamic_shapes=((auto(0, 1), auto(0, 1)),))

    def put(x, i, y):
        return x.index_put((i,), torch.cat([y, y]))

    arguments = torch.randn(6, 5), torch.tensor([0, 1, 2, 3]), torch.randn(2, 5)
    shapes = ((auto(0, 1), auto(0), auto(0, 1)),)
    agree(Function(put), arguments, others=[(torch.randn(7, 8), torch.arange(6), torch.randn(3, 8))],
          dynamic_shapes=shapes)


def test_calls_whose_sizes_differ(tmp_path, tc_run):
    """Inputs that PyTorch refuses during the call are refused at its start."""
    arguments = torch.randn(6, 5), torch.tensor([0, 1, 2]), torch.randn(3, 5)
    exported = ExportedModel.save(Function(lambda x, i, y: x.index_put((i,), y)), arguments, tmp_path / "put.pt2",
                                  ((auto(0, 1), auto(0), auto(0, 1)),))
    finished = run_tool(exported.path, "--input=6x5xf32=1", "--input=3xi64=0,1,2", "--input=3x4xf32=1")
    assert finished.returncode == 1
    assert re.search(r"size 1 of input 2 \(arguments_2\) is 4, expected s\d+ = 5", finished.stderr)


@pytest.mark.parametrize("scale", [1.5, 0.5, (0.25, 2.75)])
def test_sizes_by_fractions(agree, scale):
    """A size times a binary fraction, rounded towards zero."""
    agree(Function(lambda x: F.interpolate(x, scale_factor=scale, mode="nearest")), (torch.randn(1, 2, 17, 9),),
          others=[(torch.randn(1, 2, 33, 11),)], dynamic_shapes=((auto(2, 3),),))


def test_rounding_of_what_is_negative(agree):
    """Towards zero, not down: a guard has the value of the export."""
    half = Function(lambda x: x.new_zeros(int((x.shape[0] - 9) * 0.5) + int(x.shape[0] / 3) + 5))
    agree(half, (torch.randn(6, 3),), dynamic_shapes=((auto(0),),))


def test_fractions_that_round(tmp_path, tc_run):
    """0.3 times a size is no exact number of the export's."""
    exported = ExportedModel.save(Function(lambda x: F.interpolate(x, scale_factor=0.3)), (torch.randn(1, 2, 17),),
                                  tmp_path / "round.pt2", ((auto(2),),))
    finished = run_tool(exported.path, "--compile-to=import")
    assert finished.returncode == 1
    assert "expected integer conditions on sizes of inputs; of real numbers, fractions such as 0.5 and 1.75 " \
        "alone are exact" in finished.stderr


def test_limits_beyond_64_bits(agree):
    """A guard that no size can miss."""
    def limited(x):
        torch._check(x.shape[0] < 2**63)
        torch._check(x.shape[0] * 2**40 < 2**63)
        return x * 2

    agree(Function(limited), (torch.randn(7, 3),), others=[(torch.randn(12, 3),)], dynamic_shapes=((auto(0),),))
