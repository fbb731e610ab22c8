"""tc.compile(function).save, and what loads it."""

import subprocess

import numpy
import pytest

torch = pytest.importorskip("torch")
tc = pytest.importorskip("tc")
from function_calls import agrees  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_gradients")


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
        self.second.weight = self.first.weight
        self.register_buffer("shift", torch.randn(8))

    def forward(self, x, scale=2.0):
        return torch.relu(self.second(self.first(x + self.shift))) * scale


def test_each_compilation_is_a_version(tmp_path):
    model = Scaled()
    compiled = tc.compile(model)
    x = torch.randn(4, 8)
    for arguments in ((x,), (torch.randn(5, 8),), (x, 3.0)):
        compiled(*arguments)
    compiled.save(tmp_path / "m.tca")
    loaded = tc.load(tmp_path / "m.tca")
    assert loaded.entry_count == 3
    for arguments in ((torch.randn(9, 8),), (x, 3.0), (x, 3.0)):
        agrees(loaded, model, *arguments)
    assert loaded.hits == (0, 1, 2)
    assert "tc.guard" in loaded.guards() and "first.weight" not in loaded.guards()


def test_a_call_that_no_version_takes_is_an_error_that_says_why(tmp_path):
    compiled = tc.compile(lambda x, n: x * n)
    compiled(torch.ones(4), 2)
    compiled.save(tmp_path / "m.tca")
    loaded = tc.load(tmp_path / "m.tca")
    with pytest.raises(tc.GuardFailed, match="no version of .* takes this call:\nentry 0: n is 3, expected 2"):
        loaded(torch.ones(4), 3)
    with pytest.raises(tc.GuardFailed, match="size 0 of 'x' is 5, expected 4"):
        loaded(torch.ones(5), 2)
    with pytest.raises(tc.GuardFailed, match="the dtype of 'x' is f64, expected f32"):
        loaded(torch.ones(4, dtype=torch.float64), 2)
    assert loaded.entry_count == 1


def test_weights_are_those_of_the_time_of_saving_and_each_is_written_once(tmp_path):
    model = Scaled()
    compiled = tc.compile(model)
    x = torch.randn(4, 8)
    expected = compiled(x)
    compiled(torch.randn(5, 8))
    compiled.save(tmp_path / "m.tca")
    model.first.weight.zero_()
    torch.testing.assert_close(tc.load(tmp_path / "m.tca")(x), expected)
    # One matrix, which two layers and two versions share, two biases and a buffer.
    assert (tmp_path / "m.tca.weights").stat().st_size == 4 * (64 + 2 * 16 + 8)
    assert len(tc.load(tmp_path / "m.tca", function="Scaled_0").parameters) == 4


def test_structures_of_arguments_and_results(tmp_path):
    def function(xs, options, dtype=torch.float32, *, kind="a"):
        return [xs[0] + options["bias"], (xs[1] * 2).to(dtype)]

    compiled = tc.compile(function)
    x, y, bias = torch.randn(3, 4), torch.randn(2), torch.randn(4)
    compiled([x, y], {"bias": bias}, kind="b")
    compiled([x, y], {"bias": bias}, torch.bfloat16, kind="b")
    compiled.save(tmp_path / "m.tca")
    loaded = tc.load(tmp_path / "m.tca")
    agrees(loaded, function, [x, y], {"bias": bias}, kind="b")
    agrees(loaded, function, [x, y], {"bias": bias}, torch.bfloat16, kind="b")
    with pytest.raises(tc.GuardFailed, match="kind is 'a', expected 'b'"):
        loaded([x, y], {"bias": bias}, kind="a")


def test_conditions_of_sizes_are_kept(tmp_path, tc_run):
    def function(x, y):
        return x.sum() + y.sum() if x.shape[0] * y.shape[0] > 20 else x.sum() - y.sum()

    compiled = tc.compile(function, dynamic=True)
    compiled(torch.ones(3), torch.ones(4))
    compiled(torch.ones(5), torch.ones(6))
    compiled.save(tmp_path / "m.tca")
    loaded = tc.load(tmp_path / "m.tca")
    for size in (2, 4, 6, 40):
        agrees(loaded, function, torch.ones(size), torch.ones(5))
    assert loaded.entry_count == 2

    def run(*options):
        return subprocess.run([tc_run, tmp_path / "m.tca", "--input=30xf32=1", "--input=4xf32=1", *options],
                              capture_output=True, text=True)

    assert run("--function=function_1").stdout == "f32=34\n"
    assert "is -100, expected at least 0 (from " in run().stderr and run().returncode == 1


