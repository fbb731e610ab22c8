"""Where Dynamo breaks a graph: the line of the user's program, why, and what helps.

Dynamo tells it to the loggers of its artifact `graph_breaks`, those breaks as well
for which it gives up a whole function.
"""

from __future__ import annotations

import linecache
import re
import site
import sysconfig
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Iterator

import torch

from .logs import Forward, follow, unfollow

_LOGGERS = ("torch._dynamo.symbolic_convert.__graph_breaks", "torch._dynamo.convert_frame.__graph_breaks")
_PACKAGE = __file__.rpartition("/")[0]
_LIBRARIES = tuple({*site.getsitepackages(), *torch.__path__, sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), _PACKAGE})

_REMEDIES = {
    "print": "Print after the call, or let Dynamo print after the graph: "
             "torch._dynamo.config.reorderable_logging_functions.add(print).",
    "item": "Keep the value a tensor without dimensions: leave .item() out, and int(), float() and bool() of "
            "tensors as well; broadcasting does the rest.",
    "numpy": "Use PyTorch's function in the place of NumPy's, or convert to NumPy after the call.",
    "data-dependent branch": "Compute both sides and choose between them with torch.where(condition, yes, no), or take "
                             "the decision before the call.",
    "data-dependent list": "The length depends on the values of a tensor. Keep all elements and a mask, for example "
                           "torch.where(mask, x, 0), or build the list before the call.",
    "unsupported call": "Make the call before or after the compiled function, or make it an operator with "
                        "torch.library.custom_op.",
    "other": "See what Dynamo says of it.",
}
# The first pattern that a reason has decides; with the line of the program where it is not enough.
_KINDS = (
    ("print", r"builtin operator `print`|function=`?print\b"),
    ("data-dependent branch", r"[Dd]ata-dependent (?:branching|assertion)|generic_jump"),
    ("data-dependent list", r"tolist\(\)|Dynamic shape operator|Dynamic slicing|unbacked"),
    ("item", r"Tensor\.item\(\)|_local_scalar_dense|[Dd]ata-dependent"),
    ("numpy", r"[Nn]um[Pp]y|\bnp\."),
    ("unsupported call", r"Failed to trace builtin|marked as skipped|Unsupported (?:method|function) call|does not know how to "
                         r"trace|call_function|call_method|Attempted to call|[Uu]nsupported (?:builtin|context)"),
)
_BUILDS_LIST = re.compile(r"\brange\(|\bfor\b.*\bin\b|\[[^]]*\]\s*\*")


@dataclass
class GraphBreak:
    """A place where a graph ends before the function does."""

    kind: str  #: print, item, numpy, data-dependent branch, data-dependent list, unsupported call, other
    line: str  #: FILE:LINE in the user's program
    code: str  #: of that line
    cause: str  #: Dynamo's words
    remedy: str
    is_function_given_up: bool  #: PyTorch runs the whole function, not only what comes next
    hints: list[str] = field(default_factory=list)  #: Dynamo's

    def __str__(self) -> str:
        scope = "; PyTorch runs the whole function" if self.is_function_given_up else ""
        return f"{self.line}: {self.kind}: {self.code}\n  cause: {self.cause}{scope}\n  remedy: {self.remedy}"


def is_users(file: str) -> bool:
    """Whether a file belongs to the user's program, not to a library of Python's."""
    return not file.startswith(_LIBRARIES) and not file.startswith("<frozen")


def _kind_of(reason: str, code: str) -> str:
    kind = next((kind for kind, pattern in _KINDS if re.search(pattern, reason)), "other")
    if kind == "item" and _BUILDS_LIST.search(code):
        return "data-dependent list"
    is_call = kind == "unsupported call" or "tolist()" in reason
    if is_call and re.search(r"\.numpy\(|\bnp\.|\bnumpy\.|NumpyNdarray", code + reason):
        return "numpy"
    return kind


def _find_line(text: str) -> tuple[str, str] | None:
    """The last file and line of the user's program in a text."""
    frames = [frame for frame in re.findall(r'File "([^"]+)", line (\d+)', text) if is_users(frame[0])]
    return frames[-1] if frames else None


def read_break(message: str) -> GraphBreak | None:
    """What a message of Dynamo's loggers says; None for one about something else."""
    place = re.search(r"in user code at (.+?):(\d+)\s*$", message, re.M)
    if not place:
        return None
    text, _, stack = message.partition("User code traceback:")
    file, line = _find_line(stack.rpartition(_PACKAGE)[2]) or _find_line(text) or place.groups()
    reason = text.partition("Graph Break Reason:")[2].strip()
    explanation = re.search(r"^\s*Explanation: (.*)$", reason, re.M)
    title = next((one.strip() for one in reason.splitlines() if one.strip() and not one.startswith(
        ("Encountered graph break when", "Failed to handle graph break gracefully"))), reason)
    code = linecache.getline(file, int(line)).strip()
    kind = _kind_of(reason, code)
    return GraphBreak(kind, f"{file}:{line}", code, explanation[1] if explanation else title, _REMEDIES[kind],
                      "Skipping the function" in reason, re.findall(r"^\s*Hint: (.*)$", reason, re.M))


@contextmanager
def recorded_breaks() -> Iterator[list[GraphBreak]]:
    """The breaks of what Dynamo captures in the context, once for each line."""
    breaks: list[GraphBreak] = []

    def take(message: str) -> None:
        found = read_break(message)
        if found and all((found.line, found.kind) != (one.line, one.kind) for one in breaks):
            breaks.append(found)

    handler = Forward(take)
    followed = [(name, follow(name, handler)) for name in _LOGGERS]
    try:
        yield breaks
    finally:
        for name, before in followed:
            unfollow(name, handler, before)
