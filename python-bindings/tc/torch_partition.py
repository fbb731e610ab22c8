"""Which calls of a captured graph are TC's, and which PyTorch runs.

A graph is split into pieces that TC compiles and a driver, a graph of its own,
that calls them. What TC refuses is a call of the driver, and so is a copy to
another device. The calls have levels: odd ones are PyTorch's, even ones TC's, in
turns on the CPU and on the device of the graph. A call has the lowest level of
its kind that is none below those of its arguments. All calls of TC's of one level
are one piece, so that a refused call in a branch does not split the others, and
what comes of the CPU does not split those on the device.

Views and numbers (sizes) have no place of their own: they are computed where
they are used, in a piece or in the driver, and a view of an input costs nothing
there. A piece gets copies of tensors that are on another device. What it gives to
the driver is memory that PyTorch's strides are laid over.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable

import torch
from torch import fx
from torch._ops import OpOverload
from torch.utils._pytree import tree_leaves

from .errors import Unsupported
from .torch_attention import align_masks
from .torch_complex_halves import add_given, add_taken, widen_halves
from .torch_higher_order import is_graph
from .torch_layout import Layout
from .torch_numbers import UNBOUNDED, is_tensor_of_number
from .torch_packed import PACK, UNPACK

_aten = torch.ops.aten
# Marked as views, but they copy where the strides ask for it.
_MAY_COPY = {_aten.reshape.default, _aten.contiguous.default}
_CHECK = fx.node.has_side_effect(_aten._linalg_check_errors.default)  # in all versions of PyTorch
_ASSERTS = (_aten._assert_scalar.default, _aten._assert_async.default, _aten._assert_async.msg)
_WITH_EFFECTS = torch.ops.higher_order.with_effects
# The arguments whose tensors may be on another device than the result.
_MOVABLE = {_aten.index.Tensor: 1, _aten._unsafe_index.Tensor: 1, _aten.index_put.default: 1, _aten._unsafe_index_put.default: 1,
            _aten.copy.default: 1}
_NUMBERS = (torch.SymInt, torch.SymFloat, torch.SymBool, int, float, bool)


def is_random(node: fx.Node) -> bool:
    """Whether a call draws random numbers. Attention without dropout draws none."""
    target = node.target
    if not isinstance(target, OpOverload) or torch.Tag.nondeterministic_seeded not in target.tags:
        return False
    for number, argument in enumerate(target._schema.arguments):
        if argument.name == "dropout_p":
            given = node.args[number] if number < len(node.args) else node.kwargs.get(argument.name, argument.default_value)
            return given != 0
    return True


def is_number(node: fx.Node) -> bool:
    """Whether a node is no tensor but a number, such as a size."""
    return isinstance(node.meta.get("val"), _NUMBERS)


def is_size(node: fx.Node) -> bool:
    """Whether a call gives a size, a stride or an offset of a tensor, which is an expression to a program."""
    return isinstance(node.target, OpOverload) and node.target._schema.name.startswith("aten::sym_")


def is_of_driver(node: fx.Node) -> bool:
    """Whether PyTorch runs a call in any case, or what runs the program does: one that checks what a decomposition
    says of a matrix, or a size that depends on data, and has its error, that makes a tensor of a number, that copies to
    another device, or that packs or unpacks what is saved."""
    return node.target in (_CHECK, *_ASSERTS, PACK, UNPACK) or is_tensor_of_number(node) or is_device_copy(node)


def is_device_copy(node: fx.Node) -> bool:
    """Whether a call copies a tensor to another device."""
    return node.target is _aten._to_copy.default and tensors_of(node)[0].device != tensors_of(node.args[0])[0].device


def may_be_elsewhere(node: fx.Node, call: fx.Node) -> bool:
    """Whether PyTorch takes an input of a call from another device than that of the call: a number, or indices."""
    place = _MOVABLE.get(call.target)
    is_index = place is not None and any(one is node for one in tree_leaves(call.args[place]))
    return is_index or all(tensor.dim() == 0 for tensor in tensors_of(node))


def is_pure(node: fx.Node) -> bool:
    """Whether a node is a call of an operator that writes to nothing and has the same result each time."""
    return (node.op == "call_function" and isinstance(node.target, OpOverload) and not node.target._schema.is_mutable
            and not node.is_impure() and torch.Tag.nondeterministic_seeded not in node.target.tags)


def is_view(node: fx.Node) -> bool:
    """Whether a call gives memory of its argument, and copies nothing."""
    target = node.target
    if target is operator.getitem:
        return is_view(node.args[0])
    return target is _aten._unsafe_view.default or (
        isinstance(target, OpOverload) and target.is_view and target not in _MAY_COPY)


@dataclass
class Piece:
    """Calls that TC compiles as one program."""

    module: fx.GraphModule
    device: torch.device
    #: The call in the captured graph, of each name in the piece.
    origins: dict[str, fx.Node]
    #: Numbers of results that may be written over an input, with its name.
    overwrites: dict[int, str] = field(default_factory=dict)

    @property
    def is_random(self) -> bool:
        """Whether any call draws random numbers."""
        return any(map(is_random, self.module.graph.nodes))

    @property
    def key(self) -> tuple[str, ...]:
        """Equal for pieces of the same calls with the same results."""
        outputs = self.module.graph.output_node().args[0]
        return (*self.origins, "->", *(node.name for node in outputs))


@dataclass
class Split:
    """The driver's graph, in which calls of `pieces` stand as `Slot`s."""

    graph: fx.Graph
    pieces: list[Piece] = field(default_factory=list)
    slots: list[fx.Node] = field(default_factory=list)

    @property
    def is_direct(self) -> bool:
        """Whether the driver does nothing but call one piece with its inputs, in order, and give its results."""
        inputs = tuple(node for node in self.graph.nodes if node.op == "placeholder")
        outputs = tuple(self.graph.output_node().args[0])
        if len(self.slots) != 1 or self.slots[0].args != inputs:
            return False
        if len(self.pieces[0].module.graph.output_node().args[0]) == 1:
            return outputs == (self.slots[0],)
        return all(isinstance(node, fx.Node) and node.target is operator.getitem and node.args == (self.slots[0], number)
                   for number, node in enumerate(outputs)) and len(outputs) == len(self.slots[0].users)

    def link(self, module: fx.GraphModule, programs: Iterable[Callable]) -> fx.GraphModule:
        """The driver with a callable in the place of each piece: it takes the
        piece's inputs and gives one result, or a list of several."""
        for number, (slot, program) in enumerate(zip(self.slots, programs, strict=True)):
            program.__name__, program.__module__ = f"piece_{number}", "tc"
            slot.target = program
        align_masks(self.graph)
        self.graph.set_codegen(torch.fx.graph._BoxedCodeGen())
        return fx.GraphModule(module, self.graph)


