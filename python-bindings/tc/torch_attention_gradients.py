"""Gradients of attention with a bias that has a gradient itself, as products.

The gradient of the bias is that of all scores, which TC's operator for gradients of attention does not keep.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import torch
from torch import Tensor

_backward = torch.ops.aten._scaled_dot_product_efficient_attention_backward.default


def _weights(scores: Tensor, logsumexp: Tensor, is_causal: bool) -> Tensor:
    """The softmax of scores, of the logarithms of its sums; 0 where there is no key."""
    queries, keys = scores.shape[-2:]
    # Kernels save rows of a multiple of so many queries.
    sums = logsumexp[..., :queries].unsqueeze(-1)
    is_dropped = scores == -math.inf
    if is_causal:
        places = [torch.arange(size, device=scores.device) for size in (queries, keys)]
        is_dropped = is_dropped | (places[1] > places[0].unsqueeze(1))
    return torch.where(is_dropped, 0.0, torch.exp(scores - sums))


def _with_gradient_of_bias(grad: Tensor, query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None, out: Tensor,
                           logsumexp: Tensor, philox_seed: Tensor, philox_offset: Tensor, dropout_p: float,
                           grad_input_mask: list, is_causal: bool = False, *, scale: float | None = None) -> tuple:
    """The gradients of query [B, H, M, E], key [B, H, N, E], value [B, H, N, V] and of the bias of the scores, which is
    broadcast to [B, H, M, N], of grad and out [B, H, M, V] and logsumexp [B, H, M or more].

    The backward pass of FlashAttention, Dao et al. (2022), appendix B.2, without tiles: weights and gradients of scores
    are of the type of the query where they are multiplied, and of f32 before.
    """
    if bias is None or not grad_input_mask[3] or dropout_p:
        return NotImplemented
    kind = query.dtype
    wide = torch.promote_types(kind, torch.float32)
    if scale is None:
        scale = 1 / math.sqrt(query.shape[-1])
    scores = torch.matmul(query.to(wide), key.to(wide).mT) * scale + bias.to(wide)
    weights = _weights(scores, logsumexp.to(wide), is_causal)
    to_weights = torch.matmul(grad.to(wide), value.to(wide).mT)
    products = (grad.to(wide) * out.to(wide)).sum(-1, keepdim=True)
    to_scores = weights * (to_weights - products)
    narrow = to_scores.to(kind)
    gradients = (torch.matmul(narrow, key) * scale, torch.matmul(narrow.mT, query) * scale,
                 torch.matmul(weights.to(kind).mT, grad.to(kind)))
    # The kernel has heads next to each other in memory.
    return *(one.transpose(1, 2).contiguous().transpose(1, 2) for one in gradients), to_scores.sum_to_size(bias.shape).to(bias.dtype)


def attention_gradients() -> dict[Any, Callable]:
    """The decomposition of the gradients of attention where that of a bias is one of them."""
    return {_backward: _with_gradient_of_bias}
