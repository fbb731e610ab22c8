"""tc.compile with numpy arrays, and what a compiled program says of itself."""

import threading

import numpy as np
import pytest

tc = pytest.importorskip("tc")

from programs import MUTATES, PT2, SCALE, TWO_FUNCTIONS, unary


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_values(device):
    scale = tc.compile(SCALE, device=device)
    x = np.random.default_rng(0).standard_normal((5, 8), dtype=np.float32)
    y = np.arange(8, dtype=np.float32)
    result = scale(x, y)
    assert isinstance(result, np.ndarray) and result.dtype == np.float32
    np.testing.assert_array_equal(result, x * y)


def test_strided_inputs_are_copied():
    scale = tc.compile(SCALE)
    x = np.arange(80, dtype=np.float32).reshape(8, 10)[:, ::2].T[::-1].copy().T[:, ::-1]
    wide = np.arange(6 * 16, dtype=np.float32).reshape(6, 16)[::2, ::2]
    y = np.ones(16, np.float32)[::2]
    np.testing.assert_array_equal(scale(wide, y), wide)
    with pytest.raises(tc.Error, match=r"input 0 \(x\) is 8x5xf32, expected s0x8xf32"):
        scale(x, y)


@pytest.mark.parametrize("dtype, type_text", [
    (np.float64, "f64"), (np.float32, "f32"), (np.float16, "f16"), (np.int64, "i64"), (np.int32, "i32"),
    (np.int16, "i16"), (np.int8, "i8")])
def test_element_types(dtype, type_text):
    negate = tc.compile(unary("neg", f"3x{type_text}"))
    x = np.array([0, 1, -7], dtype)
    result = negate(x)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, -x)


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    negate = tc.compile(unary("neg", "2x3xbf16"))
    x = np.arange(6).reshape(2, 3).astype(ml_dtypes.bfloat16)
    result = negate(x)
    assert result.dtype == ml_dtypes.bfloat16 and result.shape == (2, 3)
    np.testing.assert_array_equal(result.astype(np.float32), -x.astype(np.float32))


def test_scalars_and_empty_arrays():
    negate = tc.compile(unary("neg", "f32"))
    assert negate(np.float32(3))[()] == -3
    assert negate(np.full((), 4, np.float32))[()] == -4
    negate = tc.compile(unary("neg", "0x4xf32"))
    assert negate(np.zeros((0, 4), np.float32)).shape == (0, 4)


def test_results_outlive_the_program():
    compiled = tc.compile(unary("neg", "1024xf32"))
    result = compiled(np.ones(1024, np.float32))
    del compiled
    other = np.zeros(1024, np.float32)
    np.testing.assert_array_equal(result, other - 1)
    result[0] = 5  # it is the caller's
    assert result[0] == 5


def test_several_functions_and_results():
    compiled = tc.compile(TWO_FUNCTIONS)
    x = np.array([1, 2, 3, 4], np.float32)
    np.testing.assert_array_equal(compiled(x), -x)
    twice = compiled.function("twice")
    doubled, negated = twice(x)
    np.testing.assert_array_equal(doubled, x + x)
    np.testing.assert_array_equal(negated, -x)
    assert list(compiled.functions) == ["twice", "main"]
    assert tc.compile(TWO_FUNCTIONS, function="twice").signature.name == "twice"
    with pytest.raises(tc.InvalidArgument, match="the program has no function 'thrice'; it has twice, main"):
        compiled.function("thrice")


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_mutated_input(device):
    compiled = tc.compile(MUTATES, device=device)
    whole = np.arange(8, dtype=np.float32)
    x = whole[::2]
    result = compiled(x)
    np.testing.assert_array_equal(result, [0, -2, -4, -6])
    np.testing.assert_array_equal(whole, [0, 1, 4, 3, 8, 5, 12, 7])
    fixed = np.ones(4, np.float32)
    fixed.flags.writeable = False
    with pytest.raises(tc.Error, match="is read-only and cannot be written"):
        compiled(fixed)


