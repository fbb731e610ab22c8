"""libTCRuntime and libTCCompiler, with the types of the functions of their C
API (include/tc-c).

The libraries are looked for in the folder of the environment variable
TC_LIBRARY_DIR, in `lib` next to this file, and in `lib` two folders up, as in a
build folder and in an installation.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path

from .errors import Error, make_error

API_VERSION = 3
MAX_RANK = 16


class TensorDescriptor(ctypes.Structure):
    """tc_tensor"""
    _fields_ = [("data", c_void_p), ("sizes", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("rank", c_int32), ("dtype", c_int32), ("device_kind", c_int32), ("device_index", c_int32)]


class CompileOptions(ctypes.Structure):
    """tc_compile_options"""
    _fields_ = [("size", c_uint64), ("target", c_char_p), ("device", c_char_p), ("schedules", c_char_p),
                ("compile_to", c_char_p), ("parameters", POINTER(c_char_p)), ("parameter_count", c_int64),
                ("directory", c_char_p), ("threads", c_uint32), ("specialize", POINTER(c_char_p)),
                ("specialize_count", c_int64), ("mode", c_char_p), ("libraries", c_char_p),
                ("launch_blocking", c_uint32)]


class TensorInfo(ctypes.Structure):
    """tc_tensor_info"""
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("dtype", c_int32), ("rank", c_int32),
                ("sizes", POINTER(c_int64)), ("size_texts", POINTER(c_char_p)), ("mutates", c_char_p),
                ("stride_texts", POINTER(c_char_p))]


class SymbolInfo(ctypes.Structure):
    """tc_symbol_info"""
    _fields_ = [("name", c_char_p), ("minimum", c_int64), ("maximum", c_int64), ("divisor", c_int64)]


class FunctionInfo(ctypes.Structure):
    """tc_function_info"""
    _fields_ = [("name", c_char_p), ("signature", c_char_p), ("input_count", c_int64),
                ("output_count", c_int64), ("user_output_count", c_int64), ("symbol_count", c_int64),
                ("inputs", POINTER(TensorInfo)), ("outputs", POINTER(TensorInfo)),
                ("symbols", POINTER(SymbolInfo))]


class KernelInfo(ctypes.Structure):
    """tc_kernel_info"""
    _fields_ = [("function", c_char_p), ("name", c_char_p), ("kernel_class", c_char_p),
                ("schedule", c_char_p)]


class TimingInfo(ctypes.Structure):
    """tc_timing_info"""
    _fields_ = [("name", c_char_p), ("seconds", c_double)]


RELEASE = ctypes.CFUNCTYPE(None, c_void_p)

# The result of a function that can fail is a tc_error *.
_ERROR = c_void_p

_RUNTIME = {
    "tc_error_code": (c_int32, [c_void_p]),
    "tc_error_message": (c_char_p, [c_void_p]),
    "tc_error_location": (c_char_p, [c_void_p]),
    "tc_error_free": (None, [c_void_p]),
    "tc_version": (c_char_p, []),
    "tc_check_api_version": (_ERROR, [c_uint32]),
    "tc_get_thread_count": (c_uint32, []),
    "tc_set_thread_count": (_ERROR, [c_uint32]),
    "tc_array_wrap": (_ERROR, [POINTER(TensorDescriptor), RELEASE, c_void_p, POINTER(c_void_p)]),
    "tc_array_from_dlpack": (_ERROR, [c_void_p, POINTER(c_void_p)]),
    "tc_array_from_dlpack_unversioned": (_ERROR, [c_void_p, POINTER(c_void_p)]),
    "tc_array_to_dlpack": (c_void_p, [c_void_p]),
    "tc_array_to_dlpack_unversioned": (c_void_p, [c_void_p]),
    "tc_dlpack_release": (None, [c_void_p]),
    "tc_dlpack_release_unversioned": (None, [c_void_p]),
    "tc_array_descriptor": (TensorDescriptor, [c_void_p]),
    "tc_array_check_writable": (_ERROR, [c_void_p]),
    "tc_array_assign": (_ERROR, [c_void_p, c_void_p]),
    "tc_array_free": (None, [c_void_p]),
    "tc_array_copy_to_host": (_ERROR, [c_void_p, POINTER(c_void_p)]),
    "tc_array_assign_on_stream": (_ERROR, [c_void_p, c_void_p, c_void_p]),
    "tc_array_share_with_stream": (_ERROR, [c_void_p, c_void_p, c_void_p]),
    "tc_cuda_synchronize": (_ERROR, [c_int32, c_void_p]),
}

_COMPILER = {
    "tc_session_create": (_ERROR, [c_uint32, POINTER(c_void_p)]),
    "tc_compile_file": (_ERROR, [c_void_p, c_char_p, POINTER(CompileOptions), POINTER(c_void_p)]),
    "tc_compile_buffer": (_ERROR, [c_void_p, c_char_p, c_size_t, c_char_p, POINTER(CompileOptions),
                                   POINTER(c_void_p)]),
    "tc_program_free": (None, [c_void_p]),
    "tc_program_function_count": (c_int64, [c_void_p]),
    "tc_program_function": (POINTER(FunctionInfo), [c_void_p, c_int64]),
    "tc_program_find_function": (_ERROR, [c_void_p, c_char_p, POINTER(c_int64)]),
    "tc_program_parameter_count": (c_int64, [c_void_p]),
    "tc_program_parameter": (POINTER(TensorInfo), [c_void_p, c_int64]),
    "tc_program_kernel_count": (c_int64, [c_void_p]),
    "tc_program_kernel": (POINTER(KernelInfo), [c_void_p, c_int64]),
    "tc_program_timing_count": (c_int64, [c_void_p]),
    "tc_program_timing": (POINTER(TimingInfo), [c_void_p, c_int64]),
    "tc_program_ir": (_ERROR, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "tc_string_free": (None, [c_void_p]),
    "tc_phase_count": (c_int64, []),
    "tc_phase_name": (c_char_p, [c_int64]),
    "tc_program_call": (_ERROR, [c_void_p, c_int64, POINTER(c_void_p), c_int64, POINTER(c_void_p), c_int64]),
    "tc_program_call_on_stream": (_ERROR, [c_void_p, c_int64, c_void_p, POINTER(c_void_p), c_int64,
                                           POINTER(c_void_p), c_int64]),
    "tc_program_expected_strides": (_ERROR, [c_void_p, c_int64, POINTER(c_void_p), c_int64, c_int64,
                                             POINTER(c_int64)]),
    "tc_program_explain": (_ERROR, [c_void_p, c_int64, POINTER(c_void_p), c_int64, POINTER(c_void_p)]),
    "tc_program_set_parameter": (_ERROR, [c_void_p, c_char_p, c_void_p]),
}


def _folders():
    if folder := os.environ.get("TC_LIBRARY_DIR"):
        yield Path(folder)
    package = Path(__file__).resolve().parent
    yield package / "lib"
    yield package.parents[1] / "lib"


def _load(name: str, functions: dict) -> ctypes.CDLL:
    tried = []
    for folder in _folders():
        path = folder / name
        if path.exists():
            library = ctypes.CDLL(str(path))
            for function, (result, arguments) in functions.items():
                entry = getattr(library, function)
                entry.restype, entry.argtypes = result, arguments
            return library
        tried.append(str(folder))
    raise ImportError(f"{name} is in none of {', '.join(tried)}: build TC, or set TC_LIBRARY_DIR")


runtime = _load("libTCRuntime.so", _RUNTIME)
compiler = _load("libTCCompiler.so", _COMPILER)


def check(error: int | None) -> None:
    """Raises the failure that a function of the C API gave, if it gave one."""
    if not error:
        return
    exception = make_error(runtime.tc_error_code(error), runtime.tc_error_message(error).decode(),
                           runtime.tc_error_location(error).decode())
    runtime.tc_error_free(error)
    raise exception


try:
    check(runtime.tc_check_api_version(API_VERSION))
except Error as error:
    raise ImportError(str(error)) from None


def version() -> str:
    """The release of the libraries, such as "0.1.0"."""
    return runtime.tc_version().decode()


def get_thread_count() -> int:
    """Threads that one call may run on."""
    return runtime.tc_get_thread_count()


def check_thread_count(count: int) -> int:
    """A number of threads; ctypes would take any, and cut it to 32 bits."""
    if not 0 <= count < 2**32:
        raise ValueError(f"the number of threads is {count}, expected at least 0 and below 2**32")
    return count


def set_thread_count(count: int) -> None:
    """Sets the threads of all calls of this process; 0 for one each core."""
    check(runtime.tc_set_thread_count(check_thread_count(count)))
