"""New complex tensors: filled, in steps and random, in terms of real ones."""

from __future__ import annotations

import math
from typing import Any, Callable

import torch
from torch import Tensor

from .torch_complex_functions import parts
from .torch_tables import registers

aten = torch.ops.aten
_NEW: dict[Any, Callable] = {}
_complex = registers(_NEW)


def new_complex_tensors() -> dict[Any, Callable]:
    """The decomposition of each operator."""
    return _NEW


def _filled(operator: Any, value_at: int) -> Callable:
    """A call with a value, which is complex or becomes so, as one for each part."""
    def run(*args: Any, dtype: torch.dtype | None = None, **how: Any) -> Tensor:
        args, value = list(args), args[value_at]
        if dtype is None:
            like = args[0] if isinstance(args[0], Tensor) else torch.empty([], device="meta")
            dtype = like.dtype if isinstance(args[0], Tensor) else torch.result_type(like, value)
        if not dtype.is_complex or not isinstance(value, (bool, int, float, complex)):
            return NotImplemented
        if isinstance(args[0], Tensor):
            args[0] = parts(args[0])[0]
        results = []
        for part in (complex(value).real, complex(value).imag):
            args[value_at] = part
            results.append(operator(*args, dtype=dtype.to_real(), **how))
        return torch.complex(*results)

    return run


_complex(aten.full.default)(_filled(aten.full.default, 1))
_complex(aten.full_like.default)(_filled(aten.full_like.default, 1))
_complex(aten.new_full.default)(_filled(aten.new_full.default, 2))
_complex(aten.scalar_tensor.default)(_filled(aten.scalar_tensor.default, 0))


@_complex(aten.fill.Scalar)
def _fill(x: Tensor, value: Any) -> Tensor:
    return torch.full_like(x, value)


@_complex(aten.eye.default, aten.eye.m)
def _eye(*sizes: int, dtype: torch.dtype, **how: Any) -> Tensor:
    return aten.eye(*sizes, dtype=dtype.to_real(), **how).to(dtype)


@_complex(aten.linspace.default, aten.linspace.Tensor_Tensor, aten.linspace.Tensor_Scalar, aten.linspace.Scalar_Tensor)
def _linspace(start: Any, end: Any, steps: int, *, dtype: torch.dtype | None = None, **how: Any) -> Tensor:
    if dtype is None:
        dtype = torch.get_default_dtype().to_complex()
    if not dtype.is_complex:
        return NotImplemented
    pairs = [parts(one) if isinstance(one, Tensor) else (complex(one).real, complex(one).imag) for one in (start, end)]
    return torch.complex(*(torch.linspace(*ends, steps, dtype=dtype.to_real(), **how) for ends in zip(*pairs)))


@_complex(aten.logspace.default, aten.logspace.Tensor_Tensor, aten.logspace.Tensor_Scalar, aten.logspace.Scalar_Tensor)
def _logspace(start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: torch.dtype | None = None, **how: Any) -> Tensor:
    dtype = dtype or torch.get_default_dtype().to_complex()
    if not dtype.is_complex:
        return NotImplemented
    return torch.pow(base, _linspace(start, end, steps, dtype=torch.complex128, **how)).to(dtype)


# Random numbers: parts with half of the variance each


@_complex(aten.randn.default)
def _randn(size: list, *, dtype: torch.dtype | None = None, **how: Any) -> Tensor:
    return torch.complex(*(aten.randn(size, dtype=dtype.to_real(), **how) * math.sqrt(0.5) for _ in range(2)))


@_complex(aten.randn_like.default)
def _randn_like(x: Tensor, *, dtype: torch.dtype | None = None, **how: Any) -> Tensor:
    dtype = dtype or x.dtype
    if not dtype.is_complex:
        return NotImplemented
    like = parts(x)[0]
    return torch.complex(*(aten.randn_like(like, dtype=dtype.to_real(), **how) * math.sqrt(0.5) for _ in range(2)))


@_complex(aten.rand.default)
def _rand(size: list, *, dtype: torch.dtype | None = None, **how: Any) -> Tensor:
    return torch.complex(*(aten.rand(size, dtype=dtype.to_real(), **how) for _ in range(2)))


@_complex(aten.rand_like.default)
def _rand_like(x: Tensor, *, dtype: torch.dtype | None = None, **how: Any) -> Tensor:
    dtype = dtype or x.dtype
    if not dtype.is_complex:
        return NotImplemented
    like = parts(x)[0]
    return torch.complex(*(aten.rand_like(like, dtype=dtype.to_real(), **how) for _ in range(2)))


@_complex(aten.uniform.default)
def _uniform(x: Tensor, low: float = 0.0, high: float = 1.0, *, generator: Any = None) -> Tensor:
    return torch.complex(*(aten.uniform(part, low, high, generator=generator) for part in parts(x)))


@_complex(aten.normal_functional.default)
def _normal(x: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    pair = (aten.normal_functional(part, 0.0, std * math.sqrt(0.5), generator=generator) for part in parts(x))
    return torch.complex(*pair) + mean
