"""The option `eager`: PyTorch runs the calls of programs, or those of named kernels; all else is as without it."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from agreement_with_eager import agrees, check_agreement, compiled, copies  # noqa: E402
from torch import nn  # noqa: E402

from tc import torch_backend  # noqa: E402

EAGER = {"strict": True, "eager": True}


@pytest.fixture
def without_compiler(monkeypatch):
    """Nothing may be given to TC's compiler."""
    def fail(*arguments, **how):
        raise AssertionError("the compiler was called")

    monkeypatch.setattr(torch_backend, "compile_program", fail)


def broken(compile_program):
    """A compiler whose rsqrt is sqrt."""
    def compile_wrongly(text, **how):
        return compile_program(text.replace("torch.ops.aten.rsqrt.default", "torch.ops.aten.sqrt.default"), **how)

    return compile_wrongly


def normalise(x, w):
    y = torch.relu(x @ w)
    return torch.rsqrt(torch.softmax(y, 0) + 1).cumsum(-1)


def test_results_of_all_kinds(without_compiler):
    agrees(lambda x, n: (x.t() + 1, x.sum(), x[1:], x.expand(3, 4, 5).clone(), (x @ x.t()).t(), n * x, x.nonzero(), n),
           torch.randn(4, 5), 3, options=EAGER)


def test_complex_results(without_compiler):
    agrees(lambda x: (x.conj() * 2, (x * 1j).conj(), x.real.exp(), (x + 1).imag), torch.randn(3, 4, dtype=torch.complex64),
           options=EAGER)


def test_sizes_that_vary(without_compiler):
    def function(x, y):
        rows, columns = x.shape
        return x.view(rows * columns) * (rows + 1), (y @ y.t()).sum() / x.numel(), torch.arange(columns * 2, device=y.device)

    run = compiled(function, options=EAGER, dynamic=True)
    for rows, columns in ((3, 4), (5, 2), (6, 7)):
        x, y = torch.randn(rows, columns), torch.randn(columns, 9)
        check_agreement(run(x, y), function(x, y))
    assert len(torch_backend.compiled_graphs) == 1 and not torch_backend.compiled_graphs[0].programs


def test_training_with_an_optimizer_and_running_statistics(without_compiler):
    eager = nn.Sequential(nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4), nn.GELU(), nn.Flatten(), nn.Linear(64, 5))
    model = copy.deepcopy(eager)
    run, steps = compiled(model, options=EAGER), []
    for one in (eager, model):
        optimizer = torch.optim.AdamW(one.parameters(), 1e-2)
        steps.append((optimizer, compiled(optimizer.step, options=EAGER) if one is model else optimizer.step))
    for _ in range(3):
        x = torch.randn(2, 3, 6, 6)
        for call, (optimizer, step) in zip((eager, run), steps):
            optimizer.zero_grad()
            call(x).square().mean().backward()
            step()
    torch.testing.assert_close(model.state_dict(), eager.state_dict(), rtol=1e-4, atol=1e-5)


def test_random_numbers_are_those_of_pytorch(without_compiler):
    run, x = compiled(lambda x: torch.rand_like(x) + x, options=EAGER), torch.ones(20)
    torch.manual_seed(3)
    result = run(x)
    torch.manual_seed(3)
    torch.testing.assert_close(result, torch.rand_like(x) + x)


def test_what_the_compiler_gets_wrong_is_right(monkeypatch):
    x, w = torch.rand(8, 16), torch.rand(16, 12)
    monkeypatch.setattr(torch_backend, "compile_program", broken(torch_backend.compile_program))
    with pytest.raises(AssertionError, match="Tensor-likes are not close"):
        agrees(normalise, x, w)
    torch._dynamo.reset()
    agrees(normalise, x, w, options=EAGER)


@pytest.mark.parametrize("as_list", [False, True])
def test_calls_of_a_kernel_are_run_by_its_name(monkeypatch, as_list):
    x, w = torch.rand(8, 16), torch.rand(16, 12)
    monkeypatch.setattr(torch_backend, "compile_program", broken(torch_backend.compile_program))
    compiled(normalise)(*copies((x, w)))
    names = [kernel.name for program in torch_backend.compiled_graphs[-1].programs for kernel in program.kernels]
    wrong = [name for name in names if "sqrt" in name]
    assert len(wrong) == 1 and len(names) > 1
    for name in names:
        torch._dynamo.reset()
        options = {"strict": True, "eager": [name] if as_list else name}
        if name in wrong:
            agrees(normalise, x, w, options=options)
        else:
            with pytest.raises(AssertionError, match="Tensor-likes are not close"):
                agrees(normalise, x, w, options=options)
        assert torch_backend.compiled_graphs[-1].programs and not torch_backend.compiled_graphs[-1].refusals


def test_a_name_that_no_kernel_has_is_told_with_those_that_there_are(caplog):
    agrees(lambda x: x.exp() * 2, torch.rand(3), options={"strict": True, "eager": "nothing"})
    name = torch_backend.compiled_graphs[-1].programs[0].kernels[0].name
    assert f"no kernel of a graph has calls and one of the names nothing; its kernels are {name}" in caplog.text


def test_a_function_that_fails_in_a_refused_call_still_does():
    with pytest.raises(Exception, match="aten.linalg_eig.default: TC does not have this operator"):
        compiled(torch.linalg.eigvals, options=EAGER)(torch.eye(3))


@pytest.mark.parametrize("options", [{"interpret": True}, {"stop_after": "fuse"}])
@pytest.mark.parametrize("eager", [True, "relu"])
def test_the_interpreter_and_pytorch_are_not_both_to_run_calls(options, eager):
    with pytest.raises(Exception, match="the option eager runs calls by PyTorch, interpret and stop_after run them in the interpreter"):
        compiled(torch.relu, options={"eager": eager, **options})(torch.rand(3))


def test_another_value_is_an_error():
    with pytest.raises(Exception, match="the option eager is 3, expected True, False, or names of kernels"):
        compiled(torch.relu, options={"eager": 3})(torch.rand(3))
