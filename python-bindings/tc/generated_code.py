"""`tc.generated_code`: what the compiler made of a program or of a function of the user's."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Callable

from .compiled import Compiled, phases


class GeneratedCode:
    """The code of one program. Each text is made when it is asked for."""

    def __init__(self, compiled: Compiled):
        self.compiled = compiled

    @cached_property
    def mlir(self) -> dict[str, str]:
        """The module after each phase, by its name, see `tc.phases`."""
        return {phase: self.compiled.ir(phase) for phase in phases}

    @cached_property
    def llvm(self) -> str:
        """The optimised LLVM IR."""
        return self.compiled.code("llvm")

    @cached_property
    def assembly(self) -> str:
        """The target's; of a GPU its kernels' PTX."""
        return self.compiled.code("assembly")

    def __str__(self) -> str:
        return self.assembly

    def __repr__(self) -> str:
        return f"<tc.GeneratedCode {self.compiled.signature}>"


def generated_code(function: Callable, /, *args: Any, **kwargs: Any) -> list[GeneratedCode]:
    """The code of a program of `tc.compile`, or of each program that a call of a
    function or module of PyTorch's with these arguments makes, in the order in
    which they are compiled. The function is called once, and what torch.compile
    has compiled before is dropped."""
    if isinstance(function, Compiled):
        return [GeneratedCode(function)]
    import torch

    from .explain_torch import capture

    with torch.random.fork_rng():
        found = capture(function, args, kwargs)
    torch._dynamo.reset()
    return [GeneratedCode(program) for graph, _ in found.graphs for program in graph.programs]
