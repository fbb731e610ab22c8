"""The page of `tc.explain`: one file, with pictures of the graphs in SVG."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Iterable, Iterator

from .explain_programs import GraphExplanation, KernelExplanation, ProgramExplanation

if TYPE_CHECKING:
    from .explain import Explanation

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1d2733; background: #fff; max-width: 1320px; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.6em } h2 { font-size: 1.25em; margin-top: 2em; border-bottom: 1px solid #d5dce4 } h3 { font-size: 1.05em }
table { border-collapse: collapse; margin: .7em 0 } th, td { text-align: left; vertical-align: top; padding: .25em .8em .25em 0;
border-bottom: 1px solid #e6ebf0 } td:first-child, th { white-space: nowrap } th { color: #5b6877; font-weight: 600 } td.number { text-align: right; white-space: nowrap }
code { font: 13px ui-monospace, monospace; background: #f4f6f8; padding: .1em .3em; border-radius: 3px;
overflow-wrap: anywhere }
.break { border-left: 4px solid #d9822b; background: #fdf6ec; padding: .5em 1em; margin: .7em 0 }
.picture { overflow-x: auto; border: 1px solid #e6ebf0; border-radius: 6px; margin: .7em 0 }
svg text { font: 12px system-ui, sans-serif; fill: #1d2733 } svg .small { font-size: 10.5px; fill: #5b6877 }
"""
_WIDTH, _HEIGHT, _GAP, _ROW = 220, 46, 16, 84
_MOST_IN_ROW = 6
_COLOURS = {"input": "#eef2f6", "parameter": "#eef2f6", "result": "#e4f3e8", "kernel": "#e3edfb"}


@dataclass
class _Node:
    kind: str
    title: str
    subtitle: str = ""
    details: str = ""
    sources: list[str] = field(default_factory=list)
    row: int = 0


def _nodes(program: ProgramExplanation) -> dict[str, _Node]:
    """What the picture shows, by the name that sources have."""
    from .explain import amount

    nodes: dict[str, _Node] = {}
    for number, kernel in enumerate(program.kernels):
        subtitle = f"{kernel.kernel_class}, {amount(kernel.bytes_read)} in, {amount(kernel.bytes_written)} out"
        nodes[f"kernel {number}"] = _Node("kernel", kernel.name, subtitle, "\n".join(map(str, kernel.calls)), kernel.sources)
    nodes["result"] = _Node("result", "results", sources=program.results)
    for name in [source for node in nodes.values() for source in node.sources]:
        if name not in nodes:
            kind, _, rest = name.partition(" ")
            is_input = kind == "input" and int(rest) < len(program.inputs)
            nodes[name] = _Node(kind, program.inputs[int(rest)] if is_input else rest, kind)
    return nodes


def _assign_rows(nodes: dict[str, _Node]) -> list[list[_Node]]:
    """Rows in which what a node reads is above it, inputs right above their first reader."""
    kernels = [node for node in nodes.values() if node.kind == "kernel"]
    for node in [*kernels, nodes["result"]]:  # the order of launches
        node.row = 1 + max((nodes[one].row for one in node.sources if nodes[one].kind == "kernel"), default=0)
    for name, node in nodes.items():
        if node.kind in ("input", "parameter"):
            node.row = min(one.row for one in nodes.values() if name in one.sources) - 1
    rows: list[list[_Node]] = []
    for row in range(max(node.row for node in nodes.values()) + 1):
        inside = [node for node in nodes.values() if node.row == row]
        rows += [inside[first:first + _MOST_IN_ROW] for first in range(0, len(inside), _MOST_IN_ROW)]
    return rows


def _sentence(text: str) -> str:
    """With a capital first letter; units keep theirs."""
    return text[:1].upper() + text[1:]


def _clip(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length - 1] + "…"


