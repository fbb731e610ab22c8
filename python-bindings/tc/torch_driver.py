"""The driver of a graph that is one program, as the extension module runs it.

Where an input of the program or a result of the graph comes from is a source, a tuple:
("constant", object); ("input", number) of the graph; ("result", number) of the program;
("view", number, sizes, strides, offset), a tensor of its own in the memory of a result;
("alias", ...), the same as a view that PyTorch makes of the tensor; ("packed", callable,
sources), the memory that results have in common, or what the callable makes of them;
("unpacked", number, sizes, strides, offset, example, size, callable), a tensor of the
example's type in an input of so many bytes, or what the callable makes of that; and
("function", callable, sources).
"""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx

from .torch_layout import is_layout_view
from .torch_packed import PACK, UNPACK, aligned, pack_memory, packed_memory, unpack
from .torch_partition import Split, is_number, is_view
from .torch_threads import share_threads

share_threads()


def _map(value: Any, function: Any) -> Any:
    return fx.node.map_arg(value, function)


@dataclass
class JointMemory:
    """Results of a program that have memory in common: their numbers, offsets and sizes, and the size of all, in bytes."""

    numbers: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    size: int = 0

    def add(self, number: int, offset: int, size: int) -> None:
        self.numbers.append(number)
        self.offsets.append(offset)
        self.sizes.append(size)
        self.size = max(self.size, aligned(offset + size))

    @property
    def parts(self) -> tuple | None:
        """What the extension module takes."""
        return (self.numbers, self.offsets, self.sizes, self.size) if self.numbers else None


class _NoPlan(Exception):
    """The driver does more than to call one program."""


class _OtherElements(Exception):
    """A view has conjugates or negatives of the elements in memory."""


class _Planner:
    def __init__(self, split: Split, module: fx.GraphModule, own_results: int | None):
        self.split, self.module = split, module
        self.slot = split.slots[0]
        self.inputs = {node: number for number, node in enumerate(
            one for one in split.graph.nodes if one.op == "placeholder")}
        self.given = split.graph.output_node().args[0]
        self.own_results = len(self.given) if own_results is None else own_results
        memory = split.pieces[0].module.graph.output_node().args[0]
        self.memory = [node.meta["val"] for node in memory]
        self.joint = JointMemory()
        self.users: dict[int, list[int]] = {}
        for place, node in enumerate(self.given):
            for leaf in self.leaves(node) if isinstance(node, fx.Node) else ():
                if (number := self.result_number(leaf)) is not None:
                    self.users.setdefault(number, []).append(place)

    def result_number(self, node: fx.Node) -> int | None:
        """The number of the program's result that a node is."""
        if node is self.slot and len(self.memory) == 1:
            return 0
        return node.args[1] if node.target is operator.getitem and node.args[0] is self.slot else None

    def is_leaf(self, node: fx.Node) -> bool:
        return node in self.inputs or node.target is UNPACK or self.result_number(node) is not None

    def leaves(self, node: fx.Node) -> dict[fx.Node, None]:
        """The inputs, parts of packed ones, and results that a node is a view or number of."""
        found: dict[fx.Node, None] = {}
        waiting = [node]
        while waiting:
            one = waiting.pop()
            if self.is_leaf(one):
                found[one] = None
            else:
                waiting.extend(reversed(one.all_input_nodes))
        return found

    def can_run(self) -> bool:
        """Whether all that the driver does but calling the program makes its inputs, views and numbers."""
        given = set(self.slot.args)
        return all(node.op in ("placeholder", "output") or node is self.slot or self.is_leaf(node) or is_layout_view(node)
                   or is_view(node) or is_number(node) or node.target is PACK or node in given
                   for node in self.split.graph.nodes)

    def leaf_source(self, node: fx.Node) -> tuple:
        if node.target is UNPACK:
            packed, offset, size, stride, dtype = node.args
            how = {"offset": offset, "size": size, "stride": stride, "dtype": dtype}
            return ("unpacked", self.inputs[packed], size, stride, offset, torch.empty(0, dtype=dtype),
                    packed.meta["val"].numel(), functools.partial(unpack, **how))
        return ("input", self.inputs[node]) if node in self.inputs else ("result", self.result_number(node))

    def bytes_of(self, number: int) -> int:
        """Those of a result of the program, which has known sizes."""
        return self.memory[number].numel() * self.memory[number].dtype.itemsize

    def packed_source(self, node: fx.Node) -> tuple:
        """Of a call that packs: results of the program, in the order of their memory, that nobody else has."""
        for tensor, offset in packed_memory(node):
            is_permuted = tensor.target is torch.ops.aten.permute.default
            number = self.result_number(tensor.args[0] if is_permuted else tensor)
            if number is None or number in self.joint.numbers or len(self.users[number]) != 1:
                raise _NoPlan
            self.joint.add(number, offset, self.bytes_of(number))
        offsets, size = list(self.joint.offsets), node.args[-1]
        return "packed", functools.partial(pack_memory, offsets, size), [("result", one) for one in self.joint.numbers]

    def join_results(self) -> None:
        """Gives all results of known sizes memory in common."""
        for number, memory in enumerate(self.memory):
            if all(isinstance(size, int) for size in memory.shape) and number not in self.joint.numbers:
                self.joint.add(number, self.joint.size, self.bytes_of(number))

    def source(self, node: Any) -> tuple:
        """Where what a node stands for comes from."""
        if not isinstance(node, fx.Node):
            return "constant", node
        if self.is_leaf(node):
            return self.leaf_source(node)
        if node.target is PACK:
            return self.packed_source(node)
        if node.op == "get_attr":
            return "constant", operator.attrgetter(node.target)(self.module)
        leaves = list(self.leaves(node))
        if len(leaves) == 1 and (number := self.result_number(leaves[0])) is not None:
            if view := self.static_view(node, leaves[0], self.memory[number]):
                return ("view" if self.is_private(number) else "alias", number, *view)
        graph = fx.Graph()
        copies = {leaf: graph.placeholder(leaf.name) for leaf in leaves}

        def copy(one: fx.Node) -> fx.Node:
            if one not in copies:
                copies[one] = graph.node_copy(one, copy)
            return copies[one]

        graph.output(copy(node))
        return "function", fx.GraphModule(self.module, graph).forward, [self.leaf_source(leaf) for leaf in leaves]

    def is_private(self, number: int) -> bool:
        """Whether nobody can tell if tensors in the memory of a result know of each other: there is one,
        or all of them are for the backward graph, which writes to none."""
        users = self.users[number]
        return len(users) == 1 or min(users) >= self.own_results

    def static_view(self, node: fx.Node, leaf: fx.Node, memory: torch.Tensor) -> tuple | None:
        """Sizes, strides and offset of a view in the memory of a result; None where they differ from call
        to call, or it is no view of the same elements."""
        if not all(isinstance(size, int) for size in memory.shape):
            return None
        values: dict[fx.Node, Any] = {leaf: torch.empty(memory.shape, dtype=memory.dtype, device="meta")}

        def value(one: fx.Node) -> Any:
            if one not in values:
                values[one] = one.target(*_map(one.args, value), **_map(one.kwargs, value))
                if isinstance(values[one], torch.Tensor) and (values[one].is_neg() or values[one].is_conj()):
                    raise _OtherElements
            return values[one]

        try:
            with torch.no_grad():
                view = value(node)
        except _OtherElements:
            return None
        if not isinstance(view, torch.Tensor) or view.dtype != memory.dtype:
            return None
        if view.untyped_storage()._cdata != values[leaf].untyped_storage()._cdata:
            return None
        return tuple(view.shape), view.stride(), view.storage_offset()


