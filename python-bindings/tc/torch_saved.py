"""What a forward graph saves for its backward graph."""

from __future__ import annotations

import operator
from typing import Any, Iterable

import torch
from torch import fx
from torch._functorch import config as functorch_config
from torch._functorch.partitioners import min_cut_rematerialization_partition, must_recompute
from torch._ops import OpOverload
from torch._subclasses import FakeTensor
from torch.utils._pytree import tree_flatten
from torch.utils.checkpoint import CheckpointPolicy

from .torch_packed import PACK, UNPACK, aligned
from .torch_partition import is_pure, is_random, is_view

_OWN_RESULTS = "tc_own_results"


def own_results(module: fx.GraphModule) -> int | None:
    """How many of a forward graph's results, the first ones, are not saved for a backward graph; None
    for another graph."""
    return module.meta.get(_OWN_RESULTS)


def _constants(graph: fx.Graph) -> set[fx.Node]:
    """The calls whose results are the same in every call of the graph: of no input and no random numbers."""
    found: set[fx.Node] = set()
    for node in graph.nodes:
        if is_pure(node) and all(one in found for one in node.all_input_nodes):
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


def _keep_results(output: fx.Node, results: list, kept: list[int]) -> None:
    """Makes those of `results`, one for each of a graph so far, the graph's that stand at the places `kept`, with what
    its output says of them."""
    for name, of_results in output.meta.items():
        if isinstance(of_results, list) and len(of_results) == len(results):
            output.meta[name] = [of_results[place] for place in kept]
    output.args = (type(output.args[0])(results[place] for place in kept),)


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
    _keep_results(output, results, kept)
    for module in (forward, backward):
        module.graph.eliminate_dead_code()
        module.recompile()


def _memory(node: fx.Node) -> Any:
    """What is the same for two tensors in one memory; None for what is no tensor."""
    value = node.meta.get("val")
    return value.untyped_storage()._cdata if isinstance(value, FakeTensor) and value.layout is torch.strided else None


def _key(node: fx.Node, writes: int) -> tuple | None:
    """Equal for calls with the same result; None for a call that is to stay as it is."""
    target = node.target
    if not is_pure(node) or target.overloadpacket is torch.ops.aten.empty:
        return None
    # Equal numbers of different types are different arguments, and so are 0.0 and -0.0.
    values, spec = tree_flatten((node.args, node.kwargs))
    return target, writes, str(spec), tuple((type(one), one if isinstance(one, fx.Node) else repr(one)) for one in values)


def _remove_detaches(graph: fx.Graph) -> None:
    """Has calls read a tensor itself instead of one that autograd has detached from it. The partitioner takes `detach` for a
    call that needs its operand in memory, and would save what it can compute again."""
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.detach.default):
        node.replace_all_uses_with(node.args[0], delete_user_cb=lambda user: user.op != "output")
        if not node.users:
            graph.erase_node(node)


def _merge_equal_calls(graph: fx.Graph) -> None:
    """Lets the first of several calls with the same result stand for all of them, but for those in the memory of a
    result, which the caller may write to. The partitioner's own pass of this kind imports all of Inductor."""
    results = {_memory(node) for node in graph.output_node().all_input_nodes} - {None}
    first: dict[tuple, fx.Node] = {}
    writes = 0  # so far: what is read from memory may be another value after each of them
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        writes += isinstance(node.target, OpOverload) and node.target._schema.is_mutable
        if _memory(node) in results or (key := _key(node, writes)) is None:
            continue
        if (same := first.setdefault(key, node)) is not node:
            node.replace_all_uses_with(same)
            graph.erase_node(node)


def _insert(graph: fx.Graph, like: fx.Node, value: torch.Tensor, target: Any, *args: Any) -> fx.Node:
    """A call that is where `like` is, with a tensor of its own like `value`."""
    with graph.inserting_before(like):
        node = graph.call_function(target, args)
    with value.fake_mode:
        node.meta = like.meta | {"val": value.clone()}
    return node


