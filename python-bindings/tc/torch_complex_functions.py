"""Functions of complex numbers, element by element, in terms of their parts.

All are computed in f64. Branch cuts, signed zeros and infinities are those of C99, Annex G, which PyTorch has from the
C library; the inverse functions are W. Kahan's (Branch cuts for complex elementary functions, 1987).
"""

from __future__ import annotations

import functools
import math
from typing import Any, Callable

import torch
from torch import Tensor

_aten = torch.ops.aten
_Pair = tuple[Tensor, Tensor]
# From here on only the logarithm of the size of a number matters to the inverse functions.
_LARGE = 1e150
_OF_ONE: dict[Any, Callable[[Tensor, Tensor], _Pair]] = {}


def parts(x: Tensor) -> _Pair:
    """The real and the imaginary parts of a tensor, 0 for the latter where it is real."""
    if not x.is_complex():
        return x, torch.zeros_like(x)
    pair = torch.view_as_real(x.resolve_conj())
    return pair.select(-1, 0), pair.select(-1, 1)


def wide(x: Tensor) -> _Pair:
    """The parts in f64."""
    real, imaginary = parts(x)
    return real.double(), imaginary.double()


def joined(pair: _Pair, dtype: torch.dtype) -> Tensor:
    """A complex tensor of parts."""
    return torch.complex(pair[0].to(dtype.to_real()), pair[1].to(dtype.to_real()))


def elementwise(function: Callable[[Tensor, Tensor], _Pair], x: Tensor) -> Tensor:
    """What a function of the parts in f64 makes of a tensor, in the type of the tensor."""
    return joined(function(*wide(x)), x.dtype)


def _function(name: str) -> Callable:
    def register(function: Callable) -> Callable:
        _OF_ONE[getattr(_aten, name).default] = function
        return function

    return register


def _times(a: Tensor, b: Tensor) -> Tensor:
    """a b, and 0 with its sign where one of them is 0, whatever the other is."""
    one = torch.ones_like(a)
    zero = 0.0 * torch.copysign(one, a) * torch.copysign(one, b)
    return torch.where((a == 0) | (b == 0), zero, a * b)


def _log_size(x: Tensor, y: Tensor) -> Tensor:
    """The logarithm of |x + iy|, near 1 without cancellation."""
    size = torch.hypot(x, y)
    large, small = torch.maximum(x.abs(), y.abs()), torch.minimum(x.abs(), y.abs())
    near = torch.log1p((large - 1) * (large + 1) + small * small) / 2
    return torch.where((size > 0.5) & (size < 2), near, size.log())


def _angle(y: Tensor, x: Tensor) -> Tensor:
    """atan2(y, x), which is that of x = 0 where y alone is infinite."""
    return torch.atan2(y, torch.where(y.isinf() & x.isfinite(), 0.0, x))


def divided_in_halves(x: Any, y: Any) -> Tensor:
    """x / y as PyTorch's kernel for complex32 has it, which only GPUs have: with the infinities and zeros of C99, Annex G,
    where other types have NaN."""
    if not all(isinstance(one, Tensor) and one.is_complex() for one in (x, y)):
        return NotImplemented
    quotient = _aten.div.Tensor(x, y)
    (a, b), (c, d) = parts(x), parts(y)
    unit = lambda part: torch.copysign(part.isinf().to(part.dtype), part)
    is_far = lambda pair: pair[0].isinf() | pair[1].isinf()
    is_finite = lambda pair: pair[0].isfinite() & pair[1].isfinite()

    def of(a: Tensor, b: Tensor, c: Tensor, d: Tensor, factor: float) -> Tensor:
        return torch.complex(factor * (a * c + b * d), factor * (b * c - a * d))

    is_zero, is_infinite = is_far((c, d)) & is_finite((a, b)), is_far((a, b)) & is_finite((c, d))
    quotient = torch.where(is_zero, of(a, b, unit(c), unit(d), 0.0), quotient)
    return torch.where(is_infinite & quotient.isnan(), of(unit(a), unit(b), c, d, math.inf), quotient)


# Powers and logarithms


