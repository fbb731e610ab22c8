"""Gradients of sampling at the positions of a grid, `torch.nn.functional.grid_sample`.

PyTorch's ATen/native/GridSampler.h says what the modes mean, and what the derivative is at a border: that of outside.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple

import torch
from torch import Tensor

_aten = torch.ops.aten
# As PyTorch numbers them.
_NEAREST, _CUBIC = 1, 2
_BORDER, _REFLECTION = 1, 2
_CUBIC_A = -0.75


class _Tap(NamedTuple):
    """Elements along one dimension that samples read: their positions, weights and the derivatives of these."""

    at: Tensor
    weight: Any
    slope: Any


@dataclass
class _Axis:
    """One spatial dimension of the input."""

    size: int
    padding: int
    align_corners: bool

    def unnormalize(self, position: Tensor) -> Tensor:
        """From [-1, 1] to elements."""
        if self.align_corners:
            return (position + 1) / 2 * (self.size - 1)
        return ((position + 1) * self.size - 1) / 2

    @property
    def scale(self) -> float:
        """The derivative of `unnormalize`."""
        return (self.size - 1 if self.align_corners else self.size) / 2

    def clip(self, position: Tensor) -> tuple[Tensor, Tensor]:
        last = self.size - 1
        return position.clamp(0, last), torch.where((position <= 0) | (position >= last), 0.0, 1.0)

    def reflect(self, position: Tensor) -> tuple[Tensor, Tensor]:
        """Folded back at the first and the last element, or half an element outside."""
        low, span = (0.0, self.size - 1) if self.align_corners else (-0.5, self.size)
        if span == 0:
            return torch.zeros_like(position), torch.zeros_like(position)
        distance = (position - low).abs()
        extra, is_even = distance.fmod(span), (distance / span).floor().fmod(2) == 0
        return torch.where(is_even, extra, span - extra) + low, torch.where(is_even == (position >= low), 1.0, -1.0)

    def pad(self, position: Tensor) -> tuple[Tensor, Any]:
        """Positions inside of the input, and their derivatives."""
        if self.padding == _BORDER:
            return self.clip(position)
        if self.padding == _REFLECTION:
            reflected, turn = self.reflect(position)
            clipped, slope = self.clip(reflected)
            return clipped, turn * slope
        return position, 1.0

    def is_inside(self, position: Tensor) -> Tensor:
        return (position >= 0) & (position <= self.size - 1)

    def linear_taps(self, position: Tensor) -> list[_Tap]:
        first = position.floor()
        fraction = position - first
        return [_Tap(first, 1 - fraction, -1.0), _Tap(first + 1, fraction, 1.0)]

    def cubic_taps(self, position: Tensor) -> list[_Tap]:
        """Keys' cubic convolution, "Cubic convolution interpolation for digital image processing" (1981)."""
        first, a = position.floor(), _CUBIC_A
        t = position - first
        near = lambda x: (((a + 2) * x - (a + 3)) * x * x + 1, (3 * (a + 2) * x - 2 * (a + 3)) * x)
        far = lambda x: (((a * x - 5 * a) * x + 8 * a) * x - 4 * a, (3 * a * x - 10 * a) * x + 8 * a)
        kernels = [(*far(t + 1), 1), (*near(t), 1), (*near(1 - t), -1), (*far(2 - t), -1)]
        return [_Tap(self.pad(first + (place - 1))[0], weight, sign * slope)
                for place, (weight, slope, sign) in enumerate(kernels)]


def _product(factors: Any) -> Any:
    return functools.reduce(operator.mul, factors, 1.0)


