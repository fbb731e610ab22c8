"""Compiled programs in files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Iterable

from .compiled import Compiled, _Program, _threads_of_environment
from .library import check_thread_count, native

if TYPE_CHECKING:
    from .function_artefact import LoadedFunction


def load(path: str | os.PathLike, *, function: str | None = None, device: str = "", threads: int | None = None,
         parameters: str | Iterable[str] = (), directory: str | os.PathLike = "", returns: str | None = None,
         mode: str = "default", launch_blocking: bool = False) -> Compiled | LoadedFunction:
    """Loads a program that `Compiled.save` or tc-compile has written, or a function that `CompiledFunction.save` has:
    that is called as the function, unless `function` or `returns` is given, which make it a program of its versions.

    Of its targets the best that this machine can run is taken. Nothing is
    compiled, and the module is not known: `ir`, `code`, `report`, `explain` and
    `save` raise tc.Error.

    device      cpu, cuda or cuda:N; by default the CPU if the file has code for
                one, else the first CUDA device
    directory   where relative names of parameter files are looked for, by default
                the file's

    The other arguments are those of `tc.compile`.
    """
    if threads is None:
        threads = _threads_of_environment()
    files = [parameters] if isinstance(parameters, str) else [os.fspath(file) for file in parameters]
    handle = native.load(os.fspath(path), device, files, os.fspath(directory), check_thread_count(threads), mode,
                         bool(launch_blocking))
    number = handle.cuda_device()
    program = _Program(handle, None if number < 0 else number, False)
    if (versions := handle.versions()) and function is None and returns is None:
        from .function_artefact import load_function

        return load_function(program, versions)
    return Compiled(program, function, returns)