def _unlinked(*inputs: Any) -> Any:
    raise AssertionError("a piece that is not linked")


class _Splitter:
    def __init__(self, module: fx.GraphModule, refused: Iterable[fx.Node], device: torch.device):
        self.module, self.nodes = module, list(module.graph.nodes)
        self.refused, self.device = set(refused), device
        self.levels: dict[fx.Node, int] = {}
        self.driver = fx.Graph()
        self.in_driver: dict[fx.Node, fx.Node] = {}
        self.copies: dict[tuple[fx.Node, torch.device], fx.Node] = {}  # of the driver's tensors on other devices
        self.split = Split(self.driver)

    def is_floating(self, node: fx.Node) -> bool:
        """Whether a call is computed where it is used."""
        return (node.op == "call_function" and node not in self.refused and node.target is not UNPACK
                and (is_number(node) or is_view(node)))

    def device_of(self, node: fx.Node) -> torch.device:
        """The device of a call of TC's."""
        return next((tensor.device for tensor in tensors_of(node)), self.device)

    def is_of_kind(self, level: int, node: fx.Node) -> bool:
        """Whether a level is one for a call, or all results of a call."""
        if node.target is operator.getitem:
            return True
        if node in self.refused or is_of_driver(node):
            return level % 2 == 1
        return level % 4 == (0 if self.device_of(node).type == "cpu" else 2)

    def assign_levels(self) -> None:
        for node in self.nodes:
            level = max((self.levels[one] for one in node.all_input_nodes), default=-1)
            if node.op == "call_function" and not self.is_floating(node) and node.target is not UNPACK:
                while not self.is_of_kind(level, node):
                    level += 1
            self.levels[node] = level

    def is_of_tc(self, node: fx.Node) -> bool:
        return node.op == "call_function" and not self.is_floating(node) and self.levels[node] % 2 == 0

    def find_used(self) -> dict[fx.Node, None]:
        """What pieces compute that others use: followed through floating calls."""
        used: dict[fx.Node, None] = {}
        for user in self.nodes:
            if self.is_floating(user):
                continue
            for node in self._roots(user.all_input_nodes):
                is_inside = self.is_of_tc(user) and self.levels[user] == self.levels[node]
                if self.is_of_tc(node) and not is_inside:
                    used[node] = None
        return used

    def _roots(self, nodes: Iterable[fx.Node], device: torch.device | None = None) -> dict[fx.Node, None]:
        """Calls, inputs and attributes that `nodes` are views or numbers of; for a device also views on another one, which
        are copied rather than the memory that they are of, and sizes of tensors there."""
        roots: dict[fx.Node, None] = {}
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            places = {tensor.device for tensor in tensors_of(node.args[0] if is_size(node) else node)}
            if self.is_floating(node) and (device is None or places <= {device}):
                waiting.extend(node.all_input_nodes)
            else:
                roots[node] = None
        return roots

    def run(self) -> Split:
        self.assign_levels()
        used = self.find_used()
        for node in self.nodes:
            if node.op == "placeholder":
                self.in_driver[node] = self.driver.node_copy(node)
        calls = [node for node in self.nodes if node.op == "call_function" and not self.is_floating(node)]
        for level in sorted({self.levels[node] for node in calls}):
            own = [node for node in calls if self.levels[node] == level]
            if level % 2:
                for node in own:
                    self.in_driver[node] = self.driver.node_copy(node, self.drive)
                    self.wait_for_copy(node)
            else:
                self.add_piece(own, [node for node in own if node in used])
        output = self.nodes[-1]
        self.driver.node_copy(output, self.drive)
        return self.split

    def wait_for_copy(self, node: fx.Node) -> None:
        """Makes the driver wait for a copy to the CPU that the graph itself reads: another call of the user's, which waits
        for the device, may come after what reads it here."""
        if is_device_copy(node) and self.device_of(node).type == "cpu" and any(user.op != "output" for user in node.users):
            self.in_driver[node].update_kwarg("non_blocking", False)

    def drive(self, node: fx.Node) -> fx.Node:
        """The node in the driver, where floating calls are made as they are needed."""
        if node not in self.in_driver:
            self.in_driver[node] = self.driver.node_copy(node, self.drive)
        return self.in_driver[node]

    def add_piece(self, calls: list[fx.Node], results: list[fx.Node]) -> None:
        device = self.device_of(calls[0])
        inside, roots = set(calls), self._roots((one for node in calls for one in node.all_input_nodes), device)
        inputs = [node for node in self.nodes if node in roots and node not in inside and not is_graph(node)]
        graph, origins = fx.Graph(), {}
        copies: dict[fx.Node, fx.Node] = {}
        given: list[fx.Node] = []
        for node in inputs:
            copies[node] = graph.placeholder(node.name)
            copies[node].meta = dict(node.meta)
            if not is_number(node):
                given.append(add_taken(self.driver, self.on_device(copies[node], self.drive(node), device), node))

        def copy(node: fx.Node) -> fx.Node:
            if node not in copies:
                copies[node] = graph.node_copy(node, copy)
                origins[copies[node].name] = node
            return copies[node]

        for node in calls:
            copy(node)
        given += self.add_sizes(graph, copies, calls, device)
        layouts = [Layout(node.meta["val"]) for node in results]
        graph.output(tuple(copies[node] if layout.is_row_major else layout.emit(graph, copies[node])
                           for node, layout in zip(results, layouts)))
        widen_halves(graph, origins, is_view)
        module = fx.GraphModule(self.module, graph)
        self.split.pieces.append(Piece(module, device, origins))
        slot = self.driver.call_function(_unlinked, tuple(given))
        self.split.slots.append(slot)
        for number, (node, layout) in enumerate(zip(results, layouts)):
            value = slot if len(results) == 1 else self.driver.call_function(operator.getitem, (slot, number))
            value = add_given(self.driver, value, node)
            self.in_driver[node] = value if layout.is_row_major else layout.add_view(self.driver, value)

    def add_sizes(self, graph: fx.Graph, copies: dict[fx.Node, fx.Node], calls: list[fx.Node],
                  device: torch.device) -> list[fx.Node]:
        """A piece knows a number by a size of an input. For each symbol that no
        input has as a size, one more input without elements has it, plus
        UNBOUNDED where it may be negative."""
        inputs = [one for one in graph.nodes if one.op == "placeholder" and not is_number(one)]
        missing = set().union(*map(_symbols, graph.nodes)) - {
            _symbol(size) for one in inputs for size in one.meta["val"].shape}
        given: list[fx.Node] = []
        if not missing:
            return given
        model = next(value for node in calls for value in tensors_of(node))
        for node in self.nodes:
            size = node.meta.get("val")
            symbol = _symbol(size) if copies.get(node, node).op == "placeholder" else None
            if symbol not in missing:
                continue
            missing.remove(symbol)
            offset = UNBOUNDED if size.node.shape_env.var_to_range[symbol].lower < 0 else 0
            with graph.inserting_after(inputs[-1]) if inputs else graph.inserting_before():
                inputs.append(graph.placeholder(f"tc_size_{symbol}"))
            with size.node.shape_env.suppress_guards():
                inputs[-1].meta["val"] = model.new_empty((size + offset, 0), device=device)
            number = self.drive(node)
            if offset:
                number = self.driver.call_function(operator.add, (number, offset))
            empty = self.driver.call_function(
                _aten.empty.memory_format, ([number, 0],), {"dtype": model.dtype, "device": device})
            given.append(add_taken(self.driver, empty, inputs[-1]))
        return given

    def on_device(self, placeholder: fx.Node, value: fx.Node, device: torch.device) -> fx.Node:
        """The input `value` of a piece on the device of the piece."""
        tensor = placeholder.meta["val"]
        if tensor.device == device:
            return value
        placeholder.meta["val"] = _aten._to_copy.default(tensor, device=device)
        if (value, device) not in self.copies:
            self.copies[value, device] = self.driver.call_function(_aten._to_copy.default, (value,), {"device": device})
        return self.copies[value, device]


