"""Folds and products of inputs that begin at any element of an allocation and end with it, run by the stand-in for the CUDA driver."""

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

device, CUDA = Device(), 1
TYPES = {"f32": numpy.float32, "f16": numpy.float16}


def place(values, shift):
    '''The values `shift` elements after the begin of memory that ends with them; NaN is before them.'''
    memory = numpy.concatenate([numpy.full(shift, numpy.nan, values.dtype), values.ravel()])
    address = device.allocate(memory.nbytes)
    device.write(address, memory.tobytes())
    return address + shift * values.itemsize


def wrap(address, values, element):
    return wrap_memory(address, element, values.shape, [stride // values.itemsize for stride in values.strides],
                       device=(CUDA, 0))


def run(text, shapes, shifts, expected, element):
    numbers = numpy.random.default_rng(0)
    inputs = [numbers.integers(-2, 3, shape).astype(TYPES[element]) for shape in shapes]
    compiled = tc.compile(text.replace("f32", element), device="cuda")
    for several in shifts:
        arrays = [wrap(place(one, shift), one, element) for one, shift in zip(inputs, several)]
        result, = compiled.call_arrays(arrays)
        wanted = expected(*(one.astype(numpy.float64) for one in inputs)).astype(TYPES[element])
        memory = device.read(result._native.data_address, wanted.nbytes)
        print(several, numpy.array_equal(numpy.frombuffer(memory, wanted.dtype).reshape(wanted.shape), wanted))
"""

COLUMNS = """func.func @main(%x: tensor<ROWSxCOLUMNSxf32>) -> tensor<COLUMNSxf32> {
  %0 = tc.reduce sum %x dims [0] : tensor<ROWSxCOLUMNSxf32> -> tensor<COLUMNSxf32>
  return %0 : tensor<COLUMNSxf32>
}"""
PRODUCTS = """func.func @main(%x: tensor<300x64xf32>, %y: tensor<300x64xf32>) -> tensor<64xf32> {
  %0 = tc.mul %x, %y : tensor<300x64xf32>
  %1 = tc.reduce sum %0 dims [0] : tensor<300x64xf32> -> tensor<64xf32>
  return %1 : tensor<64xf32>
}"""
COLUMNS_OF_ANY_SIZE = """func.func @main(%x: tensor<?x?xf32, #tc.sizes<[n, m]>>) -> tensor<?xf32, #tc.sizes<[m]>> attributes {
    tc.symbols = [#tc.symbol<"n", min = 0, max = 100000>, #tc.symbol<"m", min = 1, max = 100000>]} {
  %0 = tc.reduce sum %x dims [0] : tensor<?x?xf32, #tc.sizes<[n, m]>> -> tensor<?xf32, #tc.sizes<[m]>>
  return %0 : tensor<?xf32, #tc.sizes<[m]>>
}"""
LARGEST = """func.func @main(%x: tensor<ROWSxCOLUMNSxf32>) -> tensor<f32> {
  %0 = tc.reduce max %x dims [0, 1] : tensor<ROWSxCOLUMNSxf32> -> tensor<f32>
  return %0 : tensor<f32>
}"""
WEIGHTED = """func.func @main(%x: tensor<ROWSxCOLUMNSxf32>, %y: tensor<ROWSx1xf32>) -> tensor<f32> {
  %0 = tc.broadcast %y dims [0, 1] : tensor<ROWSx1xf32> -> tensor<ROWSxCOLUMNSxf32>
  %1 = tc.maximum %x, %0 : tensor<ROWSxCOLUMNSxf32>
  %2 = tc.reduce max %1 dims [0, 1] : tensor<ROWSxCOLUMNSxf32> -> tensor<f32>
  return %2 : tensor<f32>
}"""
# Tensor cores multiply f16; the addend is read as pairs, by each thread.
MULTIPLIED = """func.func @main(%x: tensor<70x64xf32>, %w: tensor<64x24xf32>, %y: tensor<70x24xf32>) -> tensor<70x24xf32> {
  %0 = tc.contract "mk,kn->mn" %x, %w : tensor<70x64xf32>, tensor<64x24xf32> -> tensor<70x24xf32>
  %1 = tc.add %0, %y : tensor<70x24xf32>
  return %1 : tensor<70x24xf32>
}"""
ALL_SHIFTS = [(shift,) for shift in range(9)]


def run(text, shapes, shifts, expected, element):
    rows, columns = shapes[0]
    text = text.replace("ROWS", str(rows)).replace("COLUMNS", str(columns))
    environment = {"PYTHONPATH": BUILD / "python", "LD_LIBRARY_PATH": STAND_IN, "STAND_IN_RUNS": 1}
    helpers = Path(__file__).resolve().parents[2] / "Target/CUDA/StandIn/Inputs"
    body = f"run({text!r}, {shapes}, {shifts}, {expected}, {element!r})"
    done = subprocess.run([sys.executable, "-c", PROGRAM + body, str(helpers)], text=True, capture_output=True,
                          env=os.environ | {key: str(value) for key, value in environment.items()})
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(f"{several} True\n" for several in shifts)


@pytest.fixture(scope="module", autouse=True)
def _stand_in():
    if not (STAND_IN / "libcuda.so.1").exists():
        pytest.skip("the stand-in for the CUDA driver is not built")


@pytest.mark.parametrize("element", ["f32", "f16"])
@pytest.mark.parametrize("shape", [(500, 128), (40, 8), (1, 256), (77, 33), (0, 64), (200, 1032)])
def test_columns(shape, element):
    run(COLUMNS, [shape], ALL_SHIFTS, "lambda x: x.sum(0)", element)


@pytest.mark.parametrize("element", ["f32", "f16"])
@pytest.mark.parametrize("shape", [(500, 128), (40, 8), (3, 4), (77, 33), (0, 64)])
def test_columns_of_any_size(shape, element):
    run(COLUMNS_OF_ANY_SIZE, [shape], ALL_SHIFTS, "lambda x: x.sum(0)", element)


@pytest.mark.parametrize("element", ["f32", "f16"])
def test_columns_of_two_inputs(element):
    run(PRODUCTS, [(300, 64)] * 2, [(0, 0), (1, 1), (3, 7), (1, 2), (0, 5)], "lambda x, y: (x * y).sum(0)", element)


@pytest.mark.parametrize("element", ["f32", "f16"])
@pytest.mark.parametrize("shape", [(500, 128), (1, 5), (77, 33), (1, 16)])
def test_all_points(shape, element):
    run(LARGEST, [shape], ALL_SHIFTS, "lambda x: x.max()", element)


@pytest.mark.parametrize("element", ["f32", "f16"])
@pytest.mark.parametrize("shape", [(500, 128), (3, 5), (77, 33), (1, 16), (2, 17)])
def test_all_points_of_rows(shape, element):
    run(WEIGHTED, [shape, (shape[0], 1)], [(shift, 0) for shift in range(9)],
        "lambda x, y: numpy.maximum(x, y).max()", element)


@pytest.mark.parametrize("element", ["f32", "f16"])
def test_products(element):
    run(MULTIPLIED, [(70, 64), (64, 24), (70, 24)], [(0, 0, 0), (0, 0, 1), (1, 0, 0), (0, 3, 0), (2, 4, 6), (7, 1, 8)],
        "lambda x, w, y: x @ w + y", element)
