"""Programs for a CUDA device, against a driver that takes calls and runs no kernels."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("TC_BUILD_DIR", Path(__file__).resolve().parents[3] / "build"))
STAND_IN = BUILD / "test/stand-in"

PROGRAM = """
import ctypes, os, tc
from tc.arrays import wrap_memory

SOURCE = '''func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tc.relu %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}'''
CUDA = 1
memory = (ctypes.c_float * 8)()


def array(device_kind):
    return wrap_memory(ctypes.addressof(memory), "f32", (8,), (1,), device=(device_kind, 0))
"""


def run(body, **environment):
    environment = {"PYTHONPATH": BUILD / "python", "LD_LIBRARY_PATH": STAND_IN, **environment}
    return subprocess.run([sys.executable, "-c", PROGRAM + body], text=True, capture_output=True, check=True,
                          env=os.environ | {key: str(value) for key, value in environment.items()}).stdout


@pytest.fixture(scope="module", autouse=True)
def _stand_in():
    if not (STAND_IN / "libcuda.so.1").exists():
        pytest.skip("the stand-in for the CUDA driver is not built")


def test_a_call_takes_and_gives_arrays_of_the_device(tmp_path):
    output = run("""
result, = tc.compile(SOURCE, device="cuda").call_arrays([array(CUDA)])
print(result.shape, result.dtype, result.__dlpack_device__())
""", STAND_IN_LOG=tmp_path / "log")
    assert output == "(8,) f32 (2, 0)\n"
    log = (tmp_path / "log").read_text()
    assert "cuLaunchKernelEx(relu_0" in log
    assert "cuMemcpy" not in log  # nothing is copied
    assert "Synchronize" not in log  # and nobody waits


def test_an_array_of_the_host_is_refused():
    assert run("""
try:
    tc.compile(SOURCE, device="cuda").call_arrays([array(0)])
except tc.InvalidArgument as error:
    print(error)
""") == "input 0 is not in the memory of a CUDA device\n"


def test_no_device():
    assert run("""
try:
    tc.compile(SOURCE, device="cuda")
except tc.InvalidArgument as error:
    print(error)
""", STAND_IN_DEVICES=0) == "there is no CUDA device 0 of 0\n"


def test_calls_that_repeat_are_cuda_graphs(tmp_path):
    output = run("""
two = '''func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = tc.contract "ij,jk->ik" %x, %x : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %1 = tc.contract "ij,jk->ik" %0, %x : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}'''
big = (ctypes.c_float * 64)()
x = wrap_memory(ctypes.addressof(big), "f32", (8, 8), (8, 1), device=(CUDA, 0))
compiled = tc.compile(two, device="cuda", mode="reduce-overhead")
for _ in range(4):
    held = compiled.call_arrays([x])
print(compiled.explain(x), end="")
""", STAND_IN_LOG=tmp_path / "log")
    assert output == "inputs 8x8: 1 CUDA graph of 2 kernels\n"
    log = (tmp_path / "log").read_text()
    assert log.count("cuLaunchKernelEx(") == 4
    assert log.count("cuGraphLaunch(") == 2
    # The result before is held, so the output has another address: no other argument.
    assert log.count("cuGraphExecKernelNodeSetParams(") == log.count("cuGraphExecKernelNodeSetParams(1, ") > 0


def test_modes_that_are_not_known():
    assert run("""
try:
    tc.compile(SOURCE, mode="reduce_overhead")
except tc.InvalidArgument as error:
    print(error)
print(tc.compile(SOURCE, mode="reduce-overhead", returns="tc").signature.name)
""") == ("the mode is 'reduce_overhead', expected default or reduce-overhead; did you mean 'reduce-overhead'?\nmain\n")


def test_a_strided_array_is_read_where_it_is(tmp_path):
    output = run("""
source = '''func.func @main(%x: tensor<2x3xf32> {tc.strides = [#tc.expr<4>, #tc.expr<1>]}) -> tensor<2x3xf32> {
  %0 = tc.relu %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}'''
def matrix(*strides):
    return wrap_memory(ctypes.addressof(memory), "f32", (2, 3), strides, device=(CUDA, 0))

compiled = tc.compile(source, device="cuda")
result, = compiled.call_arrays([matrix(4, 1)])
print(result.shape)
try:
    compiled.call_arrays([matrix(3, 1)])
except tc.InvalidArgument as error:
    print(error)
""", STAND_IN_LOG=tmp_path / "log")
    assert output == ("(2, 3)\ninput 0 is 2x3xf32 with strides [3, 1], expected strides [4, 1]: pass a copy with "
                      "these strides\n")
    log = (tmp_path / "log").read_text()
    assert log.count("cuLaunchKernelEx(") == 1
    assert "cuMemcpy" not in log


def test_libraries():
    assert run("""
