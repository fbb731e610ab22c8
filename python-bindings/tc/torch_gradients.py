"""Gradients of PyTorch's operators in terms of operators that TC imports.

A function that gives NotImplemented leaves the call as it is.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import torch

from .torch_tables import widened

aten = torch.ops.aten


def _means(count: int, size: int, like: torch.Tensor) -> torch.Tensor:
    """The matrix that takes `size` elements to the means of `count` windows."""
    window = torch.arange(count, device=like.device).unsqueeze(1)
    first, last = window * size // count, ((window + 1) * size + count - 1) // count
    place = torch.arange(size, device=like.device)
    return torch.where((place >= first) & (place < last), 1.0 / (last - first), 0.0).to(like.dtype)


def _adaptive_average(grad: torch.Tensor, x: torch.Tensor, rank: int) -> torch.Tensor:
    if 0 in grad.shape or 0 in x.shape:
        return grad.new_zeros(x.shape)
    if rank == 2 and all(size % count == 0 for count, size in zip(grad.shape[-2:], x.shape[-2:])):
        return NotImplemented
    for dim in range(-rank, 0):
        means = _means(grad.shape[dim], x.shape[dim], grad)
        grad = torch.matmul(grad.transpose(dim, -1), means).transpose(dim, -1)
    return grad


def _adaptive_average_2d(grad: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return _adaptive_average(grad, x, 2)


def _adaptive_average_3d(grad: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return _adaptive_average(grad, x, 3)


def _to_places(grad: torch.Tensor, x: torch.Tensor, indices: torch.Tensor, rank: int) -> torch.Tensor:
    """Each gradient added where the largest element of its window was."""
    flat = lambda tensor: tensor.reshape(*tensor.shape[:-rank], math.prod(tensor.shape[-rank:]))
    zeros = grad.new_zeros(flat(x).shape)
    return zeros.scatter_add(-1, flat(indices), flat(grad)).reshape(x.shape)


def _adaptive_max_2d(grad: torch.Tensor, x: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    return _to_places(grad, x, indices, 2)


def _adaptive_max_3d(grad: torch.Tensor, x: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    return _to_places(grad, x, indices, 3)


def _replication_pad(grad: torch.Tensor, x: torch.Tensor, padding: list) -> torch.Tensor:
    for place in range(len(padding) // 2):
        dim, size = x.dim() - 1 - place, x.shape[-1 - place]
        source = (torch.arange(grad.shape[dim], device=x.device) - padding[2 * place]).clamp(0, size - 1)
        sizes = list(grad.shape)
        sizes[dim] = size
        grad = grad.new_zeros(sizes).index_add(dim, source, grad)
    return grad


def _cdist(grad: torch.Tensor, x1: torch.Tensor, x2: torch.Tensor, p: float, distance: torch.Tensor) -> torch.Tensor:
    difference = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    grad, distance = grad.unsqueeze(-1), distance.unsqueeze(-1)
    if p == 0:
        return torch.zeros_like(x1)
    if p == 1:
        terms = difference.sign() * grad
    elif math.isinf(p):
        terms = torch.where(difference.abs() == distance, difference.sign() * grad, 0.0)
    else:
        is_zero = (distance == 0) | ((difference == 0) if p < 2 else False)
        scale = difference if p == 2 else difference.sign() * difference.abs().pow(p - 1)
        terms = torch.where(is_zero, 0.0, scale * grad / distance.pow(p - 1))
    return terms.sum(-2)  # of the batches of both, which autograd adds up where x1 has fewer


def _pdist(grad: torch.Tensor, x: torch.Tensor, p: float, distance: torch.Tensor) -> torch.Tensor:
    """Of the distances [N (N - 1) / 2] of each pair of rows of x [N, M], as of the matrix of all distances."""
    rows = x.shape[0]
    if rows <= 1 or p == 0:
        return torch.zeros_like(x, memory_format=torch.contiguous_format)
    row = torch.arange(rows, device=x.device)
    first, second = torch.minimum(row.unsqueeze(1), row), torch.maximum(row.unsqueeze(1), row)
    # Pairs are sorted by their first row.
    pair = first * (2 * rows - first - 1) // 2 + second - first - 1
    is_pair = first != second
    pair = torch.where(is_pair, pair, 0)
    whole = [torch.where(is_pair, each[pair], 0.0) for each in (grad, distance)]
    return _cdist(whole[0], x, x, p, whole[1])


def _resized(resize: Callable, size: int, other: int, align_corners: bool, scale: float | None, like: torch.Tensor) -> torch.Tensor:
    """The matrix [size, other] that makes rows of `other` elements of rows of `size`, as the operator does."""
    rows = torch.eye(size, dtype=like.dtype, device=like.device).reshape(1, 1, size, size)
    return resize(rows, [size, other], align_corners, None if scale is None else 1.0, scale).reshape(size, other)


def _antialiased(resize: Callable) -> Callable:
    """Of the image [N, C, H, W] that an operator resized to `output_size`: each dimension is a product with a matrix."""
    def gradient(grad: torch.Tensor, output_size: list, input_size: list, align_corners: bool,
                 scales_h: float | None = None, scales_w: float | None = None) -> torch.Tensor:
        if 0 in grad.shape:
            return NotImplemented
        wide = widened(grad)
        rows, columns = (_resized(resize, size, other, align_corners, scale, wide)
                         for size, other, scale in zip(input_size[2:], output_size, (scales_h, scales_w)))
        return torch.matmul(torch.matmul(rows, wide), columns.mT).to(grad.dtype)

    return gradient


def _weight_norm(grad: torch.Tensor, v: torch.Tensor, g: torch.Tensor, norms: torch.Tensor, dim: int) -> tuple:
    """Of v [sizes] and g [sizes of 1 but along `dim`] of the weight g v / norms, as `_weight_norm_differentiable_backward`."""
    wide = torch.promote_types(v.dtype, torch.float32)
    grad, direction, norms = grad.to(wide), v.to(wide), norms.to(wide).reshape(g.shape)
    products = (grad * direction).sum([other for other in range(v.dim()) if other != dim], keepdim=True)
    to_v = g.to(wide) / norms * (grad - direction * (products / (norms * norms)))
    return to_v.to(v.dtype), (products / norms).to(g.dtype)


def _masked_scatter(grad: torch.Tensor, mask: torch.Tensor, sizes: list) -> torch.Tensor:
    """Of the source, whose first elements took the places of a mask: the gradients of these, and zeros."""
    count = math.prod(sizes)
    if count == 0:
        return grad.new_zeros(sizes)
    mask = mask.expand(grad.shape).reshape(math.prod(grad.shape))
    place = torch.where(mask, mask.long().cumsum(0) - 1, 0)
    values = torch.where(mask, grad.reshape(mask.shape), 0.0)
    return grad.new_zeros([count]).index_add(0, place, values).reshape(sizes)


def _fractional_max_2d(grad: torch.Tensor, x: torch.Tensor, kernel_size: list, output_size: list,
                       indices: torch.Tensor) -> torch.Tensor:
    return _to_places(grad, x, indices, 2)


def _fractional_max_3d(grad: torch.Tensor, x: torch.Tensor, kernel_size: list, output_size: list,
                       indices: torch.Tensor) -> torch.Tensor:
    return _to_places(grad, x, indices, 3)


def _convolution(grad: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias_sizes: list | None, stride: list,
                 padding: list, dilation: list, transposed: bool, output_padding: list, groups: int,
                 output_mask: list) -> tuple:
    rank = weight.dim() - 2
    how = (stride, padding, dilation)
    if x.dim() == rank + 1:
        results = _convolution(grad.unsqueeze(0), x.unsqueeze(0), weight, bias_sizes, *how, transposed, output_padding,
                               groups, output_mask)
        if results is NotImplemented:
            results = aten.convolution_backward(grad.unsqueeze(0), x.unsqueeze(0), weight, bias_sizes, *how, transposed,
                                                output_padding, groups, output_mask)
        return None if results[0] is None else results[0].squeeze(0), *results[1:]
    if not transposed:
        return NotImplemented
    none = [0] * rank
    # A transposed convolution is the gradient of a convolution of its results.
    to_x = aten.convolution(grad, weight, None, *how, False, none, groups) if output_mask[0] else None
    if to_x is not None and to_x.shape != x.shape:  # padding of the results of a stride or more has windows of its own
        for dim, size in enumerate(x.shape[2:], 2):
            to_x = to_x.narrow(dim, 0, size)
        to_x = to_x.contiguous()
    to_weight = None
    if output_mask[1]:
        to_weight = aten.convolution_backward(x, grad, weight, None, *how, False, none, groups, [False, True, False])[1]
    to_bias = grad.sum([0, *range(2, rank + 2)]) if output_mask[2] else None
    return to_x, to_weight, to_bias


def _embedding(grad: torch.Tensor, indices: torch.Tensor, num_weights: int, padding_idx: int,
               scale_grad_by_freq: bool) -> torch.Tensor:
    """With `scale_grad_by_freq`, each gradient divided by how often its row is there."""
    if not scale_grad_by_freq:
        return NotImplemented
    wide, places = widened(grad), indices.long()
    ones = torch.ones_like(places, dtype=wide.dtype)
    counts = wide.new_zeros(num_weights).index_put((places,), ones, accumulate=True)
    scaled = wide * counts[places].reciprocal().unsqueeze(-1)
    return aten.embedding_dense_backward(scaled, indices, num_weights, padding_idx, False).to(grad.dtype)


def _zeros(size: list, **how: Any) -> torch.Tensor:
    return torch.zeros(size, **how)


def gradients() -> dict[Any, Callable]:
    """The decomposition of each operator."""
    return {aten._efficientzerotensor.default: _zeros, aten._adaptive_avg_pool2d_backward.default: _adaptive_average_2d,
            aten._adaptive_avg_pool3d_backward.default: _adaptive_average_3d,
            aten.adaptive_max_pool2d_backward.default: _adaptive_max_2d,
            aten.adaptive_max_pool3d_backward.default: _adaptive_max_3d,
            aten.replication_pad1d_backward.default: _replication_pad,
            aten.replication_pad2d_backward.default: _replication_pad,
            aten.replication_pad3d_backward.default: _replication_pad,
            aten._upsample_bilinear2d_aa_backward.default: _antialiased(aten._upsample_bilinear2d_aa.default),
            aten._upsample_bicubic2d_aa_backward.default: _antialiased(aten._upsample_bicubic2d_aa.default),
            aten.masked_scatter_backward.default: _masked_scatter,
            aten.fractional_max_pool2d_backward.default: _fractional_max_2d,
            aten.fractional_max_pool3d_backward.default: _fractional_max_3d,
            aten._weight_norm_interface_backward.default: _weight_norm, aten._pdist_backward.default: _pdist,
            aten._cdist_backward.default: _cdist, aten.convolution_backward.default: _convolution,
            aten.embedding_dense_backward.default: _embedding}
