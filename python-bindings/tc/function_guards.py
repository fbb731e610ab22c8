"""The guards of a captured function: text of MLIR, and where its values are.

A guard of a tensor is about an argument of the text's function; what is no tensor
has a name, the guard's `origin`, and a place: the way that the extension module
goes from the arguments of a call, or from an object, to the value.
"""

from __future__ import annotations

import json
import math
from typing import Any

import sympy
import torch
from torch.utils._sympy.functions import FloorDiv, Max, Min, Mod, PythonMod
from torch.utils._sympy.numbers import int_oo

from .errors import Unsupported

_MOST = 2**63 - 1
_DTYPES = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64",
           torch.int32: "i32", torch.int16: "i16", torch.int8: "i8", torch.uint64: "ui64", torch.uint32: "ui32",
           torch.uint16: "ui16", torch.uint8: "ui8", torch.bool: "i1", torch.float8_e4m3fn: "f8E4M3FN",
           torch.float8_e5m2: "f8E5M2", torch.complex64: "complex<f32>", torch.complex128: "complex<f64>"}
_SINGLETONS = (torch.dtype, torch.memory_format, torch.layout)
#: What a guard of a value can have.
VALUES = (bool, int, float, str, type(None))


def is_value(value: Any) -> bool:
    """Whether a guard can say what `value` is: a number, a text, None, or a short list or tuple of such."""
    if type(value) in (list, tuple):
        return len(value) <= 64 and all(map(is_value, value))
    return type(value) in VALUES and (type(value) is not int or -_MOST <= value <= _MOST)


