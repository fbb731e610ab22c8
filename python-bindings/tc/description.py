"""The description of a compiled program: functions, tensors, kernels."""

from __future__ import annotations

from dataclasses import dataclass

from .arrays import DTYPES


@dataclass(frozen=True)
class Tensor:
    """An input or output. A size is a number, or an expression as text."""

    name: str
    dtype: str
    shape: tuple[int | str, ...]
    #: The number of the input (an int) or the name of the parameter (a str)
    #: whose new value this output is; None for the user's outputs.
    mutates: int | str | None = None
    #: The strides of an input that is not row-major, in elements: what has others is
    #: copied before the call. A stride is a number, or an expression as text.
    strides: tuple[int | str, ...] | None = None

    def __str__(self) -> str:
        sizes = [f"({size})" if " " in str(size) else str(size) for size in self.shape]
        type_text = "x".join([*sizes, self.dtype])
        if self.strides is not None:
            type_text += f" strides [{', '.join(map(str, self.strides))}]"
        return f"{self.name}: {type_text}" if self.name else type_text


@dataclass(frozen=True)
class Parameter(Tensor):
    """A weight, buffer or constant."""


@dataclass(frozen=True)
class Symbol:
    """A symbolic size: its value is in [minimum, maximum], a multiple of
    divisor."""

    name: str
    minimum: int
    maximum: int
    divisor: int


@dataclass(frozen=True)
class Function:
    """A public function."""

    name: str
    inputs: tuple[Tensor, ...]
    #: Those that mutate come after the user's.
    outputs: tuple[Tensor, ...]
    symbols: tuple[Symbol, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Kernel:
    """One launch, as it was after phase fuse."""

    function: str
    name: str
    kernel_class: str
    schedule: str


def _read_mutates(text: str) -> int | str | None:
    """From "0" or "@name", which the C API gives."""
    if not text:
        return None
    return text[1:] if text.startswith("@") else int(text)


def read_tensor(description: tuple, kind: type = Tensor) -> Tensor:
    """From (name, dtype, sizes, mutates, strides) of the extension module."""
    name, dtype, sizes, mutates, strides = description
    if strides is not None:
        strides = tuple(int(text) if text.isdecimal() else text for text in strides)
    return kind(name, DTYPES[dtype], sizes, _read_mutates(mutates), strides)


def read_function(description: tuple) -> Function:
    """From (name, signature, inputs, outputs, symbols) of the extension module."""
    name, signature, inputs, outputs, symbols = description
    return Function(name, tuple(map(read_tensor, inputs)), tuple(map(read_tensor, outputs)),
                    tuple(Symbol(*symbol) for symbol in symbols), signature)
