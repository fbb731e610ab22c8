"""Calls of functions of the elements of one or two tensors."""

import torch
from own_samples import C, Entry, T

F32, BF16, F16, F64 = torch.float32, torch.bfloat16, torch.float16, torch.float64
I64, I32, I16, I8, U8, BOOL = torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool


def signs(result):
    """Also whether it is below zero or -0, but of NaN."""
    return [result, torch.signbit(result) & ~result.isnan()]


def of_one(low=-3, high=3, wide=None, more=(), function=None, has_signs=False, errors=()):
    """Of one tensor: sizes, views, and `wide`, a range of many numbers."""
    common = dict(low=low, high=high)
    calls = [C(T(**common)), C(T(0, **common)), C(T(1, **common)), C(T(37, **common)), C(T(2, 0, 3, **common)),
             C(T(3, 5, view="transposed", **common)), C(T(2, 3, 4, view="strided", **common)),
             C(T(4, 7, view="expanded", **common)), C(T(3, 3, view="offset", **common)), C(T(1, 1, 5, 1, **common)),
             C(T(48, special=True), **({"defined": signs} if has_signs else {}))]
    if wide:
        calls.append(C(T(999, low=wide[0], high=wide[1])))
    return Entry([*calls, *more], errors, function)


PAIRS = [((), ()), ((3,), ()), ((), (2, 3)), ((5, 1), (4,)), ((2, 1, 3), (4, 1)), ((0, 3), (3,)), ((1,), (1,)),
         ((0,), (1,)),
         ((33,), (33,))]


def of_two(first={}, second={}, more=(), function=None, errors=(), numbers=(2, -3, 0.5)):
    """Of two tensors: sizes that are broadcast, views, pairs of special values, other element types and numbers.

    first, second  the ranges of the two"""
    calls = [C(T(*a, **first), T(*b, **second)) for a, b in PAIRS]
    calls += [C(T(3, 5, view="transposed", **first), T(3, 5, **second)),
              C(T(4, 6, view="strided", **first), T(4, 6, view="expanded", **second)),
              C(T(3, 4, view="offset", **first), T(3, 4, view="transposed", **second)),
              C(T(16, 1, special=True), T(1, 16, special=True)),
              C(T(8, **first), T(8, dtype=I32, low=1, high=3)), C(T(8, **first), T(dtype=F64, low=1, high=2)),
              C(T(8, dtype=U8, low=0, high=200), T(8, **second)), C(T(4, dtype=BOOL), T(4, **second)),
              C(T(dtype=F32, low=1, high=2), T(5, dtype=BF16, low=1, high=2))]
    calls += [C(T(2, 3, **first), number) for number in numbers]
    wrong = [C(T(3), T(4)), C(T(2, 3), T(3, 2))]
    return Entry([*calls, *more], [*wrong, *errors], function)


NUMBERS = [C(2, T(3, 4)), C(1.5, T(3, 4))]
POSITIVE = dict(low=0.1, high=3)

