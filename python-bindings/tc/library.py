"""The extension module of the package, `tc._native`, and the process's settings.

The module is C++ over the C API (include/tc-c); it links libTCRuntime and
libTCCompiler.
"""

from __future__ import annotations

from .errors import Error

try:
    from . import _native as native
except Error as error:  # libraries of another version of the C API
    raise ImportError(str(error)) from None


def version() -> str:
    """The release of the libraries, such as "0.1.0"."""
    return native.version()


def get_thread_count() -> int:
    """Threads that one call may run on."""
    return native.get_thread_count()


def check_thread_count(count: int) -> int:
    """A number of threads, which the C API takes as 32 bits."""
    if not 0 <= count < 2**32:
        raise ValueError(f"the number of threads is {count}, expected at least 0 and below 2**32")
    return count


def set_thread_count(count: int) -> None:
    """Sets the threads of all calls of this process; 0 for one each core."""
    native.set_thread_count(check_thread_count(count))
