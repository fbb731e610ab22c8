"""Sizes and numbers that are computed from elements: the call learns them midway."""

import pytest
import torch
from torch.export import Dim

from agreement import to_npy
from exported_model import ExportedModel, run_tool
from plain_layers import Function


def check(size):
    """A number that the export may take as a size."""
    torch._check(size >= 0)
    return size


X = torch.randn(6, 4)
POSITIVE, NEGATIVE = X.abs(), -X.abs()
MASKS = {
    "masked_select": lambda x: torch.masked_select(x, x > 0),
    "masked_select, broadcast": lambda x: torch.masked_select(x, x[0] > 0),
    "sum of masked_select": lambda x: torch.masked_select(x, x > 0).sum(),
    "nonzero": lambda x: torch.nonzero(x > 0),
    "nonzero of floats": lambda x: x.relu().nonzero(),
    "argwhere": lambda x: torch.argwhere(x > 0),
    "where": lambda x: torch.where(x > 0),
    "index by a mask": lambda x: x[x > 0],
    "rows by a mask": lambda x: x[x[:, 0] > 0],
    "columns by a mask": lambda x: x[:, x[0] > 0] * 2,
    "a mask and a number": lambda x: x[x[:, 0] > 0, 1],
    "softmax of rows by a mask": lambda x: x[x[:, 0] > 0].softmax(-1) @ x.T,
    "two masks": lambda x: x[x[:, 0] > 0].sum(0) + x[x[:, 1] > 0].sum(0),
    "a mask of what a mask gives": lambda x: (lambda y: y[y < 1])(x[x > 0]),
    "joined": lambda x: torch.cat([x[x > 0], x[x < 1], x.flatten()]),
}


@pytest.mark.parametrize("name", MASKS)
def test_masks(agree, name):
    """As many elements as a mask has true: some, all and none."""
    agree(Function(MASKS[name]), (X,), others=[(POSITIVE,), (NEGATIVE,)])


@pytest.mark.parametrize("name", ["rows by a mask", "nonzero", "joined"])
def test_masks_of_symbolic_sizes(agree, name):
    agree(Function(MASKS[name]), (X,), others=[(torch.randn(9, 4),), (NEGATIVE[:3],)],
          dynamic_shapes=(({0: Dim("rows", min=2, max=100)},),))


def test_assignment_by_masks(agree):
    def put(x, values):
        y, z = x.clone(), x.clone()
        y[x > 0] = values
        z[x[:, 0] > 0] = 7.0
        return y, z

    x = torch.tensor([[1.0, -1.0], [2.0, -3.0], [-1.0, 4.0]])
    agree(Function(put), (x, torch.tensor([5.0, 6.0, 7.0])), others=[(-x, torch.tensor([5.0, 6.0, 7.0]))])


def test_assignment_of_another_number_of_elements(tmp_path, tc_run):
    def put(x, values):
        y = x.clone()
        y[x > 0] = values
        return y

    exported = ExportedModel.save(Function(put), (torch.tensor([1.0, -1.0, 2.0]), torch.ones(2)), tmp_path / "put.pt2")
    finished = run_tool(exported.path, "--input=3xf32=1,1,1", "--input=2xf32=1")
    assert finished.returncode == 1
    assert "u0 - 2 is 1, expected at most 0" in finished.stderr


ITEMS = {
    "prefix": lambda x, n: x[:check(n.item())] * 2,
    "factory": lambda x, n: torch.zeros(check(n.item()), 3) + x[:, :3].sum(),
    "arange": lambda x, n: torch.arange(check(n.item())) * 2,
    "arange of a maximum": lambda x, n: torch.arange(check((n + x.shape[0]).max().item())),
    "number": lambda x, n: x * n.item() + x.sum().item(),
    "number and its size": lambda x, n: torch.full((check(n.item()),), n.item()) / n.item(),
    "full of a float": lambda x, n: torch.full((2, 3), x.sum().item()),
    "arithmetic of floats": lambda x, n: x * (x.sum().item() * 2.0 + 1.0),
    "expand": lambda x, n: x[:1].expand(check(n.item()), 4) + x[1],
    "select": lambda x, n: x[check(n.item())],
}


@pytest.mark.parametrize("name", ITEMS)
def test_items(agree, name):
    agree(Function(ITEMS[name]), (X, torch.tensor(3)), others=[(X, torch.tensor(5)), (X, torch.tensor(1))])


def test_split_by_a_list(agree):
    def split(x, sizes):
        parts = x.split(sizes.tolist())
        return tuple(part.sum(0) for part in parts)

    agree(Function(split), (X, torch.tensor([2, 3, 1])), others=[(X, torch.tensor([0, 6, 0]))])


