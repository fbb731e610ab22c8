"""Gradients of GELU, in one op where it is the exact one, next to PyTorch."""

import pytest
import torch
from torch.nn import functional

pytest.importorskip("tc")

from tc.torch_backend import backend

# Both sides of the zero of the derivative, the tails, and what is no number.
POINTS = torch.cat([torch.linspace(-16, 16, 4001), torch.linspace(-0.7525, -0.751, 301),
                    torch.tensor([0.0, -0.0, 1e-30, -1e-30, 3e4, -3e4, float("inf"), -float("inf"), float("nan")])])


def error(actual, exact):
    return (actual.double() - exact).square().mean().sqrt()


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("scale", [1.0, -1e-3, 100.0])
def test_gradients_agree_with_eager(dtype, approximate, scale):
    x = POINTS.to(dtype).to(torch.get_default_device())
    gradient = torch.full_like(x, scale) * (1 + torch.arange(len(x)) % 7).to(dtype)

    def function(gradient, x):
        return torch.ops.aten.gelu_backward(gradient, x, approximate=approximate)

    torch._dynamo.reset()
    ours, eager = torch.compile(function, backend=backend, fullgraph=True, options={"strict": True})(gradient, x), function(gradient, x)
    assert ours.dtype == dtype
    torch.testing.assert_close(ours.isnan(), eager.isnan())
    exact = function(gradient.double(), x.double())
    known = exact.isfinite() & eager.isfinite() & (exact.abs() < torch.finfo(dtype).max)
    unit = torch.finfo(dtype).eps * exact[known].abs().mean()
    # The terms of the derivative, which are at most 1, cancel near -3/4.
    relative = {torch.float64: 1e-7, torch.float32: 1.3e-6, torch.bfloat16: 1.6e-2, torch.float16: 1e-3}[dtype]
    torch.testing.assert_close(ours, eager, equal_nan=True, rtol=relative, atol=(1e-5 if dtype != torch.float64 else 1e-7) * gradient.abs().max().item())
    if approximate == "none" and dtype != torch.float64:
        assert error(ours[known], exact[known]) <= 1.1 * error(eager[known], exact[known]) + 0.1 * unit


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_compiled_layer_has_the_gradients_of_eager(dtype):
    torch.manual_seed(0)
    x, weight = torch.randn(33, 64, dtype=dtype), torch.randn(96, 64, dtype=dtype) / 8

    def loss(x, weight):
        return functional.gelu(functional.linear(x, weight)).float().square().sum()

    def gradients(function, kind):
        given = [one.to(kind).requires_grad_() for one in (x, weight)]
        return torch.autograd.grad(function(*given), given)

    ours = gradients(torch.compile(loss, backend=backend, fullgraph=True, options={"strict": True}), dtype)
    eager, exact = gradients(loss, dtype), gradients(loss, torch.float64)
    for one, other, wanted in zip(ours, eager, exact):
        unit = torch.finfo(dtype).eps * wanted.abs().mean()
        assert error(one, wanted) <= 1.1 * error(other, wanted) + 0.1 * unit
