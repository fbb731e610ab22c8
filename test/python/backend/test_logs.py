"""TC_LOGS, TC_DUMP and the files that repeat failures."""

import logging
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import tc  # noqa: E402
import tc.torch_backend  # noqa: E402

PACKAGE = Path(tc.__file__).parents[1]

PROGRAM = """
import tc, torch
from tc.torch_backend import backend

@torch.compile(backend=backend)
def function(x):
    return torch.softmax(torch.relu(x) + 1, -1)

function(torch.ones(3, 4))
function(torch.ones(5, 4))
"""


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    torch._dynamo.reset()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delenv("TC_DUMP", raising=False)
    yield
    tc.set_logs("")


def run(program, **environment):
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False,
                            env={**os.environ, "PYTHONPATH": str(PACKAGE), **environment})
    return result.returncode, result.stderr


LINES = [
    ("guards", r"TENSOR_MATCH: check_tensor\(L\['x'\]"),
    ("guards", r"s\d+ >= 2"),
    ("recompiles", r"size mismatch at index 0. expected 3, actual 5"),
    ("fusion", r"fused 'relu.* into 'softmax' \(.*:\d+\)"),
    ("kernels", r"relu_add_softmax: row_reduction #tc.loop_schedule"),
    ("phases", r"code generation: [\d.]+ ms"),
    ("perf", r"'main' reads .* bytes and writes .* in 3 calls"),
]


def compile_twice():
    function = torch.compile(lambda x: torch.softmax(torch.relu(x) + 1, -1), backend=tc.torch_backend.backend)
    function(torch.ones(3, 4))
    function(torch.ones(5, 4))


@pytest.mark.parametrize("name, line", LINES)
def test_each_log(name, line, capsys):
    tc.set_logs(name)
    compile_twice()
    text = capsys.readouterr().err
    assert set(re.findall(r"^\[[\w.]+\]", text, re.M)) == {f"[tc.{name}]"}
    assert re.search(line, text), text


def test_the_environment_says_what_is_logged():
    status, text = run(PROGRAM, TC_LOGS=",".join(tc.logs.LOGS))
    assert status == 0, text
    assert set(re.findall(r"^\[tc\.(\w+)\]", text, re.M)) == set(tc.logs.LOGS)


def test_nothing_is_logged_unasked(capsys):
    compile_twice()
    assert capsys.readouterr().err == ""


def test_an_unknown_log_is_an_error_that_names_the_near_one():
    status, text = run("import tc", TC_LOGS="fusion,kernel")
    assert status != 0
    assert "the environment variable TC_LOGS: there is no log 'kernel', expected some of guards, recompiles, fusion, kernels, " \
        "phases, perf; did you mean 'kernels'?" in text


def test_logs_are_set_and_taken_back(capsys):
    tc.set_logs(["kernels", "recompiles"])
    source = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n %y = tc.relu %x : tensor<4xf32>\n return %y : tensor<4xf32>\n}"
    tc.compile(source)
    assert "[tc.kernels] main(x0: 4xf32)" in capsys.readouterr().err.replace("main(4xf32)", "main(x0: 4xf32)")
    tc.set_logs("")
    tc.compile(source)
    assert capsys.readouterr().err == ""
    assert not logging.getLogger("torch._dynamo.guards.__recompiles").handlers