import re
product = 'func.func @main(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {' \\
    '%0 = tc.contract "ij,jk->ik" %x, %x : tensor<256x256xf32>, tensor<256x256xf32> -> tensor<256x256xf32> ' \\
    'return %0 : tensor<256x256xf32> }'
for libraries in "cublaslt", "none":
    compiled = tc.compile(product, target="cuda:sm_90a", libraries=libraries, compile_to="fuse")
    print(re.search("schedule #tc.([a-z_]*)", compiled.ir("fuse"))[1])
try:
    tc.compile(product, libraries="mkl")
except tc.InvalidArgument as error:
    print(str(error).splitlines()[-1])
""") == """library_schedule
gpu_contraction_schedule
<program>:0:0: the option libraries is 'mkl'; expected none, host, or cublaslt, cudnn or both
"""


GATHER = """
libc = ctypes.CDLL(None)
SOURCE = SOURCE.replace("tc.relu %x", "tc.gather %x[%i] dim 0").replace("x: tensor<8xf32>", "x: tensor<8xf32>, %i: tensor<8xi64>")
SOURCE = SOURCE.replace("] dim 0 : tensor<8xf32>", "] dim 0 : tensor<8xf32>, tensor<8xi64> -> tensor<8xf32>")
indices = (ctypes.c_int64 * 8)()
inputs = [array(CUDA), wrap_memory(ctypes.addressof(indices), "i64", (8,), (1,), device=(CUDA, 0))]


def report(function, *arguments):
    try:
        function(*arguments)
        print("done")
    except tc.IndexOutOfRange as error:
        print(str(error).split(": ", 1)[1])


def fail(gather):
    libc.setenv(b"STAND_IN_STATUS", b"1", 1)
    report(gather.call_arrays, inputs)
    libc.unsetenv(b"STAND_IN_STATUS")


"""
INDEX = "an index is out of the range of the tensor it selects from, in the kernel 'gather_0'\n"


def test_an_index_out_of_range_is_reported_by_the_next_call_or_by_synchronize(tmp_path):
    assert run(GATHER + """
for mode in "default", "reduce-overhead":
    gather = tc.compile(SOURCE, device="cuda", mode=mode)
    for _ in range(3):
        gather.call_arrays(inputs)
    fail(gather)
    report(gather.call_arrays, inputs)
    fail(gather)
    report(tc.synchronize)
    report(tc.synchronize, "cuda:0", 0)
""", STAND_IN_LOG=tmp_path / "log") == ("done\nan earlier call failed: " + INDEX + "done\n" + INDEX + "done\n") * 2
    assert (tmp_path / "log").read_text().count("Synchronize") == 4  # no call waits


def test_calls_that_wait_for_their_kernels():
    assert run(GATHER + """
gather = tc.compile(SOURCE, device="cuda", launch_blocking=True)
fail(gather)
report(gather.call_arrays, inputs)
""") == INDEX + "done\n"
    assert run(GATHER + """
fail(tc.compile(SOURCE, device="cuda"))
""", CUDA_LAUNCH_BLOCKING=1) == INDEX


def test_only_cuda_devices_are_waited_for():
    assert run("""
try:
    tc.synchronize("cpu")
except ValueError as error:
    print(error)
""") == "the device is 'cpu', expected cuda or cuda:N\n"


def test_a_program_is_saved_and_loaded(tmp_path):
    output = run(f"""
compiled = tc.compile(SOURCE, device="cuda")
compiled.save("{tmp_path}/m.tca", targets=["cpu", "cuda:sm_80"])
loaded = tc.load("{tmp_path}/m.tca", device="cuda:0")
result, = loaded.call_arrays([array(CUDA)])
print(result.__dlpack_device__(), tc.load("{tmp_path}/m.tca").call_arrays([array(0)])[0].__dlpack_device__())
""", STAND_IN_LOG=tmp_path / "log")
    assert output == "(2, 0) (1, 0)\n"
    assert "cuLaunchKernel(relu_0" in (tmp_path / "log").read_text()


def test_a_program_for_a_gpu_alone_is_loaded_on_the_first(tmp_path):
    output = run(f"""
compiled = tc.compile(SOURCE, device="cuda")
compiled.save("{tmp_path}/m.tca", targets=["cuda:sm_80"])
print(tc.load("{tmp_path}/m.tca").call_arrays([array(CUDA)])[0].__dlpack_device__())
""")
    assert output == "(2, 0)\n"


def test_code_for_a_device_is_kept_on_disk(tmp_path):
    output = run("""
for _ in range(2):
    compiled = tc.compile(SOURCE, device="cuda")
    compiled.call_arrays([array(CUDA)])
    print(list(compiled.timings) == ["load from the cache"])
""", TC_CACHE_DIR=tmp_path)
    assert output == "False\nTrue\n"
