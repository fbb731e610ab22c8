"""What TC's failures are in Python."""

from __future__ import annotations

GUARD_FAILED, INDEX_OUT_OF_RANGE, OUT_OF_MEMORY, INVALID_ARGUMENT = 1, 2, 3, 4


class Error(RuntimeError):
    """A failure of TC: its text says what was found and what was expected.

    `code` is the number of `tc_status` or `tc_error_kind`, `location` the place
    in the user's program, or an empty string.
    """

    def __init__(self, message: str, code: int = 0, location: str = ""):
        super().__init__(f"{location}: {message}" if location else message)
        self.code = code
        self.location = location


class GuardFailed(Error, ValueError):
    """The inputs are not what the program was compiled for."""


class IndexOutOfRange(Error, IndexError):
    """An index in an input is outside the tensor that it selects from."""


class OutOfMemory(Error, MemoryError):
    """There is no memory for an output or the intermediates of a call."""


class InvalidArgument(Error, ValueError):
    """A wrong count, element type or rank, an unknown name, a bad program."""


class RecompileLimit(Error):
    """A function was compiled as often as it may be, and nothing of it takes a call."""


class Unsupported(Error):
    """Something that PyTorch has and TC does not."""


_CLASSES = {GUARD_FAILED: GuardFailed, INDEX_OUT_OF_RANGE: IndexOutOfRange,
            OUT_OF_MEMORY: OutOfMemory, INVALID_ARGUMENT: InvalidArgument}


def make_error(code: int, message: str, location: str) -> Error:
    """The exception of a code."""
    return _CLASSES.get(code, Error)(message, code, location)