ENTRIES = {
    "asin": of_one(-1, 1, (-1, 1), [C(T(9, low=-3, high=3))], has_signs=False),
    "conj_physical": of_one(),
    "cosh": of_one(wide=(-90, 90)),
    "exp": of_one(wide=(-110, 100), more=[C(T(99, low=-1e-3, high=1e-3))]),
    "frac": of_one(wide=(-1e5, 1e5), has_signs=True),
    "i0": of_one(wide=(-90, 90)),
    "log1p": of_one(-0.9, 3, (-1, 1e-3), [C(T(99, low=0, high=1e9))]),
    "nn.functional.relu6": of_one(-3, 9, more=[C(T(4, 4, low=-3, high=9), inplace=False),
        C(T(4, fill=[0.0, 6.0, -0.0, 6.5]))]),
    "rad2deg": of_one(wide=(-1e4, 1e4)),
    "sin": of_one(wide=(-1e4, 1e4), more=[C(T(99, low=-1e8, high=1e8))]),
    "tanh": of_one(wide=(-12, 12), more=[C(T(99, low=-1e-3, high=1e-3))]),
    "trunc": of_one(wide=(-1e10, 1e10), has_signs=True),
    "nan_to_num": of_one(more=[C(T(20, special=True), nan=2.5), C(T(20, special=True), posinf=1.0),
        C(T(20, special=True), neginf=-1.0), C(T(20, special=True), nan=1.0, posinf=2.0, neginf=3.0),
        C(T(20, special=True), float("inf"), float("nan"), 0.0), C(T(20, special=True), nan=1e39)]),
    "reciprocal": of_one(wide=(-1e30, 1e30)),
    "square": of_one(wide=(-1e10, 1e10)),
    "isreal": of_one(more=[C(T(6, fill=[1.0, 0.0, -2.0], dtype=torch.complex64)), C(T(4, dtype=torch.complex64))]),
    "char": of_one(-100, 100, more=[C(T(9, low=0, high=100), memory_format=torch.preserve_format),
        C(T(2, 3, 4, 5), memory_format=torch.channels_last)], function=lambda x, **how: x.char(**how)),
    "double": of_one(more=[C(T(2, 3, 4, 5), memory_format=torch.channels_last),
        C(T(3, 5, view="transposed"), memory_format=torch.contiguous_format)],
        function=lambda x, **how: x.double(**how)),
    "cfloat": of_one(more=[C(T(2, 3, 4, 5), memory_format=torch.channels_last)]),
    "erfc": of_one(wide=(-6, 12)),
    "erfinv": of_one(-1, 1, (-1, 1), [C(T(99, low=0.999, high=1)), C(T(9))]),
    "special.i0e": of_one(wide=(-500, 500)),
    "special.ndtri": of_one(0, 1, (0, 1), [C(T(99, low=0, high=1e-10)), C(T(9))]),
    "special.bessel_y1": of_one(0.1, 9, (0, 100)),
    "special.modified_bessel_i1": of_one(wide=(-80, 80)),
    "add": of_two(more=[C(T(3, 4), T(4), alpha=2), C(T(3, 4), T(3, 1), alpha=-0.5), C(T(3), 2, alpha=3),
        C(T(2, 2), True), C(T(3), 1.5), C(T(2, 3), T(2, 3), alpha=True)],
        errors=[C(T(3, dtype=I64), T(3, dtype=I64), alpha=0.5)]),
    "sub": of_two(more=[C(T(3, 4), T(4), alpha=2), C(T(3, 4), T(3, 1), alpha=-0.5), C(T(3), 2, alpha=3),
        C(T(3), 1.5)], errors=[C(T(3, dtype=BOOL), T(3, dtype=BOOL)),
        C(T(3, dtype=I64), T(3, dtype=I64), alpha=0.5)]),
    "mul": of_two(more=[C(T(3), 1.5), C(T(3), True), C(T(3), 2j), C(T(3), T(3, dtype=torch.complex64))]),
    "clamp_max": of_two(more=[C(T(3, 4), float("nan")), C(T(3, 4), float("inf")), C(T(6, fill=[1.0, 2.0, 0.0]), 1),
        C(T(6, fill=[1.0, 2.0, 0.0]), T(fill=[1.0]))]),
    "remainder": of_two(second=POSITIVE, more=[C(T(9, low=-90, high=90), T(9, low=-5, high=-1)), C(T(9), -2),
        C(5, T(4, low=1)), C(T(9, low=-1e5, high=1e5), 0.1), C(T(3), float("inf")), C(T(3), -float("inf"))],
        errors=[C(T(3, dtype=I64), T(3, dtype=I64, fill=[0])), C(T(3, dtype=I32), 0)]),
    "pow": of_two(POSITIVE, more=[C(T(3, 4), exponent) for exponent in (0, 1, 2, 3, 4, -1, -2, 0.5, -0.5, 2.5, 1e3,
        True)] + [C(2, T(3, 4)), C(1, T(4)), C(0, T(5, low=0)), C(-2.5, T(6)), C(0.5, T(6)),
        C(T(30), T(30, fill=[2.0, 3.0, 0.0, 1.0])), C(T(99, low=0, high=1e4), T(99, low=-9, high=9))],
        errors=[C(T(3, dtype=I64), -1)]),
    "__rpow__": of_two(first=dict(low=-2, high=3), second=POSITIVE, numbers=(2, 0.5, 1, 0, -2.0, 3)),
    "bitwise_xor": of_two(numbers=(2, -3, True), errors=[C(T(3), T(3)), C(T(3, dtype=I64), 1.5)]),
    "gcd": of_two(dict(low=-60, high=60), dict(low=-60, high=60), numbers=(),
        errors=[C(T(3), T(3))], more=[C(T(9, low=0, high=120), T(9, fill=[0, 6, 12])),
        C(T(5, fill=[0]), T(5, fill=[0]))]),
    "logaddexp2": of_two(numbers=(), more=[C(T(99, low=-200, high=200), T(99, low=-200, high=200)),
        C(T(99), T(99, low=-1e-3, high=1e-3))]),
    "special.xlog1py": of_two(second=dict(low=-0.9, high=3), more=[*NUMBERS, C(0, T(7, special=True)), C(T(3), -1),
        C(T(9, fill=[0.0]), T(9, special=True))]),
    "special.laguerre_polynomial_l": of_two(second=dict(low=0, high=9), numbers=(0, 1, 2, 3.5, 12), more=[*NUMBERS,
        C(T(4, low=0, high=3), -1)]),
    "special.shifted_chebyshev_polynomial_w": of_two(dict(low=0, high=1), dict(low=0, high=9), numbers=(0, 1, 2, 3.5,
        12), more=[ *NUMBERS, C(T(4, fill=[0.0, 1.0, 0.5, 2.0]), 5), C(T(4, low=0, high=1), -1),
        C(T(4, low=1, high=3), T(4, fill=[7]))]),
    "masked.logaddexp": of_two(numbers=(), more=[ C(T(3, 4), T(3, 4), input_mask=T(3, 4, dtype=BOOL)),
        C(T(3, 4), T(4), other_mask=T(4, dtype=BOOL)), C(T(3, 4), T(3, 4), input_mask=T(3, 4, dtype=BOOL),
        other_mask=T(3, 4, dtype=BOOL)), C(T(3, 4), T(3, 4), dtype=F64)]),
}
