"""Programs on numbers of type complex32, which TC does not have.

Within a program they are complex64, and a call that computes rounds the parts of its results to f16 once, as most of
eager PyTorch's kernels do. A program takes and gives them as pairs of f16, which torch.view_as_real has of them.
"""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch import Tensor, fx
from torch._ops import OpOverload
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes
from torch.utils._pytree import tree_leaves, tree_map

_aten = torch.ops.aten
_WIDE = {torch.complex32: torch.complex64, torch.float16: torch.float32}
_NARROW = {wide: narrow for narrow, wide in _WIDE.items()}
# Calls whose results have parts of their operands, or the negatives of these.
_EXACT = {_aten._to_copy.default, _aten._unsafe_index.Tensor, _aten.cat.default, _aten.clone.default,
          _aten.complex.default, _aten.diagonal_scatter.default, _aten.flip.default, _aten.gather.default,
          _aten.index.Tensor, _aten.index_select.default, _aten.neg.default, _aten.repeat.default, _aten.roll.default,
          _aten.scatter.src, _aten.select_scatter.default, _aten.slice_scatter.default, _aten.tril.default,
          _aten.triu.default, _aten.view_as_complex.default, _aten.where.self}


def in_wide_numbers(function: Callable, args: tuple, how: dict) -> Any:
    """What a decomposition of a call with numbers of type complex32 makes of them in complex64, rounded once."""
    result = function(*_widened(args), **_widened(how))
    if result is NotImplemented or not _is_narrow(args, how):
        return result
    narrow = lambda one: one.to(_NARROW[one.dtype]) if isinstance(one, Tensor) and one.dtype in _NARROW else one
    return tree_map(narrow, result)


def _widened(values: Any) -> Any:
    def widen(value: Any) -> Any:
        if isinstance(value, Tensor) and value.dtype in _WIDE:
            return value.to(_WIDE[value.dtype])
        return _WIDE.get(value, value) if isinstance(value, torch.dtype) else value

    return tree_map(widen, values)


def _is_narrow(args: tuple, how: dict) -> bool:
    """Whether the result of a call is complex32, or real and f16."""
    if (dtype := how.get("dtype")) is not None:
        return dtype in _WIDE
    tensors = [one for one in tree_leaves((args, how)) if isinstance(one, Tensor)]
    kind = ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT
    return bool(tensors) and elementwise_dtypes(*tensors, type_promotion_kind=kind)[1] in _WIDE


# Graphs


def _types_of(node: fx.Node) -> set[torch.dtype]:
    """Those of the tensors that a node stands for."""
    value = node.meta.get("val")
    values = value if isinstance(value, (list, tuple)) else (value,)
    return {one.dtype for one in values if isinstance(one, Tensor)}


def is_half(node: fx.Node) -> bool:
    """Whether a node stands for a tensor of type complex32."""
    return torch.complex32 in _types_of(node)


def add_taken(graph: fx.Graph, value: fx.Node, of: fx.Node) -> fx.Node:
    """In the graph of a driver, what a program takes for a value that its graph has `of` for."""
    if not is_half(of):
        return value
    return graph.call_function(_aten.view_as_real.default, (graph.call_function(_aten.resolve_conj.default, (value,)),))


def add_given(graph: fx.Graph, value: fx.Node, of: fx.Node) -> fx.Node:
    """In the graph of a driver, the result `of` of what a program gives for it."""
    return graph.call_function(_aten.view_as_complex.default, (value,)) if is_half(of) else value


def _wide_meta(value: Any) -> Any:
    """A traced tensor of the wider type with the strides and offset of one."""
    if not isinstance(value, Tensor) or value.dtype not in _WIDE:
        return value
    if isinstance(offset := value.storage_offset(), int) and offset == 0:
        return value.new_empty_strided(value.shape, value.stride(), dtype=_WIDE[value.dtype])
    size = offset + 1 + sum((size - 1) * stride for size, stride in zip(value.shape, value.stride()))
    return value.new_empty(size, dtype=_WIDE[value.dtype]).as_strided(value.shape, value.stride(), offset)


