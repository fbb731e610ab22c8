"""FlexAttention as products and a softmax, between which are what the user's functions make of scores and which of them
they keep.

TC recognises attention that is written out, and computes changes of scores and masks where it has the scores, so that
the blocks of a mask are of no use to it.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, fx
from torch._ops import HigherOrderOperator


def _written_out(*arguments: Any) -> tuple[Tensor, ...]:
    """What the operator gives: results, logarithms of the sums of exponentials, and the largest scores."""
    from torch._higher_order_ops.flex_attention import math_attention
    return math_attention(*arguments)


def write_out_flex_attention(module: fx.GraphModule) -> None:
    """Makes calls of FlexAttention in a graph of Dynamo's, and in those inside of it, what they stand for."""
    for part in module.modules():
        if not isinstance(part, fx.GraphModule):
            continue
        calls = [node for node in part.graph.nodes
                 if isinstance(node.target, HigherOrderOperator) and node.target.name() == "flex_attention"]
        for call in calls:
            call.target = _written_out
        if calls:
            part.recompile()
