"""Arrays in and out, through DLPack."""

from __future__ import annotations

import ctypes
from typing import Any, Iterable

from . import streams
from .errors import INVALID_ARGUMENT, InvalidArgument
from .library import native

# By the number of tc_dtype.
DTYPES = ("f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "ui64", "ui32", "ui16", "ui8", "i1",
          "f8E4M3FN", "f8E5M2", "complex<f32>", "complex<f64>")
# Element types that numpy has from ml_dtypes only, and does not exchange.
_ML_DTYPES = {"bfloat16": "bf16", "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2"}
_DLPACK_DEVICES = {0: 1, 1: 2}  # tc_device_kind to DLDeviceType


class Array:
    """An array of TC's. `numpy.from_dlpack` and `torch.from_dlpack` take it
    without a copy, and keep its memory alive."""

    __slots__ = ("_native",)

    def __init__(self, handle: Any):
        self._native = handle

    @property
    def shape(self) -> tuple[int, ...]:
        return self._native.shape

    @property
    def dtype(self) -> str:
        """As MLIR spells it: "f32", "bf16", "i1"."""
        return DTYPES[self._native.dtype_number]

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, index = self._native.device
        return _DLPACK_DEVICES[kind], index

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None):
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the array is on device {self.__dlpack_device__()}, not on {dl_device}")
        if copy:
            raise BufferError("the array is handed out without a copy only")
        if (consumer := streams.from_dlpack(stream)) is not None:
            self._native.share_with_stream(self._native.stream, consumer)
        return self._native.to_capsule(max_version is not None and max_version[0] >= 1)

    def __repr__(self) -> str:
        return f"tc.Array({'x'.join([*map(str, self.shape), self.dtype])})"


def wrap_memory(address: int, dtype: str, shape: Iterable[int], strides: Iterable[int], owner: Any = None,
                device: tuple[int, int] = (0, 0)) -> Array:
    """An array of memory that TC does not own. `dtype` is as MLIR spells it, strides are in elements, and
    `device` is a tc_device_kind and a number. `owner` is held until the last holder of the memory lets go."""
    return Array(native.wrap_memory(address, list(shape), list(strides), DTYPES.index(dtype), owner, *device))


def _from_ml_dtypes(array: Any) -> Array:
    """An array of an element type that numpy does not exchange through DLPack."""
    size = array.itemsize
    if array.size > 0 and any(stride % size for stride in array.strides):
        raise BufferError(f"the array of {array.dtype.name} has strides of {array.strides} bytes, expected "
                          f"multiples of its element's {size}; give a copy of it")
    return wrap_memory(array.ctypes.data, _ML_DTYPES[array.dtype.name], array.shape,
                       [stride // size for stride in array.strides], array)


def to_array(value: Any, stream: int = 0) -> Array:
    """An array of TC's that shares the memory of `value`; one of a CUDA device is
    ready for work of `stream`."""
    if isinstance(value, Array):
        if streams.is_on_cuda(value):
            value._native.share_with_stream(value._native.stream, stream)
        return value
    if getattr(getattr(value, "dtype", None), "name", None) in _ML_DTYPES and hasattr(value, "ctypes"):
        return _from_ml_dtypes(value)
    if getattr(value, "requires_grad", False):
        value = value.detach()
    if streams.is_torch(value):  # DLPack does not tell that memory holds the conjugates or negations
        value = value.resolve_conj().resolve_neg()
    export = getattr(value, "__dlpack__", None)
    if export is None and hasattr(value, "__array__"):  # a scalar of numpy's
        import numpy

        export = numpy.asarray(value).__dlpack__
    if export is None:
        raise TypeError(f"expected an array with __dlpack__, such as numpy's or torch's, "
                        f"but it is {type(value).__name__}")
    # On a CUDA device work of the stream waits for what makes the array.
    order = {"stream": streams.to_dlpack(stream)} if streams.is_on_cuda(value) else {}
    try:
        capsule = export(max_version=(1, 0), **order)
    except TypeError:  # from before versions
        capsule = export(**order)
    return Array(native.take_capsule(capsule))


def check_writable(value: Any, array: Array) -> None:
    """Raises unless `array`, which shares the memory of `value`, can be written."""
    if streams.is_torch(value) and (value.is_conj() or value.is_neg()):
        raise InvalidArgument("a tensor whose memory holds the conjugates or negations of its elements cannot be written: give "
                              "resolve_conj() or resolve_neg() of it", INVALID_ARGUMENT)
    array._native.check_writable()
    # numpy says it of the types that it exchanges, and that was checked.
    if getattr(getattr(value, "flags", None), "writeable", True) is False:
        raise InvalidArgument(f"the array {array!r} is read-only and cannot be written", INVALID_ARGUMENT)


def to_torch(array: Array):
    """A torch tensor of the same memory."""
    import torch

    return torch.from_dlpack(array)


def to_numpy(array: Array):
    """A numpy array of the same memory; of a CUDA device, a copy. bf16 and float8 need ml_dtypes;
    without it they stay a tc.Array."""
    import numpy

    if streams.is_on_cuda(array):
        array = Array(array._native.copy_to_host())
    names = {dtype: name for name, dtype in _ML_DTYPES.items()}
    if array.dtype not in names:
        return numpy.from_dlpack(array)
    try:
        import ml_dtypes
    except ImportError:
        return array
    dtype = numpy.dtype(getattr(ml_dtypes, names[array.dtype]))
    shape = array.shape
    count = 1
    for size in shape:
        count *= size
    if count == 0:
        return numpy.empty(shape, dtype)
    memory = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(array._native.data_address)
    memory.owner = array  # numpy holds `memory`, and that holds the array
    return numpy.frombuffer(memory, dtype).reshape(shape)


def to_jax(array: Array):
    """An array of JAX's of the same memory."""
    import jax

    return jax.dlpack.from_dlpack(array)


def converter_for(inputs: tuple, on_cuda: bool = False) -> Any:
    """The function that converts results to the kind of array of the inputs:
    torch's if one of them is, else numpy's; on a CUDA device JAX's if one of them
    is, else they stay arrays of TC's."""
    if any(map(streams.is_torch, inputs)):
        return to_torch
    if not on_cuda:
        return to_numpy
    return to_jax if any(map(streams.is_jax, inputs)) else lambda array: array
