"""Forms of operators that few models use, next to PyTorch: resampling with a
filter, bounds in tensors, positions of running extremes, batches of one."""

import itertools

import pytest
import torch
from torch.nn import functional

pytest.importorskip("tc")

from operator_call import agrees

NAN = float("nan")


@pytest.mark.parametrize("mode, corners", itertools.product(["bilinear", "bicubic"], [False, True]))
@pytest.mark.parametrize("size", [(3, 4), (7, 30), (1, 1), (9, 12)], ids=str)
def test_antialiased_resampling(mode, corners, size):
    """To fewer elements, to more, to one and to as many."""
    torch.manual_seed(0)
    for dtype in (torch.float32, torch.float64):
        agrees(functional.interpolate, torch.randn(2, 3, 9, 12, dtype=dtype), size, mode=mode, align_corners=corners, antialias=True)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_antialiased_resampling_by_factors(mode):
    torch.manual_seed(0)
    agrees(functional.interpolate, torch.randn(2, 3, 9, 12), scale_factor=(0.4, 1.7), mode=mode, antialias=True)


@pytest.mark.parametrize("steps", [1, 2, 7, 8])
def test_steps_between_tensors(steps):
    low, high = torch.tensor(-0.3), torch.tensor(2.0)
    agrees(lambda low, high: (torch.linspace(low, high, steps), torch.linspace(low, 1.5, steps), torch.linspace(-2, high, steps),
                              torch.linspace(-2, 1.5, steps, dtype=torch.float64)), low, high)


ROWS = [[1.0, 3.0, 3.0, 2.0, 4.0], [5.0, 5.0, 5.0, -1.0, 5.0], [2.0, NAN, 7.0, NAN, 1.0], [-0.0, 0.0, -0.0, 0.0, -1.0]]


@pytest.mark.parametrize("function", [torch.cummax, torch.cummin])
def test_positions_of_running_extremes(function):
    """The last of equal ones, and NaN, which stays."""
    for x in (torch.tensor(ROWS), torch.tensor(ROWS).nan_to_num().int(), torch.tensor(ROWS) > 2):
        for dim in (0, 1):
            agrees(lambda x, dim=dim: tuple(function(x, dim)), x)
    agrees(lambda x: tuple(function(x, 0)), torch.tensor(2.5))


def test_distances_of_broadcast_batches():
    torch.manual_seed(0)
    x, y = torch.randn(3, 1, 5, 4), torch.randn(2, 6, 4)
    for p in (1.0, 2.0, float("inf")):
        agrees(lambda x, y, p=p: (torch.cdist(x, y, p), torch.cdist(x, y[0], p), torch.cdist(x[0, 0], y, p)), x, y)


def test_attention_of_broadcast_batches():
    """Each of queries, keys and values with a batch of one, or without."""
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 4, 5, 8), torch.randn(3, 4, 6, 8), torch.randn(3, 4, 6, 7)
    attention = functional.scaled_dot_product_attention
    agrees(lambda q, k, v: (attention(q[:1], k, v), attention(q, k[:1], v[:, :1]), attention(q[:, :1], k[:1], v)), q, k, v)
    mask = torch.randn(3, 1, 5, 6)
    agrees(lambda q, k, v, mask: (attention(q[:1], k, v, mask), attention(q[:1], k[:1], v, mask[:1] > 0)), q, k, v, mask)


@pytest.mark.parametrize("offset, first, second", [(0, 0, 1), (2, 0, 1), (-1, 1, 2), (1, 2, 0), (5, 0, 1), (-9, 0, 1)])
def test_writes_to_diagonals(offset, first, second):
    """Of one matrix or of several, above and below the main one, and of none."""
    def write(x, y):
        z, w = x.clone(), x.clone()
        z.diagonal(offset, first, second).mul_(3).add_(1)
        w.diagonal(offset, first, second).copy_(y.diagonal(offset, first, second))
        return z, w, torch.diagonal_scatter(x, torch.zeros_like(x.diagonal(offset, first, second)), offset, first, second)

    torch.manual_seed(0)
    agrees(write, torch.randn(4, 5, 6), torch.randn(4, 5, 6))


def test_filled_diagonals():
    agrees(lambda x: (x.clone().fill_diagonal_(7), x.T.clone().fill_diagonal_(float("-inf")), (x > 0).fill_diagonal_(True)), torch.randn(3, 5))


@pytest.mark.parametrize("ranks", [(2, 2), (1, 2, 2), (2, 2, 1), (1, 2, 1), (1, 1), (2, 2, 2, 2)], ids=str)
def test_products_of_several(ranks):
    torch.manual_seed(0)
    factors = [torch.randn(5) if rank == 1 else torch.randn(5, 5) for rank in ranks]
    agrees(lambda *factors: torch.linalg.multi_dot(factors), *factors)


def test_mean_slopes():
    agrees(lambda x: (functional.rrelu(x), functional.rrelu(x, 0.1, 0.5)), torch.randn(4, 5))


@pytest.mark.parametrize("offset", [0, 2, -1, 9])
def test_matrices_of_diagonals(offset):
    torch.manual_seed(0)
    agrees(lambda x, y: (torch.diag(x, offset), torch.diag(y, offset), torch.diag_embed(y, offset), torch.diag_embed(y, offset, 0, 2),
                         torch.diag(x > 0, offset)), torch.randn(5), torch.randn(3, 4))


@pytest.mark.parametrize("size", [1, 4, 9, 20])
def test_nearest_elements(size):
    """The nearest to the middle of each, in one to three dimensions."""
    torch.manual_seed(0)
    x = torch.randn(2, 3, 9)
    agrees(lambda x, y, z: tuple(functional.interpolate(t, size, mode="nearest-exact") for t in (x, y, z)),
           x, x[..., None] + torch.randn(5), torch.randn(1, 2, 3, 4, 5))
    agrees(lambda x: functional.interpolate(x, scale_factor=size / 7, mode="nearest-exact"), x)
