"""Gradients of embedding bags, and bags of largest elements with what their gradients need."""

from __future__ import annotations

import math
from typing import Any, Callable

import torch
from torch import Tensor

from .torch_tables import widened

_aten = torch.ops.aten
# As PyTorch numbers the modes.
_MEAN, _MAX = 1, 2


def _bags(indices: Tensor, offsets: Tensor) -> Tensor:
    """The bag of each index, the last that does not start after it: [I], of the places [B] where bags start."""
    places = torch.arange(indices.shape[0], device=indices.device).unsqueeze(1)
    return (offsets <= places).sum(1) - 1


def _forward(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = 0,
             sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
             padding_idx: int = -1) -> tuple:
    """The largest rows of weight [R, D] by bag, [B, D], the bags [I], their sizes [B] and which rows are in them [B, D]."""
    if mode != _MAX or indices.shape[0] == 0:
        return NotImplemented
    if include_last_offset:
        offsets = offsets[:-1]
    count, width = offsets.shape[0], weight.shape[1]
    bags, is_used = _bags(indices, offsets), indices != padding_idx
    rows = torch.where(is_used.unsqueeze(1), weight[indices], -math.inf)
    spread = bags.unsqueeze(1).expand(-1, width)
    largest = rows.new_full((count, width), -math.inf).scatter_reduce(0, spread, rows, "amax")
    # The first of several.
    places = torch.arange(indices.shape[0], device=indices.device).unsqueeze(1)
    last = indices.shape[0] - 1
    places = torch.where((rows == largest[bags]) & is_used.unsqueeze(1), places, last)
    first = places.new_full((count, width), last).scatter_reduce(0, spread, places, "amin")
    sizes = torch.zeros_like(offsets).index_add(0, bags, is_used.to(offsets.dtype))
    result = torch.where((sizes == 0).unsqueeze(1), 0.0, largest)
    return result, bags.to(offsets.dtype), sizes, indices[first].to(offsets.dtype)


def _backward(grad: Tensor, indices: Tensor, offset2bag: Tensor, bag_size: Tensor, maximum_indices: Tensor,
              num_weights: int, scale_grad_by_freq: bool, mode: int, per_sample_weights: Tensor | None,
              padding_idx: int = -1) -> Tensor:
    """The gradient of the table, [R, D], of grad [B, D]."""
    if scale_grad_by_freq:  # of the frequencies of other rows, in PyTorch's kernel for the CPU
        return NotImplemented
    wide = widened(grad)
    table = wide.new_zeros((num_weights, grad.shape[1]))
    if mode == _MAX:
        wide = torch.where((bag_size == 0).unsqueeze(1), 0.0, wide)
        return table.scatter_add(0, maximum_indices.long(), wide).to(grad.dtype)
    if mode == _MEAN:
        wide = wide / bag_size.clamp(min=1).unsqueeze(1)
    rows = wide[offset2bag]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    rows = torch.where((indices == padding_idx).unsqueeze(1), 0.0, rows)
    return table.index_add(0, indices, rows).to(grad.dtype)


def _whole_backward(grad: Tensor, indices: Tensor, offsets: Tensor, offset2bag: Tensor, bag_size: Tensor,
                    maximum_indices: Tensor, num_weights: int, scale_grad_by_freq: bool, mode: int, sparse: bool,
                    per_sample_weights: Tensor | None, padding_idx: int = -1) -> Tensor:
    """As `_backward`, also where the forward kernel gives no bags."""
    if sparse:
        return NotImplemented
    bags = offset2bag if offset2bag.shape[0] == indices.shape[0] else _bags(indices, offsets)
    return _backward(grad, indices, bags, bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode,
                     per_sample_weights, padding_idx)


def _backward_of_sample_weights(grad: Tensor, weight: Tensor, indices: Tensor, offsets: Tensor, offset2bag: Tensor,
                                mode: int, padding_idx: int = -1) -> Tensor:
    """The gradient of the factor of each row, [I]."""
    bags = offset2bag if offset2bag.shape[0] == indices.shape[0] else _bags(indices, offsets)
    products = (widened(grad)[bags] * widened(weight)[indices]).sum(1)
    return torch.where(indices == padding_idx, 0.0, products).to(weight.dtype)


def embedding_bags() -> dict[Any, Callable]:
    """The decompositions of this file."""
    return {_aten._embedding_bag.default: _forward, _aten._embedding_bag_backward.default: _whole_backward,
            _aten._embedding_bag_dense_backward.default: _backward,
            _aten._embedding_bag_per_sample_weights_backward.default: _backward_of_sample_weights}
