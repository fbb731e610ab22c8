"""Functions of PyTorch's in artefacts.

Each compilation of the function is a function of the artefact. The JSON beside it
says which calls it is for: the guards of what a call gives, and where in the
arguments the tensors are. What the function reads beside its arguments is a
parameter of the program, in a file of its own.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, Sequence

import torch

from .compiled import Compiled, _Program, compile as compile_program
from .errors import Error, GuardFailed
from .function_entries import Entries
from .function_guards import describe_object, text_of
from .library import native

if TYPE_CHECKING:
    from .function_capture import Capture

_VERSION = 1
_ALIGNMENT = 64  # of weights in their file
_TYPES = (torch.Tensor, torch.nn.Parameter, list, tuple, dict)


class LoadedFunction(Entries):
    """A function of PyTorch's that an artefact holds. Call it as the function: the first version whose guards hold
    is run."""

    def __init__(self, name: str):
        super().__init__()
        self.__name__ = name

    def compile_and_call(self, arguments: tuple, keywords: dict) -> Any:
        """A call that no version takes. The extension module calls it."""
        why = self.explain_miss(*arguments, **keywords)
        raise GuardFailed(f"no version of {self.__name__} in the artefact takes this call:\n{why}")


class _Weights:
    """The file of what functions read beside their arguments; a tensor is in it once."""

    def __init__(self, path: str):
        self.path, self.name = path, os.path.basename(path)
        self.sources: list[str] = []  # declarations of MLIR
        self._symbols: dict[int, str] = {}
        self._content = bytearray()

    def add(self, tensor: torch.Tensor, name: str, type_text: str) -> str:
        """The symbol of a tensor."""
        if id(tensor) not in self._symbols:
            symbol = name if name not in self._symbols.values() else f"{name}_{len(self._symbols)}"
            self._symbols[id(tensor)] = symbol
            self._content.extend(bytes(-len(self._content) % _ALIGNMENT))
            role = "parameter" if isinstance(tensor, torch.nn.Parameter) else "constant"
            self.sources.append(f"tc.parameter_source @{text_of(symbol)} : {type_text} {{file = {text_of(self.name)}, "
                                f"offset = {len(self._content)} : i64, role = {text_of(role)}}}")
            self._content.extend(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
        return self._symbols[id(tensor)]

    def write(self) -> None:
        if self.sources:
            with open(self.path, "wb") as file:
                file.write(self._content)


def _split(text: str) -> tuple[list[str], str]:
    """The parts between the commas of a list in parentheses, from behind its first, and what is behind its end."""
    parts, depth, begin, is_quoted = [], 0, 0, False
    for at, letter in enumerate(text):
        if letter == '"':
            is_quoted = not is_quoted
        if is_quoted or text[at - 1:at + 1] == "->":
            continue
        if depth == 0 and letter in ",)":
            parts.append(text[begin:at].strip())
            begin = at + 1
            if letter == ")":
                return list(filter(None, parts)), text[begin:]
        depth += (letter in "([{<") - (letter in ")]}>")
    raise Error("a function of a module has no end")


def _function_text(capture: Capture, name: str, weights: _Weights) -> str:
    """What is captured as a public function, in which what is no argument of a call is a parameter."""
    guards, compiled = capture.guards, capture.compiled
    header, found, rest = compiled.ir().partition("func.func @main(")
    if not found or header.strip() != "module {":
        raise Error(f"the module of '{name}' has more than a function")
    arguments, rest = _split(rest)
    signature, _, body = rest.partition(" {\n")
    kept, parameters, names = [], [], []
    for number, argument in zip(capture.inputs_of_program, arguments):
        if number not in capture.weights:
            kept.append(argument)
            names.append(guards.names[number])
            continue
        value, _, type_text = re.sub(r" \{.*\}$", "", argument).partition(": ")
        symbol = weights.add(capture.weights[number], guards.names[number], type_text)
        parameters.append(f"    {value} = tc.parameter @{text_of(symbol)} : {type_text}\n")
    for key, values in (("inputs", names), ("input_paths", [""] * len(names))):
        listed = ", ".join(map(text_of, values))
        signature = re.sub(rf"\b{key} = \[[^\]]*\]", lambda _: f"{key} = [{listed}]", signature, count=1)
    conditions = [f"    {line}\n" for numbers, line in guards.about_tensors if not numbers]
    body = "".join([*conditions, *parameters, body[:body.rindex("}")]])  # without the end of the module
    return f"  func.func @{text_of(name)}({', '.join(kept)}){signature} {{\n{body}"


def _check(capture: Capture | None, number: int) -> None:
    """Raises Error where what an entry does is not all of it a program."""
    why = ""
    if capture is None:
        why = "it records gradients, or runs under autocast, which is torch.compile's"
    elif capture.mutations:
        written = next(place for _, place in capture.mutations)
        why = f"it writes to '{capture.guards.names[capture.guards.tensors.index(written)]}'"
    elif [kind for kind, _ in capture.results if kind == "constant"]:
        why = "a result is no tensor"
    elif [kind for kind, _ in capture.results if kind == "given"]:
        why = "a result is an argument"
    elif capture.packing not in ("one", "tuple", "list"):
        why = "its results are neither a tensor nor a tuple or list of tensors"
    elif capture.compiled is None:
        why = "PyTorch takes part in its calls, as for views of arguments, random numbers and what TC refuses"
    if why:
        raise Error(f"entry {number} cannot be in an artefact: {why}, and an artefact runs without Python")


def _describe(capture: Capture, name: str) -> dict:
    """Which calls a version is for."""
    guards, places = capture.guards, capture.places
    kept = [place for place in range(len(places.rows)) if places.is_of_call(place)]
    numbers = {place: number for number, place in enumerate(kept)}
    tensors = [number for number, place in enumerate(guards.tensors) if place in numbers]
    origins = {origin: [numbers[place], None if value is None else describe_object(value)]
               for origin, (place, value) in places.origins.items() if place in numbers}
    return {"function": name, "guards": guards.text(only_of_call=True),
            "places": [(kind, numbers[parent], key) for kind, parent, key in (places.rows[place] for place in kept)],
            "origins": origins, "tensors": [numbers[guards.tensors[number]] for number in tensors],
            "inputs": [tensors.index(number) for number in capture.inputs_of_program if number not in capture.weights],
            "results": [number for _, number in capture.results], "packing": capture.packing}


def save_function(name: str, captures: Sequence[Capture | None], path: str, targets: list[str]) -> None:
    """What CompiledFunction.save does."""
    if not captures:
        raise Error(f"{name} has not been compiled yet: call it with arguments as the artefact is to take them")
    for number, capture in enumerate(captures):
        _check(capture, number)
    weights = _Weights(path + ".weights")
    name = re.sub(r"\W", "_", name)
    names = [name if len(captures) == 1 else f"{name}_{number}" for number in range(len(captures))]
    functions = [_function_text(*pair, weights) for pair in zip(captures, names)]
    text = "\n".join(["module {", *weights.sources, *functions, "}\n"])
    versions = {"version": _VERSION, "name": name, "versions": [_describe(*pair) for pair in zip(captures, names)]}
    weights.write()
    device = captures[0].compiled.device_number
    program = compile_program(text, function=names[0], compile_to="import", directory=os.path.dirname(path),
                              device="cpu" if device < 0 else f"cuda:{device}")
    program.save_versions(path, targets, json.dumps(versions))


def _key(value: Any) -> Any:
    """A key of a place; lists of JSON are tuples, which can be keys."""
    return tuple(map(_key, value)) if isinstance(value, list) else value


def _object(described: str | None) -> Any:
    """The object that a guard of identity names."""
    if described is None:
        return None
    for one in _TYPES:
        if describe_object(one) == described:
            return one
    module, _, name = described.rpartition(".")
    if module == "torch" and hasattr(torch, name):
        return getattr(torch, name)
    raise Error(f"the artefact has a guard of an object '{described}', which is not known")


def load_function(program: _Program, versions: str) -> LoadedFunction:
    """The function that a program of an artefact is."""
    described = json.loads(versions)
    if described["version"] != _VERSION:
        raise Error(f"what the artefact says of versions has version {described['version']}, expected {_VERSION}")
    loaded = LoadedFunction(described["name"])
    for version in described["versions"]:
        places = [(kind, parent, _key(key)) for kind, parent, key in version["places"]]
        origins = {origin: (place, _object(what)) for origin, (place, what) in version["origins"].items()}
        entry = native.Entry(version["guards"], places, origins, version["tensors"])
        Compiled(program, version["function"], "torch").add_to(entry, version["inputs"])
        entry.set_results([("computed", number) for number in version["results"]], version["packing"], [])
        loaded.append_entry(entry, version["guards"])
    return loaded
