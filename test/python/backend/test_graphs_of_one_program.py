"""Graphs that are one program: what the extension module runs in the place of a driver."""

import copy
import gc
import threading
import weakref

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from agreement_with_eager import compiled  # noqa: E402
from torch import nn  # noqa: E402

import tc  # noqa: E402
from tc import torch_backend  # noqa: E402
from tc.library import native  # noqa: E402
from tc.torch_mutations import write  # noqa: E402

CLOSE = {"rtol": 2e-4, "atol": 2e-5}


def kinds(plan):
    return {source[0] for source in plan}


def gradients(run, model, x, count=1):
    """Those of the parameters and of x after `count` steps, and the result of the last one."""
    model.zero_grad(set_to_none=True)
    x = x.clone().requires_grad_()
    for _ in range(count):
        result = run(x)
        result.square().sum().backward()
    return [result.detach(), x.grad, *(one.grad for one in model.parameters())]


def check(run, model, x, **how):
    given, wanted = gradients(run, model, x, **how), gradients(model, model, x, **how)
    torch.testing.assert_close(given, wanted, **CLOSE)
    assert [one.stride() for one in given] == [one.stride() for one in wanted]


class Heads(nn.Module):
    """What saves slices and transposes of a result for its gradients."""

    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(8), nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, x):
        batch, tokens, _ = x.shape
        q, k, v = self.qkv(self.norm(x)).view(batch, tokens, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        mixed = torch.softmax(q @ k.transpose(-1, -2), -1) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, tokens, 8))


def layers():
    return nn.Sequential(nn.Linear(6, 5), nn.GELU(), nn.LayerNorm(5), nn.Linear(5, 3))


@pytest.mark.parametrize("make, shape", [(layers, (4, 6)), (Heads, (2, 3, 8))])
def test_no_driver_is_python(plans, make, shape):
    model = make()
    check(compiled(model), model, torch.randn(shape))
    forward, backward = plans
    assert kinds(forward) <= {"input", "result", "view", "packed"}
    assert kinds(backward) <= {"constant", "result", "view"}


def test_what_a_parameter_is_laid_out_like_its_gradient_is(plans):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(4, 6).t())

        def forward(self, x):
            return x @ self.weight

    model = Model()
    check(compiled(model), model, torch.randn(3, 6))
    assert None not in plans


def test_sizes_that_vary_keep_views_of_weights_out_of_python(plans):
    model = layers()
    run = compiled(model, dynamic=True)
    for count in (3, 5):
        check(run, model, torch.randn(count, 6))
    forward, backward = plans
    assert "function" not in kinds(backward)


def test_sizes_are_results():
    run = compiled(lambda x: (x.exp().t(), x.shape[0] * 2), dynamic=True)
    for count in (3, 5):
        turned, size = run(torch.zeros(count, 4))
        assert turned.stride() == (1, 4) and turned.shape == (4, count) and size == 2 * count


def test_gradients_add_up():
    model = layers()
    check(compiled(model), model, torch.randn(4, 6), count=3)


def gradients_of_two_calls(run, model, x):
    """Those of the parameters after two backward calls of one forward."""
    model.zero_grad(set_to_none=True)
    loss = run(x).square().sum()
    loss.backward(retain_graph=True)
    loss.backward()
    return [one.grad for one in model.parameters()]


def test_a_second_backward_call():
    model = layers()
    x = torch.randn(4, 6)
    torch.testing.assert_close(gradients_of_two_calls(compiled(model), model, x), gradients_of_two_calls(model, model, x),
                               **CLOSE)


def test_a_backward_that_is_compiled_with_its_forward(monkeypatch):
    """As on a GPU."""
    monkeypatch.setattr(torch_backend, "_assembles_meanwhile", lambda inputs: True)
    model = layers()
    run = compiled(model)
    x = torch.randn(4, 6)
    torch_backend.compiled_graphs.clear()
    run(x)
    assert [graph.kind for graph in torch_backend.compiled_graphs] == ["forward", "backward"]
    torch.testing.assert_close(gradients_of_two_calls(run, model, x), gradients_of_two_calls(model, model, x), **CLOSE)
    assert len(torch_backend.compiled_graphs) == 2