def find_overwrites(split: Split, module: fx.GraphModule, targets: dict[int, int]) -> dict[int, str]:
    """The results of the only program of a split of a module which may be written over one of its inputs, with that
    one's name: each is nothing but the new value of an input of the graph that nothing else reads. `targets` has the
    numbers of these inputs by the places of the new values among the graph's results."""
    planner = _Planner(split, module, None)
    placeholders = list(planner.inputs)
    names = [node for node in split.pieces[0].module.graph.find_nodes(op="placeholder") if not is_number(node)]
    found: dict[int, str] = {}
    for place, target in ((place, placeholders[number]) for place, number in targets.items()):
        number = planner.result_number(planner.given[place]) if isinstance(planner.given[place], fx.Node) else None
        if number is None or planner.users[number] != [place]:
            continue
        given, made = target.meta["val"], planner.memory[number]
        is_same = given.dtype == made.dtype and given.is_contiguous() and list(given.shape) == list(made.shape) and all(
            isinstance(size, int) for size in (*given.shape, *made.shape))
        if is_same and list(target.users) == [planner.slot] and planner.slot.args.count(target) == 1:
            found[number] = names[planner.slot.args.index(target)].name
    return found


def plan_driver(split: Split, module: fx.GraphModule, own_results: int | None,
                is_joint: bool) -> tuple[list[tuple], list[tuple], JointMemory] | None:
    """The sources of the inputs of the program that a split of a module has, and of the results of the graph, of
    which the user has the first `own_results`, and the results with memory in common: all where `is_joint` says so.
    None where the driver does more than to call one program."""
    if len(split.slots) != 1:
        return None
    planner = _Planner(split, module, own_results)
    if not planner.can_run():
        return None
    try:
        inputs = [planner.source(node) for node in planner.slot.args]
        results = [planner.source(node) for node in planner.given]
    except _NoPlan:
        return None
    if is_joint:
        planner.join_results()
    return inputs, results, planner.joint
