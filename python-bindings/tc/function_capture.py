"""One capture of a function: what torch.export makes of it, compiled, behind its guards."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import dataclass, field
from typing import Any, Callable

import torch
from torch import fx
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, SymIntArgument, TensorArgument
from torch.utils import _pytree as pytree

from .compiled import Compiled
from .errors import Unsupported
from .function_environment import Environment
from .function_guards import Guards, Places, is_value
from .library import native
from .torch_backend import compile_graph
from .torch_decompositions import decompositions

_TENSORS = (torch.Tensor, torch.nn.Parameter)
# What torch.export puts before casts: the operand is as it was traced, which the guards say already.
_CHECK_OF_CAST = torch.ops.aten._assert_tensor_metadata.default


@dataclass
class Leaf:
    """A tensor among the arguments of a call."""

    name: str
    place: int
    value: torch.Tensor


@dataclass
class Inputs:
    """The arguments of a call, taken apart: guards of what is no tensor, and the tensors."""

    function: Callable
    guards: Guards
    leaves: list[Leaf] = field(default_factory=list)

    def add_call(self, arguments: tuple, keywords: dict) -> None:
        places = self.guards.places
        self.guards.add_value("the number of arguments", places.add("length", places.arguments), len(arguments))
        self.guards.add_value("the names of keyword arguments", places.add("keys", places.keywords), list(keywords))
        names = _parameter_names(self.function, len(arguments))
        for number, value in enumerate(arguments):
            self.add(names[number], places.add("item", places.arguments, number), value)
        for name, value in keywords.items():
            self.add(name, places.add("item", places.keywords, name), value)

    def add(self, name: str, place: int, value: Any) -> None:
        places, guards = self.guards.places, self.guards
        if is_value(value) and not isinstance(value, (list, tuple)):
            guards.add_value(name, place, value)
        elif isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
            guards.add_identity(name, place, value)
        elif isinstance(value, torch.device):
            for part in ("type", "index"):
                guards.add_value(f"{name}.{part}", places.add("attribute", place, part), getattr(value, part))
        elif type(value) in _TENSORS:
            guards.add_identity(f"type({name})", places.add("type", place), type(value))
            self.leaves.append(Leaf(name, place, value))
        elif type(value) in (list, tuple):
            guards.add_identity(f"type({name})", places.add("type", place), type(value))
            guards.add_value(f"len({name})", places.add("length", place), len(value))
            for number, item in enumerate(value):
                self.add(f"{name}[{number}]", places.add("item", place, number), item)
        elif type(value) is dict and all(map(is_value, value)):
            guards.add_identity(f"type({name})", places.add("type", place), dict)
            guards.add_value(f"list({name})", places.add("keys", place), list(value))
            for key, item in value.items():
                self.add(f"{name}[{key!r}]", places.add("item", place, key), item)
        else:
            raise Unsupported(f"the argument '{name}' is of type {type(value).__name__}, expected tensors, numbers, texts, "
                              "None, element types, devices, or lists, tuples and dicts of them")


def _parameter_names(function: Callable, count: int) -> list[str]:
    try:
        names = [name for name, one in inspect.signature(getattr(function, "forward", function)).parameters.items()
                 if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        names = []
    return (names + [f"argument {number}" for number in range(len(names), count)])[:count]


class _Traced(torch.nn.Module):
    """The function as a module of the tensors of its arguments, which are `found` in what it reads."""

    def __init__(self, function: Callable, environment: Environment, arguments: tuple, keywords: dict, leaves: list[Leaf]):
        super().__init__()
        self.__dict__["call"] = function, arguments, keywords
        self.__dict__["targets"] = {}
        for number, (module, _, place) in enumerate(environment.modules.values()):
            self.add_module(f"module_{number}", module)
            self.targets[f"module_{number}"] = place
        self.__dict__["order"] = [id(leaf.value) for leaf in leaves]

    def forward(self, tensors: list[torch.Tensor]) -> Any:
        function, arguments, keywords = self.call
        given = iter(tensors)

        def replace(value: Any) -> Any:
            return next(given) if isinstance(value, torch.Tensor) else value

        arguments, keywords = pytree.tree_map(replace, (arguments, keywords))
        return function(*arguments, **keywords)


class Capture:
    """What a call of a function was traced to."""

    def __init__(self, function: Callable, arguments: tuple, keywords: dict, name: str,
                 is_dynamic: Callable[[str, int, torch.Tensor], bool], options: dict):
        self.places = Places()
        self.guards = Guards(name, self.places)
        self.environment = Environment(function, self.places)
        self.inputs = Inputs(function, self.guards)
        self.inputs.add_call(arguments, keywords)
        self.entry_name, self.options = name, options
        self.add_state()
        self.program = self.trace(function, arguments, keywords, is_dynamic)
        self.environment.add_guards(self.guards)

    def add_state(self) -> None:
        """Modes of PyTorch's that change what a function computes."""
        state = {"torch.is_grad_enabled()": torch.is_grad_enabled,
                 "whether autocast is enabled": torch._C._is_any_autocast_enabled,
                 "the number of modes of torch functions": torch._C._len_torch_function_stack,
                 "torch.get_default_dtype()": torch.get_default_dtype}
        for origin, function in state.items():
            place, value = self.places.add("result", self.places.object(function)), function()
            if is_value(value):
                self.guards.add_value(origin, place, value)
            else:
                self.guards.add_identity(origin, place, value)
        if torch.is_grad_enabled():
            for leaf in self.inputs.leaves:
                self.add_requires_grad(leaf.name, leaf.place, leaf.value)

    def add_requires_grad(self, name: str, place: int, tensor: torch.Tensor) -> None:
        self.guards.add_value(f"{name}.requires_grad", self.places.add("attribute", place, "requires_grad"), tensor.requires_grad)

    def trace(self, function: Callable, arguments: tuple, keywords: dict, is_dynamic: Callable) -> torch.export.ExportedProgram:
        leaves = self.inputs.leaves
        shapes = [{dim: torch.export.Dim.AUTO for dim in range(leaf.value.dim()) if is_dynamic(leaf.name, dim, leaf.value)} or None
                  for leaf in leaves]
        self.module = _Traced(function, self.environment, arguments, keywords, leaves)
        # One tensor given twice is two inputs.
        tensors = [leaf.value.detach() for leaf in leaves]
        with torch.no_grad(), self.environment.record(), warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of PyTorch's about itself
            program = torch.export.export(self.module, (tensors,), dynamic_shapes=(shapes,) if leaves else None, strict=False)
            return program.run_decompositions(decompositions())

    def compile(self) -> Any:
        """The entry of the extension module."""
        graph, results, mutations = self.add_tensors()
        self.results, self.mutations = results, mutations
        self.compiled: Compiled | None = None  # where it is all that a call runs
        self.inputs_of_program: list[int] = []  # numbers of tensors of the guards
        module = fx.GraphModule(self.program.graph_module, graph)
        self.guards.add_conditions()
        entry = native.Entry(self.guards.text(), self.places.rows, self.places.origins, self.guards.tensors)
        given = [node for node in graph.nodes if node.op == "placeholder"]
        if graph.output_node().args[0]:
            places = [self.guards.tensors[self.numbers[node.name]] for node in given]
            targets = {result: places.index(place) for result, place in mutations if place in places}
            run, program = compile_graph(module, self.options, targets)
            if program is not None:
                self.compiled, self.inputs_of_program = program, [self.numbers[node.name] for node in given]
                program.add_to(entry, self.inputs_of_program)
            else:
                entry.run_python(run, places)
        self.packing = _packing(self.program.call_spec.out_spec)
        entry.set_results(results, self.packing, mutations)
        # What is kept for an artefact holds neither the tensors of the call nor what it was traced with.
        del self.program, self.module, self.environment, self.inputs
        self.guards.forget_environments()
        return entry

    def add_tensors(self) -> tuple[fx.Graph, list, list]:
        """Adds guards of the tensors that the graph reads. Returns the graph of what has to be
        computed, the sources of the results, and which of what is computed is written where."""
        signature, source = self.program.graph_signature, self.program.graph
        graph = fx.Graph()
        copies: dict[fx.Node, fx.Node] = {}
        nodes = {node.name: node for node in source.nodes}
        result_nodes = source.output_node().args[0]
        places: dict[str, int] = {}
        self.numbers: dict[str, int] = {}
        self.weights: dict[int, torch.Tensor] = {}  # of the guards' tensors those that are no arguments, by number
        leaves = iter(self.inputs.leaves)
        targets: dict[str, int] = {}
        for spec in signature.input_specs:
            node = nodes[spec.arg.name]
            is_used = bool(node.users)
            if spec.kind is InputKind.USER_INPUT and isinstance(spec.arg, TensorArgument):
                leaf = next(leaves)
                name, place, actual = leaf.name, leaf.place, leaf.value
            elif spec.kind in (InputKind.PARAMETER, InputKind.BUFFER):
                if not is_used:
                    continue
                name, place, actual = self.find_in_module(spec.target)
                targets[spec.target] = place
                self.guards.add_identity(name, place, actual)
            elif spec.kind is InputKind.CONSTANT_TENSOR:
                if not is_used:
                    continue
                actual = self.program.constants[spec.target]
                name, place = spec.target, self.places.object(actual)
            else:
                raise Unsupported(f"an input of kind {spec.kind.name.lower()}")
            places[node.name] = place
            number = self.numbers[node.name] = self.guards.add_tensor(name, place, node.meta["val"], actual)
            if not self.places.is_of_call(place):
                self.weights[number] = actual
            if is_used:
                copies[node] = graph.placeholder(node.name)
                copies[node].meta = dict(node.meta)
        for node in source.nodes:
            if node.op not in ("placeholder", "output") and node.target is not _CHECK_OF_CAST:
                if node.op == "get_attr":
                    raise Unsupported(f"the attribute {node.target} of the captured graph")
                copies[node] = graph.node_copy(node, copies.__getitem__)
        computed: list[fx.Node] = []
        results, mutations = [], []
        for spec, node in zip(signature.output_specs, result_nodes):
            if spec.kind in (OutputKind.BUFFER_MUTATION, OutputKind.USER_INPUT_MUTATION):
                place = targets[spec.target] if spec.kind is OutputKind.BUFFER_MUTATION else places[spec.target]
                mutations.append((len(computed), place))
                computed.append(copies[node])
            elif spec.kind is not OutputKind.USER_OUTPUT:
                raise Unsupported(f"an output of kind {spec.kind.name.lower()}")
            elif isinstance(spec.arg, ConstantArgument) or not isinstance(node, fx.Node):
                results.append(("constant", getattr(spec.arg, "value", node)))
            elif node.name in places:
                results.append(("given", places[node.name]))
            else:
                results.append(("computed", len(computed)))
                computed.append(copies[node])
        graph.output(tuple(computed)).meta = dict(source.output_node().meta)
        for node in reversed(list(graph.nodes)):
            if not node.users and node.op != "output" and (node.op == "placeholder" or not node.is_impure()):
                graph.erase_node(node)
        for _, place in mutations:
            number = self.guards.tensors.index(place)
            for other in range(len(self.guards.tensors)):
                if other != number:
                    self.guards.add_no_alias(number, other)
        return graph, results, mutations

    def find_in_module(self, target: str) -> tuple[str, int, torch.Tensor]:
        """Name, place and value of a parameter or buffer."""
        child, _, path = target.partition(".")
        module, name, place = list(self.environment.modules.values())[int(child.rpartition("_")[2])]
        owner_path, _, last = path.rpartition(".")
        owner = module.get_submodule(owner_path)
        dictionary = "_parameters" if last in owner._parameters else "_buffers"
        at = self.places.add("attribute", self.environment.submodule(place, owner_path), dictionary)
        return f"{name}.{path}", self.places.add("item", at, last), getattr(owner, last)


