"""Results of pieces in the strides that PyTorch's graph promises.

TC writes results in row-major order. Where a graph of PyTorch's promises other
strides, a piece gives the elements in the order of memory, and the driver views them
from there.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

_PERMUTE = torch.ops.aten.permute.default
_SELECT = torch.ops.aten.select.int
_STRIDED = (torch.ops.aten.as_strided.default, torch.ops.aten.as_strided_copy.default)


def _numbers(values: Any) -> list[int] | None:
    """Sizes or strides as numbers of the example; None where one has none."""
    numbers = [value.node.hint if isinstance(value, torch.SymInt) else value for value in values]
    return None if any(number is None for number in numbers) else numbers


class Layout:
    """How the strides of a result follow from a tensor in row-major order."""

    def __init__(self, meta: torch.Tensor):
        sizes, strides = _numbers(meta.shape), _numbers(meta.stride())
        self.repeats: dict[int, int] = {}  # sizes of dimensions that repeat one element
        self.order: list[int] = []
        self.strides: list[int] = []
        self.has_gaps = False
        if sizes is None and meta.dim() == 2 and str(meta.stride()) == f"(1, {meta.shape[0]})":
            self.order = [1, 0]  # columns of a size that the example does not know, as those of nonzero()
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

    @property
    def inverse(self) -> list[int]:
        """The permutation from the order of memory back to that of the dimensions."""
        return sorted(range(len(self.order)), key=self.order.__getitem__)

    def emit(self, graph: fx.Graph, node: fx.Node) -> fx.Node:
        """The elements in the order of memory."""
        for dim in sorted(self.repeats, reverse=True):
            node = _call(graph, _SELECT, node, dim, 0)
        return node if self.order == sorted(self.order) else _call(graph, _PERMUTE, node, self.order)

    def add_view(self, graph: fx.Graph, node: fx.Node) -> fx.Node:
        """The result of the elements in the order of memory."""
        if not self.repeats and not self.has_gaps:
            return graph.call_function(_PERMUTE, (node, self.inverse))

        def view(result: torch.Tensor) -> torch.Tensor:
            return self.view(result)

        view.__module__ = "tc"
        view.is_layout = True
        return graph.call_function(view, (node,))

    def view(self, result: torch.Tensor) -> torch.Tensor:
        result = result.permute(self.inverse)
        if self.strides and any(size > 1 and has != wanted for size, has, wanted in
                                zip(result.shape, result.stride(), self.strides)):
            result = result.new_empty_strided(result.shape, self.strides).copy_(result)
        for dim in sorted(self.repeats):
            result = result.unsqueeze(dim)
        return result.expand([self.repeats.get(dim, -1) for dim in range(result.dim())])


def is_layout_view(node: fx.Node) -> bool:
    """Whether a call of a driver is one of Layout.add_view's."""
    return getattr(node.target, "is_layout", False)


def _call(graph: fx.Graph, target: Any, node: fx.Node, *arguments: Any) -> fx.Node:
    result = graph.call_function(target, (node, *arguments))
    result.meta["val"] = target(node.meta["val"], *arguments)
    return result


def order_strided(module: fx.GraphModule) -> None:
    """Gives `as_strided`, whose strides are those of memory, a tensor in the order of memory."""
    for node in module.graph.nodes:
        if node.op != "call_function" or node.target not in _STRIDED:
            continue
        tensor = node.args[0]
        meta = tensor.meta.get("val")
        if not isinstance(meta, torch.Tensor) or meta.layout is not torch.strided or meta.storage_offset() != 0:
            continue
        layout = Layout(meta)
        if layout.is_row_major or layout.repeats or layout.has_gaps:
            continue
        with module.graph.inserting_before(node):
            node.update_arg(0, layout.emit(module.graph, tensor))