def picture(program: ProgramExplanation) -> str:
    """The kernels of a program as an SVG element: what they read is above them."""
    nodes = _nodes(program)
    rows = _assign_rows(nodes)
    width = max(len(row) for row in rows) * (_WIDTH + _GAP) + _GAP
    places: dict[int, tuple[float, float]] = {}
    for number, row in enumerate(rows):
        left = (width - len(row) * (_WIDTH + _GAP) + _GAP) / 2
        for column, node in enumerate(row):
            places[id(node)] = left + column * (_WIDTH + _GAP), _GAP + number * _ROW
    height = len(rows) * _ROW + _GAP
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
             f"<title>{escape(program.signature)}</title>"]
    for node in nodes.values():
        x, y = places[id(node)]
        for source in node.sources:
            from_x, from_y = places[id(nodes[source])]
            start, end = (from_x + _WIDTH / 2, from_y + _HEIGHT), (x + _WIDTH / 2, y)
            middle = (start[1] + end[1]) / 2
            parts.append(f'<path d="M{start[0]},{start[1]} C{start[0]},{middle} {end[0]},{middle} {end[0]},{end[1]}" fill="none" '
                         f'stroke="#9aa8b7" stroke-width="1.3"/>')
    for node in nodes.values():
        x, y = places[id(node)]
        parts.append(f'<g><title>{escape(node.details or node.title)}</title><rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" '
                     f'rx="6" fill="{_COLOURS[node.kind]}" stroke="#b9c5d2"/><text x="{x + _WIDTH / 2}" y="{y + 19}" '
                     f'text-anchor="middle">{escape(_clip(node.title, 28))}</text><text class="small" x="{x + _WIDTH / 2}" '
                     f'y="{y + 35}" text-anchor="middle">{escape(_clip(node.subtitle, 38))}</text></g>')
    return "".join([*parts, "</svg>"])


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Cells are HTML."""
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{escape(one)}</th>' for one in head)}</tr>{lines}</table>"


def _list(items: Iterable[Any]) -> str:
    return "<ul>" + "".join(f"<li>{escape(str(item))}</li>" for item in items) + "</ul>"


def _kernel_row(number: int, kernel: KernelExplanation) -> list[str]:
    from .explain import amount

    calls = "<br>".join(escape(str(call)) for call in kernel.calls)
    name = escape(kernel.name).replace("_", "_<wbr>")  # a long name may be broken there
    moved = [amount(count).replace(" ", "&nbsp;") for count in (kernel.bytes_read, kernel.bytes_written)]
    return [str(number), f"{name}<br><code>{escape(kernel.dims)}</code>", escape(kernel.kernel_class), calls, *moved,
            f"<code>{escape(kernel.schedule)}</code>"]


def _program(program: ProgramExplanation) -> Iterator[str]:
    from .explain import amount, memory_text

    yield f"<h3><code>{escape(program.signature)}</code></h3>"
    yield f'<div class="picture">{picture(program)}</div>'
    yield _table(["#", "kernel", "class", "what is in it", "reads", "writes", "schedule"],
                 [_kernel_row(number, kernel) for number, kernel in enumerate(program.kernels)])
    yield (f"<p>Bytes read and written: {escape(amount(program.bytes_before))} by {program.calls} calls that run alone, "
           f"{escape(amount(program.bytes_after))} by the kernels.</p><p>{escape(_sentence(memory_text(program)))}.</p>")
    if program.not_fused:
        yield "<p>What was not fused, and why:</p>" + _list(f"{one.text} ({one.line})" if one.line else one.text for one in program.not_fused)
    if program.guards:
        yield "<p>Guards:</p>" + _list(program.guards)
    yield _table(["phase", "ms"], [[escape(name), f"{seconds * 1e3:.2f}"] for name, seconds in program.phases.items()])


def _graph(number: int, graph: GraphExplanation) -> Iterator[str]:
    yield f"<h2>Graph {number}: {escape(graph.kind)}</h2><p>{graph.calls} calls, compiled in {graph.seconds * 1e3:.0f} ms.</p>"
    if graph.fallbacks:
        yield "<p>PyTorch runs:</p>" + _list(graph.fallbacks)
    for program in graph.programs:
        yield from _program(program)


def page(explanation: Explanation) -> str:
    """The text of the page."""
    from .explain import break_even_text, guard_lines

    parts = [f"<p>{escape(next(iter(str(explanation).splitlines())))}</p>"]
    if explanation.break_even:
        parts.append(f"<p>{escape(_sentence(break_even_text(explanation.break_even)))}.</p>")
    if explanation.breaks:
        parts.append("<h2>Graph breaks</h2>")
    for one in explanation.breaks:
        scope = " PyTorch runs the whole function." if one.is_function_given_up else ""
        parts.append(f'<div class="break"><b>{escape(one.kind)}</b> at <code>{escape(one.line)}</code>: <code>{escape(one.code)}</code>'
                     f"<br>{escape(one.cause)}{scope}<br><b>Remedy:</b> {escape(one.remedy)}</div>")
    for number, graph in enumerate(explanation.graphs):
        parts.extend(_graph(number, graph))
    if explanation.guards:
        parts.append("<h2>Dynamo's guards</h2>" + _list(guard_lines(explanation.guards)))
    title = escape(explanation.name)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head>'
            f"<body><h1>{title}</h1>{''.join(parts)}</body></html>\n")
