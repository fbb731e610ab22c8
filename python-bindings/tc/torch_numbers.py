"""Numbers that differ from call to call, where a captured graph computes with them.

A size has its value from a tensor. An integer that is an argument has not, nor has a float
that is computed of one, such as half of it, and both may be negative: the driver of the graph
makes a tensor of such a number, without dimensions, and TC takes that as an input. Of a float
that is an argument PyTorch has made such a tensor, with casts of its own. Complex factors of
gradients become tensors as well.
"""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch import fx
from torch._ops import OpOverload

_aten = torch.ops.aten
# An integer without a bound is from the negative of this up: a size that is larger by as much gives its value.
UNBOUNDED = 2**62
# Overloads with a number, and those with a tensor in its place.
_WITH_TENSOR = {getattr(getattr(_aten, name), "Scalar"): getattr(getattr(_aten, name), "Tensor")
                for name in ("eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "rsub", "mul", "div", "fmod", "remainder", "masked_fill")}
_WITH_TENSOR |= {_aten.pow.Tensor_Scalar: _aten.pow.Tensor_Tensor, _aten.clamp.default: _aten.clamp.Tensor}


def is_tensor_of_number(node: fx.Node) -> bool:
    """Whether a call makes a tensor of a number that differs from call to call."""
    return node.target is _aten.scalar_tensor.default and isinstance(node.args[0], fx.Node)


def _is_free(value: Any) -> bool:
    """Whether a value is an integer that no size of a tensor can be, or a float that is computed of one."""
    number = value.meta.get("val") if isinstance(value, fx.Node) else None
    if not isinstance(number, (torch.SymInt, torch.SymFloat)):
        return False
    ranges = number.node.shape_env.var_to_range
    return any(symbol in ranges and ranges[symbol].lower < 0 for symbol in number.node.expr.free_symbols)


_ARITHMETIC = {getattr(getattr(_aten, name), overload) for name in ("add", "sub", "rsub", "mul", "div") for overload in ("Scalar", "Tensor")}
# What makes a tensor of one number, and where that stands.
_FILLS = {_aten.full.default: 1, _aten.full_like.default: 1, _aten.new_full.default: 2, _aten.fill.Scalar: 1}
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

    def replace(self, node: fx.Node, target: OpOverload, *arguments: Any) -> None:
        """Lets another call have the result of one."""
        node.replace_all_uses_with(self.call(node, target, *arguments))
        self.graph.erase_node(node)

    def fill(self, node: fx.Node, place: int) -> None:
        """Fills the memory of a call that makes a tensor of one number, at a place of its arguments, with a tensor."""
        value = node.meta["val"]
        number = self.tensor(node.args[place], value, value.dtype)
        memory = node.args[0]
        if node.target is not _aten.fill.Scalar:
            memory = self.call(node, node.target, *node.args[:place], 0)
            memory.kwargs = node.kwargs | {"dtype": value.dtype}
        self.replace(node, _aten.fill.Tensor, memory, number)

    def rewrite(self, node: fx.Node) -> None:
        """Computes with tensors in the place of free numbers, where the operator can."""
        if (place := _FILLS.get(node.target)) is not None:
            if _is_free(node.args[place]):
                self.fill(node, place)
            return
        if node.target in _RANGES:
            return self.shift_range(node)
        if node.target is _aten._conj.default and isinstance(node.args[0], complex):  # of a factor, as gradients have it
            number, model = node.args[0], node.meta["val"]
            parts = [self.constant(part, model, model.dtype.to_real()) for part in (number.real, -number.imag)]
            return self.replace(node, _aten.complex.default, *parts)
        tensors = [one.meta["val"] for one in node.args if isinstance(one, fx.Node) and isinstance(one.meta.get("val"), torch.Tensor)]
        free = list(filter(_is_free, [*node.args, *node.kwargs.values()]))
        if not tensors or not free:
            return
        first = tensors[0]
        has_float = any(isinstance(number.meta["val"], torch.SymFloat) for number in free)
        dtype = torch.result_type(first, 1.0 if has_float else 1)
        if node.target in _ARITHMETIC and dtype in (torch.float16, torch.bfloat16) and first.dim() > 0:
            dtype = torch.float32  # PyTorch rounds the result alone
        if node.target in _ARITHMETIC and _is_free(alpha := node.kwargs.get("alpha")) and isinstance(node.args[1], fx.Node):
            other = node.args[1].meta["val"]
            product = self.graph.call_function(_aten.mul.Tensor, (node.args[1], self.tensor(alpha, other, other.dtype)))
            product.meta["val"] = other
            return self.replace(node, node.target, node.args[0], product)
        given = {one.name: value for one, value in zip(node.target._schema.arguments, node.args)} | node.kwargs
        target = _WITH_TENSOR.get(node.target)
        if target is None and not all(str(one.type) == "Tensor" for one in node.target._schema.arguments if _is_free(given.get(one.name))):
            return
        if target is _aten.masked_fill.Tensor:
            dtype = first.dtype
        is_clamp = target is _aten.clamp.Tensor
        for name, value in given.items():
            if _is_free(value):
                given[name] = self.tensor(value, first, dtype)
            elif is_clamp and isinstance(value, (int, float)):
                given[name] = self.constant(value, first, dtype)
        self.replace_by_name(node, target or node.target, given)

    def replace_by_name(self, node: fx.Node, target: OpOverload, given: dict[str, Any]) -> None:
        """As `replace`, with arguments by their names."""
        schema = target._schema.arguments
        leading = list(itertools.takewhile(lambda one: not one.kwarg_only and one.name in given, schema))
        call = self.call(node, target, *(given.pop(one.name) for one in leading))
        call.kwargs = given
        node.replace_all_uses_with(call)
        self.graph.erase_node(node)

    def shift_range(self, node: fx.Node) -> None:
        """A range from a free integer on is one from 0 on, of as many integers, and the first added."""
        value, step = node.meta["val"], node.args[2] if len(node.args) > 2 else 1
        size = value.shape[0]
        if not _is_free(node.args[0]) or not isinstance(size, int) or not isinstance(step, int) or value.is_floating_point():
            return
        places = self.graph.call_function(_aten.arange.start_step, (0, size * step, step), node.kwargs)
        places.meta = dict(node.meta)
        self.replace(node, _aten.add.Tensor, places, self.tensor(node.args[0], value, value.dtype))

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
