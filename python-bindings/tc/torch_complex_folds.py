"""Folds and scans of complex numbers in terms of real ones."""

from __future__ import annotations

import functools
import math
from typing import Any, Callable

import torch
from torch import Tensor

from .torch_complex_functions import exp_of, joined, log1p_of, log_of, parts, wide
from .torch_tables import registers

aten = torch.ops.aten
_FOLDS: dict[Any, Callable] = {}
_complex = registers(_FOLDS)


def complex_folds() -> dict[Any, Callable]:
    """The decomposition of each operator."""
    return _FOLDS


def _cast(x: Tensor, dtype: torch.dtype | None) -> Tensor:
    return x if dtype is None else x.to(dtype)


@_complex(aten.logaddexp.default)
def _logaddexp(x: Tensor, y: Tensor) -> Tensor:
    dtype = torch.result_type(x, y)
    return joined(_logaddexp_of(wide(x), wide(y)), dtype)


def _logaddexp_of(x: tuple, y: tuple) -> tuple[Tensor, Tensor]:
    """The larger one, by its real part, and log(1 + e^-d) of what the other is less: so does PyTorch, whose
    imaginary part is that of no branch for this."""
    is_first = x[0] >= y[0]
    more = [torch.where(is_first, a, b) for a, b in zip(x, y)]
    less = [torch.where(is_first, b, a) for a, b in zip(x, y)]
    is_same = (x[0] == y[0]) & x[0].isinf()
    real, imaginary = log1p_of(*exp_of(*(torch.where(is_same, 0.0, a - b) for a, b in zip(less, more))))
    real, imaginary = torch.where(is_same, more[0], real + more[0]), torch.where(is_same, more[1], imaginary + more[1])
    is_unknown = functools.reduce(torch.logical_or, (one.isnan() for one in (*x, *y)))
    return torch.where(is_unknown, math.nan, real), torch.where(is_unknown, math.nan, imaginary)


@_complex(aten.var.correction)
def _var(x: Tensor, dim: list | None = None, *, correction: Any = None, keepdim: bool = False) -> Tensor:
    real, imaginary = (torch.var(part, dim, correction=1 if correction is None else correction, keepdim=keepdim) for part in parts(x))
    return real + imaginary


@_complex(aten.std.correction)
def _std(x: Tensor, dim: list | None = None, *, correction: Any = None, keepdim: bool = False) -> Tensor:
    return _var(x, dim, correction=correction, keepdim=keepdim).sqrt()


@_complex(aten.var_mean.correction)
def _var_mean(x: Tensor, dim: list | None = None, *, correction: Any = None, keepdim: bool = False) -> tuple:
    return _var(x, dim, correction=correction, keepdim=keepdim), _mean(x, dim, keepdim)


@_complex(aten.std_mean.correction)
def _std_mean(x: Tensor, dim: list | None = None, *, correction: Any = None, keepdim: bool = False) -> tuple:
    return _std(x, dim, correction=correction, keepdim=keepdim), _mean(x, dim, keepdim)


def _mean(x: Tensor, dim: list | None, keepdim: bool) -> Tensor:
    return torch.mean(x, list(range(x.dim())) if dim is None else dim, keepdim=keepdim)


@_complex(aten.prod.dim_int)
def _prod(x: Tensor, dim: int, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Tensor:
    x = _cast(x, dtype)
    if not x.is_complex():
        return torch.prod(x, dim, keepdim)
    if x.dim() == 0:
        return x.clone()
    if x.shape[dim] == 0:
        x = torch.cat([x, x.new_ones([1 if one == dim % x.dim() else size for one, size in enumerate(x.shape)])], dim)
    while (size := x.shape[dim]) > 1:  # pairs, and what is left over
        half = size // 2
        product = x.narrow(dim, 0, half) * x.narrow(dim, half, half)
        x = torch.cat([product, x.narrow(dim, 2 * half, 1)], dim) if size % 2 else product
    return x.clone() if keepdim else x.squeeze(dim).clone()


@_complex(aten.prod.default)
def _prod_of_all(x: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    return _prod(x.reshape(-1), 0, dtype=dtype)


def _scan(x: Tensor, dim: int, combine: Callable) -> Tensor:
    """The folds of x up to each element, in steps of 1, 2, 4, ..."""
    if x.dim() == 0 or x.numel() == 0:
        return x.clone()
    step, size = 1, x.shape[dim]
    while step < size:
        later = combine(x.narrow(dim, 0, size - step), x.narrow(dim, step, size - step))
        x = torch.cat([x.narrow(dim, 0, step), later], dim)
        step *= 2
    return x.clone() if size == 1 else x


@_complex(aten.cumprod.default)
def _cumprod(x: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Tensor:
    x = _cast(x, dtype)
    return _scan(x, dim, torch.mul) if x.is_complex() else torch.cumprod(x, dim)


@_complex(aten.logcumsumexp.default)
def _logcumsumexp(x: Tensor, dim: int) -> Tensor:
    return _scan(x.to(torch.complex128), dim, _logaddexp).to(x.dtype)


@_complex(aten.logsumexp.default)
def _logsumexp(x: Tensor, dim: list, keepdim: bool = False) -> Tensor:
    if x.numel() == 0:
        return torch.log(torch.sum(torch.exp(x), dim, keepdim))
    real, imaginary = wide(x)
    most = real.amax(dim, keepdim=True)
    most = torch.where(most.isinf(), 0.0, most)
    terms = exp_of(real - most, imaginary)
    real, imaginary = log_of(*(one.sum(dim, keepdim=True) for one in terms))
    result = joined((real + most, imaginary), x.dtype)
    return result if keepdim or x.dim() == 0 else result.squeeze(dim)


def _of_sizes(operator: Any) -> Callable:
    """A norm of complex numbers, that of their absolute values."""
    def run(x: Tensor, *args: Any, dtype: torch.dtype | None = None, **how: Any) -> Tensor:
        return operator(_cast(x, dtype).abs(), *args, **how)

    return run


_complex(aten.linalg_vector_norm.default)(_of_sizes(aten.linalg_vector_norm.default))
_complex(aten.norm.Scalar)(_of_sizes(aten.norm.Scalar))
_complex(aten.norm.ScalarOpt_dim, aten.norm.ScalarOpt_dim_dtype)(_of_sizes(aten.norm.ScalarOpt_dim))


@_complex(aten.norm.ScalarOpt_dtype)
def _norm(x: Tensor, p: Any, *, dtype: torch.dtype) -> Tensor:
    return aten.norm.Scalar(x.to(dtype).abs(), 2 if p is None else p)
