"""Runs the first function of an artefact through the C API of libTCRuntime, and nothing else of TC's.

    run_archive.py libTCRuntime.so FILE.tca

The function takes a matrix of f32 and gives one, of two rows.
"""

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_float, c_int32, c_int64, c_void_p

F32 = 1  # tc_dtype


class Tensor(ctypes.Structure):
    """tc_tensor."""

    _fields_ = [("data", POINTER(c_float)), ("sizes", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("rank", c_int32), ("dtype", c_int32), ("device_kind", c_int32), ("device_index", c_int32)]


class Function(ctypes.Structure):
    """The first fields of tc_function_info."""

    _fields_ = [("name", c_char_p), ("signature", c_char_p)]


class Weight(ctypes.Structure):
    """The first fields of tc_tensor_info."""

    _fields_ = [("name", c_char_p), ("type", c_char_p)]


runtime = ctypes.CDLL(sys.argv[1])
for name, result in {"tc_artefact_target": c_char_p, "tc_artefact_function": POINTER(Function),
                     "tc_artefact_parameter": POINTER(Weight), "tc_artefact_parameter_count": c_int64,
                     "tc_array_descriptor": Tensor, "tc_error_message": c_char_p}.items():
    getattr(runtime, name).restype = result
for name in ("tc_artefact_load", "tc_array_create", "tc_artefact_call"):
    getattr(runtime, name).restype = c_void_p


def check(error):
    if error:
        sys.exit(runtime.tc_error_message(c_void_p(error)).decode())


artefact, x, y = c_void_p(), c_void_p(), c_void_p()
check(runtime.tc_artefact_load(sys.argv[2].encode(), None, byref(artefact)))
function = runtime.tc_artefact_function(artefact, c_int64(0)).contents
print(f"{runtime.tc_artefact_target(artefact).decode()}: {function.signature.decode()}")
weight = runtime.tc_artefact_parameter(artefact, c_int64(0)).contents
count = runtime.tc_artefact_parameter_count(artefact)
print(f"{count} weights, the first is {weight.name.decode()}: {weight.type.decode()}")

check(runtime.tc_array_create(F32, 2, (c_int64 * 2)(2, 8), byref(x)))
values = runtime.tc_array_descriptor(x).data
for number in range(16):
    values[number] = number / 4 - 2
check(runtime.tc_artefact_call(artefact, c_int64(0), byref(x), c_int64(1), byref(y), c_int64(1)))
result = runtime.tc_array_descriptor(y).data
sums = [sum(result[4 * row + column] for column in range(4)) for row in range(2)]
print(f"the rows add up to {sums[0]:.3f} and {sums[1]:.3f}")

loaded = open("/proc/self/maps").read()
print("a compiler is loaded" if "TCCompiler" in loaded or "LLVM" in loaded else "no compiler is loaded")
