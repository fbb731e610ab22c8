"""Gradients of single operators, next to eager PyTorch."""

import functools
import itertools

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import agrees_with_all_gradients, agrees_with_gradients, compiled, needing  # noqa: E402
from torch import nn  # noqa: E402

from tc.torch_decompositions import decompositions  # noqa: E402

aten = torch.ops.aten
gradients_agree = functools.partial(agrees_with_all_gradients, rtol=1e-4, atol=1e-5)


def decomposed(operator, *given, **named):
    return decompositions()[operator](*given, **named)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, float("inf")])
def test_distances_of_pairs_of_rows(p):
    x = torch.randn(6, 3, device="cpu")
    x[4], x[5, 1] = x[1], x[0, 1]  # equal rows and equal elements
    given = torch.randn(15, device="cpu"), x, p, torch.pdist(x, p)
    torch.testing.assert_close(decomposed(aten._pdist_backward.default, *given), aten._pdist_backward(*given), equal_nan=True)


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_distances_of_pairs_that_are_compiled(p):
    x = torch.randn(6, 3)
    x[4] = x[1]
    gradients_agree(lambda x: torch.pdist(x, p), x)


@pytest.mark.parametrize("rows", [0, 1])
def test_distances_without_pairs(rows):  # PyTorch's kernel fails
    x = torch.randn(rows, 3, requires_grad=True)
    gradient, = torch.autograd.grad(compiled(torch.pdist)(x).sum(), x)
    torch.testing.assert_close(gradient, torch.zeros(rows, 3))


@pytest.mark.parametrize("dim", [0, 2])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_norms_of_weights(dim, dtype):
    v = torch.randn(4, 3, 5).to(dtype)
    g, grad = torch.randn([size if dim == place else 1 for place, size in enumerate(v.shape)]).to(dtype), torch.randn(4, 3, 5).to(dtype)
    leaves = [one.double().requires_grad_() for one in (v, g)]
    norms = torch.linalg.vector_norm(leaves[0], dim=[place for place in range(3) if place != dim], keepdim=True)
    wanted = torch.autograd.grad(leaves[0] * (leaves[1] / norms), leaves, grad.double())
    saved = norms.detach().to(torch.promote_types(dtype, torch.float32))
    found = decomposed(aten._weight_norm_interface_backward.default, grad, v, g, saved, dim)
    torch.testing.assert_close(found, tuple(one.to(dtype) for one in wanted))


@pytest.mark.parametrize("dim", [0, 1])
def test_a_layer_whose_weight_has_a_norm(dim):
    def function(x, v, g):
        return F.linear(x, torch._weight_norm(v, g, dim))

    gradients_agree(function, torch.randn(4, 6), torch.randn(5, 6).t().contiguous().t(), torch.rand(*([5, 1] if dim == 0 else [1, 6])))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 2])
def test_embedding_bags(mode, padding):
    indices, offsets = torch.tensor([0, 2, 2, 5, 1, 3, 3]), torch.tensor([0, 3, 3, 5])
    gradients_agree(lambda table: F.embedding_bag(indices, table, offsets, mode=mode, padding_idx=padding), torch.randn(6, 4))


@pytest.mark.parametrize("padding", [None, 2])
def test_embedding_bags_whose_rows_have_weights(padding):
    indices, offsets = torch.tensor([0, 2, 2, 5, 1, 3, 3]), torch.tensor([0, 3, 3, 5, 7])
    gradients_agree(lambda table, weights: F.embedding_bag(indices, table, offsets, mode="sum", per_sample_weights=weights,
                                                           include_last_offset=True, padding_idx=padding),
                    torch.randn(6, 4), torch.randn(7))


def test_embedding_bags_of_rows():
    """Which bf16 the sum of a few cotangents of one sign is does not depend on their order."""
    indices = torch.randint(0, 6, (5, 3))
    for dtype, cotangents in ((torch.float32, torch.randn), (torch.bfloat16, torch.rand)):
        gradients_agree(lambda table: F.embedding_bag(indices, table, mode="max"), torch.randn(6, 4).to(dtype), cotangents=cotangents)


@pytest.mark.parametrize("rank, lead", itertools.product([2, 3], [(2, 3), (3,)]))
def test_pooling_of_windows_at_random_places(rank, lead):
    pool = F.fractional_max_pool2d if rank == 2 else F.fractional_max_pool3d
    samples = torch.rand(lead[0] if len(lead) == 2 else 1, 3, rank)
    x = torch.randn(*lead, *(7, 9, 8)[:rank])
    gradients_agree(lambda x: pool(x, (2, 3, 2)[:rank], (4, 5, 3)[:rank], _random_samples=samples), x)


def test_the_largest_elements_of_pooling_may_be_no_numbers():
    x, samples = torch.randn(1, 3, 7, 9), torch.rand(1, 3, 2)
    x[0, 1, 3, 3] = float("nan")
    given = x, [2, 2], [4, 5], samples
    torch.testing.assert_close(decomposed(aten.fractional_max_pool2d.default, *given), aten.fractional_max_pool2d(*given), equal_nan=True)


@pytest.mark.parametrize("is_mean", [False, True])
def test_pooling_and_unpooling(is_mean):
    def function(x):
        if is_mean:
            return F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False)
        return F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2)

    gradients_agree(function, torch.randn(2, 3, 8, 8))


@pytest.mark.parametrize("mask", [(4, 6), (6,), (4, 1)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_elements_in_the_places_of_a_mask(mask, dtype):
    is_taken = torch.rand(mask) > 0.4
    gradients_agree(lambda x, source: x.masked_scatter(is_taken, source), torch.randn(4, 6).to(dtype), torch.randn(6, 5).to(dtype).mT)


def test_no_elements_in_the_places_of_a_mask():
    is_taken = torch.zeros(4, dtype=torch.bool)
    gradients_agree(lambda x, source: x.masked_scatter(is_taken, source), torch.randn(4), torch.randn(0))


def test_a_step_of_a_layer_with_a_norm_of_its_weight():
    layer = nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 6, 3))
    x = torch.randn(2, 4, 9)
    found = []
    for run in (compiled(layer), layer):
        layer.zero_grad()
        run(x).square().sum().backward()
        found.append([parameter.grad.clone() for parameter in layer.parameters()])
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("how", [{"size": (4, 9)}, {"size": (11, 3), "align_corners": True}, {"size": (6, 7)},
                                 {"scale_factor": (0.4, 1.7)}, {"scale_factor": (1.3, 0.6), "align_corners": True}])
def test_antialiased_images(mode, how):
    def function(x):
        return F.interpolate(x, mode=mode, antialias=True, **how)

    agrees_with_gradients(function, needing(2, 3, 6, 7))
