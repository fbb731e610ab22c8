"""Which calls of a captured graph TC refuses, and how that is said."""

from __future__ import annotations

import re
from dataclasses import dataclass

import torch
from torch import fx
from torch._ops import OpOverload

from .errors import Error
from .torch_decompositions import supports
from .torch_graph import UnsupportedCall
from .torch_higher_order import graphs_of, is_graph, is_of_higher_order
from .torch_partition import Piece, is_number, is_of_driver, is_random, is_size, may_be_elsewhere, tensors_of


@dataclass
class Refusal:
    """A call that PyTorch runs."""

    operator: str
    reason: str
    line: str  # the user's, or empty

    def __str__(self) -> str:
        where = f" ({self.line})" if self.line else ""
        return f"{self.operator}{where}: {self.reason}"


def user_line(node: fx.Node) -> str:
    """FILE:LINE of the call in the user's program that a node comes from."""
    frames = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    users = [frame for frame in frames if "/torch/" not in frame[0]] or frames
    return ":".join(users[-1]) if users else ""


def operator_name(node: fx.Node) -> str:
    return str(node.target) if isinstance(node.target, OpOverload) else getattr(node.target, "__name__", str(node.target))


def why_refused(node: fx.Node, device: torch.device) -> str | None:
    """Why a call cannot be TC's, as far as its operator and devices say."""
    target = node.target
    if is_of_driver(node):
        return None
    if isinstance(target, OpOverload):
        if not supports(target) and not is_size(node):
            return "TC does not have this operator"
    elif is_of_higher_order(node):
        if reason := _why_graphs_refused(node, device):
            return reason
    elif not is_number(node) and getattr(target, "__name__", "") != "getitem":
        return "TC does not have this operator"
    results = tensors_of(node)
    inputs = [(value, one) for value in node.all_input_nodes for one in tensors_of(value)]
    for tensor in results + [one for _, one in inputs]:
        if tensor.layout is not torch.strided:
            return f"a tensor of layout {tensor.layout}"
        if tensor.device != device and tensor.device.type != "cpu":
            return f"a tensor on {tensor.device} in a graph for {device}"
    for value, tensor in inputs if results else ():  # a number may be of a tensor anywhere
        if tensor.device != results[0].device and not may_be_elsewhere(value, node):
            return f"a tensor on {tensor.device} in a call on {results[0].device}"
    return None


def _why_graphs_refused(call: fx.Node, device: torch.device) -> str | None:
    """Why a call of an operator of higher order cannot be TC's for what is in the graphs that it calls, which have to be
    regions of a program: those have no tensors of their own, and no random numbers, of which each run would have others."""
    for node in (node for graph in graphs_of(call) for node in graph.graph.nodes):
        if node.op == "get_attr" and not is_graph(node):
            return "a tensor that the graph it calls has itself"
        if node.op == "placeholder" and not isinstance(node.meta.get("val"), (torch.Tensor, torch.SymInt)):
            return "an input of the graph it calls that is no tensor or integer"
        if node.op != "call_function":
            continue
        if is_random(node):
            return f"{node.target} in the graph it calls, which is random"
        if reason := "it is PyTorch's" if is_of_driver(node) else why_refused(node, device):
            return f"{operator_name(node)} in the graph it calls: {reason}"
    return None


def blamed(piece: Piece, error: Error) -> dict[fx.Node, str]:
    """The calls that an error names, all of the piece where it names none, with what it says of them."""
    if isinstance(error, UnsupportedCall):
        found = {error.node: str(error)}
    else:
        # Of a call in a graph that another one calls, the name behind that one's counts for nothing.
        found = dict(re.findall(r'loc\("([^"/]+)(?:/[^"]*)?"[^\n]*?\)\): ([^\n]*)', str(error)))
    named = {piece.origins[name]: reason for name, reason in found.items() if name in piece.origins}
    return named or {node: str(error) for node in piece.origins.values()}
