"""Results of a graph as its callers expect them.

TC writes results in row-major order, and has no errors of its own for matrices that
are singular. Where a graph of PyTorch's promises other strides, it is compiled to
give the elements in the order of memory, and what it gives is viewed from there; where
it checks what a decomposition says of a matrix, that is one more result, which is
checked behind the call.
"""

from __future__ import annotations

import operator
from typing import Any, Callable

import torch
from torch import fx

_PERMUTE = torch.ops.aten.permute.default
_SELECT = torch.ops.aten.select.int
_CHECK = torch.ops.aten._linalg_check_errors.default
_WITH_EFFECTS = torch.ops.higher_order.with_effects


def _numbers(values: Any) -> list[int] | None:
    """Sizes or strides as numbers of the example; None where one has none."""
    numbers = [value.node.hint if isinstance(value, torch.SymInt) else value for value in values]
    return None if any(number is None for number in numbers) else numbers


class _Layout:
    """How the strides of a result follow from a tensor in row-major order."""

    def __init__(self, meta: torch.Tensor):
        sizes, strides = _numbers(meta.shape), _numbers(meta.stride())
        self.repeats: dict[int, int] = {}  # sizes of dimensions that repeat one element
        self.order: list[int] = []
        self.strides: list[int] = []
        self.has_gaps = False
        if sizes is None or strides is None or 0 in sizes:
            return
        self.repeats = {dim: size for dim, (size, stride) in enumerate(zip(sizes, strides))
                        if size > 1 and stride == 0 and isinstance(meta.shape[dim], int)}
        kept = [dim for dim in range(len(sizes)) if dim not in self.repeats]
        # A dimension of size one is where it is: its stride says nothing.
        long = [dim for dim in kept if sizes[dim] > 1]
        by_stride = iter(sorted(long, key=lambda dim: -strides[dim]))
        order = [next(by_stride) if dim in long else dim for dim in kept]
        self.order = [kept.index(dim) for dim in order]
        # Where they are known, gaps between the elements are kept as well.
        known = all(isinstance(one, int) for one in (*meta.shape, *meta.stride()))
        self.strides = [strides[dim] for dim in kept] if known else []
        dense = 1
        for dim in reversed(order):
            self.has_gaps |= known and sizes[dim] > 1 and strides[dim] != dense
            dense *= sizes[dim]

    @property
    def is_row_major(self) -> bool:
        return not self.repeats and not self.has_gaps and self.order == sorted(self.order)

    def emit(self, graph: fx.Graph, node: fx.Node) -> fx.Node:
        """The elements in the order of memory."""
        for dim in sorted(self.repeats, reverse=True):
            node = _call(graph, _SELECT, node, dim, 0)
        return node if self.order == sorted(self.order) else _call(graph, _PERMUTE, node, self.order)

    def view(self, result: torch.Tensor) -> torch.Tensor:
        result = result.permute(sorted(range(len(self.order)), key=self.order.__getitem__))
        if self.strides and any(size > 1 and has != wanted for size, has, wanted in
                                zip(result.shape, result.stride(), self.strides)):
            result = result.new_empty_strided(result.shape, self.strides).copy_(result)
        for dim in sorted(self.repeats):
            result = result.unsqueeze(dim)
        return result.expand([self.repeats.get(dim, -1) for dim in range(result.dim())])


def _call(graph: fx.Graph, target: Any, node: fx.Node, *arguments: Any) -> fx.Node:
    result = graph.call_function(target, (node, *arguments))
    result.meta["val"] = target(node.meta["val"], *arguments)
    return result


def _take_checks(graph: fx.Graph) -> list[tuple[fx.Node, tuple, dict]]:
    """Takes the checks of matrices out of a graph: what each reads, and its other arguments."""
    checks = []
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        if node.target is _WITH_EFFECTS and node.args[1] is _CHECK:
            checks.append((node.args[2], node.args[3:], dict(node.kwargs)))
            # The token orders effects at compilation, and is None in a call.
            if (token := node.args[0]).op == "placeholder":
                token.meta["val"] = None
            for user in list(node.users):
                if user.target is operator.getitem:
                    user.replace_all_uses_with(node.args[0])
                    graph.erase_node(user)
        elif node.target is _CHECK:
            checks.append((node.args[0], node.args[1:], dict(node.kwargs)))
        else:
            continue
        if not node.users:
            graph.erase_node(node)
    return checks


def arrange_results(module: fx.GraphModule) -> tuple[fx.GraphModule, Callable[[list], list]]:
    """The graph to compile in the place of a graph, and what makes that graph's results of its results."""
    values = list(module.graph.output_node().args[0])
    metas = [value.meta.get("val") if isinstance(value, fx.Node) else None for value in values]
    layouts = {index: layout for index, meta in enumerate(metas)
               if isinstance(meta, torch.Tensor) and meta.layout is torch.strided and values[index].op != "placeholder"
               and not (layout := _Layout(meta)).is_row_major}
    has_checks = any(node.target in (_WITH_EFFECTS, _CHECK) for node in module.graph.nodes)
    if not layouts and not has_checks:
        return module, lambda results: results
    copies: dict[fx.Node, fx.Node] = {}
    graph = fx.Graph()
    graph.graph_copy(module.graph, copies)
    graph.output([copies[value] if isinstance(value, fx.Node) else value for value in values])
    checks = _take_checks(graph)
    returned = list(graph.output_node().args[0])
    graph.erase_node(graph.output_node())
    for index, layout in layouts.items():
        returned[index] = layout.emit(graph, returned[index])
    graph.output(tuple(returned + [check[0] for check in checks]))

    def finish(results: list) -> list:
        for info, (_, arguments, named) in zip(results[len(values):], checks):
            _CHECK(info, *arguments, **named)
        for index, layout in layouts.items():
            results[index] = layout.view(results[index])
        return results[:len(values)]

    return fx.GraphModule(module, graph), finish