class _Widening:
    def __init__(self, graph: fx.Graph, origins: dict[str, fx.Node]):
        self.graph, self.origins = graph, origins

    def call(self, target: OpOverload, value: fx.Node, meta: Tensor, of: fx.Node, **how: Any) -> fx.Node:
        """A call in front of the place of insertion, for which errors name the call `of`."""
        node = self.graph.call_function(target, (value,), how)
        node.meta["val"] = meta
        if of.name in self.origins:
            self.origins[node.name] = self.origins[of.name]
        return node

    def cast(self, node: fx.Node, dtype: torch.dtype, of: fx.Node) -> fx.Node:
        meta = node.meta["val"]
        return self.call(_aten._to_copy.default, node, torch.empty_like(meta, dtype=dtype), of, dtype=dtype)

    def as_pairs(self, node: fx.Node, of: fx.Node) -> fx.Node:
        """A complex64 tensor as pairs of f16."""
        pairs = self.call(_aten.view_as_real.default, node, torch.view_as_real(node.meta["val"]), of)
        return self.cast(pairs, torch.float16, of)

    def as_wide(self, pairs: fx.Node, meta: Tensor, of: fx.Node) -> fx.Node:
        """Pairs of f16 as a complex64 tensor."""
        return self.call(_aten.view_as_complex.default, self.cast(pairs, torch.float32, of), meta, of)

    def replace(self, node: fx.Node, before: fx.Node, make: Callable[[], fx.Node]) -> None:
        """Gives the users of a node what is made of it, in front of another one."""
        users = list(node.users)
        with self.graph.inserting_before(before):
            made = make()
        for user in users:
            user.replace_input_with(node, made)

    def widen_input(self, node: fx.Node) -> None:
        given = node.meta["val"]
        node.meta["val"] = torch.view_as_real(given.resolve_conj())
        behind = self.graph.find_nodes(op="placeholder")[-1].next
        self.replace(node, behind, lambda: self.as_wide(node, _wide_meta(given), node))

    def widen_call(self, node: fx.Node, is_exact: bool) -> None:
        """Makes a call one on complex64 numbers, and rounds what it gives."""
        with self.graph.inserting_before(node):
            widen = lambda one: self.cast(one, torch.float32, node) if torch.float16 in _types_of(one) else one
            args, how = (fx.node.map_arg(values, widen) for values in (node.args, node.kwargs))
        types = lambda value: _WIDE.get(value, value) if isinstance(value, torch.dtype) else value
        node.args, node.kwargs = fx.node.map_aggregate(args, types), fx.node.map_aggregate(how, types)
        given = node.meta["val"]
        node.meta["val"] = tree_map(_wide_meta, given)
        if not isinstance(given, Tensor):
            return
        if given.dtype == torch.float16:
            self.replace(node, node.next, lambda: self.cast(node, torch.float16, node))
        elif given.dtype == torch.complex32 and not is_exact:
            rounded = lambda: self.as_wide(self.as_pairs(node, node), node.meta["val"], node)
            self.replace(node, node.next, rounded)


def _is_on_halves(node: fx.Node) -> bool:
    """Whether complex32 is the type of an operand, of a result, or of what a call is asked for."""
    return (any(map(is_half, (node, *node.all_input_nodes)))
            or torch.complex32 in (*node.args, *node.kwargs.values()))


def _is_exact(node: fx.Node, is_view: Callable[[fx.Node], bool]) -> bool:
    """Whether results have the parts of operands in complex32 or f16 as they are."""
    types = set().union(*map(_types_of, node.all_input_nodes))
    is_narrow = all(one in _WIDE for one in types if one.is_complex or one.is_floating_point)
    return is_narrow and (is_view(node) or node.target in _EXACT)


def widen_halves(graph: fx.Graph, origins: dict[str, fx.Node], is_view: Callable[[fx.Node], bool]) -> None:
    """Makes a program's graph one without complex32. `origins` has what calls of the graph are of, and gets what those
    are of that are made here."""
    touched = [node for node in graph.nodes if node.op == "call_function" and _is_on_halves(node)]
    exact = {node for node in touched if _is_exact(node, is_view)}
    results = [is_half(node) for node in graph.output_node().args[0]]
    widening = _Widening(graph, origins)
    for node in graph.find_nodes(op="placeholder"):
        if is_half(node):
            widening.widen_input(node)
    for node in touched:
        widening.widen_call(node, node in exact)
    output = graph.output_node()
    with graph.inserting_before(output):
        output.args = (tuple(widening.as_pairs(node, node) if is_result_half else node
                             for node, is_result_half in zip(output.args[0], results)),)
