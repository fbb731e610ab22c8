"""Functions of elements on values at the ends of their ranges, and tensors of every form."""

import math

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import agrees, agrees_with_gradients  # noqa: E402

NAN, INF = math.nan, math.inf
FLOATS = [torch.float32, torch.bfloat16, torch.float16, torch.float64]
INTEGERS = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64]
SPECIAL = (0.0, -0.0, NAN, INF, -INF, 1.0, -1.0, 0.5, 5.5, 6.0, 6.5, -7.25, 30.0)


def specials(dtype):
    return torch.tensor(SPECIAL, dtype=torch.float64).to(dtype)


def whole(dtype):
    """Also the least and the largest of a type."""
    ends = torch.iinfo(dtype)
    return torch.tensor([ends.min, ends.min + 1, 0, 1, 2, 3, 5, 6, 7, ends.max - 1, ends.max], dtype=dtype)


def functions_of_floats(x):
    y = x.contiguous()  # as the strides of powers of numbers are not the same in eager PyTorch and where it captures them
    return (torch.erfc(x), torch.frac(x), torch.rad2deg(x), F.relu6(x), torch.clamp_max(x, 0.5), torch.clamp_max(x, NAN),
            torch.clamp_max(x, -INF), y.__rpow__(2), y.__rpow__(0.5), y.__rpow__(0), y.__rpow__(-1.5))


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats(dtype):
    agrees(functions_of_floats, specials(dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype):
    agrees(lambda x: (torch.erfc(x), torch.rad2deg(x), F.relu6(x), torch.clamp_max(x, 5), torch.clamp_max(x, 2.5),
                      x.__rpow__(2.5), (x & 7).__rpow__(2), (x & 3).__rpow__(-3)), whole(dtype))


def test_truth_values():
    agrees(lambda x, y: (torch.erfc(x), torch.rad2deg(x), x ^ y, torch.bitwise_xor(x, True), x.char(),
                         x.cfloat(), x.__rpow__(2)), torch.tensor([True, False]), torch.tensor([[True], [False]]))


@pytest.mark.parametrize("form", [lambda x: x.t(), lambda x: x[::2, 1:], lambda x: x[:, :1].expand(-1, 3), lambda x: x[1, 2],
                                  lambda x: x[:0]])
def test_forms(form):
    agrees(lambda x: (*functions_of_floats(x), x.char(), x.cfloat(), x.cfloat(memory_format=torch.contiguous_format)),
           form(torch.linspace(-2, 3, 20).reshape(4, 5)))


@pytest.mark.parametrize("dtype", FLOATS)
def test_gradients(dtype):
    """Also where a function is constant on one side, has a pole, or is not defined."""
    agrees_with_gradients(functions_of_floats, specials(dtype).requires_grad_())


def test_quantiles_of_the_normal_distribution_near_both_ends():
    """Each side of the places where another approximation begins, and of the range."""
    x = torch.tensor([0.0, 1e-300, 1e-12, math.exp(-32), math.exp(-2) * 0.999, math.exp(-2) * 1.001, 0.3, 0.5, 0.7,
                      1 - math.exp(-2) * 1.001, 1 - math.exp(-2) * 0.999, 1 - 1e-12, 1.0, 1.0 + 1e-9, -1e-9, 2.0], dtype=torch.float64)
    agrees(lambda x, y: (torch.special.ndtri(x) * 2, torch.special.ndtri(y), torch.special.ndtri(y > 0.5), torch.special.ndtri(y[:0])),
           x, x.float().reshape(4, 4).t())
    agrees_with_gradients(torch.special.ndtri, torch.linspace(0, 1, 9, requires_grad=True))


def test_complements_of_the_error_function_far_from_zero():
    """The tail is no difference of 1 and a number near it."""
    agrees(torch.erfc, torch.linspace(-6, 27, 67, dtype=torch.float64))
    agrees(torch.erfc, torch.linspace(-4, 10, 57))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int16, torch.bool, torch.complex64])
def test_casts(dtype):
    x = torch.tensor([0, 1, 5, 100, -3] if dtype.is_signed else [0, 1, 1, 0, 1]).to(dtype)
    agrees(lambda x: (x.cfloat(), x.char(), x.reshape(5, 1).expand(5, 2).t().char()) if not dtype.is_complex else (x.cfloat(),), x)


