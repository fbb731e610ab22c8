"""Operators that copy what others view, and those that widen shapes."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from agreement_with_eager import agrees, agrees_with_gradients  # noqa: E402

DTYPES = [torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int64, torch.uint8, torch.bool, torch.complex64]


def numbers(*sizes, dtype=torch.float32):
    """Also signed zeros and what is not finite, where a type has them."""
    values = torch.linspace(-3, 4, torch.Size(sizes).numel(), dtype=torch.float64)
    if dtype.is_floating_point or dtype.is_complex:
        for place, value in zip(range(1, values.numel(), 3), (-0.0, float("nan"), float("inf"), -float("inf"))):
            values[place] = value
    elif dtype == torch.uint8:
        values = values.abs()
    return values.reshape(sizes).to(dtype)


def copies_of(x):
    flat = x.contiguous()
    return (torch.split_with_sizes_copy(x, (1, 0, x.shape[0] - 1)), torch.split_with_sizes_copy(x, [2, x.shape[1] - 2], dim=-1),
            torch.transpose_copy(x, 0, 1), torch.transpose_copy(x, -1, -1), torch.unbind_copy(x), torch.unbind_copy(x, dim=-1),
            torch.unfold_copy(x, 0, 2, 1), torch.unfold_copy(x, -1, 3, 2), torch.unfold_copy(x, 1, 0, 1),
            torch.view_copy(flat, (-1,)), torch.view_copy(flat, (x.shape[0], 1, x.shape[1])))


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_of_all_types(dtype):
    agrees(copies_of, numbers(2, 3, dtype=dtype))


@pytest.mark.parametrize("form", [lambda x: x.t(), lambda x: x[::2, 1:], lambda x: x[:, :1].expand(-1, 4)])
def test_copies_of_all_forms(form):
    agrees(copies_of, form(numbers(4, 5)))


def test_copies_of_nothing():
    agrees(lambda x: (
        torch.split_with_sizes_copy(x, [0, 0]), torch.split_with_sizes_copy(x, [1, 2], 1), torch.transpose_copy(x, 0, 1),
        torch.unbind_copy(x), torch.unbind_copy(x, 1), torch.unfold_copy(x, 1, 2, 1), torch.unfold_copy(x, 0, 0, 1),
        torch.view_copy(x, (3, 0, 5)), torch.atleast_1d(x), torch.broadcast_to(x, (2, 0, 3)),
        torch.broadcast_tensors(x, x[:, :1])), torch.ones(0, 3))


def test_copies_of_a_number():
    agrees(lambda x: (torch.transpose_copy(x, 0, -1), torch.unfold_copy(x, 0, 1, 1), torch.unfold_copy(x, 0, 0, 2),
                      torch.view_copy(x, ()), torch.view_copy(x, (1, 1)), torch.view_copy(x, (-1,))), torch.tensor(-0.0))


@pytest.mark.parametrize("dtype,other", [(torch.float32, torch.int32), (torch.int16, torch.uint8), (torch.float32, torch.uint8),
                                         (torch.bfloat16, torch.int16), (torch.uint8, torch.int32), (torch.float64, torch.float32)])
def test_copies_of_the_same_bytes(dtype, other):
    """PyTorch runs these calls."""
    agrees(lambda x: torch.view_copy(x * 1, other), numbers(4, 8, dtype=dtype), options={})


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.complex64])
def test_gradients_of_copies(dtype):
    """Eager PyTorch rounds each sum of two to bf16, which tells most where terms cancel."""
    agrees_with_gradients(copies_of, torch.randn(4, 3, dtype=dtype).t().requires_grad_(),
                          cotangents=torch.rand if dtype == torch.bfloat16 else torch.randn)


def test_gradients_of_windows_that_overlap():
    """Each element has the sum of the gradients of its windows, none where no window is."""
    agrees_with_gradients(lambda x: torch.unfold_copy(x, 0, 3, 2) * 3, torch.randn(8, requires_grad=True))
    agrees_with_gradients(lambda x: torch.unfold_copy(x, 0, 2, 5) * 3, torch.randn(8, 3, requires_grad=True))


@pytest.mark.parametrize("dtype", DTYPES)
def test_widened_shapes(dtype):
    column, row, number = numbers(3, 1, dtype=dtype), numbers(4, dtype=dtype), numbers(dtype=dtype)
    agrees(lambda a, b, c: (
        torch.broadcast_tensors(a, b, c), torch.broadcast_to(a, (2, 3, 4)), torch.broadcast_to(b, (3, -1)),
        torch.broadcast_to(c, (2, 1)), torch.broadcast_to(c, ()), torch.atleast_1d(a, b, c), torch.atleast_1d([c, a]),
        [one == 1 for one in torch.broadcast_tensors(a.reshape(1, 3), b[:1])]), column, row, number)


def test_gradients_of_widened_shapes():
    column, row, number = (one.requires_grad_() for one in (torch.randn(3, 1), torch.randn(4), torch.randn(())))
    agrees_with_gradients(lambda a, b, c: [one * one for one in torch.broadcast_tensors(a, b, c)], column, row, number)
    agrees_with_gradients(lambda a, c: (torch.broadcast_to(a, (2, 3, 4)) * 2, torch.atleast_1d(c).exp()), column, number)
