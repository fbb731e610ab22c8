"""Losses of classes through torch.compile: what they save for their gradients, and classes out of range."""

import itertools

import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import compiled  # noqa: E402

import tc  # noqa: E402

CLASSES = 1000
ROWS = 64


def scores(a, b, dtype):
    return (a.to(dtype) @ b.to(dtype)).float()


def bytes_saved(function, *inputs):
    """By autograd, for the gradient of what `function` gives."""
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda one: saved.append(one.nbytes) or one, lambda one: one):
        function(*inputs)
    return sum(saved)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_scores_are_saved_and_not_their_logarithms(dtype):
    a, b = torch.randn(ROWS, 8, requires_grad=True), torch.randn(8, CLASSES, requires_grad=True)
    wanted = torch.randint(0, CLASSES, (ROWS,))
    loss = compiled(lambda a, b: F.cross_entropy(scores(a, b, dtype), wanted))
    one_matrix = ROWS * CLASSES * dtype.itemsize
    assert one_matrix <= bytes_saved(loss, a, b) < 1.5 * one_matrix


@pytest.mark.parametrize("shape,reduction,weighted,ignored", list(itertools.product(
    [(6, 10), (2, 7, 5), (10,)], ["mean", "sum", "none"], [False, True], [-100, 3])))
def test_losses_agree(shape, reduction, weighted, ignored):
    torch._dynamo.reset()
    classes = shape[1] if len(shape) > 1 else shape[0]
    x = torch.randn(shape)
    wanted = torch.randint(0, classes, shape[:1] + shape[2:] if len(shape) > 1 else ())
    weight = torch.rand(classes) if weighted else None

    def loss(x):
        return F.cross_entropy(x, wanted, weight, ignore_index=ignored, reduction=reduction)

    results = []
    for run in (loss, compiled(loss)):
        own = x.clone().requires_grad_()
        result = run(own)
        result.backward(torch.linspace(0.5, 2, result.numel()).reshape(result.shape))
        results += [(result.detach(), own.grad)]
    torch.testing.assert_close(*results, equal_nan=True)


def test_gradients_that_are_not_finite_spread_as_in_eager():
    x, wanted = torch.randn(4, 6), torch.tensor([1, 5, 0, 2])

    def gradient(run, factor):
        own = x.clone().requires_grad_()
        run(own).backward(factor)
        return own.grad

    run = compiled(lambda x: F.cross_entropy(x, wanted, reduction="none"))
    factor = torch.tensor([1.0, float("inf"), float("nan"), -2.0])
    expected = gradient(lambda x: F.cross_entropy(x, wanted, reduction="none"), factor)
    torch.testing.assert_close(gradient(run, factor), expected, equal_nan=True)


@pytest.mark.parametrize("wrong", [6, -1])
def test_classes_out_of_range_are_errors(wrong):
    x = torch.randn(4, 6, requires_grad=True)
    run = compiled(lambda x, wanted: F.cross_entropy(x, wanted))
    run(x, torch.tensor([1, 5, 0, 2]))
    with pytest.raises(tc.Error, match="out of the range"):
        run(x, torch.tensor([1, wrong, 0, 2]))


@pytest.mark.parametrize("wrong", [5, -1])
def test_one_element_a_row(wrong):
    def one_hot(index, value):
        return torch.zeros(3, 5).scatter(1, index.unsqueeze(1), value) * 2

    index = torch.tensor([4, 0, 2])
    run = compiled(one_hot)
    torch.testing.assert_close(run(index, 1.5), one_hot(index, 1.5))
    with pytest.raises(tc.Error, match="out of the range"):
        run(torch.tensor([4, wrong, 2]), 1.5)
