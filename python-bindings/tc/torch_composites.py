"""Operators on lists of tensors, and those of whole layers, as calls of simpler ones.

PyTorch has kernels for these and no decomposition in Python.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator

import torch
import torch._inductor.inductor_prims  # has prims.fma
import torch.nn.functional as F
from torch import Tensor
from torch._ops import OpOverload

_aten = torch.ops.aten

# _foreach_NAME of lists and numbers -> the operator for one element of the lists,
# where it is not the overload `default` of aten.NAME.
_OF_ELEMENTS: dict[str, Callable] = {
    "copy": lambda x, y, non_blocking=False: y.to(x.dtype, copy=True).expand_as(x),
    "max": torch.amax,
    "maximum": lambda x, y: torch.maximum(x, y) if isinstance(y, Tensor) else torch.clamp_min(x, y),
    "minimum": lambda x, y: torch.minimum(x, y) if isinstance(y, Tensor) else torch.clamp_max(x, y),
    "norm": lambda x, order=2, dtype=None: torch.linalg.vector_norm(x, order, dtype=dtype),
    "powsum": lambda x, order=2, dtype=None: x.abs().pow(order).sum(dtype=dtype),
    "addcdiv": lambda x, y, z, value=1: torch.addcdiv(x, y, z, value=value),
    "addcmul": lambda x, y, z, value=1: torch.addcmul(x, y, z, value=value),
    "zero": torch.zeros_like,
    "clone": lambda x, memory_format=None: torch.clone(x),
}


def _for_each(operator: OpOverload, of_element: Callable) -> Callable:
    """A _foreach operator as calls for each element of its lists."""
    parameters = operator._schema.arguments
    are_lists = {one.name: isinstance(one.type, torch.ListType) for one in parameters}

    def run(*positional: Any, **named: Any) -> list[Tensor]:
        given = {one.name: value for one, value in zip(parameters, positional)} | named
        count = len(next(value for name, value in given.items() if are_lists[name]))
        results = []
        for number in range(count):
            one = {name: value[number] if are_lists[name] else value for name, value in given.items()}
            order = [one.pop(parameter.name) for parameter in parameters
                     if parameter.name in one and not parameter.kwarg_only]
            results.append(of_element(*order, **one))
        return results

    return run


def _foreach_overloads() -> Iterator[tuple[OpOverload, Callable]]:
    for name in torch._C._dispatch_get_all_op_names():
        base, _, overload = name.removeprefix("aten::").partition(".")
        if not base.startswith("_foreach_") or base.endswith("_") or overload.endswith("out"):
            continue
        element = base.removeprefix("_foreach_")
        if element in ("addcdiv", "addcmul") and overload == "Tensor":  # their numbers are one tensor
            continue
        of_element = _OF_ELEMENTS.get(element) or getattr(torch, element)
        operator = getattr(getattr(_aten, base), overload or "default")
        yield operator, _for_each(operator, of_element)


def _kept_weights(mask: Tensor | None, mask_type: int | None) -> Tensor | None:
    """Where weights are kept, of a mask that says where they are not: of queries by
    keys (type 0), of the batch by keys (1) or of all dimensions (2)."""
    if mask is None:
        return None
    return mask.logical_not()[:, None, None] if mask_type == 1 else mask.logical_not()


def _heads_of(projected: Tensor, heads: int) -> Tensor:
    batch, length, width = projected.shape
    return projected.reshape(batch, length, heads, width // heads).transpose(1, 2)


def _native_multi_head_attention(query: Tensor, key: Tensor, value: Tensor, embed_dim: int, num_head: int,
                                 qkv_weight: Tensor, qkv_bias: Tensor, proj_weight: Tensor, proj_bias: Tensor,
                                 mask: Tensor | None = None, need_weights: bool = True,
                                 average_attn_weights: bool = True, mask_type: int | None = None) -> Any:
    """The attention of nn.MultiheadAttention in evaluation."""
    if need_weights:
        return NotImplemented
    weights, biases = qkv_weight.chunk(3), qkv_bias.chunk(3)
    q, k, v = (_heads_of(F.linear(x, weight, bias), num_head)
               for x, weight, bias in zip((query, key, value), weights, biases))
    mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=_kept_weights(mask, mask_type))
    mixed = mixed.transpose(1, 2).reshape(query.shape)
    return F.linear(mixed, proj_weight, proj_bias), query.new_empty(0)


def _transformer_encoder_layer(src: Tensor, embed_dim: int, num_heads: int, qkv_weight: Tensor, qkv_bias: Tensor,
                               proj_weight: Tensor, proj_bias: Tensor, use_gelu: bool, norm_first: bool, eps: float,
                               norm_weight_1: Tensor, norm_bias_1: Tensor, norm_weight_2: Tensor, norm_bias_2: Tensor,
                               ffn_weight_1: Tensor, ffn_bias_1: Tensor, ffn_weight_2: Tensor, ffn_bias_2: Tensor,
                               mask: Tensor | None = None, mask_type: int | None = None) -> Tensor:
    """nn.TransformerEncoderLayer in evaluation."""
    if src.is_nested:
        return NotImplemented

    def norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return F.layer_norm(x, (embed_dim,), weight, bias, eps)

    def attend(x: Tensor) -> Tensor:
        return _native_multi_head_attention(x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight,
                                            proj_bias, mask, False, True, mask_type)[0]

    def feed(x: Tensor) -> Tensor:
        inner = F.linear(x, ffn_weight_1, ffn_bias_1)
        # PyTorch's kernel for a GPU approximates gelu by a hyperbolic tangent.
        gelu = "tanh" if src.is_cuda else "none"
        return F.linear(F.gelu(inner, approximate=gelu) if use_gelu else F.relu(inner), ffn_weight_2, ffn_bias_2)

    if norm_first:
        x = src + attend(norm(src, norm_weight_1, norm_bias_1))
        return x + feed(norm(x, norm_weight_2, norm_bias_2))
    x = norm(src + attend(src), norm_weight_1, norm_bias_1)
    return norm(x + feed(x), norm_weight_2, norm_bias_2)


def composites() -> dict[OpOverload, Callable]:
    """The decompositions of this file."""
    found = dict(_foreach_overloads())
    # Of addcmul and addcdiv: the kernels of PyTorch for the CPU round twice.
    found[torch.ops.prims.fma.default] = lambda x, y, z: x * y + z
    found[_aten._native_multi_head_attention.default] = _native_multi_head_attention
    found[_aten._transformer_encoder_layer_fwd.default] = _transformer_encoder_layer
    return found
