"""Attention with a mask as one operator of a captured graph.

`scaled_dot_product_attention` picks its kernel while a graph is captured, and captures products and a softmax where none
of PyTorch's kernels takes the call: of a mask whose rows are one number, for instance, as masks without padding are.
TC has one operator for all of them.
"""

from __future__ import annotations

from typing import Any, Callable

import torch
import torch.nn.functional as F
from torch import Tensor, fx
from torch._ops import OpOverload
from torch.backends import cuda

_aten = torch.ops.aten
_TYPES = (torch.float32, torch.bfloat16, torch.float16)
_efficient = _aten._scaled_dot_product_efficient_attention.default
_efficient_backward = _aten._scaled_dot_product_efficient_attention_backward.default
# PyTorch's kernels for CUDA read heads, and masks in rows, of multiples of so many elements.
_HEAD_ALIGNMENT, _ROW_ALIGNMENT = 8, 16
_for_cpu = _aten._scaled_dot_product_flash_attention_for_cpu.default


def _fits_kernel(query: Tensor, value: Tensor, dropout: float) -> bool:
    """Whether PyTorch has a kernel for a call of these, should TC refuse it. That for a CPU gives results of the queries' width."""
    if query.device.type == "cpu":
        return not dropout and value.shape[-1] == query.shape[-1]
    return query.device.type == "cuda" and all(one.shape[-1] % _HEAD_ALIGNMENT == 0 for one in (query, value))


def _is_whole(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout: float) -> bool:
    """Whether a call that PyTorch would write out is one operator of TC's."""
    tensors = [query, key, value] + ([] if mask is None else [mask])
    return (all(one.device == query.device and one.dim() in (2, 3, 4) for one in tensors)
            and query.dim() == key.dim() == value.dim() >= 3
            and query.dtype in _TYPES and query.dtype == key.dtype == value.dtype
            and (mask is None or not mask.requires_grad and mask.dtype in (torch.bool, query.dtype))
            and _fits_kernel(query, value, dropout))


def _is_written_out(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout: float, is_causal: bool,
                    enable_gqa: bool) -> bool:
    """Whether PyTorch writes a call out, whose result is contiguous; results of its kernels are laid out as it pleases.

    While a graph is captured, `_fused_sdp_choice` says so of all calls. The kernel for a CPU takes what is not named here
    (use_flash_attention_cpp in PyTorch's sdp_utils_cpp.cpp), or PyTorch writes the call out after all.
    """
    if query.device.type != "cpu":
        call = cuda.SDPAParams(query, key, value, mask, dropout, is_causal, enable_gqa)
        return not any(takes(call) for takes in (cuda.can_use_cudnn_attention, cuda.can_use_flash_attention,
                                                 cuda.can_use_efficient_attention))
    tensors = (query, key, value) if mask is None else (query, key, value, mask)
    return (query.dim() != 4 or (mask is not None and mask.dim() == 3)
            or any(one.shape[0] != query.shape[0] or one.shape[1] != query.shape[1] and not enable_gqa for one in (key, value))
            or any(one.stride(-1) != 1 for one in tensors) or query.shape[2] == 0 or key.shape[2] == 0
            or not cuda.flash_sdp_enabled())


def _additive(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """What a mask adds to the scores, of four dimensions."""
    if mask.dtype == torch.bool:
        mask = torch.where(mask, 0.0, float("-inf")).to(dtype)
    return mask.reshape((1,) * (4 - mask.dim()) + mask.shape)


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
                                 dropout_p: float = 0.0, is_causal: bool = False, *, scale: float | None = None,
                                 enable_gqa: bool = False) -> Tensor:
    """`torch.nn.functional.scaled_dot_product_attention`, one operator also where PyTorch writes it out."""
    if scale is None:
        int(query.shape[-1])  # the scale is a constant: a size that varies is fixed
    given = (query, key, value, attn_mask, dropout_p, is_causal)
    if not _is_whole(query, key, value, attn_mask, dropout_p) or not _is_written_out(*given, enable_gqa):
        return F.scaled_dot_product_attention(*given, scale=scale, enable_gqa=enable_gqa)
    if enable_gqa:
        key, value = (one.repeat_interleave(query.shape[-3] // one.shape[-3], -3) for one in (key, value))
    is_flat = query.dim() == 3
    if is_flat:
        query, key, value = (one[None] for one in (query, key, value))
    bias = None if attn_mask is None else _additive(attn_mask, query.dtype)
    batch = torch.broadcast_shapes(*(one.shape[:2] for one in (query, key, value, bias) if one is not None))
    query, key, value = (one if one.shape[:2] == batch else one.expand(*batch, *one.shape[2:]) for one in (query, key, value))
    result = attend(query, key, value, bias, dropout_p, is_causal, scale=scale)
    return (result[0] if is_flat else result).contiguous()


def fits_attention(query: Tensor, key: Tensor, value: Tensor) -> bool:
    """Whether `attend` takes these, of four dimensions each."""
    tensors = (query, key, value)
    return (query.dtype in _TYPES and all(one.device == query.device and one.dtype == query.dtype for one in tensors)
            and _fits_kernel(query, value, 0.0))


def attend(query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None, dropout_p: float = 0.0, is_causal: bool = False,
           *, scale: float | None = None) -> Tensor:
    """Attention as one operator: all are of four dimensions, of which the first two are equal but for the bias's, which may
    be of f32 where the others are of 16 bits."""
    if query.device.type == "cpu":
        return _for_cpu(query, key, value, 0.0, is_causal, attn_mask=bias, scale=scale)[0]
    is_trained = torch.is_grad_enabled() and any(one.requires_grad for one in (query, key, value))
    if bias is not None:
        bias = bias.expand(*query.shape[:3], key.shape[2])
    return _efficient(query, key, value, bias, is_trained, dropout_p, is_causal, scale=scale)[0]


def _with_aligned_mask(operator: OpOverload, place: int) -> Callable:
    """An operator with a mask as argument `place`, for masks with rows of any length, and of f32."""
    def run(*arguments: Any, **named: Any) -> Any:
        given = list(arguments)
        mask = given[place]
        if mask is not None:
            mask = mask.to(given[place - 1].dtype)
            given[place] = F.pad(mask, (0, -mask.shape[-1] % _ROW_ALIGNMENT)).contiguous()[..., :mask.shape[-1]]
        return operator(*given, **named)

    return run


_ALIGNED = {_efficient: _with_aligned_mask(_efficient, 3), _efficient_backward: _with_aligned_mask(_efficient_backward, 4)}


def align_masks(graph: fx.Graph) -> None:
    """Makes the calls of PyTorch's kernels in a graph that PyTorch runs take masks as `scaled_dot_product_attention` here
    gives them."""
    for node in graph.nodes:
        if node.op == "call_function" and node.target in _ALIGNED:
            node.target = _ALIGNED[node.target]
