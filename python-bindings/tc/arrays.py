"""Arrays in and out, through DLPack."""

from __future__ import annotations

import ctypes
import itertools
from ctypes import byref, c_char_p, c_int64, c_void_p
from typing import Any

from . import streams
from .errors import INVALID_ARGUMENT, InvalidArgument
from .library import RELEASE, TensorDescriptor, check, runtime

_VERSIONED, _USED_VERSIONED = b"dltensor_versioned", b"used_dltensor_versioned"
_UNVERSIONED, _USED_UNVERSIONED = b"dltensor", b"used_dltensor"

# By the number of tc_dtype.
DTYPES = ("f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "ui64", "ui32", "ui16", "ui8", "i1",
          "f8E4M3FN", "f8E5M2", "complex<f32>", "complex<f64>")
# Element types that numpy has from ml_dtypes only, and does not exchange.
_ML_DTYPES = {"bfloat16": 3, "float8_e4m3fn": 13, "float8_e5m2": 14}
_DLPACK_DEVICES = {0: 1, 1: 2}  # tc_device_kind to DLDeviceType

_python = ctypes.PyDLL(None)
_new_capsule = _python.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
_is_capsule = _python.PyCapsule_IsValid
_is_capsule.restype, _is_capsule.argtypes = ctypes.c_int, [ctypes.py_object, c_char_p]
_get_pointer = _python.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
_set_name = _python.PyCapsule_SetName
_set_name.restype, _set_name.argtypes = ctypes.c_int, [ctypes.py_object, c_char_p]

# What a capsule is given when it dies: the object itself is on its way out, so
# it comes as an address.
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, c_void_p)
_is_dying_capsule = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", _python))
_pointer_of_dying = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _python))


@_DESTRUCTOR
def _release_versioned(capsule):
    if _is_dying_capsule(capsule, _VERSIONED):
        runtime.tc_dlpack_release(_pointer_of_dying(capsule, _VERSIONED))


@_DESTRUCTOR
def _release_unversioned(capsule):
    if _is_dying_capsule(capsule, _UNVERSIONED):
        runtime.tc_dlpack_release_unversioned(_pointer_of_dying(capsule, _UNVERSIONED))


class Array:
    """An array of TC's. `numpy.from_dlpack` and `torch.from_dlpack` take it
    without a copy, and keep its memory alive."""

    # The handle, under the name by which ctypes passes the object itself: a call
    # of the C API then holds the array while it runs.
    __slots__ = ("_as_parameter_", "_stream")

    def __init__(self, handle: int, stream: int = 0):
        """`stream` is that in whose order an array of a CUDA device is made."""
        self._as_parameter_ = c_void_p(handle)
        self._stream = stream

    def __del__(self):
        # When the interpreter ends, the library may be gone before.
        if runtime is not None:
            runtime.tc_array_free(self)

    def _descriptor(self) -> TensorDescriptor:
        return runtime.tc_array_descriptor(self)

    @property
    def shape(self) -> tuple[int, ...]:
        descriptor = self._descriptor()
        return tuple(descriptor.sizes[i] for i in range(descriptor.rank))

    @property
    def dtype(self) -> str:
        """As MLIR spells it: "f32", "bf16", "i1"."""
        return DTYPES[self._descriptor().dtype]

    def __dlpack_device__(self) -> tuple[int, int]:
        descriptor = self._descriptor()
        return _DLPACK_DEVICES[descriptor.device_kind], descriptor.device_index

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None):
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the array is on device {self.__dlpack_device__()}, not on {dl_device}")
        if copy:
            raise BufferError("the array is handed out without a copy only")
        if (consumer := streams.from_dlpack(stream)) is not None:
            check(runtime.tc_array_share_with_stream(self, self._stream, consumer))
        if max_version is not None and max_version[0] >= 1:
            return _new_capsule(runtime.tc_array_to_dlpack(self), _VERSIONED, _release_versioned)
        return _new_capsule(runtime.tc_array_to_dlpack_unversioned(self), _UNVERSIONED,
                            _release_unversioned)

    def __repr__(self) -> str:
        return f"tc.Array({'x'.join([*map(str, self.shape), self.dtype])})"


def _from_capsule(capsule: Any) -> Array:
    handle = c_void_p()
    if _is_capsule(capsule, _VERSIONED):
        check(runtime.tc_array_from_dlpack(_get_pointer(capsule, _VERSIONED), byref(handle)))
        _set_name(capsule, _USED_VERSIONED)
    else:
        check(runtime.tc_array_from_dlpack_unversioned(_get_pointer(capsule, _UNVERSIONED), byref(handle)))
        _set_name(capsule, _USED_UNVERSIONED)
    return Array(handle.value)


# Objects whose memory an array of TC's uses, until it lets go; one object may be
# lent several times.
_lent: dict[int, Any] = {}
_lent_keys = itertools.count(1)


@RELEASE
def _give_back(key):
    _lent.pop(key, None)


def _from_ml_dtypes(array: Any) -> Array:
    """An array of an element type that numpy does not exchange through DLPack."""
    rank, size = array.ndim, array.itemsize
    if array.size > 0 and any(stride % size for stride in array.strides):
        raise BufferError(f"the array of {array.dtype.name} has strides of {array.strides} bytes, expected "
                          f"multiples of its element's {size}; give a copy of it")
    sizes = (c_int64 * rank)(*array.shape)
    strides = (c_int64 * rank)(*(stride // size for stride in array.strides))
    descriptor = TensorDescriptor(array.ctypes.data, sizes, strides, rank, _ML_DTYPES[array.dtype.name], 0, 0)
    handle = c_void_p()
    key = next(_lent_keys)
    _lent[key] = array
    try:
        check(runtime.tc_array_wrap(byref(descriptor), _give_back, key, byref(handle)))
    except Exception:
        del _lent[key]
        raise
    return Array(handle.value)


def to_array(value: Any, stream: int = 0) -> Array:
    """An array of TC's that shares the memory of `value`; one of a CUDA device is
    ready for work of `stream`."""
    if isinstance(value, Array):
        if streams.is_on_cuda(value):
            check(runtime.tc_array_share_with_stream(value, value._stream, stream))
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
    return _from_capsule(capsule)


def check_writable(value: Any, array: Array) -> None:
    """Raises unless `array`, which shares the memory of `value`, can be written."""
    if streams.is_torch(value) and (value.is_conj() or value.is_neg()):
        raise InvalidArgument("a tensor whose memory holds the conjugates or negations of its elements cannot be written: give "
                              "resolve_conj() or resolve_neg() of it", INVALID_ARGUMENT)
    check(runtime.tc_array_check_writable(array))
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
        host = c_void_p()
        check(runtime.tc_array_copy_to_host(array, byref(host)))
        array = Array(host.value)
    descriptor = array._descriptor()
    names = {number: name for name, number in _ML_DTYPES.items()}
    if descriptor.dtype not in names:
        return numpy.from_dlpack(array)
    try:
        import ml_dtypes
    except ImportError:
        return array
    dtype = numpy.dtype(getattr(ml_dtypes, names[descriptor.dtype]))
    shape = array.shape
    count = 1
    for size in shape:
        count *= size
    if count == 0:
        return numpy.empty(shape, dtype)
    memory = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(descriptor.data)
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
