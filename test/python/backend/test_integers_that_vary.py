"""Integers that differ from call to call and are no sizes."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from function_calls import agrees  # noqa: E402

from tc import torch_backend  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_gradients")

FUNCTIONS = {
    "operators": lambda x, n: (x * n + n - x / n, n - x),
    "an expression": lambda x, n: x * (n * 2 + 1) - n,
    "comparisons": lambda x, n: (x > n, x == n, torch.where(x <= n, x, 0)),
    "a constant": lambda x, n: torch.full((2, 3), n) + x,
    "a power": lambda x, n: x.abs() ** n if x.is_floating_point() else x * n,
    "bounds": lambda x, n: (x.clamp(min=n), x.clamp(n, 100), x.clamp(max=n)),
    "a factor of a sum": lambda x, n: torch.add(x, x, alpha=n),
    "filled places": lambda x, n: x.masked_fill(x > 1, n),
    "halves and fractions": lambda x, n: (x * (n / 2), x + 1 / n, x > n / 4, x.clamp(max=n / 2)),
    "a filled tensor": lambda x, n: (x.clone().fill_(n), torch.full_like(x, n) + x, x.new_full((2, 3), n), x.new_full((2, 1), n / 4) * x),
    "shifted elements": lambda x, n: (x.roll(n), x.roll((n, 1), (1, 0)), x.roll(n * 2 - 1, -1)),
    "a diagonal": lambda x, n: (x.tril(n - 3), x.triu(n)),
    "ends": lambda x, n: torch.linspace(0, n, 5, device=x.device) + x[0, 0],
    "arguments with names": lambda x, n: (torch.div(x, n, rounding_mode="floor"), torch.add(x, n, alpha=2), torch.sub(x, n, alpha=3),
                                          torch.addcmul(x, x, x, value=n)),
    "positions": lambda x, n: [torch.arange(n, n + 3, device=x.device), x * torch.arange(n, n + 6, 2, device=x.device),
                               torch.arange(n + 1, n - 5, -3, device=x.device)],
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int32])
def test_the_backend_takes_them_as_inputs(name, dtype):
    compiled = torch.compile(FUNCTIONS[name], backend=torch_backend.backend, fullgraph=True)
    x = torch.arange(6).reshape(2, 3).to(dtype)
    for n in (3, 4, -2, 7):
        agrees(compiled, FUNCTIONS[name], x, n)
    assert len(torch_backend.compiled_graphs) == 2
    assert not any(graph.refusals for graph in torch_backend.compiled_graphs)


def test_an_integer_may_be_a_size_as_well():
    def function(x, n):
        return x[:n] * n, n

    compiled = torch.compile(function, backend=torch_backend.backend, fullgraph=True)
    for n in (3, 4, 6):
        agrees(compiled, function, torch.randn(8), n)


@pytest.mark.parametrize("function", [lambda x, n: torch.nn.functional.pad(x, (n, 0)), lambda x, n: x.topk(max(min(n, 3), 0))[0]],
                         ids=["pad", "topk"])
def test_sizes_are_computed_of_them(function):
    compiled = torch.compile(function, backend=torch_backend.backend, fullgraph=True, dynamic=True)
    for n in (3, 4, -1, 2):
        agrees(compiled, function, torch.arange(6.0).reshape(2, 3), n)
    assert not any(graph.refusals for graph in torch_backend.compiled_graphs)


def test_large_integers_are_not_rounded_before_the_result_is():
    def function(x, n):
        return x * n, x / n, n - x

    x = torch.tensor([1.0, 3.0, 0.5, 7.0], dtype=torch.bfloat16)
    compiled = torch.compile(function, backend=torch_backend.backend, fullgraph=True, dynamic=True)
    for n in (257, -1001):
        for result, exact in zip(compiled(x, n), function(x.double(), n), strict=True):
            assert torch.equal(result, exact.bfloat16())


def test_corrections_of_deviations():
    def function(x, n):
        return x.std(correction=n), x.var(0, correction=n - 1)

    compiled = torch.compile(function, backend=torch_backend.backend, fullgraph=True, dynamic=True)
    for n in (2, 0, 3):
        agrees(compiled, function, torch.arange(5.0), n)


def test_factors_of_products():
    def function(x, n):
        return torch.addmm(x, x, x, beta=n, alpha=n / 2), torch.baddbmm(x[None], x[None], x[None], alpha=n)

    compiled = torch.compile(function, backend=torch_backend.backend, fullgraph=True, dynamic=True)
    for n in (3, -2, 5):
        agrees(compiled, function, torch.randn(4, 4), n)
