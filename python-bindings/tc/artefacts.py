"""Compiled programs in files."""

from __future__ import annotations

import os
from typing import Iterable

from .compiled import Compiled, _Program, _threads_of_environment
from .library import check_thread_count, native


def load(path: str | os.PathLike, *, function: str | None = None, device: str = "", threads: int | None = None,
         parameters: str | Iterable[str] = (), directory: str | os.PathLike = "", returns: str | None = None,
         mode: str = "default", launch_blocking: bool = False) -> Compiled:
    """Loads a program that `Compiled.save` or tc-compile has written.

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
    return Compiled(_Program(handle, None if number < 0 else number, False), function, returns)