def _drop_by_mask(graph: fx.Graph, dropout: fx.Node) -> None:
    """Computes the result of a dropout from its mask."""
    mul = torch.ops.aten.mul
    (x, p, training), (result, mask) = dropout.args, dropout.meta["val"]
    users = {user.args[1]: user for user in dropout.users}
    if 0 not in users or training is False:
        return
    weight = _insert(graph, users[0], mask, operator.getitem, dropout, 1)
    kept = _insert(graph, users[0], result, mul.Tensor, x, weight)
    scaled = _insert(graph, users[0], result, mul.Tensor, kept, 1 / (1 - p) if p < 1 else 0.0)
    for user, replacement in ((users[0], scaled), (users.get(1), weight)):
        if user is not None:
            user.replace_all_uses_with(replacement)
            graph.erase_node(user)


def _draw_once(graph: fx.Graph) -> None:
    """Lets the gradient of a checkpoint read the random numbers that the forward graph has drawn, of dropout the mask
    alone. PyTorch would set the generator back and draw them again, which no program of TC's can."""
    for node in list(graph.nodes):
        if must_recompute(node) and node.op == "call_function" and is_random(node):
            if node.target is torch.ops.aten.native_dropout.default:
                _drop_by_mask(graph, node)
            for drawn in (node, *(user for user in node.users if user.target is operator.getitem)):
                drawn.meta["recompute"] = CheckpointPolicy.MUST_SAVE


def partition(joint: fx.GraphModule, inputs: Any, **options: Any) -> tuple[fx.GraphModule, fx.GraphModule]:
    """Splits a graph of both directions as `min_cut_rematerialization_partition` does, with its arguments, but for
    constants, which both graphs compute."""
    _remove_detaches(joint.graph)
    _merge_equal_calls(joint.graph)
    _draw_once(joint.graph)
    with functorch_config.patch(cse=False):
        forward, backward = min_cut_rematerialization_partition(joint, inputs, **options)
    _compute_again(forward, backward, options["num_fwd_outputs"])
    forward.meta[_OWN_RESULTS] = options["num_fwd_outputs"]
    return forward, backward


def _is_dense(tensor: torch.Tensor) -> bool:
    """Whether a tensor has known sizes, and its elements fill its memory, in any order of the dimensions."""
    known = all(isinstance(one, int) for one in (*tensor.shape, *tensor.stride(), tensor.storage_offset()))
    if not known or tensor.layout is not torch.strided or tensor.is_quantized or 0 in tensor.shape:
        return False
    dense = 1
    for stride, size in sorted(zip(tensor.stride(), tensor.shape)):
        if size > 1 and stride != dense:
            return False
        dense *= size
    return tensor.storage_offset() == 0


def _root(node: fx.Node) -> fx.Node:
    """What a node is a view of."""
    while node.op == "call_function" and is_view(node):
        node = node.args[0]
    return node


def _is_in_memory_of(node: fx.Node, root: fx.Node) -> bool:
    """Whether a view reads its elements from there as they are, neither conjugated nor negated."""
    view, memory = node.meta.get("val"), root.meta["val"]
    return isinstance(view, FakeTensor) and (
        view.untyped_storage()._cdata == memory.untyped_storage()._cdata
        and (view.is_conj(), view.is_neg()) == (memory.is_conj(), memory.is_neg()))


