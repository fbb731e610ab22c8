"""The writes of a call: inputs and parameters that it mutates, and nothing else."""

import gc

import numpy as np
import pytest

tc = pytest.importorskip("tc")

from programs import MUTATES, unary

# A parameter whose name is the number of an input.
COUNTS = """
tc.parameter_source @"0" : tensor<4xf32> {file = "counts.bin", offset = 0 : i64, role = "buffer"}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {tc.mutates = @"0"}) {
  %w = tc.parameter @"0" : tensor<4xf32>
  %0 = tc.add %x, %w : tensor<4xf32>
  return %0, %0 : tensor<4xf32>, tensor<4xf32>
}
"""


@pytest.fixture
def counts(tmp_path):
    np.zeros(4, np.float32).tofile(tmp_path / "counts.bin")
    return tc.compile(COUNTS, directory=tmp_path)


def test_a_parameter_may_be_called_like_an_input(counts):
    assert [output.mutates for output in counts.signature.outputs] == [None, "0"]
    x = np.arange(4, dtype=np.float32)
    for call in range(1, 4):
        np.testing.assert_array_equal(counts(x), call * np.arange(4))
    np.testing.assert_array_equal(x, np.arange(4))


def test_an_input_that_is_mutated_has_a_number():
    assert [output.mutates for output in tc.compile(MUTATES).signature.outputs] == [None, 0]


@pytest.mark.parametrize("target, why", [
    ("7 : i64", "tc.mutates = 7 : i64; expected the symbol of a parameter or the index of one of 2 arguments"),
    ("@nothing", "tc.mutates = @nothing on result 1, but the module declares no parameter of that name"),
    ("1 : i64", "replaces 1 : i64 of type 'tensor<3xf32>' by result 1 of type 'tensor<4xf32>'; expected the same type")])
@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_what_is_mutated_must_be_there(device, target, why):
    program = f"""
func.func @main(%x: tensor<4xf32>, %y: tensor<3xf32>)
    -> (tensor<4xf32>, tensor<4xf32> {{tc.mutates = {target}}}) {{
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}}"""
    with pytest.raises(tc.Error) as failure:
        tc.compile(program, device=device)
    assert why in str(failure.value)


OVERLAPPING = [
    ("expanded", lambda whole: np.lib.stride_tricks.as_strided(whole, (4,), (0,))),
    ("windows", lambda whole: np.lib.stride_tricks.as_strided(whole, (2, 2), (4, 4)))]


@pytest.mark.parametrize("make", [make for _, make in OVERLAPPING], ids=[name for name, _ in OVERLAPPING])
def test_elements_that_share_memory_are_not_written(make):
    whole = np.arange(4, dtype=np.float32)
    shared = make(whole)
    compiled = tc.compile(MUTATES.replace("tensor<4xf32>", f"tensor<{'x'.join(map(str, shared.shape))}xf32>"))
    with pytest.raises(tc.InvalidArgument, match="several of its elements are one place in memory"):
        compiled(shared)
    np.testing.assert_array_equal(whole, np.arange(4))


def test_strided_elements_are_written():
    # Rows that interleave in memory share no element.
    compiled = tc.compile(MUTATES.replace("tensor<4xf32>", "tensor<2x2xf32>"))
    whole = np.arange(8, dtype=np.float32)
    view = np.lib.stride_tricks.as_strided(whole, (2, 2), (12, 8))
    compiled(view)
    np.testing.assert_array_equal(whole, [0, 1, 4, 6, 4, 10, 6, 7])


def test_read_only_arrays_of_ml_dtypes_are_not_written():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    compiled = tc.compile(MUTATES.replace("f32", "bf16"))
    fixed = np.ones(4, ml_dtypes.bfloat16)
    fixed.flags.writeable = False
    with pytest.raises(tc.InvalidArgument, match="is read-only and cannot be written"):
        compiled(fixed)
    assert fixed.tolist() == [1, 1, 1, 1]


def test_strides_between_elements_are_refused():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    packed = np.zeros(4, np.dtype([("tag", np.uint8), ("value", ml_dtypes.bfloat16)]))
    assert packed["value"].strides == (3,)
    negate = tc.compile(unary("neg", "4xbf16"))
    with pytest.raises(BufferError, match=r"has strides of \(3,\) bytes, expected multiples of its element's 2"):
        negate(packed["value"])
    assert negate(packed["value"].copy()).shape == (4,)


def test_one_array_may_be_given_twice(tmp_path):
    """Each use keeps it alive until it ends."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    np.zeros(8, np.float32).tofile(tmp_path / "weights.bin")
    compiled = tc.compile("""
tc.parameter_source @a : tensor<1024xbf16> {file = "weights.bin", offset = 0 : i64, role = "parameter"}
tc.parameter_source @b : tensor<1024xbf16> {file = "weights.bin", offset = 0 : i64, role = "parameter"}
func.func @main() -> tensor<1024xbf16> {
  %a = tc.parameter @a : tensor<1024xbf16>
  %b = tc.parameter @b : tensor<1024xbf16>
  %0 = tc.add %a, %b : tensor<1024xbf16>
  return %0 : tensor<1024xbf16>
}""".replace("1024", "4"), directory=tmp_path)
    value = np.ones(4, ml_dtypes.bfloat16)
    compiled.set_parameter("a", value)
    compiled.set_parameter("b", value)
    compiled.set_parameter("a", np.zeros(4, ml_dtypes.bfloat16))  # lets go of the first use
    del value
    gc.collect()
    noise = [np.full(4, 7, ml_dtypes.bfloat16) for _ in range(64)]
    assert compiled().tolist() == [1, 1, 1, 1] and len(noise) == 64
