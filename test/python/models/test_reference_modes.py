"""The modes that references of models are computed in."""

import compiled_steps
import pytest
import torch
from exported_model import double_model
from reference_modes import FirstOfEqual, WideArithmetic


class Narrow(torch.nn.Module):
    """Which computes in fewer bits than its parameters, with a tensor that is no buffer."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(8, 8))
        self.shift = torch.randn(8)

    def forward(self, x):
        product = x.bfloat16() @ self.weight.bfloat16()
        return torch.zeros(8, dtype=torch.float32).add_(product.float().sum(0)) + self.shift


def test_casts_round_nothing_and_new_tensors_are_wide():
    model, x = Narrow(), torch.randn(4, 8)
    exact = double_model(model)
    with WideArithmetic():
        result = exact(x.double())
        result.square().sum().backward()
    expected = (x.double() @ exact.weight.detach()).sum(0) + exact.shift
    assert result.dtype == exact.weight.grad.dtype == torch.float64
    torch.testing.assert_close(result, expected, rtol=1e-14, atol=1e-14)
    torch.testing.assert_close(exact.weight.grad, x.double().sum(0)[:, None] * 2 * expected, rtol=1e-13, atol=1e-13)


def test_complex_numbers_are_wide():
    with WideArithmetic():
        result = torch.polar(torch.ones(3), torch.arange(3.0)).to(torch.complex64)
    assert result.dtype == torch.complex128
    torch.testing.assert_close(result, torch.polar(torch.ones(3).double(), torch.arange(3.0).double()))


@pytest.mark.parametrize("a, b", [((6, 3), (2, 3, 5)), ((4, 6), (6, 5)), ((2, 4, 3), (3, 6)), ((2, 4, 3), (2, 3, 5))],
                         ids=["rows", "sums", "columns", "batches"])
def test_grouped_products(a, b):
    a, b = torch.randn(a, dtype=torch.float64), torch.randn(b, dtype=torch.float64)
    offsets = torch.tensor([2, 6], dtype=torch.int32) if a.dim() == 2 or b.dim() == 2 else None
    with WideArithmetic():
        result = torch.ops.aten._grouped_mm(a.bfloat16(), b, offsets)
    if offsets is None:
        expected = torch.bmm(a, b)
    elif b.dim() == 3:
        expected = torch.cat([a[:2] @ b[0], a[2:] @ b[1]])
    elif a.dim() == 3:
        expected = torch.cat([a[0] @ b[:, :2], a[1] @ b[:, 2:]], 1)
    else:
        expected = torch.stack([a[:, :2] @ b[:2], a[:, 2:] @ b[2:]])
    torch.testing.assert_close(result, expected)


class Best(torch.nn.Module):
    def forward(self, arguments):
        x, = arguments
        values, indices = (x * 0).topk(4)
        return values, x.gather(1, indices)


def test_equal_elements_are_in_order():
    x = torch.randn(3, 100)
    with FirstOfEqual():
        values, indices = (x * 0).topk(4)
        least = torch.tensor([2.0, 1.0, 1.0]).topk(2, largest=False)
        scalar = torch.tensor(3.0).topk(1)
    assert torch.equal(indices, torch.arange(4).expand(3, 4)) and not values.any()
    assert least.indices.tolist() == [1, 2] and least.values.tolist() == [1.0, 1.0]
    assert scalar.values.item() == 3.0


def test_another_choice_of_equal_elements_is_right():
    x = torch.randn(2, 100)
    assert not torch.equal((x * 0).topk(4).indices, torch.arange(4).expand(2, 4)), "eager PyTorch's choice is that of TC"
    assert compiled_steps.check(Best(), lambda batch: (torch.randn(batch, 100),), "eval") == ("right", "")