@_function("sqrt")
def _sqrt(x: Tensor, y: Tensor) -> _Pair:
    root = 2 * torch.sqrt(torch.hypot(x / 8, y / 8) + x.abs() / 8)  # sqrt((|z| + |x|) / 2) without overflow
    other = torch.where(root == 0, y, y / (2 * root))
    is_right = x >= 0
    real = torch.where(is_right, root, other.abs())
    imaginary = torch.where(is_right, other, torch.copysign(root, y))
    return torch.where(y.isinf(), y.abs(), real), torch.where(y.isinf(), y, imaginary)


@_function("log")
def log_of(x: Tensor, y: Tensor) -> _Pair:
    """The logarithm."""
    return _log_size(x, y), _angle(y, x)


@_function("log2")
def _log2(x: Tensor, y: Tensor) -> _Pair:
    real, imaginary = log_of(x, y)
    return real / math.log(2), imaginary / math.log(2)


@_function("log10")
def _log10(x: Tensor, y: Tensor) -> _Pair:
    real, imaginary = log_of(x, y)
    return real / math.log(10), imaginary / math.log(10)


@_function("log1p")
def log1p_of(x: Tensor, y: Tensor) -> _Pair:
    """The logarithm of 1 + z."""
    is_near = (x.abs() < 0.5) & (y.abs() < 0.5)
    near = torch.log1p(x * (2 + x) + y * y) / 2
    return torch.where(is_near, near, _log_size(1 + x, y)), _angle(y, 1 + x)


def exp_of(x: Tensor, y: Tensor) -> _Pair:
    """The exponential function."""
    return parts(torch.exp(torch.complex(x, y)))


@_function("exp2")
def _exp2(x: Tensor, y: Tensor) -> _Pair:
    return exp_of(x * math.log(2), y * math.log(2))


@_function("expm1")
def _expm1(x: Tensor, y: Tensor) -> _Pair:
    half = torch.sin(y / 2)
    return torch.expm1(x) * y.cos() - 2 * half * half, x.exp() * y.sin()


def power(x: Tensor, y: Tensor, real: Tensor, imaginary: Tensor) -> _Pair:
    """x + iy to the power real + i imaginary; 0 to the power 0 is 1, and 0 to others with a positive real part 0."""
    size, angle = log_of(x, y)
    above = exp_of(real * size - _times(imaginary, angle), _times(real, angle) + imaginary * size)
    is_zero, is_one = (x == 0) & (y == 0) & (real > 0), (real == 0) & (imaginary == 0)
    return (torch.where(is_one, 1.0, torch.where(is_zero, 0.0, above[0])),
            torch.where(is_one | is_zero, 0.0, above[1]))


@_function("rsqrt")
def _rsqrt(x: Tensor, y: Tensor) -> _Pair:
    root, size = _sqrt(x, y), torch.hypot(x, y)
    return root[0] / size, -root[1] / size


@_function("sgn")
def _sgn(x: Tensor, y: Tensor) -> _Pair:
    size = torch.hypot(x, y)
    return torch.where(size == 0, 0.0, x / size), torch.where(size == 0, 0.0, y / size)


@_function("sigmoid")
def _sigmoid(x: Tensor, y: Tensor) -> _Pair:
    small = torch.exp(-x.abs())
    real, imaginary = small * y.cos(), small * torch.where(x < 0, y, -y).sin()  # e^z, e^-z: what is within the circle
    divisor = (1 + real).square() + imaginary.square()
    above = torch.where(x < 0, real + small * small, 1 + real)
    return above / divisor, torch.where(x < 0, imaginary, -imaginary) / divisor


@_function("silu")
def _silu(x: Tensor, y: Tensor) -> _Pair:
    real, imaginary = _sigmoid(x, y)
    return x * real - y * imaginary, x * imaginary + y * real


@_function("sinc")
def _sinc(x: Tensor, y: Tensor) -> _Pair:
    x, y = x * math.pi, y * math.pi
    (real, imaginary), size = _sin(x, y), torch.hypot(x, y)
    x, y, is_zero = x / size, y / size, size == 0
    return (torch.where(is_zero, 1.0, (real * x + imaginary * y) / size),
            torch.where(is_zero, 0.0, (imaginary * x - real * y) / size))


# Circular and hyperbolic functions


@_function("sinh")
def _sinh(x: Tensor, y: Tensor) -> _Pair:
    real = torch.where(x.isinf() & ~y.isfinite(), x, _times(x.sinh(), y.cos()))
    return real, torch.where(y == 0, y, _times(x.cosh(), y.sin()))


