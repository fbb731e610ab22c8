"""Products of 16-bit matrices with results of f32, for which PyTorch has no code on a CPU: next to products in f64."""

import pytest
import torch

pytest.importorskip("tc")

from operator_call import Call

ATEN = torch.ops.aten


def mm(addend, x, y):
    return ATEN.mm.dtype(x[0], y[0], torch.float32)


def bmm(addend, x, y):
    return ATEN.bmm.dtype(x, y, torch.float32)


def addmm(addend, x, y):
    return ATEN.addmm.dtype(addend, x[0], y[0], torch.float32, beta=0.5, alpha=2.0)


def written_out(function, addend, x, y):
    addend, x, y = addend.double(), x.double(), y.double()
    products = x @ y if function is bmm else x[0] @ y[0]
    return 0.5 * addend + 2 * products if function is addmm else products


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("function", [mm, bmm, addmm])
def test_results_are_not_rounded_to_16_bits(function, dtype):
    torch.manual_seed(0)
    addend, x, y = torch.randn(70), torch.randn(2, 40, 90).to(dtype), torch.randn(2, 90, 70).to(dtype)
    result, = Call(function, addend, x, y).compiled()
    assert result.dtype == torch.float32
    torch.testing.assert_close(result.double(), written_out(function, addend, x, y), rtol=1e-6, atol=1e-5)