def lower_checks(module: fx.GraphModule) -> fx.GraphModule:
    """The graph with plain calls in the place of checks of matrices that a token orders."""
    ordered = [node for node in module.graph.nodes
               if node.target is _WITH_EFFECTS and node.args[1] is _CHECK]
    for node in ordered:
        with module.graph.inserting_before(node):
            module.graph.call_function(_CHECK, node.args[2:], node.kwargs).meta = dict(node.meta, val=None)
        for user in list(node.users):
            user.replace_all_uses_with(node.args[0])
            module.graph.erase_node(user)
        module.graph.erase_node(node)
    if ordered:
        module.recompile()
    return module


def tensors_of(node: fx.Node) -> list[torch.Tensor]:
    """The tensors, as they are traced, that a node stands for."""
    value = node.meta.get("val")
    return [one for one in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(one, torch.Tensor)]


def _symbol(size: Any) -> Any:
    """The symbol that a number is, if it is one."""
    if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
        return size.node.expr
    return None


def _symbols(node: fx.Node) -> set:
    """The symbols in a number, or in the sizes of a tensor."""
    value = node.meta.get("val")
    sizes = [value] if is_number(node) else [size for tensor in tensors_of(node) for size in tensor.shape]
    return set().union(*(size.node.expr.free_symbols for size in sizes if isinstance(size, torch.SymInt)))


def split_graph(module: fx.GraphModule, refused: Iterable[fx.Node], device: torch.device) -> Split:
    """Splits a graph without mutation, for `device`: `refused` calls are PyTorch's, all
    others TC's, there or on the CPU. Raises Unsupported for a graph with mutation."""
    for node in module.graph.nodes:
        if isinstance(node.target, OpOverload) and node.target._schema.is_mutable:
            raise Unsupported(f"the call of {node.target}, which writes to an argument")
    return _Splitter(module, refused, device).run()