def _packing(spec: pytree.TreeSpec) -> Any:
    """What the extension module makes of the list of results."""
    if spec.is_leaf():
        return "one"
    if spec.type in (tuple, list) and all(child.is_leaf() for child in spec.children()):
        return spec.type.__name__
    return lambda leaves: pytree.tree_unflatten(leaves, spec)


def add_training_guards(guards: Guards, arguments: tuple, keywords: dict, function: Callable) -> None:
    """A call records gradients, or runs under autocast."""
    places = guards.places
    if torch._C._is_any_autocast_enabled():
        function_place = places.object(torch._C._is_any_autocast_enabled)
        guards.add_value("whether autocast is enabled", places.add("result", function_place), True)
        return
    guards.add_value("torch.is_grad_enabled()", places.add("result", places.object(torch.is_grad_enabled)), True)
    environment = Environment(function, places)
    for module, name, place in environment.modules.values():
        for path, parameter in module.named_parameters():
            if parameter.requires_grad:
                owner, _, last = path.rpartition(".")
                at = places.add("item", places.add("attribute", environment.submodule(place, owner), "_parameters"), last)
                guards.add_value(f"{name}.{path}.requires_grad", places.add("attribute", at, "requires_grad"), True)
                return
    inputs = Inputs(function, Guards("", places))
    inputs.add_call(arguments, keywords)
    leaf = next(leaf for leaf in inputs.leaves if leaf.value.requires_grad)
    guards.add_value(f"{leaf.name}.requires_grad", places.add("attribute", leaf.place, "requires_grad"), True)


def requires_grad(arguments: tuple, keywords: dict, function: Callable) -> bool:
    """Whether a call would record gradients."""
    if not torch.is_grad_enabled():
        return False
    tensors = [one for one in pytree.tree_leaves((arguments, keywords)) if isinstance(one, torch.Tensor)]
    for module, _, _ in Environment(function, Places()).modules.values():
        tensors.extend(module.parameters())
    return any(one.requires_grad for one in tensors)
