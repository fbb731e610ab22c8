"""A captured graph of PyTorch as the text that TC imports.

The text is what torch.export.save writes as `models/model.json`: the schema is
torch/_export/serde/schema.py, major version 8. A graph that Dynamo and
AOTAutograd have captured becomes the same text, so that one importer reads both.
"""

from __future__ import annotations

import json
import math
import operator
import re
from typing import Any

import sympy
import torch
from torch import fx
from torch._subclasses.fake_tensor import FakeTensorMode

from .errors import Unsupported
from .torch_higher_order import graph_of, is_graph, is_of_higher_order
from .torch_numbers import UNBOUNDED

SCHEMA_VERSION = {"major": 8, "minor": 20}
# As the schema numbers them.
_DTYPES = {torch.uint8: 1, torch.int8: 2, torch.int16: 3, torch.int32: 4, torch.int64: 5, torch.float16: 6,
           torch.float32: 7, torch.float64: 8, torch.complex32: 9, torch.complex64: 10, torch.complex128: 11,
           torch.bool: 12, torch.bfloat16: 13, torch.uint16: 28, torch.float8_e4m3fn: 29, torch.float8_e5m2: 30,
           torch.float8_e4m3fnuz: 31, torch.float8_e5m2fnuz: 32, torch.uint32: 34, torch.uint64: 35}
_MEMORY_FORMATS = {torch.contiguous_format: 1, torch.channels_last: 2, torch.channels_last_3d: 3,
                   torch.preserve_format: 4}
_STRIDED = 7
_NO_RESULT = torch.empty(0, dtype=torch.bool)
_SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)
_SYMBOL_TAGS = {torch.SymInt: "as_sym_int", torch.SymFloat: "as_sym_float", torch.SymBool: "as_sym_bool"}
_SYMBOL_TABLES = {torch.SymInt: "sym_int_values", torch.SymFloat: "sym_float_values", torch.SymBool: "sym_bool_values"}
_LISTS = {bool: "as_bools", int: "as_ints", float: "as_floats", str: "as_strings"}
# The tags of empty lists, by what the operator's schema says of the elements.
_EMPTY_LISTS = {"Tensor": "as_tensors", "Optional[Tensor]": "as_optional_tensors", "float": "as_floats", "bool": "as_bools"}