def test_a_backward_that_a_thread_compiles_during_its_forward(monkeypatch):
    """As on a GPU."""
    monkeypatch.setattr(torch_backend, "_assembles_meanwhile", lambda inputs: True)
    threads = []
    compile_text = torch_backend._Compiler.compile_text

    def compile_in_thread(self, *arguments):
        threads.append(threading.current_thread().name.split("_")[0])
        return compile_text(self, *arguments)

    monkeypatch.setattr(torch_backend._Compiler, "compile_text", compile_in_thread)
    model = layers()
    x = torch.randn(4, 6)
    check(compiled(model), model, x)
    assert sorted(threads) == ["MainThread", "tc-ahead"]


def test_a_failure_in_the_thread_is_an_error_of_the_backward(monkeypatch):
    monkeypatch.setattr(torch_backend, "_assembles_meanwhile", lambda inputs: True)
    compile_text = torch_backend._Compiler.compile_text

    def fail_in_thread(self, *arguments):
        if threading.current_thread() is not threading.main_thread():
            raise tc.Error("no room for the backward")
        return compile_text(self, *arguments)

    monkeypatch.setattr(torch_backend._Compiler, "compile_text", fail_in_thread)
    run = compiled(layers())
    with pytest.raises(Exception, match="no room for the backward"):
        run(torch.randn(4, 6))


def test_a_second_backward_call_of_what_is_not_retained_is_an_error():
    loss = compiled(layers())(torch.randn(4, 6)).sum()
    loss.backward()
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()


def test_hooks_of_gradients():
    model = layers()
    seen = []
    for one in model.parameters():
        one.register_hook(lambda gradient: gradient * 2)
        one.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.shape))
    x = torch.randn(4, 6)
    check(compiled(model), model, x)
    assert len(seen) == 2 * len(list(model.parameters()))


def test_a_gradient_that_is_written_changes_no_other():
    model = layers()
    run = compiled(model)
    run(torch.randn(4, 6)).sum().backward()
    values = [one.grad.clone() for one in model.parameters()]
    for number, one in enumerate(model.parameters()):
        one.grad.zero_()
        for other, value in list(zip(model.parameters(), values))[number + 1:]:
            assert torch.equal(other.grad, value)


def test_writing_to_a_result_that_gradients_need_is_an_error():
    for run in (torch.exp, compiled(torch.exp)):
        result = run(torch.randn(3, 4, requires_grad=True))
        with torch.no_grad():
            result.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            result.sum().backward()


def test_views_of_what_gradients_need_are_pytorch_s(plans):
    result = compiled(lambda x: x.exp().t())(torch.randn(3, 4, requires_grad=True))
    result.sum().backward()
    assert kinds(plans[0]) <= {"result", "alias"}


def test_saved_tensors_go_with_their_graph():
    saved = []
    run = compiled(lambda x: (x.exp() * x.sin()).cos())
    x = torch.randn(4, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda one: saved.append(weakref.ref(one)) or one, lambda one: one):
        result = run(x)
    assert saved
    del result
    gc.collect()
    assert all(one() is None or one() is x for one in saved)


def test_running_statistics_are_written(plans):
    eager = nn.Sequential(nn.Linear(6, 5), nn.BatchNorm1d(5), nn.ReLU())
    model = copy.deepcopy(eager)
    run = compiled(model)
    for _ in range(2):
        x = torch.randn(7, 6)
        given, wanted = gradients(run, model, x), gradients(eager, eager, x)
        torch.testing.assert_close(given, wanted, **CLOSE)
    torch.testing.assert_close(model.state_dict(), eager.state_dict(), **CLOSE)
    assert model[1].num_batches_tracked == 2 and None not in plans


def test_an_optimizer_writes_in_place(plans, monkeypatch):
    calls = []
    monkeypatch.setattr(torch_backend, "write", lambda *lists: calls.append([len(one) for one in lists]) or write(*lists))
    eager = layers()
    model = copy.deepcopy(eager)
    optimizers = [torch.optim.SGD(one.parameters(), 0.1, momentum=0.9) for one in (model, eager)]
    step = compiled(optimizers[0].step)
    for _ in range(3):
        for one in (*model.parameters(), *eager.parameters()):
            one.grad = torch.full_like(one, 0.5)
        versions = [one._version for one in model.parameters()]
        calls.clear()
        step()
        optimizers[1].step()
        assert all(one._version > before for one, before in zip(model.parameters(), versions))
    check_state(model, eager)
    assert not calls and None not in plans  # the program has written them


def check_state(model, eager):
    torch.testing.assert_close(model.state_dict(), eager.state_dict(), **CLOSE)


