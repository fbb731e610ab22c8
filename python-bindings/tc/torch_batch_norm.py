"""Batch norms in training on a CPU, where eager PyTorch has sums of f32 in f64.

A function that gives NotImplemented leaves the call as it is.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import torch
from torch import Tensor
from torch._decomp import decomposition_table

_aten = torch.ops.aten


def batch_norms() -> dict[Any, Callable]:
    """The decomposition of each operator."""
    return {_aten._native_batch_norm_legit_functional.default: _functional, _aten._native_batch_norm_legit.no_stats: _without_running,
            _aten.native_batch_norm_backward.default: _backward}


def _sums_in_f64(x: Tensor, training: bool) -> bool:
    return training and x.device.type == "cpu" and x.dtype == torch.float32 and x.dim() > 1


def _along(channels: Tensor, x: Tensor) -> Tensor:
    """Numbers of the channels, in f32, as they are broadcast to x."""
    return channels.to(x.dtype).view([1, -1] + [1] * (x.dim() - 2))


def _others(x: Tensor) -> list[int]:
    return [dim for dim in range(x.dim()) if dim != 1]


def _count(x: Tensor) -> int:
    """The elements of a channel."""
    return math.prod(x.shape[dim] for dim in _others(x))


def _normalize(x: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The result, and in f64 the mean, the variance and the reciprocal deviation of each channel."""
    others, count = _others(x), _count(x)
    mean = x.sum(others, dtype=torch.float64) / count
    rounded = mean.to(x.dtype)
    centred = (x - _along(rounded, x)).double()
    variance = ((centred * centred).sum(others) / count - (mean - rounded).square()).clamp(min=0)
    inverse = (variance + eps).rsqrt()
    scale = inverse if weight is None else inverse * weight
    # A small mean costs no rounding of a difference, and a large one no digits of the result.
    shift = torch.where(mean.abs() * inverse < 1, 0, rounded)
    offset = (shift - mean) * scale
    offset = offset if bias is None else offset + bias
    return (x - _along(shift, x)) * _along(scale, x) + _along(offset, x), mean, variance, inverse


def _functional(x: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor, running_variance: Tensor,
                training: bool, momentum: float, eps: float) -> tuple:
    if not _sums_in_f64(x, training) or not x.numel():
        return NotImplemented
    y, mean, variance, inverse = _normalize(x, weight, bias, eps)
    count = _count(x)

    def updated(running: Tensor, value: Tensor) -> Tensor:
        return (momentum * value + (1 - momentum) * running.double()).to(running.dtype)

    unbiased = variance * (count / (count - 1)) if count > 1 else variance * math.nan
    return (y, mean.to(x.dtype), inverse.to(x.dtype), updated(running_mean, mean), updated(running_variance, unbiased))


def _without_running(x: Tensor, weight: Tensor | None, bias: Tensor | None, training: bool, momentum: float, eps: float) -> tuple:
    if not _sums_in_f64(x, training) or not x.numel():
        return NotImplemented
    y, mean, _, inverse = _normalize(x, weight, bias, eps)
    return y, mean.to(x.dtype), inverse.to(x.dtype)


def _backward(grad: Tensor, x: Tensor, weight: Tensor | None, running_mean: Any, running_variance: Any,
                mean: Tensor, inverse_deviation: Tensor, train: bool, eps: float, output_mask: list) -> tuple:
    """A gradient less its mean has few of its bits."""
    if not _sums_in_f64(x, train):
        return decomposition_table[_aten.native_batch_norm_backward.default](
            grad, x, weight, running_mean, running_variance, mean, inverse_deviation, train, eps, output_mask)
    others, count = _others(x), _count(x)
    centred = x - _along(mean, x)
    total = grad.sum(others, dtype=torch.float64)
    product = (grad.double() * centred.double()).sum(others)
    scale = inverse_deviation if weight is None else inverse_deviation * weight
    wide = inverse_deviation.double()
    to_x = (grad - _along(total / count, x) - centred * _along(product * wide * wide / count, x)) * _along(scale, x)
    return (to_x if output_mask[0] else None, (product * wide).to(x.dtype) if output_mask[1] else None,
            total.to(x.dtype) if output_mask[2] else None)
