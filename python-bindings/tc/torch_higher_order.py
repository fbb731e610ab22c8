"""Operators of higher order that are TC's with the graphs that they call: branches and loops."""

from __future__ import annotations

import operator

from torch import fx
from torch._ops import HigherOrderOperator

#: Those that the importer reads, as torch.export writes them.
_NAMES = ("cond", "while_loop", "scan", "map_impl")


def is_of_higher_order(node: fx.Node) -> bool:
    """Whether a node is a call of one of them."""
    return isinstance(node.target, HigherOrderOperator) and node.target.name() in _NAMES


def graph_of(node: fx.Node) -> fx.GraphModule | None:
    """The graph that an attribute of the graph is; None where it is something else."""
    try:
        value = operator.attrgetter(node.target)(node.graph.owning_module)
    except AttributeError:
        return None
    return value if isinstance(value, fx.GraphModule) else None


def is_graph(node: object) -> bool:
    """Whether an argument is a graph that the operator calls."""
    return isinstance(node, fx.Node) and node.op == "get_attr" and graph_of(node) is not None


def graphs_of(call: fx.Node) -> list[fx.GraphModule]:
    """Those that a call of such an operator has as arguments."""
    return [graph_of(one) for one in call.args if is_graph(one)]