@pytest.mark.parametrize("function", [
    lambda x, y: (x.copy_(y), y.mul_(2))[:0],
    lambda x, y: x.copy_(y.flip(0)) + y.copy_(x.t().t()),
    lambda x, y: (x.add_(1), x.view(-1)[2:], y.sub_(x)),
    lambda x, y: x[0].add_(y[1]) * 2,
], ids=["swap", "through views", "views of what is written", "a part"])
def test_inputs_that_are_written(function):
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    own, others = (x.clone(), y.clone()), (x.clone(), y.clone())
    results, wanted = compiled(function)(*own), function(*others)
    torch.testing.assert_close(results, wanted)
    torch.testing.assert_close(own, others)


def test_what_pytorch_runs_a_part_of_writes_its_inputs():
    def function(x, y):
        y.add_(torch.special.bessel_j0(x * 2))
        return y * 2

    x, y, other = torch.rand(4), torch.zeros(4), torch.zeros(4)
    result = compiled(function, options={})(x, y)
    torch.testing.assert_close(result, function(x, other))
    torch.testing.assert_close(y, other)


def test_attention_without_dropout_draws_no_number(plans):
    run = compiled(nn.functional.scaled_dot_product_attention)
    q, k, v = (torch.randn(1, 2, 5, 8, requires_grad=True) for _ in range(3))
    state = torch.get_rng_state()
    run(q, k, v).sum().backward()
    assert torch.equal(torch.get_rng_state(), state)


def test_dropout_draws_of_pytorch():
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
    run = compiled(model)
    x = torch.randn(16, 8)
    results = []
    for _ in range(2):
        torch.manual_seed(3)
        results.append(run(x))
    assert torch.equal(*results) and not torch.equal(results[0], run(x))


# The callable itself.


PROGRAM = """func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %sum = tc.add %a, %b : tensor<2x3xf32>
  %product = tc.mul %a, %b : tensor<2x3xf32>
  return %sum, %product : tensor<2x3xf32>, tensor<2x3xf32>
}"""
INPUTS = [("input", 0), ("input", 2)]


@pytest.fixture(scope="module")
def program():
    return tc.compile(PROGRAM, returns="torch")


@pytest.mark.host
@pytest.mark.parametrize("is_row_major", [True, False])
def test_results_come_from_anywhere(program, is_row_major):
    call = native.BoxedCallable(program, INPUTS, [
        ("constant", None), ("input", 1), ("view", 1, (3, 2), (1, 3), 0), ("result", 0), ("alias", 0, (3,), (1,), 3),
        ("function", lambda *values: values, [("input", 1), ("result", 0)])])
    a = torch.randn(2, 3) if is_row_major else torch.randn(3, 2).t()
    b, other = torch.randn(2, 3), object()
    inputs = [a, other, b]
    constant, same, turned, whole, row, values = call(inputs)
    assert constant is None and same is other and inputs == []
    torch.testing.assert_close(turned, (a * b).t())
    torch.testing.assert_close(whole, a + b)
    assert turned.stride() == (1, 3) and values == (other, whole)
    assert row._version == whole._version and row.data_ptr() == whole[1].data_ptr()
    whole.zero_()
    assert not row.any() and row._version == 1


@pytest.mark.host
@pytest.mark.parametrize("results, message", [
    ([("result", 2)], "result that the program has not: there are 2"),
    ([("function", len, [("view", 3, (), (), 0)])], "result that the program has not"),
    ([("view", 0, (2,), (), 0)], "another number of strides than sizes"),
    ([("nothing", 0)], "no kind of source 'nothing'")])
def test_sources_that_there_are_not(program, results, message):
    with pytest.raises(ValueError, match=message):
        native.BoxedCallable(program, INPUTS, results)


@pytest.mark.host
def test_a_view_outside_of_the_memory_is_an_error(program):
    call = native.BoxedCallable(program, INPUTS, [("view", 0, (7000,), (1,), 0)])
    with pytest.raises(tc.Error, match="a view of type 7000xf32 at byte 0 reaches beyond the"):
        call([torch.randn(2, 3), None, torch.randn(2, 3)])


@pytest.mark.host
def test_too_few_inputs_are_an_error(program):
    call = native.BoxedCallable(program, INPUTS, [("result", 0)])
    with pytest.raises(TypeError, match="has 1 inputs, expected at least 3"):
        call([torch.randn(2, 3)])
    with pytest.raises(TypeError, match="one list of inputs"):
        call((torch.randn(2, 3),) * 3)