def test_a_dump_is_replayed_by_tc_run(monkeypatch, tmp_path, tc_run):
    monkeypatch.setenv("TC_DUMP", str(tmp_path / "dumps"))
    function = torch.compile(lambda x: torch.softmax(x + 1, -1), backend=tc.torch_backend.backend)
    function(torch.ones(3, 4))
    torch._dynamo.reset()
    function(torch.ones(3, 4))
    folders = sorted((tmp_path / "dumps").iterdir())
    assert [folder.name for folder in folders] == ["0000", "0001"]
    names = {file.name for file in folders[0].iterdir()}
    phases = {f"{number}_{phase}.mlir" for number, phase in enumerate(tc.phases)}
    assert names == phases | {"graph.json", "code.ll", "code.s", "replay.txt"}
    commands = (folders[0] / "replay.txt").read_text().splitlines()
    assert len(commands) == 1 + len(phases)
    results = set()
    for command in commands:
        program, *arguments = command.split()
        assert program == "tc-run"
        result = subprocess.run([tc_run, *arguments], cwd=folders[0], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        results.add(result.stdout)
    assert len(results) == 1


def test_what_does_not_compile_is_dumped_as_well(monkeypatch, tmp_path):
    monkeypatch.setenv("TC_DUMP", str(tmp_path))
    with pytest.raises(tc.Error):
        tc.compile("func.func @main() { return }}")
    (folder,) = tmp_path.iterdir()
    assert (folder / "module.mlir").read_text() == "func.func @main() { return }}"
    assert (folder / "replay.txt").read_text() == "tc-run module.mlir --random-inputs=0\n"


def test_a_dump_of_a_file_names_it(monkeypatch, tmp_path):
    path = tmp_path / "relu.mlir"
    path.write_text("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n %y = tc.relu %x : tensor<4xf32>\n return %y : tensor<4xf32>\n}")
    monkeypatch.setenv("TC_DUMP", str(tmp_path / "dumps"))
    tc.compile(path, compile_to="fuse")
    folder = tmp_path / "dumps/0000"
    assert {file.name for file in folder.iterdir()} == {"replay.txt", "0_import.mlir", "1_specialize.mlir", "2_simplify.mlir", "3_fuse.mlir"}
    assert (folder / "replay.txt").read_text().startswith(f"tc-run {path} ")


def scaled_norm(x):
    y = x.cos()
    return y.exp()


def fail(monkeypatch, **options):
    """Compiles a function at whose cosine the compiler fails, as it does for nothing that is known."""
    compile_program = tc.torch_backend.compile_program

    def compile_all_but_cosines(text, **how):
        if "aten.cos" in text:
            raise tc.Error('phase \'fuse\' failed:\nloc("cos"("here.py":1:0)): the kernel is wrong')
        return compile_program(text, **how)

    monkeypatch.setattr(tc.torch_backend, "compile_program", compile_all_but_cosines)
    return torch.compile(scaled_norm, backend=tc.torch_backend.backend, options=options)(torch.ones(3))


def check_reproducer(text, tc_run):
    """The command in a message runs the graph that it names."""
    command = re.search(r"this repeats the failure: tc-run (\S+graph\.json)(.*)$", text, re.M)
    result = subprocess.run([tc_run, command[1], *command[2].split()], capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout.startswith("3xf32="), result.stderr


def test_a_fault_is_an_error_with_line_operator_and_reproducer(monkeypatch, tmp_path, tc_run):
    with pytest.raises(Exception) as error:
        fail(monkeypatch, strict=True)
    line = scaled_norm.__code__.co_firstlineno + 1
    assert f"{__file__}:{line}: aten.cos.default: the kernel is wrong" in str(error.value)
    check_reproducer(str(error.value), tc_run)
    assert list(tmp_path.glob("tc-failure-*"))


def test_pytorch_runs_a_call_with_a_fault(monkeypatch, caplog, tc_run):
    torch.testing.assert_close(fail(monkeypatch), torch.ones(3).cos().exp())
    assert "aten.cos.default" in caplog.text and "the kernel is wrong" in caplog.text
    check_reproducer(caplog.text, tc_run)


def test_a_refused_call_leaves_no_file(tmp_path):
    torch.compile(lambda x: torch.linalg.eigvals(x).abs(), backend=tc.torch_backend.backend)(torch.eye(3))
    assert not list(tmp_path.glob("tc-failure-*"))


def test_a_reproducer_is_in_the_folder_of_tc_dump(monkeypatch, tmp_path):
    monkeypatch.setenv("TC_DUMP", str(tmp_path))
    with pytest.raises(Exception, match=re.escape(f"tc-run {tmp_path}/0000/graph.json")):
        fail(monkeypatch, strict=True)
