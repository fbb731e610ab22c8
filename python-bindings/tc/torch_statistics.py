"""Statistics of normalised groups in f32 for their gradients.

`native_group_norm` of 16 bits gives its means and reciprocal deviations in 16 bits, and eager PyTorch's gradients are
computed from those. Gradients cancel: what rounding does to the statistics is many of their units in the last place.
Where nothing but gradients uses the statistics, both calls become ones in f32, whose results are rounded once.
"""

from __future__ import annotations

import operator

import torch
from torch import fx

_aten = torch.ops.aten
_NORM = _aten.native_group_norm.default
_BACKWARD = _aten.native_group_norm_backward.default
_NARROW = (torch.bfloat16, torch.float16)
_OF_BACKWARD = (0, 1, 4)  # gradient, operand and weight
_STATISTICS = (2, 3)


def keep_statistics_wide(joint: fx.GraphModule) -> None:
    """Rewrites the graph of a forward and its backward in place."""
    for norm in joint.graph.find_nodes(op="call_function", target=_NORM):
        backwards = _gradients_of(norm)
        if norm.meta["val"][1].dtype in _NARROW and backwards:
            for call, operands in ((norm, (0, 1, 2)), *((one, _OF_BACKWARD) for one in backwards)):
                _compute_wide(joint.graph, call, operands)
            joint.recompile()


def _gradients_of(norm: fx.Node) -> list[fx.Node]:
    """The backward calls that use the statistics; none where other calls do."""
    found: dict[fx.Node, None] = {}
    waiting = [user for user in norm.users if user.args[1] != 0]
    while waiting:
        node = waiting.pop()
        for user in node.users:
            if user.target is _aten.detach.default:
                waiting.append(user)
            elif user.target is _BACKWARD and all(at in _STATISTICS for at, one in enumerate(user.args) if one is node):
                found[user] = None
            else:
                return []
    return list(found)


def _cast(graph: fx.Graph, node: fx.Node, dtype: torch.dtype) -> fx.Node:
    made = graph.call_function(_aten._to_copy.default, (node,), {"dtype": dtype})
    made.meta["val"] = node.meta["val"].to(dtype)
    return made


def _compute_wide(graph: fx.Graph, call: fx.Node, operands: tuple[int, ...]) -> None:
    """Makes operands f32, and rounds results to the type that they had, but statistics."""
    given, arguments = call.meta["val"], list(call.args)
    with graph.inserting_before(call):
        for at in operands:
            if isinstance(arguments[at], fx.Node):
                arguments[at] = _cast(graph, arguments[at], torch.float32)
    call.args = tuple(arguments)
    call.meta["val"] = tuple(one if one is None else one.float() for one in given)
    for result in list(call.users):
        assert result.target is operator.getitem
        number = result.args[1]
        if given[number] is None:  # of an operand that needs no gradient
            continue
        dtype, result.meta["val"] = given[number].dtype, call.meta["val"][number]
        if call.target is _NORM and number > 0:
            _widen_copies(result)
            continue
        users = list(result.users)
        with graph.inserting_after(result):
            rounded = _cast(graph, result, dtype)
        for user in users:
            user.replace_input_with(result, rounded)


def _widen_copies(node: fx.Node) -> None:
    for user in node.users:
        if user.target is _aten.detach.default:
            user.meta["val"] = user.meta["val"].float()
            _widen_copies(user)
