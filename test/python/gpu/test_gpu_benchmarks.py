"""The parts of the CUDA benchmarks that need no GPU."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
sys.path.append(str(Path(__file__).resolve().parents[3] / "benchmarks"))

import gpu_first_results  # noqa: E402
import gpu_floors  # noqa: E402
import gpu_random  # noqa: E402
import gpu_random_kernels  # noqa: E402
import gpu_report  # noqa: E402
import gpu_schedules  # noqa: E402
import gpu_workloads  # noqa: E402


@pytest.mark.parametrize("read, written, streams", [
    (2, 1, (2, 1)), (1, 1, (1, 1)), (1.002, 1, (1, 1)), (1, 1e-4, (1, 0)), (0, 1, (0, 1)), (1, 2, (1, 2)), (3, 1, (3, 1))])
def test_a_floor_has_the_shares_of_the_row(read, written, streams):
    assert gpu_floors.streams_of(read, written) == streams


@pytest.mark.parametrize("reads, writes, units, threads", [(1, 0, 4, 256), (1, 1, 8, 128), (2, 1, 2, 512), (0, 1, 1, 1024),
                                                           (4, 4, 4, 128)])
def test_kernels_of_floors_assemble_without_spills(reads, writes, units, threads):
    if not shutil.which("ptxas"):
        pytest.skip("ptxas, CUDA's assembler, is not on PATH")
    text = gpu_floors._ptx(reads, writes, units, threads)
    assert text.count("ld.global") == reads * units and text.count("st.global.v4") == writes * units
    done = subprocess.run(["ptxas", "-arch=sm_90a", "-v", "-o", "/dev/null", "-"], input=text, text=True, capture_output=True)
    assert done.returncode == 0 and "0 bytes spill stores" in done.stderr, done.stderr


@pytest.mark.parametrize("name", [name for name, row in gpu_workloads.rows().items() if row.bytes])
def test_bytes_of_a_row_are_those_of_its_tensors(name):
    row = gpu_workloads.rows()[name]
    with torch.device("meta"):
        module, inputs = row.module(), row.inputs()
        tensors = [*inputs, *module.parameters(), module(*inputs)]
    assert row.bytes == pytest.approx(sum(tensor.nbytes for tensor in tensors), rel=2e-3)


def entries_of_a_row():
    row = SimpleNamespace(bytes=3e9, flops=None)
    cold = {"tc": [1e-3, 1.1e-3, 1e-3], "default": [2e-3, 2.2e-3, 2e-3], "floor": [0.9e-3, 0.9e-3, 0.9e-3]}
    extra = {"largest_error": 1e-6}
    return [gpu_report.entry("relu(x+y)*2 4096^2 f32", row, name, cold, cold, extra) for name in cold]


def test_ratios_are_paired():
    tc, default, floor = entries_of_a_row()
    assert tc["of_floor"]["median"] == pytest.approx(0.9)
    assert default["ratio"] == pytest.approx({"median": 2, "p10": 2, "p90": 2})
    assert tc["bytes_per_second"] == pytest.approx(3e12)
    assert "ratio" not in floor and "of_floor" not in floor


def test_single_calls_alone_have_no_other_times():
    row, single = SimpleNamespace(bytes=None, flops=2e9), {"tc": [1e-3, 1e-3], "eager": [2e-3, 3e-3]}
    tc, eager = [gpu_report.entry("matmul 2048^3 bf16", row, name, single, {"tc": [], "eager": []}, {}) for name in single]
    assert eager["ratio"]["median"] == pytest.approx(2.5)
    assert not {"warm_time", "warm_ratio"} & {*tc, *eager}
    assert "warm" not in gpu_report.summary([tc, eager])
    results = {"context": {"gpu": "G", "cuda": "13", "date": "D", "executable": "command", "cache": "warm", "versions": {}},
               "benchmarks": [tc, eager]}
    text = gpu_report.markdown(results, ["matmul 2048^3 bf16"], ["eager"])
    assert "single calls with what the calls before them have left in the second-level cache." in text
    assert "| matmul 2048^3 bf16 | - | 1 | 2 TFLOP/s | - | - | -, - | - | - | - | 2.5 (2.50) |" in text


@pytest.mark.parametrize("about, reason", [
    ({"gpu": "G"}, ""), ({"gpu": "G", "cache": "warm"}, "the cache was warm, expected cold as now; choose another --out"),
    ({"gpu": "H"}, "the device was H, expected G as now; choose another --out"),
    ({"device": "G"}, "the device was not named, expected G as now; choose another --out")])
def test_a_table_has_rows_of_one_device_and_cache(tmp_path, monkeypatch, about, reason):
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "G")
    options = SimpleNamespace(out=str(tmp_path / "cuda"), cache="cold")
    assert gpu_report.other_table(options) == ""
    (tmp_path / "cuda.json").write_text(json.dumps({"context": about, "benchmarks": []}))
    assert gpu_report.other_table(options) == (f"in {options.out}.json {reason}" if reason else "")


def test_a_report_has_failures_as_cells(tmp_path):
    results = {"context": {"gpu": "G", "cuda": "13", "date": "D", "executable": "command", "versions": {"tc": "1"}},
               "benchmarks": [*entries_of_a_row(), gpu_report.missing("softmax 8192^2 bf16", "tc", "it broke")]}
    gpu_report.write(results, str(tmp_path / "cuda"), list(gpu_workloads.rows()), ["default", "jax"])
    text = (tmp_path / "cuda.md").read_text()
    assert "| relu(x+y)*2 4096^2 f32 | 0.9 | 1 | 3.00 TB/s | 0.900 | - | 1e-06, - | 1 | - | 2 | 2 (2.00) |" in text
    assert "| softmax 8192^2 bf16 | - | it broke |" in text
    assert json.loads((tmp_path / "cuda.json").read_text()) == results
    assert "it broke" in gpu_report.summary(results["benchmarks"])


def test_random_kernels_are_those_of_their_seed():
    described = [gpu_random_kernels.sample(seed).describe() for seed in range(300)]
    assert described == [gpu_random_kernels.sample(seed).describe() for seed in range(300)]
    for word in ("misaligned", "strided", "pitched", "symbolic", "bf16", "f16", "f32", *gpu_random_kernels.KINDS):
        assert sum(word in text for text in described) >= 10, word


def test_random_products_are_those_of_their_seed():
    first = gpu_random_kernels.FIRST_PRODUCT
    described = [gpu_random_kernels.sample(seed).describe() for seed in range(first, first + 200)]
    assert described == [gpu_random_kernels.sample(seed).describe() for seed in range(first, first + 200)]
    assert all(text.startswith("product ") for text in described)
    for word in ("misaligned", "pitched", "symbolic", "bf16", "f16", "transpose", "x1.transpose"):
        assert sum(word in text for text in described) >= 10, word


def test_linear_layers_are_products_of_all_numbers_of_rows():
    first, count = gpu_random_kernels.FIRST_LINEAR, gpu_random_kernels.LINEAR_COUNT
    kernels = [gpu_random_kernels.sample(seed) for seed in range(first, first + count)]
    assert count == 100 and len({kernel.inputs for kernel in kernels}) == count
    assert all(kernel.kind == "linear" and not kernel.is_symbolic for kernel in kernels)
    assert {kernel.inputs[0].shape[0] for kernel in kernels} == set(gpu_random_kernels.LINEAR_ROWS)
    assert all(kernel.inputs[0].shape[1] == kernel.inputs[1].shape[1] for kernel in kernels)
    with pytest.raises(ValueError, match="no kernel with seed 20100; expected one below 20100, or from 30000 on"):
        gpu_random_kernels.sample(first + count)


def test_attention_has_all_forms():
    first = gpu_random_kernels.FIRST_ATTENTION
    described = [gpu_random_kernels.sample(seed).describe() for seed in range(first, first + 100)]
    assert all(text.startswith("attention ") for text in described)
    for word in ("is_causal", "attn_mask", "enable_gqa", "torch.softmax", "misaligned", "pitched", "f16", ".transpose(1, 2)"):
        assert sum(word in text for text in described) >= 5, word


@pytest.mark.parametrize("seed", [*range(0, 300, 7), *range(10_000, 10_200, 11), *range(20_000, 20_100, 9),
                                  *range(30_000, 30_060, 7)])
def test_random_kernels_run_on_small_inputs(seed):
    kernel = gpu_random_kernels.sample(seed)
    torch.manual_seed(seed)
    inputs = [one.make() for one in kernel.small]
    assert max(value.numel() for value in inputs) <= 6 * 131072
    assert [value.dim() for value in inputs] == [len(one.shape) for one in kernel.inputs]
    results = gpu_random.as_tuple(kernel.function()(*inputs))
    exact = gpu_random.as_tuple(kernel.function(exact=True)(*gpu_random.widened(inputs)))
    for result, wide in zip(results, exact, strict=True):
        assert wide.dtype == torch.float64 and torch.isfinite(wide).all()
        assert result.shape == wide.shape


@pytest.mark.parametrize("layout, shape, read", [("dense", (8, 64), 8 * 64 * 4), ("pitched", (8, 64), 8 * 64 * 4),
                                                 ("strided", (8, 64), 8 * 64 * 8), ("transposed", (8, 64), 8 * 64 * 4)])
def test_bytes_that_memory_has_to_give(layout, shape, read):
    value = gpu_random_kernels.Input(shape, "f32", layout).make()
    assert tuple(value.shape) == shape
    assert gpu_random_kernels.bytes_read(value) == read


def test_a_summary_names_what_failed_and_what_is_slow():
    entries = [{"seed": seed, "kind": "row", "symbolic": False, "kernel": f"kernel {seed}", "bytes": 1 << 27, "tc_us": 100.0,
                "of_floor": seed / 100, "of_compile": 1.0} for seed in range(1, 101)]
    entries.append({"seed": 200, "kind": "full", "symbolic": True, "kernel": "kernel 200", "error": "it broke"})
    text = gpu_random.summary(entries)
    assert text.startswith("101 kernels, 1 failed, 100 timed\n")
    assert "median 0.505, 5th percentile 0.060" in text
    assert text.splitlines()[-1] == "   200 FAILED: it broke  kernel 200"
    assert "eager" not in text


def test_a_summary_of_products_has_no_floor():
    text = gpu_random.summary([{"seed": 10_000 + seed, "kind": "product", "symbolic": False, "kernel": "kernel", "bytes": 1 << 20,
                                "tc_us": 100.0, "of_eager": seed / 10, "of_compile": 1.0} for seed in range(1, 11)])
    assert "eager/TC: geometric mean 0.453, median 0.550, 5th percentile 0.1" in text
    assert "  10001     1.0 MiB    100.0 us  0.100 of eager  1.000 of torch.compile  kernel" in text.splitlines()


MODULE = """tc.kernel "first" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.gpu_loop_schedule<vector_dim = 0, threads = 256> ins() {
}
tc.kernel "second" attention dims [] schedule #tc.gpu_attention_schedule<vector_dim = 2, rows = 128, keys = 128, stages = 2> ins() {
}
"""


def test_fields_of_a_schedule_replace_those_of_the_kernel():
    text, schedule = gpu_schedules.with_fields(MODULE, "second", "rows = 64, resident=2")
    assert schedule == "#tc.gpu_attention_schedule<vector_dim = 2, rows = 64, keys = 128, stages = 2, resident = 2>"
    assert text == MODULE.replace("#tc.gpu_attention_schedule<vector_dim = 2, rows = 128, keys = 128, stages = 2>", schedule)
    assert gpu_schedules.with_fields(MODULE, "", "threads = 128")[1] == "#tc.gpu_loop_schedule<vector_dim = 0, threads = 128>"
    assert gpu_schedules.with_fields(MODULE, "", "") == (MODULE, "#tc.gpu_loop_schedule<vector_dim = 0, threads = 256>")


@pytest.mark.parametrize("kernel, fields, reason", [
    ("third", "", "the module has no kernel third; expected one of first, second"),
    ("first", "threads", "'threads' is no field of a schedule; expected NAME = VALUE")])
def test_fields_that_no_schedule_has_are_refused(kernel, fields, reason):
    with pytest.raises(ValueError, match=reason):
        gpu_schedules.with_fields(MODULE, kernel, fields)


def test_models_of_first_results_are_rows():
    assert set(gpu_first_results.MODELS) <= set(gpu_workloads.rows())


def test_the_table_of_first_results_has_what_failed():
    results = {"a": {"tc": {"first": 0.5, "compile": 0.25, "memory": 3 << 20}, "eager": {"first": 1.0, "memory": 2 << 20, "allocated": 1 << 20}},
               "b": {"tc": {"failed": "no memory"}}}
    rows = gpu_first_results.table(results).splitlines()[2:]
    assert rows == ["| a | 0.50 | 0.25 |  | 3 | 2 | 1 |  |  |", "| b | no memory |  |  |  |  |  |  |  |"]


def test_kinds_of_first_results_that_are_not_known_are_refused(capsys):
    with pytest.raises(SystemExit):
        gpu_first_results.parse_options(["--kinds=tc,jit"])
    assert "--kinds names jit; known are tc, eager, default" in capsys.readouterr().err