def test_mutated_buffer():
    compiled = tc.compile(PT2 / "tied.pt2")
    x, y = np.ones((3, 4), np.float32), np.array([-1, 0, 2], np.float32)
    assert "calls" in {parameter.name for parameter in compiled.parameters}
    compiled(x, y)
    np.testing.assert_array_equal(y, [0, 0, 2])
    # The buffer counts calls; nothing else of the program reads it.
    counted = [output for output in compiled.signature.outputs if output.mutates == "calls"]
    assert len(counted) == 1
    outputs = compiled.call_arrays([tc.arrays.to_array(x), tc.arrays.to_array(y)])
    index = compiled.signature.outputs.index(counted[0])
    np.testing.assert_array_equal(np.from_dlpack(outputs[index]), [2])


def test_parameters():
    compiled = tc.compile(PT2 / "mlp.pt2")
    x = np.linspace(-1, 1, 16, dtype=np.float32).reshape(2, 8)
    before = compiled(x)
    name = "layers.2.weight"
    assert [p.shape for p in compiled.parameters if p.name == name] == [(4, 16)]
    compiled.set_parameter(name, np.zeros((4, 16), np.float32))
    compiled.set_parameter("layers.2.bias", np.zeros(4, np.float32))
    assert not np.allclose(before, 0.25)
    np.testing.assert_allclose(compiled(x), 0.25)
    with pytest.raises(tc.InvalidArgument, match="'layers.2.weight' is 4x16xf32, the new value is 4xf32"):
        compiled.set_parameter(name, np.zeros(4, np.float32))
    with pytest.raises(tc.InvalidArgument, match="the program has no parameter 'weight'"):
        compiled.set_parameter("weight", np.zeros(4, np.float32))


def test_signature_kernels_timings():
    compiled = tc.compile(SCALE)
    signature = compiled.signature
    assert str(signature) == "main(x: s0x8xf32, y: 8xf32) -> (s0x8xf32)"
    assert signature.inputs[0].shape == ("s0", 8) and signature.inputs[1].dtype == "f32"
    assert signature.symbols == (tc.Symbol("s0", 2, 64, 1),)
    assert [kernel.kernel_class for kernel in compiled.kernels] == ["pointwise"]
    assert compiled.kernels[0].function == "main" and "vector_width" in compiled.kernels[0].schedule
    assert list(compiled.timings)[:len(tc.phases)] == list(tc.phases)
    assert all(seconds > 0 for seconds in compiled.timings.values())


def test_ir_and_compile_to():
    compiled = tc.compile(SCALE, compile_to="fuse")
    assert "tc.mul" in compiled.ir() and "tc.kernel" not in compiled.ir()
    assert 'tc.phase = "fuse"' in compiled.ir("fuse") and "tc.kernel" in compiled.ir("fuse")
    assert "llvm.func" in compiled.ir("emit")
    with pytest.raises(tc.Error, match="was compiled to phase 'fuse' only and cannot be called"):
        compiled(np.zeros((2, 8), np.float32), np.zeros(8, np.float32))
    with pytest.raises(tc.InvalidArgument, match="'parse' names no phase; the phases are import, "):
        compiled.ir("parse")
    again = tc.compile(compiled.ir("fuse"))
    with pytest.raises(tc.InvalidArgument, match="was read after phase 'simplify'"):
        again.ir("simplify")
    y = np.arange(8, dtype=np.float32)
    np.testing.assert_array_equal(again(np.ones((3, 8), np.float32), y), np.tile(y, (3, 1)))


def test_bytecode_and_file(tmp_path):
    path = tmp_path / "scale.mlir"
    path.write_text(SCALE)
    x, y = np.ones((2, 8), np.float32), np.arange(8, dtype=np.float32)
    for program in (path, str(path), path.read_bytes()):
        np.testing.assert_array_equal(tc.compile(program)(x, y), x * y)


