"""What torch.compile makes of a function of the user's, with TC as the backend."""

from __future__ import annotations

import re
import statistics
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Iterator

import torch

from . import cache, torch_backend
from .explain_breaks import GraphBreak, recorded_breaks
from .logs import Forward, follow, unfollow
from .explain_programs import GraphExplanation, explain_program
from .torch_backend import CompiledGraph
from .torch_partition import Piece


@dataclass
class Guard:
    """What Dynamo checks before it calls compiled code."""

    condition: str
    origin: str  #: the line of the program that needs it, or another reason
    is_about_inputs: bool  #: tensors, sizes and numbers, not modules, globals and PyTorch's state

    def __str__(self) -> str:
        return f"{self.condition} ({self.origin})" if self.origin else self.condition


@dataclass
class BreakEven:
    """When compilation has paid for itself."""

    rounds: int  #: of which the times are medians
    eager_seconds: float
    compiled_seconds: float
    compile_seconds: float  #: the first call, less a later one
    calls: int | None  #: None where compiled code is not faster


def original(function: Callable) -> Callable:
    """What torch.compile was given, for what it gives."""
    module = getattr(function, "_orig_mod", None)
    return module if module is not None else getattr(function, "_torchdynamo_orig_callable", function)


@contextmanager
def observed_graphs() -> Iterator[list[tuple[CompiledGraph, list[Piece]]]]:
    """The graphs that TC compiles in the context."""
    graphs: list[tuple[CompiledGraph, list[Piece]]] = []

    def observe(graph: CompiledGraph, pieces: list[Piece]) -> None:
        graphs.append((graph, pieces))

    torch_backend.observers.append(observe)
    try:
        yield graphs
    finally:
        torch_backend.observers.remove(observe)


@dataclass
class Capture:
    """What one call of a function made Dynamo and TC do."""

    graphs: list[tuple[CompiledGraph, list[Piece]]]
    breaks: list[GraphBreak]
    guards: list[Guard]
    compiled: Callable
    first_call_seconds: float


def capture(function: Callable, args: tuple, kwargs: dict, **options: Any) -> Capture:
    """Compiles a function for one call. As torch._dynamo.explain, this drops what Dynamo has compiled before."""
    torch._dynamo.reset()
    with cache.disabled(), recorded_breaks() as breaks, _recorded_guards() as guards, observed_graphs() as graphs:
        compiled = torch.compile(original(function),
                                 backend=lambda module, inputs: torch_backend.backend(module, inputs, options=options))
        start = time.perf_counter()
        result = compiled(*args, **kwargs)
        seconds = time.perf_counter() - start
        _run_backward(result)
    return Capture(graphs, breaks, guards, compiled, seconds)


def _run_backward(result: Any) -> None:
    """Computes the gradients of a result, which compiles the backward graphs, and drops them."""
    outputs = [one for one in torch.utils._pytree.tree_leaves(result) if isinstance(one, torch.Tensor) and one.grad_fn is not None]
    leaves: dict[torch.Tensor, None] = {}
    seen: set[Any] = set()
    waiting = [one.grad_fn for one in outputs]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if (leaf := getattr(node, "variable", None)) is not None:
            leaves[leaf] = None
        waiting.extend(one for one, _ in node.next_functions)
    if leaves:
        torch.autograd.grad(outputs, list(leaves), [torch.ones_like(one) for one in outputs], allow_unused=True)


_GUARDS = "torch._dynamo.guards.__guards"
# Guards that hold unless a tensor is marked by hand.
_MARKINGS = "DIMENSION_DYNAMIC_MARKING_GUARD"
_OF_INPUTS = ("TENSOR_MATCH", "EQUALS_MATCH", "CONSTANT_MATCH", "LAMBDA_GUARD", "NO_TENSOR_ALIASING")


@contextmanager
def _recorded_guards() -> Iterator[list[Guard]]:
    """The guards of what Dynamo compiles in the context, from the log of its artifact `guards`."""
    guards: list[Guard] = []

    def take(message: str) -> None:
        for kind, text in re.findall(r"^[| ]*\+- ([A-Z_]+): (.*)$", message, re.M):
            condition, _, origin = text.partition("  # ")
            condition = condition.strip()
            guard = Guard(condition, origin.strip(), kind in _OF_INPUTS and "L['" in condition)
            if kind != _MARKINGS and guard not in guards:
                guards.append(guard)

    handler = Forward(take)
    before = follow(_GUARDS, handler)
    try:
        yield guards
    finally:
        unfollow(_GUARDS, handler, before)


def _symbol_values(pieces: list[Piece]) -> dict[str, int]:
    values: dict[str, int] = {}
    for piece in pieces:
        for node in piece.module.graph.nodes:
            tensor = node.meta.get("val")
            for size in (*tensor.shape, *tensor.stride()) if isinstance(tensor, torch.Tensor) else ():
                if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol and size.node.hint is not None:
                    values[str(size.node.expr)] = int(size.node.hint)
    return values


def explain_graph(graph: CompiledGraph, pieces: list[Piece]) -> GraphExplanation:
    """What became of one graph."""
    sizes = _symbol_values(pieces)
    programs = [explain_program(program, sizes, {name: str(node.target) for name, node in piece.origins.items()})
                for program, piece in zip(graph.programs, pieces)]
    return GraphExplanation(graph.kind, graph.calls, graph.seconds, programs, graph.refusals)


def _seconds(function: Callable, args: tuple, kwargs: dict) -> float:
    synchronize = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    synchronize()
    start = time.perf_counter()
    function(*args, **kwargs)
    synchronize()
    return time.perf_counter() - start


def measure_break_even(found: Capture, function: Callable, args: tuple, kwargs: dict, rounds: int) -> BreakEven:
    """Times a function with and without compilation in turns, after two calls each."""
    ways = (torch._dynamo.disable(original(function)), found.compiled)
    times: list[list[float]] = [[], []]
    for number in range(rounds + 2):
        for way, taken in zip(ways, times):
            seconds = _seconds(way, args, kwargs)
            if number >= 2:
                taken.append(seconds)
    eager, compiled = map(statistics.median, times)
    paid = max(found.first_call_seconds - compiled, 0)
    return BreakEven(rounds, eager, compiled, paid, int(paid / (eager - compiled)) + 1 if eager > compiled else None)