class _Packer:
    def __init__(self, forward: fx.GraphModule, backward: fx.GraphModule, own_results: int):
        self.forward, self.backward, self.own_results = forward, backward, own_results
        self.output = forward.graph.output_node()
        self.results = list(self.output.args[0])
        self.placeholders = {node.name: node for node in backward.graph.find_nodes(op="placeholder")}
        self.places: dict[fx.Node, int] = {}  # offsets of the memory that is packed
        self.size = 0

    def find(self) -> list[fx.Node]:
        """The saved tensors that can be packed, whose memory gets a place: neither the user has it in his hands,
        nor is it a gradient."""
        others = {_root(node) for node in self.results[:self.own_results] if isinstance(node, fx.Node)}
        gradients = {_root(node).name for node in self.backward.graph.output_node().args[0]
                     if isinstance(node, fx.Node)}
        found: dict[fx.Node, None] = {}
        for node in self.results[self.own_results:]:
            if not isinstance(node, fx.Node) or node.name not in self.placeholders or node.name in gradients:
                continue
            root = _root(node)
            if root not in others and self.is_packable(root) and _is_in_memory_of(node, root):
                found[node] = None
        devices = {_root(node).meta["val"].device for node in found}
        return list(found) if len(devices) == 1 else []

    def is_packable(self, root: fx.Node) -> bool:
        memory = root.meta.get("val")
        is_computed = root.op == "call_function" and (root.target is not operator.getitem or root.args[0].op == "call_function")
        # A program gives complex32 as pairs, which the driver views.
        return is_computed and isinstance(memory, FakeTensor) and _is_dense(memory) and memory.dtype != torch.complex32

    def place(self, root: fx.Node) -> int:
        if root not in self.places:
            memory = root.meta["val"]
            self.places[root] = self.size
            self.size += aligned(memory.numel() * memory.dtype.itemsize)
        return self.places[root]

    def run(self) -> None:
        saved = self.find()
        for node in saved:
            self.place(_root(node))
        if len(self.places) < 2:
            return
        self.pack(saved)
        self.unpack(saved)
        for module in (self.forward, self.backward):
            module.graph.lint()
            module.recompile()

    def pack(self, saved: list[fx.Node]) -> None:
        """The forward graph's tensor, in the place of the first one that is packed."""
        memory = [root.meta["val"] for root in self.places]
        strides = [stride for one in memory for stride in one.stride()]
        last = next(node for node in reversed(self.forward.graph.nodes) if node in self.places)
        with self.forward.graph.inserting_after(last):
            packed = self.forward.graph.call_function(
                PACK, (list(self.places), list(self.places.values()), strides, self.size))
        with memory[0].fake_mode:
            packed.meta["val"] = torch.empty(self.size, dtype=torch.uint8, device=memory[0].device)
        if saved[0].meta.get("saved_tensor_with_no_vc_check"):
            packed.meta["saved_tensor_with_no_vc_check"] = True
        first, gone = self.results.index(saved[0], self.own_results), set(saved[1:])
        kept = [place for place, node in enumerate(self.results) if place < self.own_results or node not in gone]
        self.results[first] = packed
        _keep_results(self.output, self.results, kept)

    def unpack(self, saved: list[fx.Node]) -> None:
        graph = self.backward.graph
        first, last = self.placeholders[saved[0].name], list(self.placeholders.values())[-1]
        packed_value = self.forward.graph.find_nodes(op="call_function", target=PACK)[0].meta["val"]
        with graph.inserting_before(first):
            packed = graph.placeholder("tc_packed")
        packed.meta = {name: value for name, value in first.meta.items() if name == "desc"} | {"val": packed_value}
        for node in saved:
            view, placeholder = node.meta["val"], self.placeholders[node.name]
            offset = self.place(_root(node)) + view.storage_offset() * view.dtype.itemsize
            with graph.inserting_after(last):
                last = graph.call_function(UNPACK, (packed, offset, list(view.shape), list(view.stride()), view.dtype))
            last.meta = dict(placeholder.meta)
            placeholder.replace_all_uses_with(last)
        for node in saved:
            graph.erase_node(self.placeholders[node.name])


def pack_saved(forward: fx.GraphModule, backward: fx.GraphModule) -> None:
    """Packs what a forward graph computes for its backward graph alone, behind its own results, where it has known
    sizes and lies densely in memory."""
    _Packer(forward, backward, own_results(forward)).run()
