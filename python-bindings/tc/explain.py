"""`tc.explain`: what becomes of a function, as text, JSON and a page."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Iterator

from .compiled import Compiled
from .explain_programs import GraphExplanation, ProgramExplanation, explain_program

if TYPE_CHECKING:
    from .explain_breaks import GraphBreak
    from .explain_torch import BreakEven, Guard


@dataclass
class Explanation:
    """What `tc.explain` found out; `str` gives it as text."""

    name: str  #: of the function
    graphs: list[GraphExplanation]
    breaks: list[GraphBreak] = field(default_factory=list)
    guards: list[Guard] = field(default_factory=list)  #: Dynamo's; those of TC are in the programs
    break_even: BreakEven | None = None

    def json(self) -> str:
        """All of it as the text of a JSON object, with the names of the fields."""
        return json.dumps(dataclasses.asdict(self), indent=1)

    def html(self, path: str | os.PathLike) -> None:
        """Writes a page that needs nothing else, with a picture of each graph."""
        from .explain_page import page

        with open(path, "w", encoding="utf-8") as file:
            file.write(page(self))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield (f"{self.name}: {_count(len(self.graphs), 'graph')}, {_count(len(self.breaks), 'graph break')}, "
               f"{_count(sum(len(program.kernels) for graph in self.graphs for program in graph.programs), 'kernel')}")
        for one in self.breaks:
            yield f"\ngraph break at {one}"
        for number, graph in enumerate(self.graphs):
            yield f"\ngraph {number} ({graph.kind}): {_count(graph.calls, 'call')}, compiled in {graph.seconds * 1e3:.0f} ms"
            for fallback in graph.fallbacks:
                yield f"  PyTorch runs {fallback}"
            for program in graph.programs:
                yield from ("  " + line for line in program_lines(program))
        if self.guards:
            yield "\nDynamo's guards"
            yield from (f"  {line}" for line in guard_lines(self.guards))
        if self.break_even:
            yield "\n" + break_even_text(self.break_even)


def guard_lines(guards: list[Guard]) -> list[str]:
    """The guards about inputs, and how many others there are."""
    lines = [str(guard) for guard in guards if guard.is_about_inputs]
    return lines + [f"and {_count(len(guards) - len(lines), 'guard')} about modules, globals and PyTorch's state"]


def _count(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


def amount(bytes_or_expression: int | str) -> str:
    """Bytes in a unit that fits, or an expression as it is."""
    if isinstance(bytes_or_expression, str):
        return f"{bytes_or_expression} bytes"
    value, unit = float(bytes_or_expression), "B"
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if value < 1000 or unit == "TB":
            break
        value /= 1000
    return f"{value:.3g} {unit}" if unit != "B" else f"{bytes_or_expression} B"


def break_even_text(found: BreakEven) -> str:
    """The times, and after how many calls compilation has paid for itself."""
    times = (f"a call takes {found.eager_seconds * 1e6:.0f} us without and {found.compiled_seconds * 1e6:.0f} us with compilation "
             f"(medians of {found.rounds}), which took {found.compile_seconds * 1e3:.0f} ms")
    if found.calls is None:
        return f"break-even: never with these inputs: {times}"
    return f"break-even: after {_count(found.calls, 'call')}: {times}"


def memory_text(program: ProgramExplanation) -> str:
    """What is kept between kernels."""
    plan = program.memory
    if plan is None:
        return "memory plan: nothing is kept between kernels"
    sizes = ", ".join(f"{name} = {value}" for name, value in plan.sizes.items())
    return (f"memory plan: an arena of {amount(plan.arena)} for {_count(plan.buffers, 'buffer')}; "
            f"{amount(plan.planned)} planned, {amount(plan.peak)} in use at the peak" + (f" at {sizes}" if sizes else ""))


def program_lines(program: ProgramExplanation) -> Iterator[str]:
    """The text about one program."""
    yield f"program {program.signature}"
    for number, kernel in enumerate(program.kernels):
        yield (f"  kernel {number} {kernel.name} ({kernel.kernel_class}{', once' if kernel.is_run_once else ''}): {kernel.dims or 'one point'}, reads "
               f"{amount(kernel.bytes_read)}, writes {amount(kernel.bytes_written)}")
        yield from (f"    {call}" for call in kernel.calls)
        if kernel.schedule:
            yield f"    schedule {kernel.schedule}"
    yield from (f"  {one.text} ({one.line})" if one.line else f"  {one.text}" for one in program.not_fused)
    yield (f"  bytes read and written: {amount(program.bytes_before)} by {_count(program.calls, 'call')} that run alone, "
           f"{amount(program.bytes_after)} by the kernels")
    yield f"  {memory_text(program)}"
    if program.guards:
        yield "  guards: " + "; ".join(program.guards)
    yield "  compile time: " + ", ".join(f"{name} {seconds * 1e3:.1f} ms" for name, seconds in program.phases.items())


def explain(function: Callable, /, *args: Any, measured_rounds: int = 20, **kwargs: Any) -> Explanation:
    """Says what TC makes of a function or module of PyTorch's that is called with
    these arguments: graphs, graph breaks with a remedy, kernels and what is in them,
    bytes, memory plan, guards, compile time, break-even; and of a program of
    `tc.compile`, of which the arguments give the sizes.

    measured_rounds   how often the function is called with and without compilation
                      to find the break-even, after two calls each; 0 to call it
                      once

    The function is called with the arguments as they are: what it writes to, it
    writes to in each call. Where the result has gradients, they are computed once and
    dropped, so that the backward graphs are there. What torch.compile has compiled
    before is dropped.
    """
    if isinstance(function, Compiled):
        return _explain_compiled(function, args)
    import torch

    from .explain_torch import capture, explain_graph, measure_break_even, original

    user = original(function)
    with torch.random.fork_rng():
        found = capture(function, args, kwargs)
        break_even = measure_break_even(found, function, args, kwargs, measured_rounds) if measured_rounds else None
    name = getattr(user, "__qualname__", type(user).__name__)
    result = Explanation(name, [explain_graph(*one) for one in found.graphs], found.breaks, found.guards, break_even)
    torch._dynamo.reset()
    return result


def _explain_compiled(compiled: Compiled, inputs: tuple) -> Explanation:
    """Of a program: one graph, nothing of Dynamo's."""
    sizes = {}
    for tensor, value in zip(compiled.signature.inputs, inputs):
        symbols = {one.name for one in compiled.signature.symbols}
        sizes.update({size: int(actual) for size, actual in zip(tensor.shape, value.shape) if size in symbols})
    program = explain_program(compiled, sizes)
    graph = GraphExplanation("program", program.calls, sum(program.phases.values()), [program], [])
    return Explanation(compiled.signature.name, [graph])
