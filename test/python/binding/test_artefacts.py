"""Programs in files: Compiled.save, tc.load and the cache on disk."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy
import pytest

import tc

BUILD = Path(os.environ.get("TC_BUILD_DIR", Path(__file__).resolve().parents[3] / "build"))

WITH_WEIGHT = """
tc.parameter_source @w : tensor<4xf32> {file = "w.bin", offset = 0 : i64, role = "parameter"}
func.func @main(%x: tensor<?x4xf32, #tc.sizes<[n, 4]>>) -> tensor<?x4xf32, #tc.sizes<[n, 4]>>
    attributes {tc.symbols = [#tc.symbol<"n", min = 1, max = 1000>]} {
  %w = tc.parameter @w : tensor<4xf32>
  %all = tc.broadcast %w dims [1] : tensor<4xf32> -> tensor<?x4xf32, #tc.sizes<[n, 4]>>
  %y = tc.mul %x, %all : tensor<?x4xf32, #tc.sizes<[n, 4]>>
  return %y : tensor<?x4xf32, #tc.sizes<[n, 4]>>
}
"""

SCALED = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {{
  %c = tc.constant dense<{}.0> : tensor<8xf32>
  %y = tc.mul %x, %c : tensor<8xf32>
  return %y : tensor<8xf32>
}}"""


@pytest.fixture
def weights(tmp_path):
    numpy.array([1, 2, 3, 4], numpy.float32).tofile(tmp_path / "w.bin")
    return tmp_path


def test_what_is_saved_runs_as_what_was_compiled(weights):
    compiled = tc.compile(WITH_WEIGHT, directory=weights)
    compiled.save(weights / "m.tca", targets=["cpu:x86-64", "cpu"])
    loaded = tc.load(weights / "m.tca")
    x = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
    numpy.testing.assert_array_equal(loaded(x), compiled(x))
    numpy.testing.assert_array_equal(loaded(x.T.copy().T), compiled(x))
    assert str(loaded.signature) == str(compiled.signature)
    assert loaded.kernels == compiled.kernels
    loaded.set_parameter("w", numpy.zeros(4, numpy.float32))
    assert not loaded(x).any()


def test_the_module_of_what_is_loaded_is_not_known(weights):
    tc.compile(WITH_WEIGHT, directory=weights).save(weights / "m.tca")
    loaded = tc.load(weights / "m.tca")
    for look in (loaded.ir, loaded.report, lambda: loaded.code("llvm"), lambda: loaded.save(weights / "other.tca")):
        with pytest.raises(tc.Error, match="was loaded from an artefact"):
            look()


def test_what_cannot_be_loaded_is_named(weights):
    with pytest.raises(tc.Error, match="cannot open"):
        tc.load(weights / "absent.tca")
    with pytest.raises(tc.Error, match="is no artefact of TC"):
        tc.load(weights / "w.bin")
    tc.compile(WITH_WEIGHT, directory=weights).save(weights / "m.tca")
    with pytest.raises(tc.Error, match="expected cpu, cuda or cuda:N"):
        tc.load(weights / "m.tca", device="gpu")
    (weights / "w.bin").unlink()
    with pytest.raises(tc.Error, match="parameter 'w'"):
        tc.load(weights / "m.tca")


PRODUCT = """
tc.parameter_source @w : tensor<64x64xf32> {file = "w.bin", offset = 0 : i64, role = "parameter"}
func.func @main(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %w = tc.parameter @w : tensor<64x64xf32>
  %y = tc.contract "ik,jk->ij" %x, %w : tensor<32x64xf32>, tensor<64x64xf32> -> tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}
"""


def test_what_is_computed_from_weights_is_saved_beside_the_artefact(tmp_path):
    w = numpy.arange(64 * 64, dtype=numpy.float32).reshape(64, 64) % 7
    w.tofile(tmp_path / "w.bin")
    compiled = tc.compile(PRODUCT, directory=tmp_path)
    compiled.save(tmp_path / "m.tca", ["cpu", "cpu:x86-64"], prepared=tmp_path / "m.prepared")
    x = numpy.ones((32, 64), numpy.float32)
    numpy.testing.assert_array_equal(tc.load(tmp_path / "m.tca")(x), x @ w.T)
    # The file is what is read: its content replaced shows.
    for target in ("m.prepared", "m.prepared.1"):
        file = tmp_path / target
        file.write_bytes(bytes(len(file.read_bytes())))
    assert not tc.load(tmp_path / "m.tca")(x).any()
    # Values of other weights are computed.
    (w + 1).tofile(tmp_path / "w.bin")
    numpy.testing.assert_array_equal(tc.load(tmp_path / "m.tca")(x), x @ (w + 1).T)


def test_saved_values_are_of_the_files_that_the_program_was_compiled_with(tmp_path):
    w = numpy.eye(64, dtype=numpy.float32)
    (2 * w).tofile(tmp_path / "other.bin")
    compiled = tc.compile(PRODUCT, directory=tmp_path, parameters=f"w.bin={tmp_path}/other.bin")
    compiled.save(tmp_path / "m.tca", prepared=tmp_path / "m.prepared")
    w.tofile(tmp_path / "w.bin")
    x = numpy.ones((32, 64), numpy.float32)
    numpy.testing.assert_array_equal(tc.load(tmp_path / "m.tca")(x), x)
    with pytest.raises(tc.Error, match="absent"):
        compiled.save(tmp_path / "m.tca", prepared=tmp_path / "absent" / "m.prepared")


def is_loaded(compiled):
    return list(compiled.timings) == ["load from the cache"]


def test_a_program_is_compiled_once(tmp_path, monkeypatch):
    monkeypatch.setenv("TC_CACHE_DIR", str(tmp_path))
    x = numpy.ones(8, numpy.float32)
    first, second = tc.compile(SCALED.format(3)), tc.compile(SCALED.format(3))
    assert not is_loaded(first) and is_loaded(second)
    assert first.kernels == second.kernels
    numpy.testing.assert_array_equal(first(x), second(x))
    assert second.ir("emit") == first.ir("emit")
    # Another module, target or version of a function is another program.
    assert not is_loaded(tc.compile(SCALED.format(4)))
    assert not is_loaded(tc.compile(SCALED.format(3), target="cpu:x86-64"))
    assert (tmp_path / "artefacts").stat().st_mode & 0o777 == 0o700


def test_without_a_directory_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("TC_CACHE_DIR", "")
    tc.compile(SCALED.format(3))
    assert not list(tmp_path.iterdir())
    monkeypatch.delenv("TC_CACHE_DIR")
    tc.compile(SCALED.format(3))
    assert list((tmp_path / "tc/artefacts").iterdir())
    monkeypatch.setenv("TC_CACHE_LIMIT", "much")
    with pytest.raises(ValueError, match="TC_CACHE_LIMIT is 'much'"):
        tc.compile(SCALED.format(3))


def test_tc_cache_lists_checks_and_clears(tmp_path, monkeypatch):
    tool = BUILD / "bin/tc-cache"
    if not tool.exists():
        pytest.skip("tc-cache is not built")
    monkeypatch.setenv("TC_CACHE_DIR", str(tmp_path))
    for factor in (2, 3):
        tc.compile(SCALED.format(factor))

    def run(command):
        return subprocess.run([tool, command], capture_output=True, text=True)

    listing = run("ls").stdout.splitlines()
    assert len(listing) == 3 and "cpu  main" in listing[0] and listing[2].startswith("2 entries")
    assert run("verify").stdout == "2 entries, 0 damaged and removed\n"
    file = next((tmp_path / "artefacts").iterdir())
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    damaged = run("verify")
    assert damaged.returncode == 1 and "is damaged" in damaged.stdout and "1 damaged" in damaged.stdout
    assert run("clear").stdout == "1 entries removed\n" and not list((tmp_path / "artefacts").iterdir())
    assert "expected ls, verify or clear" in run("other").stderr


WORKER = """
import random, sys
import numpy
import tc

random.seed(int(sys.argv[2]))
x = numpy.ones(8, numpy.float32)
print("begun", flush=True)
while True:
    factor = random.randrange(1, 7)
    result = tc.compile(sys.argv[1].format(factor), threads=1)(x)
    if not (result == factor).all():
        print("wrong", factor, result, flush=True)
"""


def test_processes_that_are_killed_leave_nothing_wrong(tmp_path, monkeypatch):
    monkeypatch.setenv("TC_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TC_CACHE_LIMIT", "40000")
    monkeypatch.setenv("PYTHONPATH", str(BUILD / "python"))

    def start(seed):
        worker = subprocess.Popen([sys.executable, "-c", WORKER, SCALED, str(seed)], stdout=subprocess.PIPE, text=True)
        assert worker.stdout.readline() == "begun\n"
        return worker

    random.seed(0)
    workers = [start(seed) for seed in range(4)]
    outputs = []
    for seed in range(4, 12):
        time.sleep(0.3)
        victim = workers.pop(random.randrange(len(workers)))
        victim.kill()
        outputs.append(victim.communicate()[0])
        workers.append(start(seed))
    time.sleep(1)
    for worker in workers:
        worker.kill()
        outputs.append(worker.communicate()[0])
    assert not any(outputs)
    x = numpy.ones(8, numpy.float32)
    for factor in range(1, 7):
        numpy.testing.assert_array_equal(tc.compile(SCALED.format(factor))(x), factor * x)
