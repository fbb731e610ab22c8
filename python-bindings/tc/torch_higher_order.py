"""Operators of higher order that are TC's with the graphs that they call: branches and loops."""

from __future__ import annotations

import operator
from typing import Callable

import torch
from torch import fx
from torch._ops import HigherOrderOperator

#: Those that the importer reads, as torch.export writes them.
_NAMES = ("cond", "while_loop", "scan", "map_impl")


def is_of_higher_order(node: fx.Node) -> bool:
    """Whether a node is a call of one of them."""
    return isinstance(node.target, HigherOrderOperator) and node.target.name() in _NAMES


def is_graph(node: object) -> bool:
    """Whether an argument is a graph that the operator calls."""
    return isinstance(node, fx.Node) and node.op == "get_attr" and isinstance(_attribute(node), fx.GraphModule)


def graph_of(node: fx.Node) -> fx.GraphModule:
    """The graph that an argument stands for."""
    return _attribute(node)


def graphs_of(call: fx.Node) -> list[fx.GraphModule]:
    """Those that a call of such an operator has as arguments."""
    return [graph_of(one) for one in call.args if is_graph(one)]


def _attribute(node: fx.Node) -> object:
    try:
        return operator.attrgetter(node.target)(node.graph.owning_module)
    except AttributeError:
        return None


def why_no_region(graph: fx.GraphModule, is_random: Callable[[fx.Node], bool]) -> str | None:
    """Why a graph that an operator calls cannot be a region of a program, as far as it is not for its calls:
    `is_random` says of one whether it draws random numbers, of which each run of a region has its own."""
    for node in graph.graph.nodes:
        if node.op == "get_attr" and not is_graph(node):
            return "a tensor that the graph it calls has itself"
        if node.op == "placeholder" and not isinstance(node.meta.get("val"), (torch.Tensor, torch.SymInt)):
            return "an input of the graph it calls that is no tensor or integer"
        if node.op == "call_function" and is_random(node):
            return f"{node.target} in the graph it calls, which is random"
    return None
