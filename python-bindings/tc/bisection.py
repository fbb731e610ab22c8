"""`tc.bisect`: the first phase, and the kernel, whose result is not that of the interpreter."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Callable

import torch

from . import torch_backend
from .compiled import INTERPRETED_PHASES, Compiled, compile as compile_program
from .explain_programs import Call, explain_program
from .explain_torch import capture
from .torch_graph import write_graph
from .torch_partition import Piece

# Relative and absolute differences that rounding in another order may make.
_TOLERANCES = {torch.float64: (1e-7, 1e-9), torch.float32: (1e-3, 1e-4), torch.float16: (2e-2, 1e-2), torch.bfloat16: (4e-2, 2e-2),
               torch.complex64: (1e-3, 1e-4), torch.complex128: (1e-7, 1e-9)}


@dataclass
class Difference:
    """Where the result of a program departs from that of the captured graph in the interpreter."""

    signature: str  #: of the program
    phase: str  #: the first whose module gives another result; "generate" where only the code does
    text: str  #: what differs
    kernel: str = ""  #: whose code gives another result; empty where none alone does
    calls: list[Call] = field(default_factory=list)  #: of the user's program that are in it

    def __str__(self) -> str:
        where = f"the code of kernel {self.kernel}" if self.kernel else f"the module after phase {self.phase}"
        lines = [f"{self.signature}: {where} gives another result than the interpreter: {self.text}", *map(str, self.calls)]
        return "\n  ".join(lines)


def _tensors(value: Any) -> list[torch.Tensor]:
    return [one.cpu() for one in torch.utils._pytree.tree_leaves(value) if isinstance(one, torch.Tensor)]


def difference(result: Any, wanted: Any) -> str:
    """What differs between two results, by more than rounding; empty where nothing does."""
    for number, (one, other) in enumerate(zip(_tensors(result), _tensors(wanted), strict=True)):
        rtol, atol = _TOLERANCES.get(other.dtype, (0, 0))
        try:
            torch.testing.assert_close(one, other, rtol=rtol, atol=atol, equal_nan=True)
        except AssertionError as error:
            lines = [line for line in str(error).splitlines() if line.startswith(("Mismatched", "Greatest", "The values"))]
            return f"result {number}: {'; '.join(lines) or error}"
    return ""


def module_after(text: str, phase: str) -> str:
    """The module that the phases up to one make of a program."""
    return compile_program(text, compile_to=phase).ir(phase)


def interpret(text: str, phase: str = "") -> Compiled:
    """A program that the interpreter runs, after a phase or as it was captured."""
    return compile_program(module_after(text, phase) if phase else text, device="reference", returns="torch")


def truncated(module: str, number: int) -> str | None:
    """A module after phase fuse whose function returns what its kernel `number` computes;
    None where there is none outside of loops and branches."""
    lines = module.splitlines()
    starts = [index for index, line in enumerate(lines) if re.match(r"    (%\w+)(:\d+)? = tc\.kernel ", line)]
    if number >= len(starts):
        return None
    start = starts[number]
    end = next(index for index in range(start, len(lines)) if lines[index] == "    }")
    names, count = re.match(r"    (%\w+)(?::(\d+))? = ", lines[start]).groups()
    types = re.findall(r"%\w+ = %[\w#]+ : ((?:tensor)<[^()]*?>)(?=, %|\))", re.search(r" outs\((.*)\)", lines[start])[0])
    results = [names] if count is None else [f"{names}#{index}" for index in range(int(count))]
    head = next(index for index, line in enumerate(lines) if line.startswith("  func.func @"))
    header = re.sub(r",? ?tc\.signature = \{[^{}]*\}", "", lines[head])
    arguments, _, _ = header.partition(") -> ")
    attributes = re.search(r" attributes \{(.*)\} \{$", header)
    kept = f" attributes {{{attributes[1].lstrip(', ')}}}" if attributes and attributes[1] else ""
    lines[head] = f"{arguments}) -> ({', '.join(types)}){kept} {{"
    return "\n".join([*lines[:end + 1], f"    return {', '.join(results)} : {', '.join(types)}", "  }", "}", ""])


def _find_kernel(text: str, program: Compiled, piece: Piece, inputs: tuple) -> tuple[str, str, list[Call]]:
    """The first kernel whose code gives another result, with what differs and its calls."""
    module = module_after(text, "fuse")
    operators = {name: str(node.target) for name, node in piece.origins.items()}
    kernels = [kernel for kernel in explain_program(program, {}, operators).kernels if not kernel.is_run_once]
    for number, kernel in enumerate(kernels):
        part = truncated(module, number)
        if part is None:
            break
        found = difference(compile_program(part, returns="torch")(*inputs), interpret(part)(*inputs))
        if found:
            return f"{number} {kernel.name}", found, kernel.calls
    return "", "", []


def find_difference(piece: Piece, program: Compiled, inputs: tuple) -> Difference | None:
    """Compares a program with the interpreter, phase by phase, for one call."""
    text, signature = write_graph(piece.module, piece.is_random), str(program.signature)
    inputs = tuple(_tensors(inputs))
    wanted = interpret(text)(*inputs)
    for phase in INTERPRETED_PHASES[1:]:
        found = difference(interpret(text, phase)(*inputs), wanted)
        if found:
            return Difference(signature, phase, found)
    found = difference(compile_program(text, returns="torch")(*inputs), wanted)
    if not found:
        return None
    kernel, of_kernel, calls = _find_kernel(text, program, piece, inputs)
    return Difference(signature, "generate", of_kernel or found, kernel, calls)


def bisect(function: Callable, /, *args: Any, **kwargs: Any) -> Difference | None:
    """Finds the first program of a call of a function or module of PyTorch's with these arguments
    that gives another result than the reference interpreter: after which phase, and in the code of
    which kernel. None where all agree, to the rounding of their types.

    The function is called once. Programs are compared on the CPU, for which they are compiled again
    where they are for another device. What torch.compile has compiled before is dropped.
    """
    calls: list[tuple[Piece, Compiled, tuple]] = []

    def record(call: Callable, program: Compiled, piece: Piece) -> Callable:
        def run(*inputs: torch.Tensor) -> Any:
            calls.append((piece, program, tuple(one.clone() for one in inputs)))
            return call(*inputs)

        return run

    torch_backend.wrappers.append(record)
    try:
        capture(function, args, kwargs)
    finally:
        torch_backend.wrappers.remove(record)
        torch._dynamo.reset()
    for piece, program, inputs in calls:
        if found := find_difference(piece, program, inputs):
            return found
    return None