@_function("cosh")
def _cosh(x: Tensor, y: Tensor) -> _Pair:
    real = torch.where(x.isinf() & ~y.isfinite(), x.abs(), x.cosh() * y.cos())
    return real, _times(x.sinh(), y.sin())


@_function("tanh")
def _tanh(x: Tensor, y: Tensor) -> _Pair:
    is_large = x.abs() > 20
    near = torch.where(is_large, 0.0, x)
    sine, cosine = y.sin(), y.cos()
    divisor = near.sinh().square() + cosine.square()
    real = torch.where(is_large, torch.copysign(torch.ones_like(x), x), near.sinh() * near.cosh() / divisor)
    far = torch.where(x.isinf() & ~y.isfinite(), torch.copysign(torch.zeros_like(y), y),
                      4 * sine * cosine * torch.exp(-2 * x.abs()))
    return real, torch.where(y == 0, y, torch.where(is_large, far, sine * cosine / divisor))


def _turned(function: Callable[[Tensor, Tensor], _Pair]) -> Callable[[Tensor, Tensor], _Pair]:
    """-i f(iz), which makes sin of sinh, tan of tanh, asinh of asin, atan of atanh."""
    def turned(x: Tensor, y: Tensor) -> _Pair:
        real, imaginary = function(-y, x)
        return imaginary, -real

    return turned


_sin = _function("sin")(_turned(_sinh))
_function("tan")(_turned(_tanh))


@_function("cos")
def _cos(x: Tensor, y: Tensor) -> _Pair:
    return _cosh(-y, x)


def _roots(x: Tensor, y: Tensor) -> tuple[_Pair, _Pair, Tensor, Tensor]:
    """The roots of 1 - z and of 1 + z, whether z is large, and the logarithm of 2 |z| where it is."""
    is_large = ~((x.abs() < _LARGE) & (y.abs() < _LARGE))
    far = torch.hypot(x / 2, y / 2).log() + 2 * math.log(2)
    x, y = torch.where(is_large, 0.0, x), torch.where(is_large, 0.0, y)
    return _sqrt(1 - x, -y), _sqrt(1 + x, y), is_large, far


@_function("asin")
def _asin(x: Tensor, y: Tensor) -> _Pair:
    (a, b), (c, d), is_large, far = _roots(x, y)
    real = torch.where(is_large, _angle(x, y.abs()), torch.atan2(x, a * c - b * d))
    return real, torch.where(is_large, torch.copysign(far, y), torch.copysign(torch.asinh(a * d - b * c), y))


@_function("acos")
def _acos(x: Tensor, y: Tensor) -> _Pair:
    (a, b), (c, d), is_large, far = _roots(x, y)
    real = torch.where(is_large, _angle(y.abs(), x), 2 * torch.atan2(a, c))
    return real, torch.where(is_large, torch.copysign(far, -y), torch.copysign(torch.asinh(a * d - b * c), -y))


@_function("acosh")
def _acosh(x: Tensor, y: Tensor) -> _Pair:
    real, imaginary = _acos(x, y)  # i times it or its negative, whichever is on the right
    return imaginary.abs(), torch.copysign(real, y)


@_function("atanh")
def _atanh(x: Tensor, y: Tensor) -> _Pair:
    is_large = ~((x.abs() < _LARGE) & (y.abs() < _LARGE))
    is_unknown = x.isnan() | (y.isnan() & ~x.isinf() & (x != 0))
    u, v = torch.where(is_large, 0.0, x), torch.where(is_large, 0.0, y)
    size = u.abs()
    real = torch.copysign(torch.log1p(4 * size / ((1 - size).square() + v * v)) / 4, x)
    imaginary = torch.atan2(2 * v, (1 - u) * (1 + u) - v * v) / 2
    real = torch.where(is_large, torch.copysign(torch.zeros_like(x), x), real)
    half = torch.copysign(torch.full_like(y, math.pi / 2), y)
    imaginary = torch.where(is_large, half, imaginary)
    real = torch.where(is_unknown & ~y.isinf(), math.nan, real)
    return real, torch.where(y.isnan() | (x.isnan() & ~y.isinf()), math.nan, imaginary)


_function("asinh")(_turned(_asin))
_function("atan")(_turned(_atanh))


def complex_functions() -> dict[Any, Callable]:
    """The decomposition of each function of one complex tensor."""
    return {operator: functools.partial(elementwise, function) for operator, function in _OF_ONE.items()}