def test_item_beyond_its_range(tmp_path, tc_run):
    exported = ExportedModel.save(Function(lambda x, n: x[:check(n.item())]), (X, torch.tensor(3)),
                                  tmp_path / "prefix.pt2")
    finished = run_tool(exported.path, "--input=6x4xf32=1", "--input=i64=-1")
    assert finished.returncode == 1
    assert "u0, which depends on data, is -1, expected at least 0" in finished.stderr


def test_repeat_interleave(agree):
    counts = torch.tensor([1, 0, 2, 1, 3, 0])
    others = [(X, torch.tensor([0, 0, 0, 0, 0, 0])), (X, torch.tensor([2, 2, 2, 2, 2, 2]))]
    agree(Function(lambda x, n: torch.repeat_interleave(x, n, dim=0)), (X, counts), others)
    agree(Function(lambda x, n: torch.repeat_interleave(n)), (X, counts), others)


def test_negative_repeats(tmp_path, tc_run):
    exported = ExportedModel.save(Function(lambda x, n: torch.repeat_interleave(x, n, dim=0)),
                                  (X, torch.tensor([1, 0, 2, 1, 3, 0])), tmp_path / "repeat.pt2")
    finished = run_tool(exported.path, "--input=6x4xf32=1", "--input=6xi64=1,-2,4,1,1,1")
    assert finished.returncode == 1
    assert "u0, which depends on data, is -2, expected at least 0" in finished.stderr


@pytest.mark.parametrize("others", [(False, False), (True, True)], ids=["values", "all results"])
def test_unique(agree, others):
    inverse, counts = others

    def unique(x):
        return torch.unique(x, return_inverse=inverse, return_counts=counts)

    def consecutive(x):
        return torch.unique_consecutive(x, return_inverse=inverse, return_counts=counts)

    x = torch.tensor([[3, 1, 3], [2, 2, 1]])
    for function in (unique, consecutive):
        agree(Function(function), (x,), others=[(torch.zeros(2, 3, dtype=torch.long),),
                                               (torch.arange(6).reshape(2, 3),)])


@pytest.mark.parametrize("counts", [[3, 0, 3, 1], [0], [], [7, 7]], ids=str)
def test_counts_of_numbers(agree, counts):
    """As many as the largest number says, and at least as many as asked for."""
    counts = torch.tensor(counts, dtype=torch.long)
    shapes = {0: Dim("count", min=0, max=50)}
    agree(Function(lambda x: (torch.bincount(x), torch.bincount(x, minlength=5), torch.bincount(x.int(), minlength=2) * 2)),
          (torch.tensor([1, 2, 2]),), others=[(counts,)], dynamic_shapes=((shapes,),))
    if len(counts):  # without numbers PyTorch forgets the type of the weights
        agree(Function(lambda x, weights: (torch.bincount(x, weights), torch.bincount(x, weights.half(), 6))),
              (torch.tensor([1, 2, 2]), torch.randn(3)), others=[(counts, torch.randn(len(counts)))], dynamic_shapes=((shapes, shapes),))


def test_diagonals_of_symbolic_sizes(agree):
    """The similarities of all pairs without those of a row and itself."""
    def similarities(x):
        y = x @ x.T
        z = y.clone()
        z.diagonal().fill_(float("-inf"))
        z = z.softmax(-1)
        y.diagonal(1).mul_(2)
        return y.diagonal(), z, y, z.diagonal(-1).sum()

    agree(Function(similarities), (X,), others=[(X[:4],), (torch.cat([X, X]),)], dynamic_shapes=(({0: Dim("rows", min=4, max=100)},),))


@pytest.mark.parametrize("padding", [(2, 1), (0, 0), (-1, 3), (2, -2), (-1, -1)], ids=str)
def test_padding_from_data(agree, padding):
    """By counts that only the call knows: what is negative is cut off."""
    def pad(x, counts):
        low, high = counts.unbind()
        low, high = low.item(), high.item()
        torch._check(x.shape[1] + low >= 0)
        torch._check(x.shape[1] + low + high >= 0)
        return torch.nn.functional.pad(x, (low, high), value=7.0) * 2

    agree(Function(pad), (X, torch.tensor([1, 1])), others=[(X, torch.tensor(padding))])


def test_numbers_that_the_export_knows(agree):
    """A number that the model says a tensor holds; the call checks that it does."""
    def head(x, counts):
        count = counts.sum().item()
        torch._check(count == 4)
        return x[: count - 1] * 2

    exported = agree(Function(head), (X, torch.tensor([3, 1])), others=[(X, torch.tensor([2, 2]))])
    inputs = exported.path.parent / "x.npy", exported.path.parent / "counts.npy"
    for tensor, path in zip((X, torch.tensor([2, 3])), inputs):
        to_npy(tensor, path)
    finished = run_tool(exported.path, *(f"--input=@{path}" for path in inputs))
    assert finished.returncode != 0 and "which depends on data, is 5, expected at most 4" in finished.stderr, finished.stderr
