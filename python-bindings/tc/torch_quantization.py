"""Fake quantisation, floats rounded to those that integers stand for, in terms of operators that TC imports.

A float x is that of the integer q = round(x / scale) + zero_point between quant_min and quant_max: (q - zero_point) * scale.
The mask says which elements are between them; their gradients pass. "Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference", Jacob et al. (2018).
"""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch import Tensor

from .torch_tables import registers

aten = torch.ops.aten
_TABLE: dict[Any, Callable] = {}
_decomposes = registers(_TABLE)


def fake_quantizations() -> dict[Any, Callable]:
    """The decomposition of each operator."""
    return _TABLE


def _quantize(x: Tensor, scale: Any, zero_point: Any, quant_min: int, quant_max: int) -> tuple[Tensor, Tensor]:
    """The rounded elements and their mask, with f32 for what is computed, as in PyTorch's kernels."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    number = (wide * (1.0 / scale)).round() + zero_point
    is_within = (number >= quant_min) & (number <= quant_max)
    return ((number.clamp(quant_min, quant_max) - zero_point) * scale).to(x.dtype), is_within


@_decomposes(aten.fake_quantize_per_tensor_affine_cachemask.default)
def _per_tensor(x: Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int) -> tuple[Tensor, Tensor]:
    scale = torch.full([], scale, dtype=torch.float32, device=x.device)
    return _quantize(x, scale, zero_point, quant_min, quant_max)


@_decomposes(aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default)
def _per_tensor_of_tensors(x: Tensor, scale: Tensor, zero_point: Tensor, enabled: Tensor, quant_min: int,
                           quant_max: int) -> tuple[Tensor, Tensor]:
    scale, zero_point, is_enabled = (one.reshape([]) for one in (scale, zero_point, enabled != 0))
    rounded, is_within = _quantize(x, scale, zero_point, quant_min, quant_max)
    return torch.where(is_enabled, rounded, x), is_within | ~is_enabled


@_decomposes(aten.fake_quantize_per_channel_affine_cachemask.default)
def _per_channel(x: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int,
                 quant_max: int) -> tuple[Tensor, Tensor]:
    along = [1] * x.dim()
    along[axis] = x.shape[axis]
    return _quantize(x, scale.reshape(along), zero_point.reshape(along), quant_min, quant_max)
