"""Gradients of sampling at the positions of a grid, next to eager PyTorch."""

import functools
import itertools

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import agrees_with_all_gradients, agrees_with_gradients, compiled, needing  # noqa: E402

from tc.torch_decompositions import decompositions  # noqa: E402

MODES = [(2, "bilinear"), (2, "nearest"), (2, "bicubic"), (3, "bilinear"), (3, "nearest")]
NUMBERS = {"bilinear": 0, "nearest": 1, "bicubic": 2}
SIZES, PLACES = (5, 7, 4), (3, 4, 5)
TOLERANCES = {"rtol": 1e-4, "atol": 1e-4}
gradients_agree = functools.partial(agrees_with_all_gradients, **TOLERANCES)


def sampled(mode, padding, align_corners):
    return lambda x, grid: F.grid_sample(x, grid, mode, padding, align_corners)


def positions(rank, batch=2):
    """Positions inside, far outside and at the borders."""
    grid = torch.rand(batch, *PLACES[:rank], rank) * 6 - 3
    grid.view(-1)[:8] = torch.tensor([-1.0, 1, 0, -1, 1, -3, 3, 0])
    return grid


@pytest.mark.parametrize("rank, mode", MODES)
@pytest.mark.parametrize("sizes", [SIZES, (1, 4, 1)])
def test_every_mode_by_the_operator(rank, mode, sizes):
    operator = {2: torch.ops.aten.grid_sampler_2d_backward, 3: torch.ops.aten.grid_sampler_3d_backward}[rank].default
    x, grid = torch.randn(2, 3, *sizes[:rank]), positions(rank)
    grad = torch.randn(2, 3, *PLACES[:rank])
    for padding, align_corners in itertools.product(range(3), [True, False]):
        given = (grad, x, grid, NUMBERS[mode], padding, align_corners, [True, True])
        torch.testing.assert_close(decompositions()[operator](*given), operator(*given), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("rank, mode", MODES)
@pytest.mark.parametrize("padding, align_corners", [("zeros", False), ("reflection", True)])
def test_modes_that_are_compiled(rank, mode, padding, align_corners):
    gradients_agree(sampled(mode, padding, align_corners), torch.randn(2, 3, *SIZES[:rank]), positions(rank))


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("needs", [(True, False), (False, True)])
def test_gradients_that_nobody_asks_for(mode, needs):
    inputs = [one.requires_grad_(is_needed) for one, is_needed in zip((torch.randn(2, 3, 5, 7), positions(2)), needs)]
    agrees_with_gradients(sampled(mode, "border", False), *inputs, **TOLERANCES)


@pytest.mark.parametrize("x, grid", [((0, 3, 5, 7), (0, 3, 4, 2)), ((2, 3, 5, 7), (2, 0, 4, 2)), ((2, 0, 5, 7), (2, 3, 4, 2))])
def test_sizes_of_zero(x, grid):
    gradients_agree(sampled("bilinear", "border", False), torch.randn(x), torch.rand(grid))


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_tensors_that_are_not_contiguous(mode):
    gradients_agree(sampled(mode, "reflection", True), torch.randn(2, 5, 7, 3).permute(0, 3, 1, 2), positions(2).mT.contiguous().mT)


@pytest.mark.parametrize("align_corners", [True, False])
def test_an_affine_grid_that_is_trained(align_corners):
    """A spatial transformer, from the identity on: every position is that of an element."""
    def function(x, theta):
        return F.grid_sample(x, F.affine_grid(theta, x.shape, align_corners), align_corners=align_corners)

    gradients_agree(function, torch.randn(2, 3, 8, 8, dtype=torch.float64),
                    torch.eye(2, 3, dtype=torch.float64).repeat(2, 1, 1) * 0.9)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16])
def test_element_types(dtype):
    exact = [torch.randn(2, 3, 5, 7).to(dtype), (positions(2) / 4).to(dtype)]
    gradients_agree(sampled("bilinear", "zeros", False), *exact, **({} if dtype == torch.float64 else {"rtol": 0.1, "atol": 0.2}))


def test_positions_that_are_no_numbers_add_nothing_to_the_input():
    grid = positions(2)
    grid[0, 0], grid[1, 1, 1] = float("nan"), float("inf")
    agrees_with_gradients(sampled("bilinear", "zeros", True), needing(2, 3, 5, 7), grid, **TOLERANCES)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_one_program_serves_many_sizes(mode):
    function = sampled(mode, "border", False)
    run = compiled(function, dynamic=True)
    for size in (5, 6, 9):
        found = []
        x, grid = torch.randn(2, 3, size, size + 1), torch.rand(2, size + 2, 4, 2) * 2 - 1
        for one in (run, function):
            leaves = [x.clone().requires_grad_(), grid.clone().requires_grad_()]
            found.append(torch.autograd.grad(one(*leaves).square().sum(), leaves))
        torch.testing.assert_close(*found, rtol=1e-4, atol=1e-4)


def test_calls_of_cudnn_are_bilinear_samples_with_zeros_around():
    table = decompositions()
    x, grid, grad = torch.randn(2, 3, 5, 6), torch.rand(2, 4, 7, 2) * 2.4 - 1.2, torch.randn(2, 3, 4, 7)
    x, grid = x.requires_grad_(), grid.requires_grad_()
    wanted = F.grid_sample(x, grid, align_corners=True)
    with torch.no_grad():
        torch.testing.assert_close(table[torch.ops.aten.cudnn_grid_sampler.default](x, grid), wanted)
        gradients = table[torch.ops.aten.cudnn_grid_sampler_backward.default](x, grid, grad)
    torch.testing.assert_close(gradients, torch.autograd.grad(wanted, (x, grid), grad))


def test_types_of_image_and_grid_that_differ_are_refused():
    function = sampled("bilinear", "zeros", False)
    for call in (function, compiled(function)):
        with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
            call(torch.randn(2, 3, 4, 5), torch.zeros(2, 4, 4, 2, dtype=torch.float64))
