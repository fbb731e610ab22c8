"""Pieces whose calls PyTorch runs one by one: the option `eager` of the backend.

Everything but TC's compiler is as without the option: capture, decompositions, partition,
layouts of results, writes to inputs, and the driver. A failure that stays is none of the compiler's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import sympy
import torch
from torch import fx

from .compiled import Compiled
from .errors import Unsupported
from .torch_attention import align_masks
from .torch_partition import Piece, is_number, is_view

_NUMBERS = {torch.SymInt: int, torch.SymFloat: float, torch.SymBool: bool}


def read_eager(value: Any, interpret: bool) -> bool | frozenset[str]:
    """What the option `eager` means: whether all calls are PyTorch's, or the names of kernels whose calls are. Raises
    ValueError for another value, and where the interpreter is to run them as well."""
    if isinstance(value, str):
        value = frozenset([value] if value else [])
    elif isinstance(value, Collection) and all(isinstance(name, str) for name in value):
        value = frozenset(value)
    if not isinstance(value, (bool, frozenset)):
        raise ValueError(f"the option eager is {value!r}, expected True, False, or names of kernels")
    if value and interpret:
        raise ValueError("the option eager runs calls by PyTorch, interpret and stop_after run them in the interpreter: give one "
                         "of them")
    return value or False


def calls_of_kernels(names: Collection[str], pieces: Iterable[Piece], programs: Iterable[Compiled]) -> set[fx.Node]:
    """The calls of a captured graph that are in kernels of these names. Views and sizes, which are computed where they
    are used, are not among them."""
    found = {piece.origins[call["name"]] for piece, program in zip(pieces, programs)
             for kernel in program.report()["kernels"] if kernel["name"] in names
             for call in kernel["calls"] if call["name"] in piece.origins}
    return {node for node in found if not is_view(node) and not is_number(node)}


class EagerPiece:
    """What runs in the place of a piece's program: takes the tensors that the program would, and gives
    results with memory of their own in row-major order, as it does."""

    def __init__(self, piece: Piece):
        graph = fx.Graph()
        graph.output(graph.graph_copy(piece.module.graph, {}))
        align_masks(graph)
        self.module = fx.GraphModule({}, graph)
        self.placeholders = [node.meta["val"] for node in piece.module.graph.find_nodes(op="placeholder")]
        self.symbols: dict[sympy.Symbol, tuple[int, int]] = {}  # the number of a tensor, and of its dimension
        tensors = [value for value in self.placeholders if isinstance(value, torch.Tensor)]
        for number, tensor in enumerate(tensors):
            for dim, size in enumerate(tensor.shape):
                if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
                    self.symbols.setdefault(size.node.expr, (number, dim))
        for value in self.placeholders:
            if type(value) in _NUMBERS and (unknown := value.node.expr.free_symbols - self.symbols.keys()):
                raise Unsupported(f"a number of {', '.join(map(str, unknown))}, which no input has as a size")

    def arguments(self, inputs: tuple[torch.Tensor, ...]) -> Iterable[Any]:
        """The inputs, and the numbers, which follow from their sizes."""
        sizes = {symbol: sympy.Integer(inputs[number].shape[dim]) for symbol, (number, dim) in self.symbols.items()}
        tensors = iter(inputs)
        for value in self.placeholders:
            if isinstance(value, torch.Tensor):
                yield next(tensors)
            else:
                kind = _NUMBERS.get(type(value))
                yield kind(value.node.expr.xreplace(sizes)) if kind else value

    def __call__(self, *inputs: torch.Tensor) -> Any:
        taken = {one.untyped_storage()._cdata for one in inputs}
        results = []
        for one in self.module(*self.arguments(inputs)):
            one = one.resolve_conj().resolve_neg().contiguous()
            if one.untyped_storage()._cdata in taken:
                one = one.clone()
            taken.add(one.untyped_storage()._cdata)
            results.append(one)
        return results[0] if len(results) == 1 else tuple(results)
