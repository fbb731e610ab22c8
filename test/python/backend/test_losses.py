"""Losses of classes through torch.compile: what they save for their gradients, and classes out of range."""

import itertools

import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import agrees, agrees_with_all_gradients, agrees_with_gradients, compiled, tensors_saved  # noqa: E402

import tc  # noqa: E402

CLASSES = 1000
ROWS = 64


def scores(a, b, dtype):
    return (a.to(dtype) @ b.to(dtype)).float()


def bytes_saved(function, *inputs):
    """By autograd, for the gradient of what `function` gives."""
    return sum(one.nbytes for one in tensors_saved(function, *inputs)[0])


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


@pytest.mark.host  # a GPU says so in a later call
@pytest.mark.parametrize("wrong", [6, -1])
def test_classes_out_of_range_are_errors(wrong):
    x = torch.randn(4, 6, requires_grad=True)
    run = compiled(lambda x, wanted: F.cross_entropy(x, wanted))
    run(x, torch.tensor([1, 5, 0, 2]))
    with pytest.raises(tc.Error, match="out of the range"):
        run(x, torch.tensor([1, wrong, 0, 2]))


@pytest.mark.host
@pytest.mark.parametrize("wrong", [5, -1])
def test_one_element_a_row(wrong):
    def one_hot(index, value):
        return torch.zeros(3, 5).scatter(1, index.unsqueeze(1), value) * 2

    index = torch.tensor([4, 0, 2])
    run = compiled(one_hot)
    torch.testing.assert_close(run(index, 1.5), one_hot(index, 1.5))
    with pytest.raises(tc.Error, match="out of the range"):
        run(torch.tensor([4, wrong, 2]), 1.5)


# Eager PyTorch rounds to 16 bits between the calls of a loss.
TOLERANCES = {torch.bfloat16: {"rtol": 5e-2, "atol": 2e-2}, torch.float16: {"rtol": 5e-3, "atol": 1e-3}}


def probabilities(*sizes, dtype=torch.float32):
    """From 0 to 1, both among them, where logarithms are bounded."""
    return torch.linspace(0, 1, torch.Size(sizes).numel()).reshape(sizes).to(dtype)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
def test_entropies_of_two_classes(dtype, reduction):
    """Gradients of both operands; weights are of a shape that is widened."""
    x, wanted, weight = probabilities(4, 5, dtype=dtype), torch.rand(4, 5).to(dtype), torch.rand(4, 1).to(dtype)
    agrees_with_gradients(lambda x, y, w: F.binary_cross_entropy(x, y, w, reduction=reduction),
                          x.requires_grad_(), wanted.requires_grad_(), weight, **TOLERANCES.get(dtype, {}))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_entropies_of_two_classes_by_logits(dtype, reduction):
    end = 4 if dtype == torch.bfloat16 else 110
    x, wanted = torch.linspace(-end, end, 20).reshape(4, 5).to(dtype), torch.rand(4, 5).to(dtype)
    weight, positive = torch.rand(4, 1).to(dtype), torch.rand(5).to(dtype)
    agrees_with_gradients(lambda x, y, w, p: (F.binary_cross_entropy_with_logits(x, y, w, reduction=reduction, pos_weight=p),
                                              F.binary_cross_entropy_with_logits(x, y, reduction=reduction)),
                          x.requires_grad_(), wanted.requires_grad_(), weight, positive, **TOLERANCES.get(dtype, {}))


def both_entropies(x, y):
    return [loss for reduction in ("mean", "sum", "none") for loss in (
        F.binary_cross_entropy(x, y, reduction=reduction), F.binary_cross_entropy_with_logits(x, y, reduction=reduction))]


@pytest.mark.parametrize("x", [torch.tensor(0.25), torch.ones(0, 3), torch.tensor([0.0, 1.0, -0.0, 0.5])])
def test_entropies_of_numbers_and_of_nothing(x):
    agrees_with_gradients(both_entropies, x.clone().requires_grad_(), torch.full_like(x, 0.75))


def test_entropies_of_what_is_not_finite():
    x = torch.tensor([float("inf"), -float("inf"), float("nan"), 0.0, -0.0])
    agrees_with_gradients(lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="none"),
                          x.requires_grad_(), torch.tensor([1.0, 0.0, 1.0, 0.5, 2.0]))


has_entropies_of_products = pytest.mark.skipif(not hasattr(F, "linear_cross_entropy"), reason="this PyTorch does not have it")


@has_entropies_of_products
@pytest.mark.parametrize("how", [
    {}, {"reduction": "sum"}, {"reduction": "none"}, {"ignore_index": 2}, {"label_smoothing": 0.2},
    {"weight": torch.linspace(0.5, 2, 7), "label_smoothing": 0.1, "ignore_index": 0}])
@pytest.mark.parametrize("bias", [False, True])
def test_entropies_of_products(how, bias):
    x, weight, b = (torch.randn(sizes, requires_grad=True) for sizes in ((6, 4), (7, 4), (7,)))
    wanted = torch.tensor([0, 2, 6, 2, 3, 5])
    how = {name: value.to(x.device) if name == "weight" else value for name, value in how.items()}

    def loss(x, weight, b):
        return F.linear_cross_entropy(x, weight, wanted, linear_bias=b if bias else None, **how) + b.sum()

    agrees_with_gradients(loss, x, weight, b)


@has_entropies_of_products
def test_entropies_of_products_without_rows():
    agrees_with_gradients(lambda x, w, y: F.linear_cross_entropy(x, w, y, reduction="sum"), torch.randn(0, 4, requires_grad=True),
                          torch.randn(7, 4, requires_grad=True), torch.zeros(0, dtype=torch.int64))


@pytest.mark.parametrize("is_logarithm", [False, True])
def test_divergences(is_logarithm):
    """The limit where a probability is 0."""
    x, y = torch.randn(3, 4).log_softmax(1), probabilities(3, 4)
    y = (y + 0.1).log() if is_logarithm else y
    for reduction in ("mean", "sum", "none", "batchmean"):
        agrees_with_gradients(lambda x, y: F.kl_div(x, y, reduction=reduction, log_target=is_logarithm),
                              x.clone().requires_grad_(), y.clone().requires_grad_())


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("shape", [(), (5,), (3, 5)])
def test_labels_behind_the_first_end_do_not_count(shape, reduction):
    labels = torch.tensor([[3, 0, -1, 1, 2], [4, -1, 0, 0, 0], [-1, 1, 1, 1, 1]])
    labels = {0: torch.tensor(0), 1: labels[0], 2: labels}[len(shape)]
    x = torch.randn(shape)
    agrees_with_all_gradients(lambda x: F.multilabel_margin_loss(x, labels, reduction=reduction), x)
    if reduction == "sum":
        agrees_with_all_gradients(lambda x: F.multilabel_margin_loss(x, labels, size_average=False), x)


def test_scores_without_as_many_labels_are_refused():
    for x, target, message in ((torch.randn(2, 3, 4), torch.zeros(2, 3, 4), r"Expected non-empty vector or matrix .*\[2, 3, 4\]"),
                               (torch.randn(2, 3), torch.zeros(2, 4), "inconsistent target size")):
        for run in (F.multilabel_margin_loss, compiled(F.multilabel_margin_loss)):
            with pytest.raises(RuntimeError, match=message):
                run(x, target.long())
