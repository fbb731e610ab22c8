"""Streams and devices of CUDA programs, against a driver that takes calls and runs no kernels."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("TC_BUILD_DIR", Path(__file__).resolve().parents[3] / "build"))
STAND_IN = BUILD / "test/stand-in"

PROGRAM = """
import ctypes, os, tc
from tc.arrays import to_array, wrap_memory

SOURCE = '''func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tc.add %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}'''
driver = ctypes.CDLL("libcuda.so.1")
memory = (ctypes.c_float * 8)()


def array(device, kind=1):
    return wrap_memory(ctypes.addressof(memory), "f32", (8,), (1,), device=(kind, device))


def make_stream(device):
    context, stream = ctypes.c_void_p(), ctypes.c_void_p()
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
    driver.cuCtxSetCurrent(context)
    driver.cuStreamCreate(ctypes.byref(stream), 0)
    driver.cuCtxSetCurrent(None)
    return stream.value


class Foreign:
    '''An array of another library, which keeps the stream that it was asked for.'''
    def __init__(self, device=0):
        self.array, self.asked = array(device), []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, stream=None, max_version=None):
        self.asked.append(stream)
        return self.array.__dlpack__(stream=-1, max_version=max_version)


def error_of(call):
    try:
        call()
    except tc.Error as error:
        return f"{type(error).__name__}: {error}"
"""


def run(body, tmp_path, **environment):
    environment = {"PYTHONPATH": BUILD / "python", "LD_LIBRARY_PATH": STAND_IN, "TC_CACHE_DIR": "",
                   "STAND_IN_DEVICES": 2, "STAND_IN_LOG": tmp_path / "log", **environment}
    result = subprocess.run([sys.executable, "-c", PROGRAM + body], text=True, capture_output=True,
                            env=os.environ | {key: str(value) for key, value in environment.items()})
    assert result.returncode == 0, result.stderr
    return result.stdout


def log(tmp_path):
    return (tmp_path / "log").read_text()


@pytest.fixture(scope="module", autouse=True)
def _stand_in():
    if not (STAND_IN / "libcuda.so.1").exists():
        pytest.skip("the stand-in for the CUDA driver is not built")


def test_inputs_are_asked_for_on_the_stream_of_the_call(tmp_path):
    assert run("""
x, y = Foreign(), Foreign()
result = tc.compile(SOURCE, device="cuda")(x, y)
print(x.asked, y.asked, result, result.__dlpack_device__())
""", tmp_path) == "[1] [1] tc.Array(8xf32) (2, 0)\n"
    assert "Synchronize" not in log(tmp_path) and "cuMemcpy" not in log(tmp_path)


def test_the_other_device(tmp_path):
    assert run("""
stream = make_stream(1)
result, = tc.compile(SOURCE, device="cuda:1").call_arrays([array(1), array(1)], stream)
print(result.__dlpack_device__())
""", tmp_path) == "(2, 1)\n"
    launches = [line for line in log(tmp_path).splitlines() if line.startswith("cuLaunchKernelEx")]
    assert len(launches) == 1 and launches[0].endswith(" on device 1")


def test_a_consumer_on_another_stream_waits(tmp_path):
    assert run("""
own, other = make_stream(0), make_stream(0)
result, = tc.compile(SOURCE, device="cuda").call_arrays([array(0), array(0)], own)
for stream in (-1, own):
    result.__dlpack__(stream=stream)
with open(os.environ["STAND_IN_LOG"], "a") as file:
    print("orders", file=file)
result.__dlpack__(stream=other)
""", tmp_path) == ""
    before, after = log(tmp_path).split("orders\n")
    assert "cuStreamWaitEvent" not in before
    assert after.startswith("cuEventRecord()\ncuStreamWaitEvent()\n")


def test_mixed_devices(tmp_path):
    assert run("""
compiled = tc.compile(SOURCE, device="cuda")
print(error_of(lambda: compiled(array(0), array(1))))
print(error_of(lambda: compiled(array(0), array(0, kind=0))))
print(error_of(lambda: tc.compile(SOURCE)(array(0), array(0))))
print(error_of(lambda: tc.compile(SOURCE, device="cuda:2")))
print(error_of(lambda: tc.compile(SOURCE, device="cuda:x")))
""", tmp_path).splitlines() == [
        "InvalidArgument: input 1 is on CUDA device 1, expected device 0, where the call runs",
        "InvalidArgument: input 1 is not in the memory of a CUDA device",
        "InvalidArgument: input 0 is not in host memory",
        "InvalidArgument: there is no CUDA device 2 of 2",
        "InvalidArgument: the device is 'cuda:x', expected cpu, cuda, cuda:N with N from 0 to 63, or reference",
    ]


def test_out_of_memory_and_the_next_call(tmp_path):
    assert run("""
compiled = tc.compile(SOURCE, device="cuda")
print(error_of(lambda: compiled(array(0), array(0))))
print(compiled(array(0), array(0)))
""", tmp_path, STAND_IN_FAIL="cuMemAllocAsync:1=2").splitlines() == [
        "OutOfMemory: no memory for output 0, 8xf32, 32 bytes on CUDA device 0",
        "tc.Array(8xf32)",
    ]


def test_a_lost_device_keeps_its_error_and_the_cpu_goes_on(tmp_path):
    output = run("""
compiled = tc.compile(SOURCE, device="cuda")
print(error_of(lambda: compiled(array(0), array(0))))
print(error_of(lambda: compiled(array(0), array(0))))
import numpy
print(tc.compile(SOURCE)(numpy.ones(8, "f"), numpy.ones(8, "f")))
""", tmp_path, STAND_IN_FAIL="cuLaunchKernelEx:1=700").splitlines()
    message = ("Error: the kernel 'add_0' cannot be started: an illegal memory access was encountered "
               "(error 700)")
    assert output == [message, message, "[2. 2. 2. 2. 2. 2. 2. 2.]"]


def test_a_mutated_input_is_written_on_the_stream_of_the_call(tmp_path):
    assert run("""
x = tc.compile(SOURCE, device="cuda")(array(0), array(0))
source = "func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {tc.mutates = 0 : i64}) {"
source += "%0 = tc.neg %x : tensor<8xf32> %1 = tc.add %x, %x : tensor<8xf32> "
print(tc.compile(source + "return %0, %1 : tensor<8xf32>, tensor<8xf32> }", device="cuda")(x))
""", tmp_path) == "tc.Array(8xf32)\n"
    assert "cuMemcpyDtoDAsync" in log(tmp_path) and "Synchronize" not in log(tmp_path)


def test_results_for_numpy_are_copied(tmp_path):
    assert run("""
compiled = tc.compile(SOURCE, device="cuda", returns="numpy")
print(compiled(array(0), array(0)))
""", tmp_path) == "[0. 0. 0. 0. 0. 0. 0. 0.]\n"
