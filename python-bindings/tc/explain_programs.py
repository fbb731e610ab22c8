"""What became of compiled programs: kernels, what is in each, bytes, memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Iterable, Mapping

from .compiled import Compiled
from .logs import is_about_fusion

if TYPE_CHECKING:
    from .torch_refusals import Refusal


@dataclass
class Call:
    """A call of the user's program."""

    name: str  #: in the captured graph
    operator: str  #: such as aten.relu.default; empty where it is not known
    line: str  #: FILE:LINE; empty where it is not known

    def __str__(self) -> str:
        text = self.operator or self.name
        return f"{text} ({self.line})" if self.line else text


@dataclass
class KernelExplanation:
    """One launch."""

    name: str
    kernel_class: str
    dims: str  #: its iteration domain, "i=30 j=64r", reduced dimensions with an r
    schedule: str
    bytes_read: int | str  #: an expression where a size is not known
    bytes_written: int | str
    operations: int | str
    is_run_once: bool  #: before the first call, on parameters
    calls: list[Call]
    sources: list[str]  #: "input 0", "kernel 1", "parameter w"


@dataclass
class Decision:
    """What a pass did or did not do."""

    text: str
    line: str


@dataclass
class MemoryPlan:
    """What is between the kernels of a call."""

    arena: int | str  #: bytes of a call
    buffers: int  #: that share it
    planned: int  #: bytes, at the sizes that the plan was made for
    peak: int  #: most bytes in use at one time, at these sizes
    sizes: dict[str, int]  #: these, where they are symbols


@dataclass
class ProgramExplanation:
    """A program that TC has compiled."""

    signature: str
    inputs: list[str]
    kernels: list[KernelExplanation]
    results: list[str]  #: what the results come from, as the sources of kernels
    fused: list[Decision]
    not_fused: list[Decision]
    calls: int
    bytes_before: int | str  #: that the calls read and write when each runs alone
    bytes_after: int | str  #: that the kernels read and write
    memory: MemoryPlan | None
    guards: list[str]
    phases: dict[str, float]  #: seconds
    sizes: dict[str, int] = field(default_factory=dict)  #: of symbols, in the call that is explained


@dataclass
class GraphExplanation:
    """A graph that Dynamo has captured, or a program alone."""

    kind: str  #: inference, forward or backward; program for one of tc.compile
    calls: int
    seconds: float  #: to compile it
    programs: list[ProgramExplanation]
    fallbacks: list[Refusal]  #: calls that PyTorch runs


def evaluate(expression: str, sizes: Mapping[str, int]) -> int | str:
    """The value of an expression of TC's in symbols, the text itself where one is not known."""
    code = expression.replace(" floordiv ", " // ").replace(" mod ", " % ")
    try:
        return int(eval(code, {"__builtins__": {}, "min": min, "max": max}, dict(sizes)))
    except (NameError, SyntaxError, ZeroDivisionError):
        return expression


def _total(expressions: Iterable[str], sizes: Mapping[str, int]) -> int | str:
    return evaluate(" + ".join(f"({one})" for one in expressions) or "0", sizes)


def _line(place: Mapping) -> str:
    return f"{place['file']}:{place['line']}" if place["file"] and place["line"] else ""


def explain_program(compiled: Compiled, sizes: Mapping[str, int] = {}, operators: Mapping[str, str] = {}) -> ProgramExplanation:
    """What became of a program, at these values of its symbols. `operators` says what
    the calls of the captured graph are, by name."""
    report, function = compiled.report(), compiled.signature.name
    graph = next((one for one in report["graphs"] if one["function"] == function), None)
    kernels = [KernelExplanation(
        kernel["name"], kernel["class"], kernel["dims"], kernel["schedule"], evaluate(kernel["bytes_read"], sizes),
        evaluate(kernel["bytes_written"], sizes), evaluate(kernel["operations"], sizes), kernel["is_run_once"],
        sorted((Call(one["name"], operators.get(one["name"], ""), _line(one)) for one in kernel["calls"]),
               key=lambda call: call.line), kernel["sources"]) for kernel in report["kernels"]]
    moved = [kernel[field] for kernel in report["kernels"] if kernel["function"] == function
             for field in ("bytes_read", "bytes_written")]
    plan = next((one for one in report["memory_plans"] if one["function"] == function), None)
    remarks = [one for one in report["remarks"] if is_about_fusion(one)]
    decisions = {kind: [Decision(one["text"], _line(one)) for one in remarks if one["kind"] == kind]
                 for kind in ("passed", "missed")}
    return ProgramExplanation(
        str(compiled.signature), [value.name or f"input {number}" for number, value in enumerate(compiled.signature.inputs)],
        kernels, graph.get("results", []) if graph else [], decisions["passed"], decisions["missed"],
        graph["calls"] if graph else 0, _total([graph["bytes_read"], graph["bytes_written"]], sizes) if graph else 0,
        _total(moved, sizes),
        MemoryPlan(evaluate(plan.get("arena", "0"), sizes), plan["buffers"], plan["planned"], plan["peak"], plan.get("at", {}))
        if plan else None, report["guards"], compiled.timings, dict(sizes))
