"""What files of decompositions share: how their tables are filled, and the type that they compute in."""

from __future__ import annotations

from typing import Any, Callable

import torch


def registers(table: dict[Any, Callable]) -> Callable:
    """A decorator with operators for arguments, which enters a function for each of them into a table."""
    def of(*operators: Any) -> Callable:
        def register(function: Callable) -> Callable:
            table.update(dict.fromkeys(operators, function))
            return function

        return register

    return of


def widened(x: torch.Tensor) -> torch.Tensor:
    """The floats of x in f32, or in f64 where they are of that: what PyTorch's kernels compute in."""
    return x.to(torch.promote_types(x.dtype, torch.float32))
