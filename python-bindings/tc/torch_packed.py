"""What a forward graph saves for its backward graph, as one tensor.

The forward graph of a model saves hundreds of tensors. Each would be memory of its own, a
tensor of PyTorch's and an entry of autograd's, in every step. A forward graph gives one
tensor of bytes instead, of `tc::pack`, and the backward graph has it as an input that
`tc::unpack` views. TC computes what is packed into its place, and reads it from there;
where PyTorch runs a part of such a graph, the operators below do the same by copying.
"""

from __future__ import annotations

import operator
from typing import Callable, Iterable

import torch
from torch import fx
from torch._subclasses import FakeTensor

#: Bytes that the place of a tensor is a multiple of.
ALIGNMENT = 128

_library = torch.library.Library("tc", "FRAGMENT")
_library.define("pack(Tensor[] tensors, int[] offsets, int[] strides, int size) -> Tensor")
_library.define("unpack(Tensor(a) packed, int offset, int[] size, int[] stride, ScalarType dtype) -> Tensor(a)")


def unpack(packed: torch.Tensor, offset: int, size: list[int], stride: list[int], dtype: torch.dtype) -> torch.Tensor:
    """The tensor of a size, strides and a type that begins `offset` bytes from the beginning of packed ones."""
    base = packed.view(dtype)
    return base.as_strided(size, stride, base.storage_offset() + offset // dtype.itemsize)


def pack(tensors: list[torch.Tensor], offsets: list[int], strides: list[int], size: int) -> torch.Tensor:
    """`size` bytes that hold each tensor from its offset on, with strides that stand one tensor after the other
    in `strides`."""
    packed = tensors[0].new_empty(size, dtype=torch.uint8)
    rest = list(strides)
    for tensor, offset in zip(tensors, offsets, strict=True):
        own, rest = rest[:tensor.dim()], rest[tensor.dim():]
        unpack(packed, offset, tensor.shape, own, tensor.dtype).copy_(tensor)
    return packed


def pack_memory(offsets: list[int], size: int, *tensors: torch.Tensor) -> torch.Tensor:
    """The same of tensors in row-major order."""
    return pack(tensors, offsets, [stride for one in tensors for stride in one.stride()], size)


_library.impl("pack", pack, "CompositeExplicitAutograd")
_library.impl("unpack", unpack, "CompositeExplicitAutograd")
PACK = torch.ops.tc.pack.default
UNPACK = torch.ops.tc.unpack.default


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


def _root(node: fx.Node, is_view: Callable[[fx.Node], bool]) -> fx.Node:
    """What a node is a view of."""
    while node.op == "call_function" and is_view(node):
        node = node.args[0]
    return node


def _is_in_memory_of(node: fx.Node, root: fx.Node) -> bool:
    view = node.meta.get("val")
    return isinstance(view, FakeTensor) and (
        view.untyped_storage()._cdata == root.meta["val"].untyped_storage()._cdata)


class _Packer:
    def __init__(self, forward: fx.GraphModule, backward: fx.GraphModule, own_results: int,
                 is_view: Callable[[fx.Node], bool]):
        self.forward, self.backward, self.own_results, self.is_view = forward, backward, own_results, is_view
        self.output = forward.graph.output_node()
        self.results = list(self.output.args[0])
        self.placeholders = {node.name: node for node in backward.graph.find_nodes(op="placeholder")}
        self.places: dict[fx.Node, int] = {}  # offsets of the memory that is packed
        self.size = 0

    def find(self) -> list[fx.Node]:
        """The saved tensors that can be packed, whose memory gets a place: neither the user has it in his hands,
        nor is it a gradient."""
        others = {_root(node, self.is_view) for node in self.results[:self.own_results] if isinstance(node, fx.Node)}
        gradients = {_root(node, self.is_view).name for node in self.backward.graph.output_node().args[0]
                     if isinstance(node, fx.Node)}
        found: dict[fx.Node, None] = {}
        for node in self.results[self.own_results:]:
            if not isinstance(node, fx.Node) or node.name not in self.placeholders or node.name in gradients:
                continue
            root = _root(node, self.is_view)
            if root not in others and self.is_packable(root) and _is_in_memory_of(node, root):
                found[node] = None
        devices = {_root(node, self.is_view).meta["val"].device for node in found}
        return list(found) if len(devices) == 1 else []

    def is_packable(self, root: fx.Node) -> bool:
        memory = root.meta.get("val")
        is_computed = root.op == "call_function" and (root.target is not operator.getitem or root.args[0].op == "call_function")
        return is_computed and isinstance(memory, FakeTensor) and _is_dense(memory)

    def place(self, root: fx.Node) -> int:
        if root not in self.places:
            memory = root.meta["val"]
            self.places[root] = self.size
            self.size += -(-memory.numel() * memory.dtype.itemsize // ALIGNMENT) * ALIGNMENT
        return self.places[root]

    def run(self) -> None:
        saved = self.find()
        for node in saved:
            self.place(_root(node, self.is_view))
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
        for name, of_results in self.output.meta.items():
            if isinstance(of_results, list) and len(of_results) == len(self.results):
                self.output.meta[name] = [of_results[place] for place in kept]
        results = [packed if place == first else self.results[place] for place in kept]
        self.output.args = (type(self.output.args[0])(results),)

    def unpack(self, saved: list[fx.Node]) -> None:
        graph = self.backward.graph
        first, last = self.placeholders[saved[0].name], list(self.placeholders.values())[-1]
        packed_value = self.forward.graph.find_nodes(op="call_function", target=PACK)[0].meta["val"]
        with graph.inserting_before(first):
            packed = graph.placeholder("tc_packed")
        packed.meta = {name: value for name, value in first.meta.items() if name == "desc"} | {"val": packed_value}
        for node in saved:
            view, placeholder = node.meta["val"], self.placeholders[node.name]
            offset = self.place(_root(node, self.is_view)) + view.storage_offset() * view.dtype.itemsize
            with graph.inserting_after(last):
                last = graph.call_function(UNPACK, (packed, offset, list(view.shape), list(view.stride()), view.dtype))
            last.meta = dict(placeholder.meta)
            placeholder.replace_all_uses_with(last)
        for node in saved:
            graph.erase_node(self.placeholders[node.name])


def pack_saved(forward: fx.GraphModule, backward: fx.GraphModule, own_results: int,
               is_view: Callable[[fx.Node], bool]) -> None:
    """Packs what a forward graph computes for its backward graph alone, behind its `own_results` own results,
    where it has known sizes and lies densely in memory. `is_view` says whether a call gives memory of its
    argument."""
    _Packer(forward, backward, own_results, is_view).run()


def packed_memory(node: fx.Node) -> Iterable[tuple[fx.Node, int]]:
    """The tensors of a call of `pack`, each with its offset in bytes."""
    return zip(node.args[0], node.args[1], strict=True)