def _backward(grad: Tensor, x: Tensor, grid: Tensor, interpolation: int, padding: int, align_corners: bool,
              output_mask: list) -> tuple:
    """The gradients of x [N, C, spatial...] and grid [N, places..., rank], of grad [N, C, places...].

    A sample is the sum over taps, one along each dimension, of elements times the product of the taps' weights.
    """
    rank, kind = x.dim() - 2, x.dtype
    if kind in (torch.float16, torch.bfloat16):
        results = _backward(grad.float(), x.float(), grid.float(), interpolation, padding, align_corners, output_mask)
        return tuple(None if one is None else one.to(kind) for one in results)
    needs_x, needs_grid = output_mask
    batch, channels, *sizes = x.shape
    axes = [_Axis(size, padding, align_corners) for size in sizes]
    places = math.prod(grid.shape[1:-1])
    # The last dimension comes first in the grid.
    positions = [axis.unnormalize(grid.select(-1, rank - 1 - place).reshape(batch, places))
                 for place, axis in enumerate(axes)]
    slopes: list = [1.0] * rank
    if interpolation != _CUBIC:
        positions, slopes = zip(*(axis.pad(position) for axis, position in zip(axes, positions)))
    if interpolation == _NEAREST:
        taps = [[_Tap(position.round(), 1.0, 0.0)] for position in positions]
    else:
        taps = [axis.cubic_taps(position) if interpolation == _CUBIC else axis.linear_taps(position)
                for axis, position in zip(axes, positions)]
    grad = grad.reshape(batch, channels, places)
    elements = x.reshape(batch, channels, math.prod(sizes))
    to_x = torch.zeros_like(elements, memory_format=torch.contiguous_format)
    to_positions: list = [torch.zeros_like(position) for position in positions]
    for corner in itertools.product(*taps):
        is_inside = functools.reduce(operator.and_, [axis.is_inside(tap.at) for axis, tap in zip(axes, corner)])
        # NaN and positions far outside read an element that is not used.
        index = functools.reduce(lambda so_far, step: so_far * step[0] + torch.where(is_inside, step[1], 0.0).long(),
                                 [(axis.size, tap.at) for axis, tap in zip(axes, corner)], 0)
        index = index.unsqueeze(1).expand(batch, channels, places)
        if needs_x:
            weight = torch.where(is_inside, _product(tap.weight for tap in corner), 0.0).unsqueeze(1)
            to_x = to_x.scatter_add(2, index, grad * weight)
        if needs_grid and interpolation != _NEAREST:
            product = (elements.gather(2, index) * grad).sum(1)
            for place, tap in enumerate(corner):
                others = _product(other.weight for number, other in enumerate(corner) if number != place)
                to_positions[place] = to_positions[place] + torch.where(is_inside, product * (others * tap.slope), 0.0)
    to_grid = [total * (slope * axis.scale) for total, slope, axis in zip(to_positions, slopes, axes)]
    return (to_x.reshape(x.shape) if needs_x else None,
            torch.stack(to_grid[::-1], -1).reshape(grid.shape) if needs_grid else None)


def _cudnn(x: Tensor, grid: Tensor) -> Tensor:
    """What PyTorch has cuDNN compute: bilinear samples, zeros around the input, corners aligned."""
    return _aten.grid_sampler_2d(x, grid, 0, 0, True)


def _cudnn_backward(x: Tensor, grid: Tensor, grad: Tensor) -> tuple:
    return _backward(grad, x, grid, 0, 0, True, [True, True])


def _checked(x: Tensor, grid: Tensor, *how: Any) -> Any:
    name = lambda dtype: {torch.float32: "Float", torch.float64: "Double"}.get(dtype, str(dtype))
    torch._check(x.dtype == grid.dtype, lambda: f"expected scalar type {name(x.dtype)} but found {name(grid.dtype)}")
    return NotImplemented


def sampling_gradients() -> dict[Any, Callable]:
    """The decompositions of the gradients of grid samplers, and of cuDNN's; and checks of the types that eager PyTorch refuses."""
    table = dict.fromkeys([_aten.grid_sampler_2d_backward.default, _aten.grid_sampler_3d_backward.default], _backward)
    table |= dict.fromkeys([_aten.grid_sampler_2d.default, _aten.grid_sampler_3d.default], _checked)
    return table | {_aten.cudnn_grid_sampler.default: _cudnn, _aten.cudnn_grid_sampler_backward.default: _cudnn_backward}
