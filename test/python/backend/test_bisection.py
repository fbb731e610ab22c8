"""tc.bisect names what differs; the options interpret and stop_after run the interpreter."""

import re

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import tc  # noqa: E402
import tc.bisection  # noqa: E402
from tc.compiled import INTERPRETED_PHASES  # noqa: E402
from tc.torch_backend import backend, compiled_graphs  # noqa: E402


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)


def normalise(x, w):
    y = torch.relu(x @ w)
    y = torch.softmax(y, 0)
    return torch.rsqrt(y + 1).cumsum(-1)


INPUTS = 8, 16


def inputs():
    return torch.rand(*INPUTS), torch.rand(16, 12)


def test_what_is_right_differs_nowhere():
    assert tc.bisect(normalise, *inputs()) is None
    assert tc.bisect(lambda x: torch.dropout(x, 0.5, True) * 2, torch.rand(40)) is None


def test_code_that_is_wrong_is_found_in_its_kernel(monkeypatch):
    """The code of a kernel computes another function than its module says."""
    right = tc.bisection.compile_program

    def compile_wrongly(text, **how):
        if how.get("device", "cpu") != "cpu" or how.get("compile_to"):
            return right(text, **how)
        module = text if text.startswith("module") else right(text, compile_to="fuse").ir("fuse")
        return right(module.replace("tc.rsqrt", "tc.sqrt"), **how)

    monkeypatch.setattr(tc.bisection, "compile_program", compile_wrongly)
    found = tc.bisect(normalise, *inputs())
    assert found.phase == "generate"
    line = normalise.__code__.co_firstlineno + 3
    assert f"aten.rsqrt.default ({__file__}:{line})" in map(str, found.calls)
    number, name = found.kernel.split()
    assert int(number) > 0 and "rsqrt" in name
    assert f"the code of kernel {found.kernel} gives another result than the interpreter: result 0: Mismatched" in str(found)


@pytest.mark.parametrize("phase", INTERPRETED_PHASES[1:])
def test_a_phase_that_is_wrong_is_named(phase, monkeypatch):
    right = tc.bisection.module_after

    def module_after(text, at):
        module = right(text, at)
        wrong = INTERPRETED_PHASES.index(at) >= INTERPRETED_PHASES.index(phase)
        return module.replace("tc.rsqrt", "tc.sqrt") if wrong else module

    monkeypatch.setattr(tc.bisection, "module_after", module_after)
    found = tc.bisect(normalise, *inputs())
    assert found.phase == phase and not found.kernel
    assert f"the module after phase {phase} gives another result" in str(found)


def test_a_module_cut_off_after_each_kernel_runs():
    text = "\n".join(["func.func @main(%x: tensor<?x6xf32, #tc.sizes<[s0, 6]>>) -> (tensor<6x?xf32, #tc.sizes<[6, s0]>>, tensor<?xf32, #tc.sizes<[s0]>>)",
                      "    attributes {tc.symbols = [#tc.symbol<\"s0\", min = 1, max = 64>]} {",
                      "  %e = tc.exp %x : tensor<?x6xf32, #tc.sizes<[s0, 6]>>",
                      "  %s = tc.reduce sum %e dims [1] : tensor<?x6xf32, #tc.sizes<[s0, 6]>> -> tensor<?xf32, #tc.sizes<[s0]>>",
                      "  %t = tc.transpose %e [1, 0] : tensor<?x6xf32, #tc.sizes<[s0, 6]>> -> tensor<6x?xf32, #tc.sizes<[6, s0]>>",
                      "  return %t, %s : tensor<6x?xf32, #tc.sizes<[6, s0]>>, tensor<?xf32, #tc.sizes<[s0]>>", "}"])
    module = tc.bisection.module_after(text, "fuse")
    x = torch.rand(5, 6)
    count = len(re.findall(r"= tc\.kernel ", module))
    assert count and tc.bisection.truncated(module, count) is None
    for number in range(count):
        part = tc.bisection.truncated(module, number)
        assert not tc.bisection.difference(tc.compile(part)(x), tc.bisection.interpret(part)(x))


def test_differences():
    x = torch.tensor([1.0, float("nan")])
    assert tc.bisection.difference((x, x + 1e-6), (x, x)) == ""
    assert tc.bisection.difference((x, x + 1), (x, x)).startswith("result 1: Mismatched elements: 1 / 2")
    assert tc.bisection.difference(torch.tensor([1]), torch.tensor([2])).startswith("result 0: ")


@pytest.mark.parametrize("options", [{"interpret": True}, *({"stop_after": phase} for phase in INTERPRETED_PHASES)],
                         ids=lambda options: next(map(str, options.values())))
def test_the_interpreter_runs_a_graph(options):
    layer = torch.nn.Linear(4, 4)
    function = torch.compile(lambda x: torch.dropout(layer(x).relu(), 0.0, True).sum(), backend=backend, options={"strict": True, **options})
    x = torch.rand(3, 4)
    function(x).backward()
    found = layer.weight.grad.clone()
    layer.zero_grad()
    layer(x).relu().sum().backward()
    torch.testing.assert_close(found, layer.weight.grad)
    assert all(program.is_interpreted for graph in compiled_graphs[-2:] for program in graph.programs)


def test_a_phase_that_the_interpreter_does_not_run():
    with pytest.raises(Exception, match="the option stop_after is 'emit', expected a phase that the interpreter runs: import, specialize, "
                                        "simplify, fuse, bufferize"):
        torch.compile(torch.relu, backend=backend, options={"stop_after": "emit"})(torch.rand(3))
