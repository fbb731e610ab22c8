"""What a forward graph saves for its backward graph, as one tensor.

The forward graph of a model saves hundreds of tensors. Each would be memory of its own, a
tensor of PyTorch's and an entry of autograd's, in every step. A forward graph gives one
tensor of bytes instead, of `tc::pack`, and the backward graph has it as an input that
`tc::unpack` views. TC computes what is packed into its place, and reads it from there;
where PyTorch runs a part of such a graph, the operators below do the same by copying.
"""

from __future__ import annotations

from typing import Iterable

import torch
from torch import fx

#: Bytes that the place of a tensor is a multiple of.
ALIGNMENT = 128


def aligned(size: int) -> int:
    """The multiple of ALIGNMENT from a number of bytes on."""
    return -(-size // ALIGNMENT) * ALIGNMENT


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


def packed_memory(node: fx.Node) -> Iterable[tuple[fx.Node, int]]:
    """The tensors of a call of `pack`, each with its offset in bytes."""
    return zip(node.args[0], node.args[1], strict=True)
