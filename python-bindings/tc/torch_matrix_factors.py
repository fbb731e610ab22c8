"""Solutions and determinants of real matrices, with the factors that their gradients are computed from.

TC has routines for the solution and the determinant alone. Where gradients may be asked for, the factors are computed next
to them, written out for matrices of few columns; a graph whose backward does not read them drops them.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Callable

import torch
from torch import Tensor

from .torch_matrices import column_major, lu_factors, system_of
from .torch_tables import registers

aten = torch.ops.aten
_TABLE: dict[Any, Callable] = {}
_real = registers(_TABLE)
# Whether a call is to stay as it is: the routine itself.
_is_routine: ContextVar[bool] = ContextVar("is_routine", default=False)


def functions_with_factors() -> dict[Any, Callable]:
    """The decomposition of each operator."""
    return _TABLE


def _routine(operator: Any, *args: Any, **how: Any) -> tuple:
    token = _is_routine.set(True)
    try:
        return operator(*args, **how)
    finally:
        _is_routine.reset(token)


def _factors(a: Tensor) -> tuple | None:
    """Those of a matrix, as lu_factors has them; None where nothing reads them or TC refuses the matrix."""
    if _is_routine.get() or not torch.is_grad_enabled():
        return None
    found = lu_factors(a, pivots=True)
    return None if found is None else (column_major(found[0]), *found[1:])


@_real(aten._linalg_solve_ex.default)
def _linalg_solve_ex(a: Tensor, b: Tensor, *, left: bool = True, check_errors: bool = False) -> tuple:
    if _is_routine.get():
        return NotImplemented
    found = _factors(a)
    matrices = system_of(a, b)[0]
    if found is None and matrices.shape == a.shape:
        return NotImplemented
    result, factors, pivots, info = _routine(aten._linalg_solve_ex.default, matrices, b, left=left, check_errors=check_errors)
    factors, pivots = found[:2] if found is not None else (factors, pivots)
    return result, factors, pivots, _info_of(info, a.shape[:-2])


def _info_of(info: Tensor, batch: torch.Size) -> Tensor:
    """What is said of the matrices of a batch, by what is said of those that it was broadcast to."""
    if 0 in info.shape:
        return info.new_zeros(batch)
    while info.dim() > len(batch):
        info = info.select(0, 0)
    for dim, size in enumerate(batch):
        info = info.narrow(dim, 0, size)
    return info.clone()


def _factors_of_determinant(a: Tensor) -> tuple | None:
    """Gradients read the factors of the transpose where a matrix is contiguous."""
    return _factors(a.mT if a.is_contiguous() else a)


@_real(aten._linalg_det.default)
def _linalg_det(a: Tensor) -> tuple:
    if (found := _factors_of_determinant(a)) is None:
        return NotImplemented
    return _routine(aten._linalg_det.default, a)[0], found[0], found[1]


@_real(aten._linalg_slogdet.default)
def _linalg_slogdet(a: Tensor) -> tuple:
    if (found := _factors_of_determinant(a)) is None:
        return NotImplemented
    return *_routine(aten._linalg_slogdet.default, a)[:2], found[0], found[1]