class Places:
    """The ways to values, each with a number; a way that is asked for twice is one place."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, int, Any]] = []
        self._numbers: dict[tuple, int] = {}
        #: Of each name, the place and the object that it has to be, if any.
        self.origins: dict[str, tuple[int, Any]] = {}
        self.arguments, self.keywords = self.add("arguments"), self.add("keywords")

    def add(self, kind: str, parent: int = 0, key: Any = None) -> int:
        """The place of `key` of what is at `parent`."""
        known = (kind, parent, id(key) if kind == "object" else key)
        if known not in self._numbers:
            self._numbers[known] = len(self.rows)
            self.rows.append((kind, parent, key))
        return self._numbers[known]

    def object(self, value: Any) -> int:
        """The place of an object that is there."""
        return self.add("object", key=value)

    def is_of_call(self, place: int) -> bool:
        """Whether a place is the arguments of a call, or in them."""
        while place not in (self.arguments, self.keywords):
            kind, parent, _ = self.rows[place]
            if kind == "object":
                return False
            place = parent
        return True


def describe_object(value: Any) -> str:
    """How a guard of identity calls an object."""
    what = value if isinstance(value, type) else type(value)
    return str(value) if what in _SINGLETONS else f"{what.__module__}.{what.__qualname__}"


def text_of(value: str) -> str:
    """A string as MLIR writes it."""
    return '"' + "".join(letter if " " <= letter <= "~" and letter not in '"\\' else
                         "".join(f"\\{byte:02X}" for byte in letter.encode()) for letter in value) + '"'


def _attribute(value: Any) -> str:
    """A value as an attribute of MLIR."""
    if value is None:
        return "unit"
    if type(value) is bool:
        return json.dumps(value)
    if type(value) is int:
        return f"{value} : i64"
    if type(value) is float:
        if not math.isfinite(value):
            bits = 0x7FF8000000000000 if math.isnan(value) else 0x7FF0000000000000 if value > 0 else 0xFFF0000000000000
            return f"0x{bits:016X} : f64"
        return f"{value:.17e} : f64" if float(f"{value:.6e}") != value else f"{value:.6e} : f64"
    if type(value) is str:
        return text_of(value)
    return f"[{', '.join(map(_attribute, value))}]"


def is_symbolic(size: Any) -> bool:
    """Whether a size of a traced tensor is none that tracing has found out."""
    return isinstance(size, torch.SymInt) and not size.node.expr.is_Integer


def size_text(size: Any) -> str:
    """A size of a traced tensor as `#tc.expr` writes it. Raises Unsupported for what it cannot."""
    return _expression(size.node.expr) if isinstance(size, torch.SymInt) else str(size)


def _expression(expr: Any) -> str:
    if expr.is_Integer:
        return str(int(expr))
    if expr.is_Symbol:
        return str(expr)
    parts = [_expression(one) for one in expr.args]
    if isinstance(expr, sympy.Add):
        return f"({' + '.join(parts)})"
    if isinstance(expr, sympy.Mul):
        return f"({' * '.join(parts)})"
    if isinstance(expr, sympy.Pow) and expr.exp.is_Integer and 0 < int(expr.exp) < 9:
        return f"({' * '.join([parts[0]] * int(expr.exp))})"
    if isinstance(expr, FloorDiv):
        return f"({parts[0]} floordiv {parts[1]})"
    if isinstance(expr, (Mod, PythonMod)):
        return f"({parts[0]} mod {parts[1]})"
    if isinstance(expr, (Min, Max)):
        name = "min" if isinstance(expr, Min) else "max"
        result = parts[0]
        for part in parts[1:]:
            result = f"{name}({result}, {part})"
        return result
    raise Unsupported(f"the size {expr}")


def _ranges(relation: Any) -> tuple[str, int, int]:
    """An expression of sizes, and the least and most that it may be for a relation to hold."""
    if relation is sympy.true:
        return "0", 0, 0
    if not getattr(relation, "is_Relational", False):
        raise Unsupported(f"the condition {relation}")
    left, right = map(_expression, relation.args)
    difference, reverse = (f"({one} - {other})" if other != "0" else one for one, other in ((left, right), (right, left)))
    if isinstance(relation, sympy.Eq):
        return difference, 0, 0
    if isinstance(relation, sympy.Ne):
        return f"max({difference}, {reverse})", 1, _MOST
    if isinstance(relation, (sympy.StrictGreaterThan, sympy.GreaterThan)):
        return difference, int(isinstance(relation, sympy.StrictGreaterThan)), _MOST
    return reverse, int(isinstance(relation, sympy.StrictLessThan)), _MOST


class Guards:
    """Writes the guards of one capture."""

    def __init__(self, name: str, places: Places):
        self.name, self.places = name, places
        self.values: list[tuple[int, str]] = []  # with the place that each is about
        self.about_tensors: list[tuple[tuple[int, ...], str]] = []  # with the numbers of the tensors
        self.arguments: list[str] = []
        self.tensors: list[int] = []  # their places
        self.names: list[str] = []
        self.symbols: dict[str, tuple[Any, str]] = {}  # environment of shapes, declaration

    def add_value(self, origin: str, place: int, value: Any) -> None:
        """The value at `place` has this type and value."""
        if origin not in self.places.origins:
            self.places.origins[origin] = (place, None)
            text = f"tc.guard scalar() {{value = {_attribute(value)}, origin = {text_of(origin)}}}"
            self.values.append((place, text))

    def add_identity(self, origin: str, place: int, value: Any) -> None:
        """The object at `place` is this one."""
        if origin not in self.places.origins:
            self.places.origins[origin] = (place, value)
            described = text_of(describe_object(value))
            self.values.append((place, f"tc.guard identity() {{value = {described}, origin = {text_of(origin)}}}"))

    def add_tensor(self, origin: str, place: int, traced: torch.Tensor, actual: torch.Tensor) -> int:
        """The tensor at `place` has the properties with which it was traced. Returns its number."""
        if traced.dtype not in _DTYPES:
            raise Unsupported(f"the element type {traced.dtype} of '{origin}'")
        number = len(self.tensors)
        self.tensors.append(place)
        self.names.append(origin)
        self.places.origins.setdefault(origin, (place, None))
        sizes = [size_text(size) for size in traced.shape]
        extents = ["?" if is_symbolic(size) else text for size, text in zip(traced.shape, sizes)]
        encoding = f", #tc.sizes<[{', '.join(sizes)}]>" if "?" in extents else ""
        type_text = f"tensor<{''.join(f'{size}x' for size in extents)}{_DTYPES[traced.dtype]}{encoding}>"
        self.arguments.append(f"%t{number}: {type_text}")

        def add(kind: str, attributes: str) -> None:
            comma = ", " if attributes else ""
            self.about_tensors.append(((number,), f"tc.guard {kind}(%t{number}) "
                                       f"{{{attributes}{comma}origin = {text_of(origin)}}} : {type_text}"))

        add("rank", f"value = {len(sizes)} : i64")
        add("dtype", f"value = {_DTYPES[traced.dtype]}")
        add("device", f"value = {text_of(str(actual.device))}")
        for dim, (size, text) in enumerate(zip(traced.shape, sizes)):
            self._add_size(add, dim, size, text)
        # torch's own answer is yes for some strides of sizes 1 and 0 as well, which the guard ignores too.
        if actual.is_contiguous():
            add("contiguous", "")
        else:
            for dim, stride in enumerate(traced.stride()):
                add("stride", f"dim = {dim} : i64, expr = #tc.expr<{size_text(stride)}>")
        add("alignment", f"divisor = {actual.element_size()} : i64")
        return number

    def _add_size(self, add: Any, dim: int, size: Any, text: str) -> None:
        if not is_symbolic(size) or not size.node.expr.is_Symbol or text in self.symbols:
            add("size_equal", f"dim = {dim} : i64, expr = #tc.expr<{text}>")
            return
        environment = size.node.shape_env
        bounds = environment.var_to_range[size.node.expr]
        least, most = int(bounds.lower), _MOST if bounds.upper in (int_oo, sympy.oo) else min(int(bounds.upper), _MOST)
        self.symbols[text] = environment, f'#tc.symbol<"{text}", min = {least}, max = {most}>'
        add("size_range", f"dim = {dim} : i64, min = {least} : i64, max = {most} : i64")

    def add_no_alias(self, one: int, other: int) -> None:
        """Two tensors, by number, have no memory in common."""
        types = [self.arguments[number].partition(": ")[2] for number in (one, other)]
        self.about_tensors.append(((one, other), f"tc.guard no_alias(%t{one}, %t{other}) "
                                   f"{{origin = {text_of(self.names[one])}}} : {', '.join(types)}"))

    def add_conditions(self) -> None:
        """What tracing has found out about sizes."""
        for environment in {id(one): one for one, _ in self.symbols.values()}.values():
            for guard in environment.guards:
                expr = guard.expr
                if any(str(symbol) not in self.symbols for symbol in expr.free_symbols):
                    continue  # of a value that is not dynamic any more
                text, least, most = _ranges(expr)
                line = guard.sloc.maybe_user_loc or guard.sloc.framework_loc
                where = line if isinstance(line, str) else f"{line.filename}:{line.lineno}" if line else "sizes"
                self.about_tensors.append(((), f"tc.guard scalar() {{expr = #tc.expr<{text}>, min = {least} : i64, "
                                           f"max = {most} : i64, origin = {text_of(where)}}}"))

    def forget_environments(self) -> None:
        """Lets go of what tracing knows of symbols; their declarations stay."""
        self.symbols = {name: (None, declared) for name, (_, declared) in self.symbols.items()}

    def text(self, only_of_call: bool = False) -> str:
        """The module; if wanted, without the guards of what is no argument of a call and without those tensors."""
        def is_kept(place: int) -> bool:
            return not only_of_call or self.places.is_of_call(place)

        kept = [number for number, place in enumerate(self.tensors) if is_kept(place)]
        values = [line for place, line in self.values if is_kept(place)]
        about_tensors = [line for numbers, line in self.about_tensors if set(numbers) <= set(kept)]
        lines = "\n  ".join([*values, *about_tensors, "return"])
        declared = ", ".join(text for _, text in self.symbols.values())
        attributes = f" attributes {{tc.symbols = [{declared}]}}" if declared else ""
        arguments = ", ".join(self.arguments[number] for number in kept)
        return f"func.func @{self.name}({arguments}){attributes} {{\n  {lines}\n}}\n"
