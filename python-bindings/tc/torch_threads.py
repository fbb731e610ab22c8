"""Kernels on PyTorch's threads.

PyTorch's operators run on the threads of OpenMP, which spin for milliseconds after each of them. Kernels on threads of
their own would compete with these for the same CPUs, in a step of training at each border of a graph.
"""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path

import torch

from .library import native

_LIBRARIES = ("libgomp", "libiomp5", "libomp")


def openmp_library() -> str | None:
    """The file of the OpenMP library that this process has loaded, PyTorch's own before others; None where PyTorch has
    threads of another kind."""
    if not torch.backends.openmp.is_available():
        return None
    files = {line.split(maxsplit=5)[-1].strip() for line in Path("/proc/self/maps").read_text().splitlines()}
    loaded = sorted(file for file in files if os.path.basename(file).startswith(_LIBRARIES))
    root = os.path.dirname(torch.__file__)
    return min(loaded, key=lambda file: not file.startswith(root), default=None)


@functools.cache
def share_threads() -> bool:
    """Makes kernels run on the team of PyTorch's operators, of `torch.get_num_threads()` threads, from now on; whether
    there is one."""
    file = openmp_library()
    if file is None:
        return False
    try:
        library = ctypes.CDLL(file)
        functions = library.GOMP_parallel, library.omp_get_thread_num, library.omp_get_num_threads
    except (OSError, AttributeError):  # a file that is gone, or a library without GNU's entry point
        return False
    native.set_host_team(*(ctypes.cast(function, ctypes.c_void_p).value for function in functions))
    return True
