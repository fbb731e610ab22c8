"""What a forward graph saves for its backward graph."""

from __future__ import annotations

from typing import Any, Iterable

import torch
from torch import fx
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch._ops import OpOverload


_OWN_RESULTS = "tc_own_results"


def own_results(module: fx.GraphModule) -> int | None:
    """How many of a forward graph's results, the first ones, are not saved for a backward graph; None
    for another graph."""
    return module.meta.get(_OWN_RESULTS)


def _constants(graph: fx.Graph) -> set[fx.Node]:
    """The calls whose results are the same in every call of the graph: of no input and no random numbers."""
    found: set[fx.Node] = set()
    for node in graph.nodes:
        is_pure = (node.op == "call_function" and isinstance(node.target, OpOverload) and not node.is_impure()
                   and torch.Tag.nondeterministic_seeded not in node.target.tags)
        if is_pure and all(one in found for one in node.all_input_nodes):
            found.add(node)
    return found


def _with_inputs(nodes: Iterable[fx.Node]) -> set[fx.Node]:
    """The nodes and all that they are computed of."""
    found: set[fx.Node] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += node.all_input_nodes
    return found


def _compute_again(forward: fx.GraphModule, backward: fx.GraphModule, own_results: int) -> None:
    """Computes constants, such as masks of positions, in the backward graph as well instead of saving them behind the
    forward graph's own results: there they are expressions, which become a part of what reads them."""
    output = forward.graph.find_nodes(op="output")[0]
    results = list(output.args[0])
    constants = _constants(forward.graph)
    saved = {node.name: node for node in results[own_results:] if node in constants}
    placeholders = backward.graph.find_nodes(op="placeholder")
    again = [node for node in placeholders if node.name in saved]
    if not again:
        return
    needed = _with_inputs(saved[node.name] for node in again)
    copies: dict[fx.Node, fx.Node] = {}
    last = placeholders[-1]
    for node in forward.graph.nodes:
        if node in needed:
            with backward.graph.inserting_after(last):
                last = copies[node] = backward.graph.node_copy(node, lambda one: copies[one])
    for node in again:
        node.replace_all_uses_with(copies[saved[node.name]])
        backward.graph.erase_node(node)
    names = {node.name for node in again}
    kept = [place for place in range(len(results)) if place < own_results or results[place].name not in names]
    output.args = (type(output.args[0])(results[place] for place in kept),)
    for name, of_results in output.meta.items():
        if isinstance(of_results, list) and len(of_results) == len(results):
            output.meta[name] = [of_results[place] for place in kept]
    for module in (forward, backward):
        module.graph.eliminate_dead_code()
        module.recompile()


def partition(joint: fx.GraphModule, inputs: Any, **options: Any) -> tuple[fx.GraphModule, fx.GraphModule]:
    """Splits a graph of both directions as `min_cut_rematerialization_partition` does, with its arguments, but for
    constants, which both graphs compute."""
    forward, backward = min_cut_rematerialization_partition(joint, inputs, **options)
    _compute_again(forward, backward, options["num_fwd_outputs"])
    forward.meta[_OWN_RESULTS] = options["num_fwd_outputs"]
    return forward, backward