def _real(value: float) -> float | str:
    """A number of JSON's, or the text for one that it does not have."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _dtype(dtype: torch.dtype) -> int:
    if dtype not in _DTYPES:
        raise Unsupported(f"the element type {dtype}")
    return _DTYPES[dtype]


def _device(device: torch.device) -> dict:
    return {"type": device.type, "index": device.index}


class _Writer:
    """Writes one graph."""

    def __init__(self, module: fx.GraphModule, overwrites: dict[int, str]):
        self.module, self.overwrites = module, overwrites
        self.text = {"inputs": [], "outputs": [], "nodes": [], "tensor_values": {}, "sym_int_values": {},
                     "sym_bool_values": {}, "sym_float_values": {}, "custom_obj_values": {}}
        self.specs: list[dict] = []
        self.aliases: dict[fx.Node, str] = {}  # names of what getitem picks
        self.ranges: dict[str, dict] = {}
        self.given: set[str] = set()  # symbols of sizes that other graphs compute from data
        self.call_of: str | None = None  # the call of the outermost graph that calls this one

    def name(self, node: fx.Node) -> str:
        return self.aliases.get(node, node.name)

    def symbol(self, name: str) -> str:
        """The name of a symbol in the text, where u0 would be a size that this graph computes from data."""
        return f"given_{name}" if name in self.given else name

    def size(self, value: Any) -> dict:
        """A size or stride, or another number of the graph, which may be symbolic."""
        if isinstance(value, _SYMBOLS):
            text = sympy.srepr(value.node.expr)
            if self.given:
                text = re.sub(r"Symbol\('(\w+)'", lambda found: f"Symbol('{self.symbol(found[1])}'", text)
            result = {"expr_str": text}
            if isinstance(value, torch.SymInt) and (hint := value.node.hint) is not None:
                result["hint"] = {"as_int": int(hint)}
            return {"as_expr": result}
        if isinstance(value, bool):
            return {"as_bool": value}
        return {"as_float": _real(value)} if isinstance(value, float) else {"as_int": value}

    def meta(self, tensor: torch.Tensor) -> dict:
        if tensor.layout is not torch.strided:
            raise Unsupported(f"a tensor of layout {tensor.layout}")
        return {"dtype": _dtype(tensor.dtype), "sizes": [self.size(size) for size in tensor.shape],
                "strides": [self.size(stride) for stride in tensor.stride()],
                "storage_offset": self.size(tensor.storage_offset()), "device": _device(tensor.device), "layout": _STRIDED,
                "requires_grad": False}

    def define(self, name: str, value: Any) -> dict:
        """Notes a value of the graph under its name; returns it as an argument."""
        if isinstance(value, torch.Tensor):
            self.text["tensor_values"][name] = self.meta(value)
            self.note_symbols([*value.shape, *value.stride(), value.storage_offset()])
            return {"as_tensor": {"name": name}}
        if (kind := type(value)) in _SYMBOL_TABLES:
            self.text[_SYMBOL_TABLES[kind]][name] = self.size(value)
            self.note_symbols([value])
            return {_SYMBOL_TAGS[kind]: {"as_name": name}}
        if isinstance(value, (bool, int, float)):
            kind = {bool: torch.SymBool, int: torch.SymInt, float: torch.SymFloat}[type(value)]
            self.text[_SYMBOL_TABLES[kind]][name] = self.size(value)
            return {_SYMBOL_TAGS[kind]: {"as_name": name}}
        raise Unsupported(f"a value of type {type(value).__name__}")

    def note_symbols(self, values: list) -> None:
        for value in values:
            if not isinstance(value, torch.SymInt):
                continue
            environment = value.node.shape_env
            for symbol in value.node.expr.free_symbols:
                name = self.symbol(str(symbol))
                if name not in self.ranges and symbol in environment.var_to_range:
                    bounds = environment.var_to_range[symbol]
                    least, most = _bounds(bounds.lower, bounds.upper)
                    self.ranges[name] = {"min_val": least, "max_val": most}

    def constant(self, value: Any) -> dict:
        """An argument that is no value of the graph."""
        if value is None:
            return {"as_none": True}
        if isinstance(value, bool):
            return {"as_bool": value}
        if isinstance(value, int):
            return {"as_int": value}
        if isinstance(value, float):
            return {"as_float": _real(value)}
        if isinstance(value, complex):
            return {"as_complex": {"real": _real(value.real), "imag": _real(value.imag)}}
        if isinstance(value, str):
            return {"as_string": value}
        if isinstance(value, torch.dtype):
            return {"as_scalar_type": _dtype(value)}
        if isinstance(value, torch.device):
            return {"as_device": _device(value)}
        if isinstance(value, torch.memory_format):
            return {"as_memory_format": _MEMORY_FORMATS[value]}
        if isinstance(value, torch.layout) and value is torch.strided:
            return {"as_layout": _STRIDED}
        raise Unsupported(f"an argument {value!r} of type {type(value).__name__}")

    def argument(self, value: Any, schema_type: Any = None) -> dict:
        if isinstance(value, fx.Node):
            meta = value.meta["val"]
            if isinstance(meta, torch.Tensor):
                return {"as_tensor": {"name": self.name(value)}}
            kind = type(meta)
            kind = {bool: torch.SymBool, int: torch.SymInt, float: torch.SymFloat}.get(kind, kind)
            if kind in _SYMBOL_TAGS:
                return {_SYMBOL_TAGS[kind]: {"as_name": self.name(value)}}
            raise Unsupported(f"an argument of type {type(meta).__name__}")
        if isinstance(value, (list, tuple)):
            return self.list_argument(value, schema_type)
        return self.constant(value)

    def list_argument(self, values: Any, schema_type: Any) -> dict:
        if not values:
            element = str(schema_type).removeprefix("Optional[") if schema_type else ""
            for name, tag in _EMPTY_LISTS.items():
                if element.startswith(f"List[{name}]"):
                    return {tag: []}
            return {"as_ints": []}
        written = [self.argument(value) for value in values]
        tags = {tag for one in written for tag in one}
        if tags == {"as_tensor"} and "Optional[Tensor]" not in str(schema_type):
            return {"as_tensors": [one["as_tensor"] for one in written]}
        if tags <= {"as_tensor", "as_none"}:
            return {"as_optional_tensors": written}
        if tags <= {"as_int", "as_sym_int"} and "as_sym_int" in tags:
            return {"as_sym_ints": [one.get("as_sym_int", one) for one in written]}
        if len(kinds := {type(value) for value in values}) == 1 and (kind := kinds.pop()) in _LISTS:
            return {_LISTS[kind]: [next(iter(one.values())) for one in written]}
        if tags <= {"as_int", "as_float"}:
            return {"as_floats": [_real(float(value)) for value in values]}
        raise Unsupported(f"an argument {values!r}")

    def placeholder(self, node: fx.Node) -> None:
        """A tensor is the next input; a number is known by the sizes of these."""
        value = node.meta["val"]
        if value is None:
            return
        argument = self.define(node.name, value)
        if isinstance(value, torch.Tensor):
            self.add_input(argument)

    def note_given(self) -> None:
        """Notes the symbols of the inputs' sizes before any is written."""
        for node in self.module.graph.find_nodes(op="placeholder"):
            value = node.meta["val"]
            if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
                continue
            for size in (*value.shape, *value.stride()):
                if isinstance(size, torch.SymInt):
                    self.given |= {str(symbol) for symbol in size.node.expr.free_symbols
                                   if size.node.shape_env.is_unbacked_symint(symbol)}

    def add_input(self, argument: dict, kind: str = "user_input") -> None:
        self.text["inputs"].append(argument)
        self.specs.append({kind: {"arg": argument}})

    def results(self, node: fx.Node) -> list[dict]:
        """The results of a call; what getitem picks of several gets its name."""
        value = node.meta["val"]
        if not isinstance(value, (list, tuple)):
            return [] if value is None else [self.define(node.name, value)]
        names = [f"{node.name}_unused_{index}" for index in range(len(value))]
        for user in node.users:
            if user.target is operator.getitem:
                index = user.args[1]
                if names[index] == f"{node.name}_unused_{index}":
                    names[index] = user.name
                self.aliases[user] = names[index]
        # Where an operator computes nothing, a result stands that nobody uses.
        results = [self.define(name, _NO_RESULT if one is None else one) for name, one in zip(names, value)]
        if not is_of_higher_order(node) and len(node.target._schema.returns) == 1:  # one list of tensors
            return [{"as_tensors": [one["as_tensor"] for one in results]}]
        return results

    def region(self, module: fx.GraphModule, call: fx.Node) -> dict:
        """The text of a graph that an operator of higher order calls."""
        inner = _Writer(module, {})
        inner.ranges, inner.given, inner.call_of = self.ranges, self.given, self.call_of or call.name
        for node in module.graph.nodes:
            if node.op == "placeholder":
                inner.text["inputs"].append(inner.define(node.name, node.meta["val"]))
            elif node.op == "call_function":
                inner.call(node)
        results = module.graph.output_node().args[0]
        inner.text["outputs"] = [inner.argument(one) for one in (results if isinstance(results, (list, tuple)) else [results])]
        return inner.text

    def operand(self, value: Any, call: fx.Node) -> dict:
        """An argument of an operator of higher order: a graph, inputs of graphs, or the condition of a branch."""
        if is_graph(value):
            return {"as_graph": {"name": value.target, "graph": self.region(graph_of(value), call)}}
        if not isinstance(value, (list, tuple)):
            return self.argument(value)
        written = [self.argument(one) for one in value]
        names = [{"name": one.get("as_tensor", {}).get("name") or one.get("as_sym_int", {}).get("as_name")} for one in written]
        if not all(one["name"] for one in names):
            raise Unsupported(f"an input of {call.target} that is no tensor or integer of the graph")
        return {"as_tensors": names}  # the format calls an integer among tensors a tensor

    def call(self, node: fx.Node) -> None:
        target = node.target
        if target is operator.getitem and node.args[0] in self.module.graph.nodes and isinstance(
                node.args[0].meta.get("val"), (list, tuple)):
            return
        if isinstance(target, torch._ops.OpOverload):
            schema = target._schema.arguments
            given = list(zip(schema, node.args))
            given += [(one, node.kwargs[one.name]) for one in schema if one.name in node.kwargs]
            inputs = [{"name": one.name, "arg": self.argument(value, one.type), "kind": 1} for one, value in given]
            name = f"torch.ops.{target._schema.name.replace('::', '.')}.{target._overloadname}"
        elif getattr(target, "__module__", "") in ("_operator", "math", "torch", "torch.fx.experimental.sym_node") \
                and not node.kwargs:
            name = f"{target.__module__}.{target.__name__}"
            inputs = [{"name": "", "arg": self.argument(value), "kind": 1} for value in node.args]
        elif is_of_higher_order(node):
            name = f"torch.ops.higher_order.{target.name()}"
            inputs = [{"name": "", "arg": self.operand(value, node), "kind": 1} for value in node.args]
        else:
            raise Unsupported(f"the call of {target}")
        self.text["nodes"].append({
            "target": name, "name": f"{self.call_of}/{node.name}" if self.call_of else node.name, "inputs": inputs, "outputs": self.results(node),
            "metadata": {"stack_trace": node.meta.get("stack_trace") or ""}})

    def seed(self) -> None:
        """The seed of the random numbers is an input behind the others."""
        device = next(value.device for node in self.module.graph.nodes
                      if isinstance(value := node.meta.get("val"), torch.Tensor))
        with FakeTensorMode():
            self.add_input(self.define("tc_random_seed", torch.empty((), dtype=torch.int64, device=device)), "random_seed")

    def output_spec(self, number: int, argument: dict) -> dict:
        """With the input that a result may be written over."""
        permission = {"may_overwrite": self.overwrites[number]} if number in self.overwrites else {}
        return {"user_output": {"arg": argument} | permission}

    def write(self, has_seed: bool) -> str:
        self.note_given()
        for node in self.module.graph.nodes:
            try:
                if node.op == "placeholder":
                    self.placeholder(node)
                elif node.op == "call_function":
                    self.call(node)
                elif node.op != "output" and not is_graph(node):
                    raise Unsupported(f"a node of kind {node.op}")
            except Unsupported as error:
                raise UnsupportedCall(node.name, str(error)) from None
        if has_seed:
            self.seed()
        self.text["outputs"] = [self.argument(node) for node in self.module.graph.output_node().args[0]]
        signature = {"input_specs": self.specs,
                     "output_specs": [self.output_spec(*one) for one in enumerate(self.text["outputs"])]}
        return json.dumps({
            "schema_version": SCHEMA_VERSION, "torch_version": torch.__version__,
            "range_constraints": self.ranges, "graph_module": {"graph": self.text, "signature": signature}})


class UnsupportedCall(Unsupported):
    """What the schema or TC does not have, with the name of the node."""

    def __init__(self, node: str, reason: str):
        super().__init__(reason)
        self.node = node


def _bounds(lower: Any, upper: Any) -> tuple[int, int | None]:
    """The bounds of a symbol; without a lower one all integers are in its range, and without an upper one None."""
    least = int(lower) if lower.is_Integer and abs(int(lower)) < UNBOUNDED else -UNBOUNDED
    return least, int(upper) if upper.is_Integer and abs(int(upper)) < UNBOUNDED else None


def write_graph(module: fx.GraphModule, has_seed: bool = False, overwrites: dict[int, str] | None = None) -> str:
    """The text of a graph of ATen calls whose outputs are tensors. Its inputs are
    the placeholders that are tensors and, with `has_seed`, the seed of its random
    numbers, a 0-d i64. `overwrites` has, for the number of an output that may be written
    over an input, the name of that one. Raises UnsupportedCall for what the schema does
    not have."""
    return _Writer(module, overwrites or {}).write(has_seed)
