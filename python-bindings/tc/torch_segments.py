"""Folds of segments, torch.segment_reduce and its gradient, in terms of operators that TC imports.

Segments follow each other along one dimension of the data: `lengths` or `offsets` are those of all segments of one
index of the dimensions before it, and all later dimensions have the same segments.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import torch
from torch import Tensor

from .torch_tables import widened

aten = torch.ops.aten

#: What segments are folded by, and the result of one without elements.
_FOLDS = {"sum": ("sum", 0.0), "mean": ("sum", 0.0), "max": ("amax", -math.inf), "min": ("amin", math.inf), "prod": ("prod", 1.0)}


class _Segments:
    """Which segment each element of `data` along `axis` is in."""

    def __init__(self, data: Tensor, lengths: Tensor | None, offsets: Tensor | None, axis: int):
        if offsets is not None:
            starts, ends = offsets[..., :-1], offsets[..., 1:]
        else:
            ends = lengths.cumsum(-1)
            starts = ends - lengths
        self.axis, self.count = axis, ends.shape[-1]
        self.last = ends[..., -1:]
        self.lengths = self._as_data(ends - starts, data)
        place = torch.arange(data.shape[axis], device=data.device, dtype=ends.dtype).expand(*ends.shape[:-1], -1)
        numbers = torch.searchsorted(ends.contiguous(), place.contiguous(), right=True)
        # Elements in front of the first segment and behind the last one are in one more, which is cut off.
        numbers = torch.where(place < starts[..., :1], self.count, numbers)
        self.numbers = self._as_data(numbers, data)

    def _as_data(self, value: Tensor, data: Tensor) -> Tensor:
        """Repeats a value of each place along the axis for the later dimensions of the data."""
        later = data.shape[self.axis + 1:]
        return value.reshape(*value.shape, *(1 for _ in later)).expand(*value.shape, *later)

    def fold(self, data: Tensor, how: str, initial: float) -> Tensor:
        shape = list(data.shape)
        shape[self.axis] = self.count + 1
        folded = data.new_full(shape, initial).scatter_reduce(self.axis, self.numbers, data, how)
        return folded.narrow(self.axis, 0, self.count)

    def spread(self, value: Tensor) -> Tensor:
        """The value of its segment for each element, 0 for those in none."""
        none = torch.zeros_like(value.narrow(self.axis, 0, 1))
        return torch.cat([value, none], self.axis).gather(self.axis, self.numbers)


def _segment_reduce(data: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Tensor | None = None,
                    offsets: Tensor | None = None, axis: int = 0, unsafe: bool = False,
                    initial: float | None = None) -> Tensor:
    if reduce not in _FOLDS or indices is not None or (lengths is None) == (offsets is None) or 0 in data.shape:
        return NotImplemented
    axis = axis % data.dim()
    segments = _Segments(data, lengths, offsets, axis)
    if segments.count == 0:
        return NotImplemented
    if offsets is None and not unsafe:
        torch._assert_async((segments.last == data.shape[axis]).all(),
                            "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(axis)")
    how, neutral = _FOLDS[reduce]
    result = segments.fold(widened(data), how, neutral if initial is None else initial)
    if reduce == "mean":
        result = torch.where(segments.lengths > 0, result / segments.lengths, result if initial is not None else math.nan)
    return result.to(data.dtype).contiguous()


def _product_of_others(segments: _Segments, data: Tensor, initial: float) -> Tensor:
    """The product of the other elements of its segment, for each element that is 0 or NaN."""
    is_zero, is_nan = data == 0, data.isnan()
    product = segments.spread(segments.fold(torch.where(is_zero | is_nan, 1.0, data), "prod", initial))
    zeros, nans = (segments.spread(segments.fold(one.to(data.dtype), "sum", 0.0)) - one.to(data.dtype)
                   for one in (is_zero, is_nan))
    return torch.where(nans > 0, math.nan, torch.where(zeros > 0, 0.0, product))


def _segment_reduce_backward(grad: Tensor, output: Tensor, data: Tensor, reduce: str, *, lengths: Tensor | None = None,
                             offsets: Tensor | None = None, axis: int = 0, initial: float | None = None) -> Tensor:
    if reduce not in _FOLDS or (lengths is None) == (offsets is None) or 0 in data.shape or 0 in output.shape:
        return NotImplemented
    segments = _Segments(data, lengths, offsets, axis % data.dim())
    wide, values = widened(data), widened(output)
    result = segments.spread(widened(grad))
    if reduce == "mean":
        result = result / segments.spread(segments.lengths.to(wide.dtype)).clamp_min(1)
    elif reduce == "prod":
        quotient = result * segments.spread(values) / wide
        others = result * _product_of_others(segments, wide, 1.0 if initial is None else initial)
        result = torch.where((wide == 0) | wide.isnan(), others, quotient)
    elif reduce != "sum":  # the extreme elements of a segment share its gradient
        is_extreme = (data == segments.spread(output)) | data.isnan()
        count = segments.spread(segments.fold(is_extreme.to(wide.dtype), "sum", 0.0))
        result = torch.where(is_extreme, result / count, 0.0)
    is_in_none = segments.numbers == segments.count
    return torch.where(is_in_none, 0.0, result).to(data.dtype)


def segment_folds() -> dict[Any, Callable]:
    """The decomposition of each operator."""
    return {aten.segment_reduce.default: _segment_reduce, aten._segment_reduce_backward.default: _segment_reduce_backward}
