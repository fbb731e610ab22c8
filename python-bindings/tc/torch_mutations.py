"""Inputs that a graph writes.

AOTAutograd makes a graph functional, and puts a `copy_` of each input's new value at its
end: the running statistics of batch norm, what an optimizer updates. The graph then
computes the new values as results behind its own, and they are written all at once.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Iterator

import torch
from torch import fx

from .torch_partition import is_view

_COPY = torch.ops.aten.copy_.default


@dataclass
class Mutations:
    """The numbers of the inputs that a graph writes, in the order of their values: its last results."""

    inputs: list[int] = field(default_factory=list)
    #: Places in `inputs` of tensors of one device and type: one call writes them.
    groups: list[list[int]] = field(default_factory=list)

    def apart(self, results: Iterable[Any]) -> tuple[list, list]:
        """A graph's own results, and the values."""
        found = list(results)
        count = len(found) - len(self.inputs)
        return found[:count], found[count:]

    def targets(self, result_count: int) -> dict[int, int]:
        """The numbers of the inputs by the places of their values among so many results."""
        return dict(enumerate(self.inputs, result_count - len(self.inputs)))

    def writes(self, values: list) -> Iterator[tuple[list[int], list]]:
        """The inputs of each call that writes, and their values."""
        for group in self.groups:
            yield [self.inputs[place] for place in group], [values[place] for place in group]

    def add_to(self, run: Callable) -> Callable:
        """What runs a graph, and writes its inputs."""
        if not self.inputs:
            return run

        def run_and_write(arguments: list) -> list:
            inputs = list(arguments)
            results, values = self.apart(run(arguments))
            for targets, given in self.writes(values):
                write([inputs[number] for number in targets], given)
            return results

        run_and_write._boxed_call = True
        return run_and_write


def write(targets: list[torch.Tensor], values: list[torch.Tensor]) -> None:
    """Copies each value to its tensor, unless it was computed there. AOTAutograd tells autograd of all writes that it is to
    know of, before a graph runs."""
    pairs = [(target, value) for target, value in zip(targets, values, strict=True)
             if target.data_ptr() != value.data_ptr() or target.stride() != value.stride()]
    if pairs:
        with torch.no_grad():
            if targets[0].dtype == torch.complex32:  # which PyTorch has no kernel of lists for on a GPU
                for target, value in pairs:
                    target.copy_(value)
            else:
                torch._foreach_copy_(*map(list, zip(*pairs)))


def _is_of_input(node: fx.Node) -> bool:
    """Whether a value is an input, or a view of one."""
    while node.target is operator.getitem or is_view(node):
        node = node.args[0]
    return node.op != "call_function"


def _find_copies(graph: fx.Graph) -> list[fx.Node]:
    """The copies to inputs at the end of a graph, behind which are views of what it computes alone; none
    where there are other calls that write."""
    calls = [node for node in graph.nodes if node.op == "call_function"]
    copies = [node for node in calls if node.target is _COPY]
    behind = [node for node in calls[calls.index(copies[0]):] if node.target is not _COPY] if copies else []
    is_plain = all(node.args[0].op == "placeholder" and isinstance(node.args[1], fx.Node)
                   and all(user.op == "output" for user in node.users) for node in copies)
    is_plain &= all((is_view(node) or node.target is operator.getitem) and not _is_of_input(node) for node in behind)
    return copies if is_plain and len({node.args[0] for node in copies}) == len(copies) else []


def _clone(graph: fx.Graph, value: fx.Node) -> fx.Node:
    with graph.inserting_before(graph.output_node()):
        clone = graph.call_function(torch.ops.aten.clone.default, (value,))
    clone.meta = {"val": value.meta["val"].clone()}
    return clone


def take_mutations(module: fx.GraphModule) -> tuple[fx.GraphModule, Mutations]:
    """A graph that computes what a graph writes to its inputs as its last results. The graph itself where
    it writes nothing, or in another way."""
    if not _find_copies(module.graph):
        return module, Mutations()
    graph = fx.Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    values, mutations = [], Mutations()
    groups: dict[tuple, list[int]] = {}
    for node in _find_copies(graph):
        target, value = node.args[:2]
        node.replace_all_uses_with(target)
        graph.erase_node(node)
        if _is_of_input(value):  # which may be written before
            value = _clone(graph, value)
        kind = target.meta["val"].device, target.meta["val"].dtype
        groups.setdefault(kind, []).append(len(values))
        values.append(value)
        mutations.inputs.append(placeholders.index(target))
    mutations.groups = list(groups.values())
    output = graph.output_node()
    output.args = ((*output.args[0], *values),)
    functional = fx.GraphModule(module, graph)
    functional.meta.update(module.meta)
    return functional, mutations
