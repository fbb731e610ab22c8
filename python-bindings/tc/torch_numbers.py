"""Numbers that differ from call to call, where a captured graph computes with them.

A size has its value from a tensor. An integer that is an argument has not, and may be
negative: the driver of the graph makes a tensor of it, without dimensions, and TC takes
that as an input. Of a float PyTorch has made such a tensor, with casts of its own. Complex
factors of gradients become tensors as well.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import fx
from torch._ops import OpOverload

_aten = torch.ops.aten
# Overloads with a number, and those with a tensor in its place.
_WITH_TENSOR = {getattr(getattr(_aten, name), "Scalar"): getattr(getattr(_aten, name), "Tensor")
                for name in ("eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "rsub", "mul", "div", "fmod", "remainder", "masked_fill")}
_WITH_TENSOR |= {_aten.pow.Tensor_Scalar: _aten.pow.Tensor_Tensor, _aten.clamp.default: _aten.clamp.Tensor}


def is_tensor_of_number(node: fx.Node) -> bool:
    """Whether a call makes a tensor of a number that differs from call to call."""
    return node.target is _aten.scalar_tensor.default and isinstance(node.args[0], fx.Node)


def _is_free(value: Any) -> bool:
    """Whether a value is an integer that no size of a tensor can be."""
    number = value.meta.get("val") if isinstance(value, fx.Node) else None
    if not isinstance(number, torch.SymInt):
        return False
    ranges = number.node.shape_env.var_to_range
    return any(symbol in ranges and ranges[symbol].lower < 0 for symbol in number.node.expr.free_symbols)


_RANGES = (_aten.arange.start, _aten.arange.start_step)
# Where the calls have their groups, which a program has as a constant.
_GROUPS = {_aten.convolution.default: 8, _aten.convolution_backward.default: 9}


def fix_groups(module: fx.GraphModule) -> None:
    """Makes the groups of convolutions numbers; a guard of Dynamo's has the graph captured again for others."""
    for node in module.graph.nodes:
        place = _GROUPS.get(node.target)
        if place is not None and isinstance(node.args[place], fx.Node):
            node.update_arg(place, int(node.args[place].meta["val"]))


def use_plain_casts(module: fx.GraphModule) -> None:
    """Makes the casts of numbers, which PyTorch adds to a graph behind all decompositions, those that other tensors have,
    and those of constants, as functions under `vmap` have them, tensors of the number."""
    for node in module.graph.find_nodes(op="call_function", target=torch.ops.prims.convert_element_type.default):
        tensor, dtype = node.args
        node.target, node.args, node.kwargs = _aten._to_copy.default, (tensor,), {"dtype": dtype}
    for node in module.graph.find_nodes(op="call_function", target=_aten._to_copy.default):
        if isinstance(node.args[0], (bool, int, float)):
            made = node.meta["val"]
            node.target, node.args, node.kwargs = _aten.full.default, ([], node.args[0]), {"dtype": made.dtype, "device": made.device}


class _Rewriter:
    def __init__(self, graph: fx.Graph):
        self.graph = graph

    def tensor(self, number: fx.Node, model: torch.Tensor, dtype: torch.dtype) -> fx.Node:
        """A tensor of the number, where `model` is."""
        node = self.graph.call_function(_aten.scalar_tensor.default, (number,), {"dtype": dtype, "device": model.device})
        node.meta["val"] = model.new_empty((), dtype=dtype)
        return node

    def call(self, model: fx.Node, target: OpOverload, *arguments: Any) -> fx.Node:
        node = self.graph.call_function(target, arguments)
        node.meta = dict(model.meta)
        return node

    def rewrite(self, node: fx.Node) -> None:
        """Computes with tensors in the place of free integers, where the operator can."""
        if node.target is _aten.full.default:
            if _is_free(node.args[1]):
                value = node.meta["val"]
                node.replace_all_uses_with(self.call(node, _aten.expand.default,
                                                     self.tensor(node.args[1], value, value.dtype), node.args[0]))
                self.graph.erase_node(node)
            return
        if node.target in _RANGES:
            return self.shift_range(node)
        if node.target is _aten._conj.default and isinstance(node.args[0], complex):  # of a factor, as gradients have it
            number, model = node.args[0], node.meta["val"]
            parts = [self.constant(part, model, model.dtype.to_real()) for part in (number.real, -number.imag)]
            node.replace_all_uses_with(self.call(node, _aten.complex.default, *parts))
            self.graph.erase_node(node)
            return
        tensors = [one.meta["val"] for one in node.args if isinstance(one, fx.Node) and isinstance(one.meta.get("val"), torch.Tensor)]
        if not tensors or not any(map(_is_free, [*node.args, *node.kwargs.values()])):
            return
        first = tensors[0]
        dtype = torch.result_type(first, 1)
        if _is_free(alpha := node.kwargs.get("alpha")) and isinstance(node.args[1], fx.Node):
            other = node.args[1].meta["val"]
            product = self.graph.call_function(_aten.mul.Tensor, (node.args[1], self.tensor(alpha, other, other.dtype)))
            product.meta["val"] = other
            node.replace_all_uses_with(self.call(node, node.target, node.args[0], product))
            self.graph.erase_node(node)
            return
        schema = node.target._schema.arguments
        target = _WITH_TENSOR.get(node.target)
        if target is None and not all(str(one.type) == "Tensor" for one, value in zip(schema, node.args) if _is_free(value)):
            return
        if target is _aten.masked_fill.Tensor:
            dtype = first.dtype
        is_clamp = target is _aten.clamp.Tensor
        arguments = [self.tensor(value, first, dtype) if _is_free(value) else
                     self.constant(value, first, dtype) if is_clamp and isinstance(value, (int, float)) else value
                     for value in [*node.args, *(node.kwargs.get(one.name) for one in schema[len(node.args):] if is_clamp)]]
        node.replace_all_uses_with(self.call(node, target or node.target, *arguments))
        self.graph.erase_node(node)

    def shift_range(self, node: fx.Node) -> None:
        """A range from a free integer on is one from 0 on, of as many integers, and the first added."""
        value, step = node.meta["val"], node.args[2] if len(node.args) > 2 else 1
        size = value.shape[0]
        if not _is_free(node.args[0]) or not isinstance(size, int) or not isinstance(step, int) or value.is_floating_point():
            return
        places = self.graph.call_function(_aten.arange.start_step, (0, size * step, step), node.kwargs)
        places.meta = dict(node.meta)
        node.replace_all_uses_with(self.call(node, _aten.add.Tensor, places, self.tensor(node.args[0], value, value.dtype)))
        self.graph.erase_node(node)

    def constant(self, value: float, model: torch.Tensor, dtype: torch.dtype) -> fx.Node:
        """A tensor of a real number that is known, for an operator that takes tensors only."""
        node = self.graph.call_function(_aten.full.default, ([], value), {"dtype": dtype, "device": model.device})
        node.meta["val"] = model.new_empty((), dtype=dtype)
        return node


def numbers_as_tensors(module: fx.GraphModule) -> fx.GraphModule:
    """The graph with tensors in the place of integers that differ from call to call and are no sizes."""
    rewriter = _Rewriter(module.graph)
    calls = [node for node in module.graph.nodes if isinstance(node.target, OpOverload)]
    for node in calls:
        with module.graph.inserting_before(node):
            rewriter.rewrite(node)
    module.recompile()
    return module