def test_errors(tmp_path):
    with pytest.raises(tc.InvalidArgument, match="there is no file '.*missing.mlir'"):
        tc.compile(tmp_path / "missing.mlir")
    with pytest.raises(tc.InvalidArgument, match="'<program>' cannot be read:\n<program>:3:8: custom op 'tc.nag' is unknown"):
        tc.compile(unary("nag", "4xf32"))
    with pytest.raises(tc.InvalidArgument, match="the device is 'tpu', expected cpu, cuda, cuda:N with N from 0 to "
                                                "63, or reference"):
        tc.compile(SCALE, device="tpu")
    with pytest.raises(tc.InvalidArgument, match="the target is 'tpu', expected cpu"):
        tc.compile(SCALE, target="tpu")
    with pytest.raises(tc.InvalidArgument, match="phase 'fuse' failed:\n.*cannot read the schedules of '.*missing.mlir'"):
        tc.compile(SCALE, schedules=tmp_path / "missing.mlir")
    with pytest.raises(TypeError, match="the program is of type NoneType, expected str, bytes or a path"):
        tc.compile(None)
    for count in (-1, 2**32):
        with pytest.raises(ValueError, match=f"the number of threads is {count}, expected at least 0 and below"):
            tc.set_thread_count(count)
    with pytest.raises(ValueError, match="returns is 'jax', expected torch, numpy, tc or None"):
        tc.compile(SCALE, returns="jax")


def test_call_errors():
    scale = tc.compile(SCALE)
    x, y = np.zeros((2, 8), np.float32), np.zeros(8, np.float32)
    with pytest.raises(tc.GuardFailed, match=r"s0, size 0 of input 0 \(x\), is 65, expected at most 64") as caught:
        scale(np.zeros((65, 8), np.float32), y)
    assert caught.value.code == 1
    with pytest.raises(tc.InvalidArgument, match=r"input 1 \(y\) is 8xf64, expected 8xf32"):
        scale(x, y.astype(np.float64))
    with pytest.raises(tc.InvalidArgument, match="'main' has 2 inputs, the call has 1"):
        scale(x)
    with pytest.raises(TypeError, match="expected an array with __dlpack__, .* but it is list"):
        scale(x, [1.0] * 8)


def test_threads():
    before = tc.get_thread_count()
    try:
        scale = tc.compile(SCALE, threads=1)
        assert tc.get_thread_count() == 1
        x, y = np.ones((64, 8), np.float32), np.arange(8, dtype=np.float32)
        failures = []

        def work(seed):
            own = tc.compile(SCALE)
            for i in range(50):
                given = x * (seed + i)
                for compiled in (scale, own):
                    if not np.array_equal(compiled(given, y), given * y):
                        failures.append((seed, i))

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
    finally:
        tc.set_thread_count(before)


def test_specialize():
    compiled = tc.compile(SCALE, specialize=["main:s0=8", "main:s0%16"])
    assert "tc.case @main.s0_8" in compiled.ir("specialize")
    assert list(compiled.functions) == ["main"]
    assert str(compiled.signature) == "main(x: s0x8xf32, y: 8xf32) -> (s0x8xf32)"
    y = np.arange(8, dtype=np.float32)
    for rows in (2, 8, 16, 17, 64):
        x = np.random.default_rng(rows).standard_normal((rows, 8), dtype=np.float32)
        np.testing.assert_array_equal(compiled(x, y), x * y)
    x = np.zeros((17, 8), np.float32)
    explained = compiled.explain(x, y).splitlines()
    assert explained[0] == "version: @main.general"
    assert explained[1].endswith("expected 8 = 8, but it is 17 (from specialisation main.s0_8)")
    assert explained[2].endswith("expected a multiple of 16, but it is 17 (from specialisation main.s0_mod_16)")
    assert compiled.explain(x[:8], y) == "version: @main.s0_8\n"
    assert tc.compile(SCALE).explain(x, y) == ""
    with pytest.raises(tc.GuardFailed, match="is 65, expected at most 64"):
        compiled(np.zeros((65, 8), np.float32), y)
    with pytest.raises(tc.InvalidArgument, match=r"function 'main' cannot be specialised to s0 in \[65, 65\]"):
        tc.compile(SCALE, specialize="main:s0=65")
