"""Products whose inner dimension is in groups, as the gradients of the weights of mixtures of experts are."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch import Tensor

_grouped = torch.ops.aten._grouped_mm.default
# Floating-point operations of some tens of microseconds, which a further graph takes.
_MOST_EXTRA = {"cpu": 1e7, "cuda": 2e10}
_USUAL_SIZE = 4096  # of a size that depends on data


def _hint(size: Any) -> int:
    if not isinstance(size, torch.SymInt):
        return size
    return _USUAL_SIZE if size.node.hint is None else size.node.hint


def _is_worthwhile(x: Tensor, y: Tensor, ends: Tensor) -> bool:
    """Whether what is multiplied by zero takes no longer than to leave the call to PyTorch."""
    groups, rows, inner, columns = map(_hint, (ends.shape[0], *x.shape, y.shape[1]))
    return 2 * (groups - 1) * rows * inner * columns <= _MOST_EXTRA.get(x.device.type, 0)


def _summed_by_group(x: Tensor, y: Tensor, ends: Tensor) -> Tensor:
    """Of x [M, K], y [K, N] and the ends [G] of groups along K, the products of each group, [G, M, N].

    One product of the smaller operand, zero in a copy for each group where it is not of that group, and the other,
    zero after the last group, where rows may be without a value.
    """
    places = torch.arange(x.shape[1], device=x.device)
    ends = ends.to(places.dtype).unsqueeze(1)
    is_before = places < ends
    is_inside = is_before & ~torch.cat([torch.zeros_like(is_before[:1]), is_before[:-1]])
    is_used = is_before.any(0)
    if x.shape[0] <= y.shape[1]:
        x, y = torch.where(is_inside.unsqueeze(1), x, 0), torch.where(is_used.unsqueeze(1), y, 0)
    else:
        x, y = torch.where(is_used, x, 0), torch.where(is_inside.unsqueeze(2), y, 0)
    return torch.matmul(x, y)


def _grouped_product(x: Tensor, y: Tensor, offs: Tensor | None = None, bias: Tensor | None = None,
                     out_dtype: torch.dtype | None = None) -> Tensor:
    """`torch.nn.functional.grouped_mm` of matrices, whose groups are summed over."""
    if x.dim() != 2 or y.dim() != 2 or offs is None or bias is not None or not _is_worthwhile(x, y, offs):
        return NotImplemented
    return _summed_by_group(x, y, offs).to(out_dtype or x.dtype)


def _of_transformers(x: Tensor, weight: Tensor, offs: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of rows x [S, K] and matrices weight [G, K, N] of their products [S, N] in groups."""
    if not _is_worthwhile(x.mT, grad, offs):
        return NotImplemented
    to_x = torch.ops.transformers.grouped_mm_fallback(grad, weight.mT, offs)
    return to_x, _summed_by_group(x.mT, grad, offs)


def grouped_products() -> dict[Any, Callable]:
    """The decompositions of this file; an operator of transformers is there once transformers defines it."""
    found: dict[Any, Callable] = {_grouped: _grouped_product}
    if hasattr(torch.ops.transformers, "grouped_mm_fallback_backward"):
        found[torch.ops.transformers.grouped_mm_fallback_backward.default] = _of_transformers
    return found
