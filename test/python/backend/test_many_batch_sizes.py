"""A function called with a hundred batch sizes has a graph for the first of them and one for all others."""

import pytest

torch = pytest.importorskip("torch")

import tc  # noqa: E402
from agreement_with_eager import check_agreement, compiled  # noqa: E402
from tc import torch_backend  # noqa: E402

SIZES = [*range(2, 102), 1, 0]


@pytest.fixture(autouse=True)
def _uncounted():
    torch._dynamo.utils.counters.clear()


def layers(x, w):
    return torch.softmax(torch.relu(x @ w), -1).sum(0), x.reshape(-1, 2, 2) * x.shape[0]


def test_torch_compile():
    w = torch.randn(4, 6)
    run = compiled(layers)
    for size in SIZES[:100]:
        x = torch.randn(size, 4)
        check_agreement(run(x, w), layers(x, w))
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == len(torch_backend.compiled_graphs) == 2
    for size in SIZES[100:]:  # PyTorch has graphs of their own for these
        x = torch.randn(size, 4)
        check_agreement(run(x, w), layers(x, w))
    assert len(torch_backend.compiled_graphs) <= 4
    assert not any(graph.refusals for graph in torch_backend.compiled_graphs)


def test_torch_compile_with_gradients():
    w = torch.randn(4, 6, requires_grad=True)
    run = compiled(layers)
    for size in SIZES[:100:9]:
        x = torch.randn(size, 4)
        gradients = []
        for function in (run, layers):
            first, second = function(x, w)
            gradients.append(torch.autograd.grad((first * torch.arange(6)).sum() + second.sum(), w))
        torch.testing.assert_close(*gradients)
    # Two of each direction.
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 2 and len(torch_backend.compiled_graphs) == 4


def test_functions():
    w = torch.randn(4, 6)
    run = tc.compile(layers)
    for number, size in enumerate(SIZES):
        x = torch.randn(size, 4)
        check_agreement(run(x, w), layers(x, w))
        if number < 100:
            assert run.entry_count == min(number + 1, 2)
    assert run.hits[:2] == (1, 99)
