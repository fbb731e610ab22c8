"""Arithmetic of integers that eager PyTorch refuses: an error of the call, as there.

Nothing is divided by zero on a CPU; on a GPU such quotients and remainders "may return any value" (torch.fmod). No number
is an exponent below zero.
"""

from __future__ import annotations

from typing import Any, Callable

import torch

_aten = torch.ops.aten
_DIVISIONS = (_aten.floor_divide.default, _aten.floor_divide.Scalar, _aten.div.Tensor_mode, _aten.div.Scalar_mode,
              _aten.remainder.Tensor, _aten.remainder.Scalar, _aten.remainder.Scalar_Tensor, _aten.fmod.Tensor, _aten.fmod.Scalar)


def checked_integers(table: dict[Any, Callable]) -> dict[Any, Callable]:
    """For each operator, a check in front of the decomposition that `table` has."""
    checks = dict.fromkeys(_DIVISIONS, _check_divisors) | {_aten.pow.Tensor_Scalar: _check_exponent}
    return {operator: _checked(check, table.get(operator)) for operator, check in checks.items()}


def _checked(check: Callable, otherwise: Callable | None) -> Callable:
    def run(*args: Any, **how: Any) -> Any:
        check(*args, **how)
        return NotImplemented if otherwise is None else otherwise(*args, **how)

    return run


def _check_divisors(x: Any, y: Any, rounding_mode: str | None = "floor") -> None:
    if rounding_mode is None or any(isinstance(one, torch.Tensor) and one.device.type != "cpu" for one in (x, y)):
        return
    dtype = torch.result_type(x, y)
    is_integer = not dtype.is_floating_point and not dtype.is_complex and dtype != torch.bool
    if is_integer and (isinstance(y, torch.Tensor) or y == 0):
        # Of a result without elements nothing is divided.
        divisors = torch.broadcast_tensors(torch.as_tensor(x), torch.as_tensor(y))[1]
        torch._assert_async((divisors != 0).all(), "ZeroDivisionError")


def _check_exponent(x: torch.Tensor, exponent: Any) -> None:
    if isinstance(exponent, int) and not x.is_floating_point() and not x.is_complex():
        torch._check(exponent >= 0, lambda: "Integers to negative integer powers are not allowed.")
