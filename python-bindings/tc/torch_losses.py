"""Losses of classes in terms of operators that PyTorch's partitioner can compute again.

As one call each, `_log_softmax` and `nll_loss_forward` would have logarithms of long rows of scores saved for their
gradients, where the scores, often of half the bytes, and two numbers a row are enough. Logarithms of 16 bits are no more
bytes, and are rounded once. A function that gives NotImplemented leaves the call as it is.
"""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch._decomp import decomposition_table
from torch.nn._reduction import legacy_get_string

from .torch_tables import registers

aten = torch.ops.aten
_LOSSES: dict[Any, Callable] = {}
_decomposes = registers(_LOSSES)
_MEAN = 1  # of at::Reduction
_WIDE = (torch.float32, torch.float64)


def losses() -> dict[Any, Callable]:
    """The decompositions of this file."""
    return dict(_LOSSES)


@_decomposes(aten._log_softmax.default)
def _log_softmax(x: torch.Tensor, dim: int, half_to_float: bool) -> torch.Tensor:
    if x.numel() == 0 or x.dtype not in _WIDE:
        return NotImplemented
    return decomposition_table[aten._log_softmax.default](x, dim, half_to_float)


@_decomposes(aten.nll_loss_forward.default)
def _nll_loss_forward(x: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None, *how: int) -> tuple:
    # Weights are those of the picked classes alone.
    if weight is not None or x.dtype not in _WIDE or x.numel() == 0:
        return NotImplemented
    return decomposition_table[aten.nll_loss_forward.default](x, target, weight, *how)


@_decomposes(aten.nll_loss_backward.default, aten.nll_loss2d_backward.default)
def _nll_loss_backward(gradient: torch.Tensor, x: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None,
                       reduction: int, ignore_index: int, total_weight: torch.Tensor) -> torch.Tensor:
    # PyTorch's own decomposition multiplies all classes, the zeros of those that are not picked as well, which makes
    # an infinite gradient of a loss none of a number.
    if x.numel() == 0:
        return torch.zeros_like(x)
    dim = min(x.dim() - 1, 1)
    picked = torch.where(target != ignore_index, target, 0)
    gradient = gradient / total_weight if reduction == _MEAN else gradient
    if weight is not None:
        gradient = gradient * weight.index_select(0, picked.reshape(-1)).reshape(picked.shape)
    updates = torch.where(target != ignore_index, -gradient, 0)
    return torch.zeros_like(x).scatter(dim, picked.unsqueeze(dim), updates.to(x.dtype).unsqueeze(dim))


def multilabel_margin_loss(input: torch.Tensor, target: torch.Tensor, size_average: bool | None = None,
                           reduce: bool | None = None, reduction: str = "mean") -> torch.Tensor:
    """`torch.nn.functional.multilabel_margin_loss` of scores (), (classes) or (batch, classes), and of labels as many, of which
    those before the first -1 count. PyTorch's decomposition counts class 0 for each that does not."""
    x, by = input, legacy_get_string(size_average, reduce, False) if size_average is not None or reduce is not None else reduction
    torch._check(x.dim() <= 2 and 0 not in x.shape[-1:],
                 lambda: f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(x.shape)}")
    torch._check(target.shape == x.shape, lambda: f"inconsistent target size: {list(target.shape)} for input of size: {list(x.shape)}")
    x, target = torch.atleast_1d(x), torch.atleast_1d(target)
    classes = torch.arange(x.shape[-1], device=x.device)
    counts = (target == -1).cumsum(-1) == 0
    label = torch.where(counts, target, 0)
    is_label = ((label.unsqueeze(-1) == classes) & counts.unsqueeze(-1)).any(-2)
    # A row for each label, a column for each class.
    margin = (1 - x.gather(-1, label).unsqueeze(-1) + x.unsqueeze(-2)).relu() / x.shape[-1]
    loss = torch.where(counts.unsqueeze(-1) & ~is_label.unsqueeze(-2), margin, 0).sum((-2, -1))
    return loss.mean() if by == "mean" else loss.sum() if by == "sum" else loss
