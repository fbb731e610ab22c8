"""Regions of `torch.compiler.nested_compile_region`, whose calls become calls of the graph."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx

_REGION = torch.ops.higher_order.invoke_subgraph


def _copy(module: fx.GraphModule, region: fx.GraphModule, call: fx.Node) -> tuple:
    """Copies the calls of a region in front of a call of it; what it gives."""
    values: dict[fx.Node, Any] = dict(zip(region.graph.find_nodes(op="placeholder"), call.args[2:], strict=True))
    for node in region.graph.nodes:
        if node.op == "get_attr":
            name = f"{call.name}_{node.target.replace('.', '_')}"
            setattr(module, name, operator.attrgetter(node.target)(region))
            values[node] = module.graph.get_attr(name)
            values[node].meta = dict(node.meta)
        elif node.op == "call_function":
            values[node] = module.graph.node_copy(node, values.__getitem__)
    return fx.node.map_arg(region.graph.output_node().args[0], values.__getitem__)


def inline_regions(module: fx.GraphModule) -> None:
    """Puts the calls of each region in the place of its calls: a program has no functions that it calls, and fuses
    what is in a region with what is around it."""
    calls = module.graph.find_nodes(op="call_function", target=_REGION)
    for call in calls:
        attribute = call.args[0]
        region = operator.attrgetter(attribute.target)(module)
        inline_regions(region)
        with module.graph.inserting_before(call):
            results = _copy(module, region, call)
        for part in list(call.users):
            result = results[part.args[1]]
            for user in list(part.users):
                user.args, user.kwargs = fx.node.map_arg((user.args, user.kwargs), lambda one: result if one is part else one)
            module.graph.erase_node(part)
        module.graph.erase_node(call)
        if not attribute.users:
            module.graph.erase_node(attribute)
    if calls:
        module.recompile()
