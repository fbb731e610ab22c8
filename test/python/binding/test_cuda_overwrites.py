"""Results that may be written over an input, run by the stand-in for the CUDA driver."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("TC_BUILD_DIR", Path(__file__).resolve().parents[3] / "build"))
STAND_IN = BUILD / "test/stand-in"

PROGRAM = """
import sys, numpy, tc
from tc.arrays import wrap_memory
sys.path.insert(0, sys.argv[1])
from stand_in import Device

TEXTS = {"pointwise": '''func.func @main(%x: tensor<64x64xf16>, %y: tensor<64x64xf16>) -> (tensor<64x64xf16> {tc.may_overwrite = 0 : i64}) {
  %0 = tc.add %x, %y : tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}''', "later": '''func.func @main(%x: tensor<64x64xf16>, %y: tensor<64x64xf16>) -> (tensor<64x64xf16> {tc.may_overwrite = 0 : i64}) {
  %0 = tc.contract "mk,kn->mn" %x, %y : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf16>
  %1 = tc.softmax %0 dim 1 : tensor<64x64xf16>
  return %1 : tensor<64x64xf16>
}'''}
device, kind, shift = Device(), sys.argv[2], int(sys.argv[3])
values = numpy.arange(4096, dtype=numpy.float16).reshape(64, 64) / 4096
addresses = []
for _ in range(2):
    address = device.allocate(8192 + 64) + 2 * shift
    device.write(address, values.tobytes())
    addresses.append(address)
arrays = [wrap_memory(address, "f16", (64, 64), (64, 1), device=(1, 0)) for address in addresses]
result, = tc.compile(TEXTS[kind], device="cuda").call_arrays(arrays)

def read(address):
    return numpy.frombuffer(device.read(address, 8192), numpy.float16).reshape(64, 64)

if kind == "pointwise":
    expected = values + values
else:
    product = (values.astype(float) @ values.astype(float)).astype(numpy.float16)
    powers = numpy.exp(product.astype(float))
    expected = (powers / powers.sum(1, keepdims=True)).astype(numpy.float16)
numpy.testing.assert_allclose(read(result._native.data_address), expected, rtol=4e-3)
numpy.testing.assert_array_equal(read(addresses[1]), values)
is_input = result._native.data_address == addresses[0]
if not is_input:
    numpy.testing.assert_array_equal(read(addresses[0]), values)
print("is the input" if is_input else "is elsewhere")
"""


# Tensor cores multiply an aligned copy of what is not aligned for them, and the result keeps that.
@pytest.mark.parametrize("kind, shift, where", [
    ("pointwise", 0, "is the input"), ("pointwise", 1, "is the input"), ("later", 0, "is the input"), ("later", 1, "is elsewhere")])
def test_a_result_is_the_input_or_has_memory_of_its_own(kind, shift, where):
    if not (STAND_IN / "libcuda.so.1").exists():
        pytest.skip("the stand-in for the CUDA driver is not built")
    environment = {"PYTHONPATH": BUILD / "python", "LD_LIBRARY_PATH": STAND_IN, "STAND_IN_RUNS": 1}
    helpers = Path(__file__).resolve().parents[2] / "Target/CUDA/StandIn/Inputs"
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(helpers), kind, str(shift)], text=True, capture_output=True,
                          env=os.environ | {key: str(value) for key, value in environment.items()})
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{where}\n"
