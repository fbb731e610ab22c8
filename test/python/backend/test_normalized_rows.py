"""Norms by batches, rows and neighbours, with statistics that are kept, and folds under masks."""

import math

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import agrees, agrees_or_is_as_exact, agrees_with_gradients, compiled, results_and_gradients  # noqa: E402

ATEN = torch.ops.aten
NAN, INF = math.nan, math.inf
DTYPES = [torch.float32, torch.bfloat16, torch.float64]
# Eager PyTorch rounds to 16 bits between its calls.
TOLERANCES = {torch.bfloat16: {"rtol": 3e-2, "atol": 3e-2}}


def images(*sizes, dtype=torch.float32):
    return torch.randn(sizes).to(dtype)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("sizes", [(4, 3), (2, 3, 5), (2, 3, 4, 5)])
def test_norms_of_batches(sizes, affine, training):
    """Results, statistics that are saved, and those that run, which are written where they are."""
    def norm(x, weight, bias, mean, variance):
        results = torch.native_batch_norm(x, weight if affine else None, bias if affine else None, mean, variance, training, 0.3, 1e-3)
        return results if training else results[0]

    agrees(norm, images(*sizes), torch.randn(3), torch.randn(3), torch.randn(3), torch.rand(3) + 0.5)


def test_norms_of_batches_without_statistics_that_run():
    agrees(lambda x, w: torch.native_batch_norm(x, w, None, None, None, True, 0.1, 1e-5), images(3, 4, 2), torch.randn(4))


@pytest.mark.parametrize("dtype", DTYPES)
def test_gradients_of_norms_of_batches(dtype):
    x = images(3, 2, 4, 4, dtype=dtype).to(memory_format=torch.channels_last)
    weight, bias, mean, variance = (torch.rand(2).to(dtype) + 0.5 for _ in range(4))
    agrees_with_gradients(lambda x, w, b, m, v: torch.native_batch_norm(x, w, b, m, v, True, 0.1, 1e-5)[0],
                          x.requires_grad_(), weight.requires_grad_(), bias.requires_grad_(), mean, variance, **TOLERANCES.get(dtype, {}))


@pytest.mark.parametrize("affine", [False, True])
def test_norms_of_batches_that_update(affine):
    def norm(x, weight, bias, mean, variance):
        return ATEN._batch_norm_with_update(x, weight if affine else None, bias if affine else None, mean, variance, 0.3, 1e-3)[:3]

    agrees(norm, images(4, 3, 5), torch.randn(3), torch.randn(3), torch.randn(3), torch.rand(3) + 0.5)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape,normalized", [((4, 6), (6,)), ((2, 3, 4), (3, 4)), ((5,), (5,)), ((0, 4), (4,)), ((3, 1), (1,))])
def test_norms_of_rows(shape, normalized, dtype):
    x, weight, bias = images(*shape, dtype=dtype), images(*normalized, dtype=dtype), images(*normalized, dtype=dtype)
    agrees_or_is_as_exact(lambda x, w, b: torch.native_layer_norm(x, normalized, w, b, 1e-3),
                          x.requires_grad_(), weight.requires_grad_(), bias.requires_grad_())


def test_norms_of_rows_of_other_forms():
    agrees(lambda x, w: (torch.native_layer_norm(x, (4,), None, None, 0.0), torch.native_layer_norm(x.mT, (3,), w, None, 1.0),
                         torch.native_layer_norm(x[:1].expand(2, 3, 4), (3, 4), None, None, 1e-5)), images(2, 3, 4), torch.randn(3))
    agrees(lambda x: torch.native_layer_norm(x, (3,), None, None, 1e-5)[0],
           torch.tensor([[1.0, NAN, 2.0], [INF, 1.0, 2.0], [1.0, 2.0, 4.0]]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(2, 5, 4), (2, 5, 3, 4), (1, 5, 2, 3, 2), (0, 5, 4)])
