"""Sizes that depend on the elements of tensors, in graphs that have gradients or are split."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from agreement_with_eager import check_agreement, compiled  # noqa: E402
from torch.nn import functional  # noqa: E402

from tc import torch_backend  # noqa: E402


@pytest.fixture(autouse=True)
def _captured():
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        yield


def chosen_rows(x, mask):
    rows = x[mask.nonzero().squeeze(1)]
    return functional.gelu(rows.reshape(rows.size(0) * 2, 4)).sum(0)


def tanh_of_chosen_rows(x, mask):
    rows = x[mask.nonzero().squeeze(1)]
    return rows, torch.tanh(rows) * rows.size(0)


@pytest.mark.parametrize("function", [chosen_rows, tanh_of_chosen_rows])
def test_gradients_are_compiled_for_any_number(function):
    run = compiled(function)
    for mask in ([1, 0, 1, 1, 0, 1], [0, 0, 0, 0, 1, 0], [1, 1, 1, 1, 1, 1]):
        mask = torch.tensor(mask, dtype=torch.bool)
        x = torch.randn(6, 8, requires_grad=True)
        other = x.detach().clone().requires_grad_()
        results, wanted = run(x, mask), function(other, mask)
        check_agreement(results, wanted)
        for values in (results, wanted):
            sum(one.square().sum() for one in (values if isinstance(values, tuple) else (values,))).backward()
        check_agreement(x.grad, other.grad)
    assert not any(graph.refusals for graph in torch_backend.compiled_graphs)


def test_what_is_behind_a_call_of_pytorch_is_compiled():
    def function(x, mask):
        rows = x[mask.nonzero().squeeze(1)]
        kept = torch.ops.aten.ldexp.Tensor(torch.special.airy_ai(rows), torch.ones_like(rows))
        return torch.relu(kept - 0.1) * 3, rows.size(0)

    run = compiled(function, options={})
    with torch.no_grad():
        for mask in ([1, 0, 1, 1, 0, 1], [0, 0, 0, 0, 1, 0]):
            x, mask = torch.randn(6, 8), torch.tensor(mask, dtype=torch.bool)
            check_agreement(run(x, mask), function(x, mask))


def test_a_size_that_is_not_what_the_graph_checks_is_an_error():
    def function(x, mask):
        count = mask.sum().item()
        torch._check(count >= 2)
        return x[:2] * count

    with torch._dynamo.config.patch(capture_scalar_outputs=True), torch.no_grad():
        run = compiled(function)
        mask = torch.tensor([1, 1, 1, 0])
        check_agreement(run(torch.ones(4), mask), function(torch.ones(4), mask))
        with pytest.raises(RuntimeError):
            run(torch.ones(4), torch.tensor([0, 1, 0, 0]))


def test_groups_of_convolutions_are_those_of_each_call():
    def function(x, filters):
        return functional.conv1d(x, filters.expand(x.shape[1], 1, 3), groups=x.shape[1])

    run, filters = compiled(function), torch.randn(1, 1, 3)
    for channels in (3, 5, 4):
        x = torch.randn(2, channels, 8, requires_grad=True)
        result, wanted = run(x, filters), function(x, filters)
        check_agreement(result, wanted)
        check_agreement(torch.autograd.grad(result.sum(), x), torch.autograd.grad(wanted.sum(), x))


def test_a_check_on_the_device_is_made():
    def function(x):
        torch._assert_async((x > 0).all(), "an element is not positive")
        return x.sqrt()

    run = compiled(function)
    check_agreement(run(torch.ones(4)), torch.ones(4))
    with pytest.raises(RuntimeError, match="not positive"):
        run(-torch.ones(4))


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_places_of_elements_are_in_columns(rank):
    x = torch.randn((3,) * rank)
    run = compiled(torch.nonzero)
    for one in (x - 9, x.relu() + 1, torch.arange(3.0 ** rank).reshape(x.shape)):
        check_agreement(run(one), torch.nonzero(one))
    torch.testing.assert_close(run(torch.zeros_like(x)), torch.nonzero(torch.zeros_like(x)))
