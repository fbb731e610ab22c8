"""`tc.compile` of a function or module of PyTorch's.

A call is captured by torch.export, compiled, and kept as an entry with its guards,
which are text of MLIR. The extension module is what Python calls: it checks the
guards of the entries, the one that was used last first, and runs the first whose
guards hold. A call that none takes comes here.
"""

from __future__ import annotations

import logging
import os
import warnings
from typing import Any, Callable, Iterable

import torch

from .errors import Error, RecompileLimit, Unsupported
from .function_artefact import save_function
from .function_capture import Capture, add_training_guards, requires_grad
from .function_entries import Entries
from .function_guards import Guards, Places
from .library import native
from .torch_backend import backend, read_settings

_LIMITS = ("warn", "error")


class CompiledFunction(Entries):
    """A function of PyTorch's that TC has compiled, or will when it is called. Call it as the function.

    Its results are those of the function, with the same views and strides; a result that is an
    argument is that object. Arguments that are written to, and buffers, have their new values.
    """

    def __init__(self, function: Callable, dynamic: bool | None, recompile_limit: int, on_recompile_limit: str, settings: dict):
        super().__init__()
        self.function, self.dynamic = function, dynamic
        self.recompile_limit, self.on_recompile_limit = recompile_limit, on_recompile_limit
        self._settings = settings
        self._captures: list[Capture | None] = []  # of each entry; None for what torch.compile runs
        self._sizes: dict[str, list[tuple[int, ...]]] = {}  # of each tensor, in the captures so far
        self._has_warned = False
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self.__doc__ = getattr(function, "__doc__", None)

    def save(self, path: str | os.PathLike, targets: str | Iterable[str] = ()) -> None:
        """Writes what the function has been compiled to so far, with the guards of each compilation, to an artefact
        that `tc.load`, tc-run and libTCRuntime load, compiled for each of the targets, by default its own. What the
        function reads beside its arguments, such as parameters, is written to the file `path` + ".weights" as it is.

        Raises tc.Error where nothing has been compiled, and where a result of a compilation needs Python.
        """
        names = [targets] if isinstance(targets, str) else list(targets)
        save_function(self.__name__, self._captures, os.fspath(path), names)

    def reset(self) -> None:
        """Forgets all entries."""
        self.forget_entries()
        self._captures.clear()
        self._sizes.clear()
        self._has_warned = False

    def compile_and_call(self, arguments: tuple, keywords: dict) -> Any:
        """A call that no entry takes. The extension module calls it."""
        why = self.explain_miss(*arguments, **keywords)
        if why:
            logging.getLogger("tc.recompiles").info("%s is compiled again:\n%s", self.__name__, why)
        if self.entry_count >= self.recompile_limit:
            return self._reach_limit(why, arguments, keywords)
        entry, text, capture = self._make_entry(arguments, keywords)
        if missed := entry.explain_miss(arguments, keywords):
            raise Error(f"the guards of what {self.__name__} was compiled to do not hold for the call that it was compiled for: "
                        f"{missed}; does the function change what it reads?")
        self.append_entry(entry, text)
        self._captures.append(capture)
        logging.getLogger("tc.guards").info("%s", text)
        return self(*arguments, **keywords)

    def _reach_limit(self, why: str, arguments: tuple, keywords: dict) -> Any:
        text = (f"{self.__name__} was compiled {self.entry_count} times, which is the limit, and no entry takes this call:\n"
                f"{why}\n"
                "Give sizes and numbers that vary less, set dynamic=True, or raise recompile_limit.")
        if self.on_recompile_limit == "error":
            raise RecompileLimit(text)
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(f"{text} PyTorch runs such calls from now on.", RuntimeWarning, stacklevel=3)
        return self.function(*arguments, **keywords)

    def _make_entry(self, arguments: tuple, keywords: dict) -> tuple[Any, str, Capture | None]:
        name = f"entry_{self.entry_count}"
        if torch._C._is_any_autocast_enabled() or requires_grad(arguments, keywords, self.function):
            return *self._make_training_entry(name, arguments, keywords), None
        try:
            capture = self._capture(name, arguments, keywords, self._is_dynamic)
            entry = capture.compile()
        except Unsupported:
            if not any(self._is_dynamic(leaf, dim, None) for leaf, sizes in self._sizes.items() for dim in range(len(sizes[0]))):
                raise
            # Conditions of sizes that guards cannot express: an entry for these sizes alone.
            capture = self._capture(name, arguments, keywords, lambda *_: False)
            entry = capture.compile()
        return entry, capture.guards.text(), capture

    def _capture(self, name: str, arguments: tuple, keywords: dict, is_dynamic: Callable) -> Capture:
        try:
            return Capture(self.function, arguments, keywords, name, self._noting(is_dynamic), self._settings)
        except Error:
            raise
        except Exception as error:
            raise Unsupported(f"{self.__name__} cannot be captured whole: {str(error).strip().splitlines()[0]}\n"
                              "torch.compile(function, backend=\"tc\") compiles what it can of such a function.") from error

    def _noting(self, is_dynamic: Callable) -> Callable:
        """`is_dynamic`, which notes the sizes that it is asked about."""
        def ask(name: str, dim: int, tensor: torch.Tensor) -> bool:
            sizes = self._sizes.setdefault(name, [])
            if not sizes or sizes[-1] != tuple(tensor.shape):
                sizes.append(tuple(tensor.shape))
            return is_dynamic(name, dim, tensor)

        return ask

    def _is_dynamic(self, name: str, dim: int, tensor: torch.Tensor | None) -> bool:
        """Whether a size is a symbol: where two calls had different ones, or the user says so."""
        if self.dynamic is not None:
            return self.dynamic
        if dim in getattr(tensor, "_dynamo_dynamic_indices", ()):
            return True
        known = [sizes for sizes in self._sizes.get(name, []) if tensor is None or len(sizes) == tensor.dim()]
        return len({sizes[dim] for sizes in known if dim < len(sizes)}) > 1

    def _make_training_entry(self, name: str, arguments: tuple, keywords: dict) -> tuple[Any, str]:
        """Gradients and autocast are torch.compile's, with TC as its backend."""
        guards = Guards(name, Places())
        add_training_guards(guards, arguments, keywords, self.function)
        entry = native.Entry(guards.text(), guards.places.rows, guards.places.origins, [])
        entry.run_instead(torch.compile(self.function, backend=backend, dynamic=self.dynamic,
                                        options={"strict": self._settings["strict"]}))
        return entry, guards.text()


def compile_function(function: Callable, *, mode: str | None = None, dynamic: bool | None = None, recompile_limit: int = 8,
                     on_recompile_limit: str = "warn", strict: bool = False) -> CompiledFunction:
    """What tc.compile does with a function: see there."""
    if on_recompile_limit not in _LIMITS:
        raise ValueError(f"on_recompile_limit is '{on_recompile_limit}', expected one of {', '.join(_LIMITS)}")
    if recompile_limit < 1:
        raise ValueError(f"recompile_limit is {recompile_limit}, expected at least 1")
    return CompiledFunction(function, dynamic, recompile_limit, on_recompile_limit, read_settings(mode, {"strict": strict}))