def test_weights_of_all_kinds(tmp_path):
    turned, low, number = torch.randn(8, 4).t(), torch.randn(4).bfloat16(), torch.tensor(3.0)
    mask = torch.tensor([True, False, True, True])

    def function(x):
        return torch.where(mask, (x @ turned).sum(1, keepdim=True), (x.bfloat16() + low).float()) * number

    compiled = tc.compile(function)
    x = torch.randn(2, 4)
    expected = compiled(x)
    compiled.save(tmp_path / "m.tca")
    torch.testing.assert_close(tc.load(tmp_path / "m.tca")(x), expected)
    torch.testing.assert_close(expected, function(x), rtol=1e-2, atol=1e-2)


def test_tc_run_runs_the_version_that_takes_its_inputs(tmp_path, tc_run):
    compiled = tc.compile(lambda x: torch.relu(x).sum(-1), dynamic=False)
    compiled(torch.ones(2, 3))
    compiled(torch.ones(2, 5))
    compiled.save(tmp_path / "m.tca", targets=["cpu:x86-64", "cpu"])

    def run(*options):
        return subprocess.run([tc_run, tmp_path / "m.tca", *options], capture_output=True, text=True)

    assert run("--input=2x3xf32=1").stdout == "2xf32=3 3\n"
    assert run("--input=2x5xf32=1").stdout == "2xf32=5 5\n"
    assert run("--input=2x5xf32=1", "--function=_lambda__1").stdout == "2xf32=5 5\n"
    refused = run("--input=2x4xf32=1")
    assert refused.returncode == 1
    assert "no version in the artefact takes the inputs:\n_lambda__0: " in refused.stderr
    assert "\n_lambda__1: input 0 is 2x4xf32, expected" in refused.stderr


@pytest.mark.host
def test_a_version_is_a_program_of_its_own(tmp_path):
    compiled = tc.compile(lambda x: x * 3)
    compiled(torch.ones(4))
    compiled.save(tmp_path / "m.tca")
    program = tc.load(tmp_path / "m.tca", returns="numpy")
    numpy.testing.assert_array_equal(program(numpy.ones(4, numpy.float32)), numpy.full(4, 3, numpy.float32))
    assert [value.name for value in program.signature.inputs] == ["x"]


WITHOUT_PYTHON = [
    (lambda x: (x, x + 1), "a result is an argument"),
    (lambda x: (x + 1, 3), "a result is no tensor"),
    (lambda x: {"y": x + 1}, "its results are neither a tensor nor a tuple or list of tensors"),
    (lambda x: x[1:], "PyTorch takes part in its calls, as for views of arguments"),
    (lambda x: torch.rand(4) + x, "PyTorch takes part in its calls, as for views of arguments, random numbers"),
    (lambda x: x.add_(1), "it writes to 'x'"),
]


@pytest.mark.parametrize("function, why", WITHOUT_PYTHON)
def test_what_needs_python_is_refused_by_name(function, why, tmp_path):
    compiled = tc.compile(function)
    compiled(torch.ones(4))
    with pytest.raises(tc.Error, match=f"entry 0 cannot be in an artefact: {why}"):
        compiled.save(tmp_path / "m.tca")
    assert not list(tmp_path.iterdir())


def test_gradients_and_functions_that_were_never_called_are_refused(tmp_path):
    compiled = tc.compile(lambda x: x * 2)
    with pytest.raises(tc.Error, match="has not been compiled yet: call it"):
        compiled.save(tmp_path / "m.tca")
    with torch.enable_grad():
        compiled(torch.ones(4, requires_grad=True))
    with pytest.raises(tc.Error, match="entry 0 cannot be in an artefact: it records gradients"):
        compiled.save(tmp_path / "m.tca")
    compiled.reset()
    compiled(torch.ones(4))
    compiled.save(tmp_path / "m.tca")
    agrees(tc.load(tmp_path / "m.tca"), lambda x: x * 2, torch.ones(4))
