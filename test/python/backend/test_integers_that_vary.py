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
    "positions": lambda x, n: (torch.arange(n, n + 3), x * torch.arange(n, n + 6, 2), torch.arange(n + 1, n - 5, -3)),
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
