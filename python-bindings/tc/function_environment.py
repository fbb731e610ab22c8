"""What a function reads beside its arguments: modules, tensors, numbers, functions.

The code of the function and of those that it calls by name is searched for globals
and variables of outer functions, with the attributes that follow them. Attributes
of modules are recorded as tracing reads them.
"""

from __future__ import annotations

import contextlib
import dis
import inspect
import types
from typing import Any, Callable, Iterator

import torch

from .function_guards import Guards, Places, is_value

_GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME"}
_FREE = {"LOAD_DEREF", "LOAD_CLASSDEREF"}
_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}


class Environment:
    """What one function reads."""

    def __init__(self, function: Callable, places: Places):
        self.places = places
        #: Each module that is found, with its name in the user's program and its place.
        self.modules: dict[int, tuple[torch.nn.Module, str, int]] = {}
        self.reads: dict[str, tuple[int, Any]] = {}  # values, by origin
        self.identities: dict[str, tuple[int, Any]] = {}
        self._visited: set[int] = set()
        self._add_function(function, places.object(function), _name_of(function))

    def _add_function(self, function: Any, place: int, name: str) -> None:
        if isinstance(function, torch.nn.Module):
            self._add_module(function, place, name if name != "self" else "self")
            return
        if isinstance(function, types.MethodType):
            self._add(function.__self__, self.places.add("attribute", place, "__self__"), "self")
            function, place = function.__func__, self.places.add("attribute", place, "__func__")
        if isinstance(function, types.FunctionType) and id(function) not in self._visited and not _is_of_library(function):
            self._visited.add(id(function))
            self._scan(function, function.__code__, place)

    def _add_module(self, module: torch.nn.Module, place: int, name: str) -> None:
        if id(module) in self.modules:
            return
        self.modules[id(module)] = module, name, place
        for each in module.modules():
            forward = type(each).forward
            if isinstance(forward, types.FunctionType):
                self._add_function(forward, self.places.object(forward), forward.__qualname__)

    def _add(self, value: Any, place: int, name: str) -> None:
        """Notes what is at the end of a way that the code goes."""
        if isinstance(value, torch.nn.Module):
            self.identities[name] = place, value
            self._add_module(value, place, name)
        elif isinstance(value, torch.Tensor):
            self.identities[name] = place, value
        elif isinstance(value, (types.FunctionType, types.MethodType)):
            if not _is_of_library(value):
                self.identities[name] = place, value
                self._add_function(value, place, name)
        elif is_value(value):
            self.reads[name] = place, _copy(value)

    def _scan(self, function: types.FunctionType, code: types.CodeType, place: int) -> None:
        current: tuple[Any, int, str] | None = None
        for instruction in dis.get_instructions(code):
            name, operation = instruction.argval, instruction.opname
            if operation in _ATTRIBUTES and current:
                value, at, origin = current
                current = None
                if _has_plain(value, name):
                    current = getattr(value, name), self.places.add("attribute", at, name), f"{origin}.{name}"
            elif operation in _GLOBALS and name in function.__globals__:
                globals_ = self.places.add("attribute", place, "__globals__")
                current = function.__globals__[name], self.places.add("item", globals_, name), name
            elif operation in _FREE and name in function.__code__.co_freevars:
                number = function.__code__.co_freevars.index(name)
                cell = self.places.add("item", self.places.add("attribute", place, "__closure__"), number)
                current = None
                with contextlib.suppress(ValueError):  # an empty cell
                    current = function.__closure__[number].cell_contents, self.places.add("attribute", cell, "cell_contents"), name
            else:
                current = None
            if current:
                self._add(*current)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._scan(function, constant, place)

    @contextlib.contextmanager
    def record(self) -> Iterator[None]:
        """Notes the values that are read of attributes of the modules meanwhile."""
        owners: dict[int, tuple[int, str]] = {}
        for module, name, place in self.modules.values():
            for path, each in module.named_modules():
                owners.setdefault(id(each), (self.submodule(place, path), ".".join(filter(None, [name, path]))))

        def read(module: torch.nn.Module, name: str) -> Any:
            value = object.__getattribute__(module, name)
            if type(value) in (bool, int, float, str, list, tuple) or value is None:
                owner = owners.get(id(module))
                if owner and not name.startswith("__") and is_value(value):
                    origin = f"{owner[1]}.{name}"
                    if origin not in self.reads:
                        self.reads[origin] = self.places.add("attribute", owner[0], name), _copy(value)
            return value

        torch.nn.Module.__getattribute__ = read
        try:
            yield
        finally:
            del torch.nn.Module.__getattribute__

    def submodule(self, place: int, path: str) -> int:
        """The place of a module in the one at `place`."""
        for name in filter(None, path.split(".")):
            place = self.places.add("item", self.places.add("attribute", place, "_modules"), name)
        return place

    def add_guards(self, guards: Guards) -> None:
        """What was read is as it was."""
        for origin, (place, value) in self.identities.items():
            guards.add_identity(origin, place, value)
        for origin, (place, value) in self.reads.items():
            guards.add_value(origin, place, value)


def _copy(value: Any) -> Any:
    """A value as it is now."""
    return list(map(_copy, value)) if isinstance(value, (list, tuple)) else value


def _name_of(function: Any) -> str:
    return "self" if isinstance(function, torch.nn.Module) else getattr(function, "__name__", "function")


def _is_of_library(function: Any) -> bool:
    """Whether a function is one of PyTorch's or of Python's, which read nothing that changes."""
    return (function.__module__ or "").partition(".")[0] in ("torch", "builtins", "math", "operator", "functools", "typing", "tc")


def _has_plain(value: Any, name: str) -> bool:
    """Whether reading an attribute runs no code of the user's."""
    if isinstance(value, torch.Tensor) or (isinstance(value, types.ModuleType) and
                                           value.__name__.partition(".")[0] in ("torch", "math", "operator")):
        return False
    if isinstance(value, torch.nn.Module):
        return False  # recorded as tracing reads it
    try:
        return not isinstance(inspect.getattr_static(value, name), property)
    except AttributeError:
        return False