def test_gradients_of_casts_to_complex_numbers():
    agrees_with_gradients(lambda x: x.cfloat() * (1 + 2j), torch.randn(3, 4, dtype=torch.float64).t().requires_grad_())


@pytest.mark.parametrize("dtype", INTEGERS)
def test_exclusive_or(dtype):
    x = whole(dtype)
    agrees(lambda x, y, z: (x ^ y, torch.bitwise_xor(x, 3), torch.bitwise_xor(5, x), 5 & x, 5 | x, x ^ z,
                           torch.bitwise_xor(y, z), x ^ True),
           x, x[::5].reshape(-1, 1), torch.tensor(6, dtype=torch.int32))


def test_exclusive_or_of_two_types():
    agrees(lambda x, y, z: (x ^ y, y ^ z, x ^ z, x[:0] ^ y[:, :1]), torch.tensor([3, 200], dtype=torch.uint8),
           torch.tensor([[-1], [127]], dtype=torch.int8), torch.tensor([True, False]))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32, torch.complex64])
def test_powers_of_numbers(dtype):
    x = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(dtype)
    agrees(lambda x: (2 ** x, 2.5 ** x, x.__rpow__(1j) if dtype.is_complex else 1 ** x, 0 ** x.real.abs(), 3 ** x[0, 1]), x)


@pytest.mark.parametrize("dtype,bound", [(torch.float32, torch.float64), (torch.bfloat16, torch.bfloat16),
                                         (torch.int32, torch.float32), (torch.uint8, torch.int64)])
def test_upper_bounds_that_are_tensors(dtype, bound):
    x, y = torch.tensor([[1, 5], [3, 7]]).to(dtype), torch.tensor([4, 6]).to(bound)
    agrees(lambda x, y: (torch.clamp_max(x, y), torch.clamp_max(x.t(), y.reshape(2, 1)), torch.clamp_max(x, y[0])), x, y)


def test_gradients_of_upper_bounds():
    """Equal elements give theirs to the operand as in PyTorch; NaN to nobody."""
    x, y = torch.tensor([[1.0, 2.0, NAN], [2.0, 1.0, 3.0]]), torch.tensor([1.0, 2.0, NAN])
    agrees_with_gradients(lambda x, y: (torch.clamp_max(x, y), torch.clamp_max(x, 2.0)), x.requires_grad_(), y.requires_grad_())


def polynomials(x, n):
    return torch.special.laguerre_polynomial_l(x, n), torch.special.shifted_chebyshev_polynomial_w(x, n)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.bool])
def test_polynomials(dtype):
    """Of each degree, a negative one too, and at both ends of the interval, where W has a form of its own. PyTorch runs these calls."""
    x = torch.tensor([0.0, 1.0, 0.25, 0.5, 0.9, -0.5, 1.5, 3.0]).to(dtype)
    degrees = torch.tensor([[-1], [0], [1], [2], [3], [7]])
    agrees(lambda x, n: (polynomials(x, n), polynomials(x, 4), polynomials(x, 0), polynomials(0.25, n)),
           x, degrees, options={})


def test_polynomials_of_numbers_that_are_not_finite():
    agrees(lambda x: (polynomials(x, 3), polynomials(x, 1)), torch.tensor([NAN, INF, -INF, -0.0]), options={})


@pytest.mark.parametrize("masks", [(False, False), (True, False), (False, True), (True, True)])
def test_sums_of_exponentials_under_masks(masks):
    x, y = torch.tensor([[0.0, -INF, INF], [NAN, 90.0, -90.0]]), torch.tensor([1.0, -INF, 88.5])
    mask, other = torch.tensor([[True, False, True], [False, True, True]]), torch.tensor([True, True, False])

    def function(x, y, mask, other):
        return torch.masked.logaddexp(x, y, input_mask=mask if masks[0] else None, other_mask=other if masks[1] else None)

    agrees(function, x, y.expand(2, 3), mask, other.expand(2, 3))
    # Eager PyTorch rounds to bf16 before it casts.
    agrees(lambda x, y, mask, other: torch.masked.logaddexp(x, y, dtype=torch.float64, input_mask=mask, other_mask=other),
           x.bfloat16(), y.bfloat16().expand(2, 3), mask, other.expand(2, 3), rtol=2 ** -8, atol=0)
    agrees_with_gradients(lambda x, y: function(x, y, mask, other.expand(2, 3)),
                          torch.randn(2, 3, requires_grad=True), torch.randn(2, 3, requires_grad=True))