def test_responses_among_neighbours(sizes, dtype):
    """Eager PyTorch has no averages of volumes of bf16, by which it computes those of images; it rounds each sum of gradients
    to bf16, which tells most where terms cancel."""
    if dtype == torch.bfloat16:
        sizes = sizes[:2] + (4,)
    x = images(*sizes, dtype=dtype)
    agrees_with_gradients(lambda x: (F.local_response_norm(x, 2), F.local_response_norm(x, 5, 0.5, 0.25, 2.0)), x.requires_grad_(),
                          cotangents=torch.rand if dtype == torch.bfloat16 else torch.randn)


@pytest.mark.parametrize("dtype", [*DTYPES, torch.float16])
def test_least_of_rows(dtype):
    """Of a number too, of no rows, of rows of one element and with what is not finite."""
    x = images(3, 4, dtype=dtype)
    agrees_or_is_as_exact(lambda x: (F.softmin(x, 1), F.softmin(x.t(), 0), F.softmin(x, -2, dtype=torch.float32)), x.requires_grad_())
    agrees(lambda x, y: (F.softmin(x, 1), F.softmin(x[:0], 0), F.softmin(x[:, :1], 1), F.softmin(y, 0)),
           torch.tensor([[1.0, NAN], [INF, 2.0], [-INF, 1.0], [INF, INF], [0.0, -0.0]]).to(dtype), torch.tensor(2.0).to(dtype))


MASKS = [None, "some", "one row without any"]


def mask_of(kind):
    mask = torch.tensor([[True, False, True, True], [False, True, False, True], [True, True, True, True]])
    if kind == "one row without any":
        mask[1] = False
    return None if kind is None else mask


@pytest.mark.parametrize("kind", MASKS)
def test_softmax_under_masks(kind):
    mask = mask_of(kind)
    agrees_with_gradients(lambda x: (torch.masked.softmax(x, 1, mask=mask), torch.masked.softmax(x, 0, dtype=torch.float64, mask=mask)),
                          torch.randn(3, 4, requires_grad=True))


@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.complex64])
def test_deviations_under_masks(dtype, kind):
    mask = mask_of(kind)
    agrees(lambda x: (torch.masked.std(x, 1, mask=mask), torch.masked.std(x, (0, 1), unbiased=False, keepdim=True, mask=mask),
                      torch.masked.std(x, 0, correction=2, mask=mask), torch.masked.std(x, None, unbiased=True, mask=mask)),
           torch.randn(3, 4).to(dtype))


def test_deviations_under_masks_in_another_type():
    mask = mask_of("some")
    agrees(lambda x: (torch.masked.std(x, 1, unbiased=True, dtype=torch.float64, mask=mask),
                      torch.masked.std(x, 0, unbiased=True, mask=mask)),
           torch.arange(12).reshape(3, 4))
    agrees_with_gradients(lambda x: torch.masked.std(x, 1, unbiased=True, mask=mask), torch.randn(3, 4, requires_grad=True))


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_gradients_of_groups_use_statistics_in_f32(dtype, affine):
    """Eager PyTorch's are from statistics in 16 bits, whose error the gradients of groups of three elements multiply."""
    def norm(x, weight, bias):
        return F.group_norm(x, 2, *((weight, bias) if affine else ()), eps=1e-5)

    def error_of(call, given, exact):
        (gradient, *_), (wanted, *_) = (results_and_gradients(*one)[1] for one in ((call, given), (norm, exact)))
        return (gradient.double() - wanted).square().mean().log().item() / 2

    ratios, run = [], compiled(norm)
    for _ in range(16):
        given = [torch.empty(size).uniform_(-9, 9).to(dtype) for size in ((1, 6), (6,), (6,))]
        exact = [one.double().requires_grad_() for one in given]
        own, others = ([one.clone().requires_grad_() for one in given] for _ in range(2))
        ratios.append(error_of(run, own, exact) - error_of(norm, others, exact))
    assert math.exp(sum(ratios) / len(ratios)) < 0.6


@pytest.mark.host
def test_statistics_of_groups_that_a_caller_gets_are_rounded():
    x, weight = (images(*sizes, dtype=torch.bfloat16).requires_grad_() for sizes in ((2, 4, 3), (4,)))
    agrees(lambda x, w: torch.native_group_norm(x, w, None, 2, 4, 3, 2, 1e-5), x, weight)
