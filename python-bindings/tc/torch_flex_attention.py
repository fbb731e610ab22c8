"""FlexAttention: attention whose scores functions of the user's change, and of which they keep some.

Where the scores are only shifted, by what may depend on positions alone, it is attention with a mask, which is one
operator. Else it is written out as products and a softmax, with the functions between them. TC computes masks and
changes where it has the scores, so that the blocks of a `BlockMask` are of no use to it.
"""

from __future__ import annotations

import operator
from typing import Any, Callable

import torch
from torch import Tensor, fx
from torch._ops import HigherOrderOperator

from .torch_attention import attend, fits_attention

_SUMS, _DIFFERENCES = (operator.add, operator.iadd, torch.add), (operator.sub, operator.isub, torch.sub)


def _keeps_shift(user: fx.Node, score: fx.Node) -> bool:
    """Whether a call adds something to the score, or gives it or minus infinity."""
    if user.kwargs:
        return False
    if user.target in _SUMS:
        return user.args.count(score) == 1
    if user.target in _DIFFERENCES:
        return user.args[0] is score and user.args[1] is not score
    return user.target is torch.where and user.args[1] is score and user.args[2] == float("-inf")


def _is_shift(graph: fx.Graph) -> bool:
    """Whether a function gives its first argument, the score, with something added that does not depend on it."""
    score = next(iter(graph.nodes))
    while len(score.users) == 1:
        user = next(iter(score.users))
        if user.op == "output":
            return True
        if not _keeps_shift(user, score):
            return False
        score = user
    return False


def _keeps_all(graph: fx.Graph) -> bool:
    """Whether a function says of all scores that they count, as that of no mask does."""
    result = graph.output_node().args[0]
    result = result[0] if isinstance(result, tuple) else result
    return isinstance(result, fx.Node) and result.op == "call_method" and result.target == "new_ones"


def _over_positions(function: Callable, before: tuple, scores: tuple[int, ...], after: tuple, device: torch.device) -> Tensor:
    """What a function gives for all positions of scores, between other arguments."""
    from torch._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex
    from torch.nn.attention.flex_attention import _vmap_for_bhqkv
    call = _vmap_for_bhqkv(function, prefix=(None,) * len(before), suffix=(None,) * len(after))
    with TransformGetItemToIndex():
        return call(*before, *(torch.arange(size, device=device) for size in scores), *after)


def _bias(query: Tensor, key: Tensor, score_mod: fx.GraphModule, mask_mod: fx.GraphModule, score_buffers: tuple,
          mask_buffers: tuple) -> Tensor | None:
    """What is added to scores, minus infinity where they do not count; None where that is nothing."""
    sizes = (*query.shape[:3], key.shape[2])
    bias = None
    if any(node.op.startswith("call") for node in score_mod.graph.nodes):
        bias = _over_positions(score_mod, (torch.full((), -0.0, device=query.device),), sizes, score_buffers, query.device)
    if not _keeps_all(mask_mod.graph):
        kept = _over_positions(mask_mod, (), sizes, mask_buffers, query.device)
        bias = torch.where(kept, 0.0 if bias is None else bias, float("-inf"))
    return bias


def _written_out(*arguments: Any) -> tuple[Tensor, ...]:
    """What the operator gives: results, logarithms of the sums of exponentials, and the largest scores."""
    from torch._higher_order_ops.flex_attention import math_attention
    return math_attention(*arguments)


def _shifted(query: Tensor, key: Tensor, value: Tensor, score_mod: fx.GraphModule, block_mask: tuple, scale: float,
             kernel_options: dict, score_buffers: tuple = (), mask_buffers: tuple = ()) -> tuple[Tensor | None, ...]:
    """The results alone, where the scores are shifted."""
    buffers = [one for one in (*score_buffers, *mask_buffers) if isinstance(one, Tensor)]
    if not fits_attention(query, key, value) or any(one.requires_grad for one in buffers):
        return _written_out(query, key, value, score_mod, block_mask, scale, kernel_options, score_buffers, mask_buffers)
    bias = _bias(query, key, score_mod, block_mask[-1], score_buffers, mask_buffers)
    key, value = (one.repeat_interleave(query.shape[1] // one.shape[1], 1) if one.shape[1] != query.shape[1] else one
                  for one in (key, value))
    key, value = (one.expand(query.shape[0], *one.shape[1:]) for one in (key, value))
    return attend(query, key, value, bias, scale=scale), None, None


def write_out_flex_attention(module: fx.GraphModule) -> None:
    """Makes calls of FlexAttention in a graph of Dynamo's, and in those inside of it, calls of what they stand for."""
    for part in module.modules():
        if not isinstance(part, fx.GraphModule):
            continue
        calls = [node for node in part.graph.nodes
                 if isinstance(node.target, HigherOrderOperator) and node.target.name() == "flex_attention"]
        for call in calls:
            is_result_alone = all(user.target is operator.getitem and user.args[1] == 0 for user in call.users)
            changes = getattr(part, call.args[3].target)
            call.target = _shifted if is_result_alone and _is_shift(changes.graph) else _written_out
        if calls:
            part.recompile()
