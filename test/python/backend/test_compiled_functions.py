"""tc.compile of functions and modules: arguments, results, state, errors."""

import gc
import weakref

import pytest

torch = pytest.importorskip("torch")
tc = pytest.importorskip("tc")
from function_calls import agrees, misses  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_gradients")


def test_a_call_is_captured_once():
    calls = {"count": 0}

    def function(x):
        calls["count"] += 1
        return torch.relu(x) + 1

    compiled = tc.compile(function)
    for _ in range(3):
        agrees(compiled, lambda x: torch.relu(x) + 1, torch.randn(4, 8))
    assert calls["count"] == 1 and compiled.entry_count == 1 and compiled.hits == (3,)
    assert compiled.__name__ == "function"


def test_arguments_and_results_of_all_kinds():
    def function(xs, options, n=1, *, scale=None, kind="a", dtype=torch.float32):
        y = xs[0] * n + options["bias"]
        if scale is not None:
            y = y * scale
        if kind == "b":
            y = y.to(dtype)
        return {"y": y, "parts": [y[0], xs[1]]}, n, None, kind

    compiled = tc.compile(function)
    x, bias = torch.randn(3, 4), torch.randn(4)
    agrees(compiled, function, [x, x], {"bias": bias})
    agrees(compiled, function, (x, bias), {"bias": bias}, 3, scale=0.5)
    agrees(compiled, function, (x, bias), {"bias": bias}, n=3, scale=0.5, kind="b", dtype=torch.float64)
    assert compiled.entry_count == 3


def test_a_result_that_is_an_argument_is_that_object():
    compiled = tc.compile(lambda x, y: (y, x, x + y))
    x, y = torch.randn(4), torch.randn(4)
    first, second, _ = compiled(x, y)
    assert first is y and second is x
    assert tc.compile(lambda x: x)(x) is x


def test_a_view_of_an_argument_shares_its_memory():
    compiled = tc.compile(lambda x: (x[1:], x.t(), x * 2))
    x = torch.randn(4, 4)
    agrees(compiled, lambda x: (x[1:], x.t(), x * 2), x)
    assert compiled(x)[0].data_ptr() == x[1].data_ptr() and compiled(x)[1].data_ptr() == x.data_ptr()


def test_one_tensor_may_be_given_twice():
    compiled = tc.compile(lambda x, y: x + y * 2)
    x, y = torch.randn(4), torch.randn(4)
    agrees(compiled, lambda x, y: x + y * 2, x, x)
    agrees(compiled, lambda x, y: x + y * 2, x, y)
    assert compiled.entry_count == 1


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.norm, self.dropout = torch.nn.Linear(4, 4), torch.nn.LayerNorm(4), torch.nn.Dropout(0.5)
        self.scale, self.use_norm = 2.0, True

    def forward(self, x):
        y = self.linear(x) * self.scale
        return self.dropout(self.norm(y) if self.use_norm else y)


def test_a_module_is_guarded_by_what_it_reads_of_itself():
    model = Block().eval()
    compiled = tc.compile(model)
    x = torch.randn(3, 4)
    agrees(compiled, model, x)
    for owner, name, value, reason in [
            (model, "scale", 3.0, "self.scale is 3.0, expected 2.0"), (model, "use_norm", False, "self.use_norm is False, expected True"),
            (model.norm, "eps", 0.5, "self.norm.eps is 0.5, expected 1e-05"), (model.dropout, "training", True, "self.dropout.training is True, expected False")]:
        before = getattr(owner, name)
        setattr(owner, name, value)
        assert reason in compiled.explain_miss(x)
        if name != "training":
            agrees(compiled, model, x)
        setattr(owner, name, before)
        assert compiled.explain_miss(x) == ""


def test_parameters_are_read_in_each_call_and_guarded_by_identity():
    model = Block().eval()
    compiled = tc.compile(model)
    x = torch.randn(3, 4)
    agrees(compiled, model, x)
    model.linear.weight.mul_(2)
    model.load_state_dict(Block().state_dict())
    agrees(compiled, model, x)
    assert compiled.entry_count == 1
    model.linear.weight = torch.nn.Parameter(torch.randn(4, 4))
    assert misses(compiled, x) == "self.linear.weight is another object"
    agrees(compiled, model, x)
    model.linear = torch.nn.Linear(4, 4)
    agrees(compiled, model, x)


def test_a_function_may_read_a_module():
    model = Block().eval()

    def function(x):
        return model(x) + model.linear.weight.sum()

    compiled = tc.compile(function)
    x = torch.randn(3, 4)
    agrees(compiled, function, x)
    model.linear.weight.add_(1)
    agrees(compiled, function, x)
    assert compiled.entry_count == 1
    model = Block().eval()
    assert misses(compiled, x) == "model is another object"
    agrees(compiled, function, x)


def test_a_method_is_compiled_with_its_module():
    model = Block().eval()
    agrees(tc.compile(model.forward), model.forward, torch.randn(3, 4))


def test_arguments_and_buffers_that_are_written_to():
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(()))

        def forward(self, x, y):
            self.count.add_(1)
            x.mul_(2)
            return x + y + self.count

    model = Counter()
    compiled = tc.compile(model)
    x, y = torch.ones(4), torch.ones(4)
    torch.testing.assert_close(compiled(x, y), torch.full((4,), 4.0))
    torch.testing.assert_close(compiled(x, y), torch.full((4,), 7.0))
    assert x[0] == 4 and model.count == 2 and compiled.entry_count == 1
    assert "the memory of 'x' is in part that of 'y'" in compiled.explain_miss(x, x)
    batch_norm = torch.nn.BatchNorm1d(4)
    twin = torch.nn.BatchNorm1d(4)
    data = torch.randn(8, 4)
    torch.testing.assert_close(tc.compile(batch_norm)(data), twin(data))
    torch.testing.assert_close(batch_norm.state_dict(), twin.state_dict())


def test_random_numbers_differ_from_call_to_call():
    model = Block().train()
    compiled = tc.compile(model)
    x = torch.randn(64, 4)
    assert not torch.equal(compiled(x), compiled(x)) and compiled.entry_count == 1


def test_gradients_are_recorded():
    model = Block().eval()
    compiled = tc.compile(model)
    x = torch.randn(3, 4)
    agrees(compiled, model, x)
    with torch.enable_grad():
        loss = agrees(compiled, model, x).sum()
        loss.backward()
        assert model.linear.weight.grad is not None
        y = torch.randn(4, requires_grad=True)
        double = tc.compile(lambda x: x * 2)
        assert not double(y.detach()).requires_grad and double(y).requires_grad
        assert not double(y.detach()).requires_grad
    assert not double(y).requires_grad
    agrees(compiled, model, x)
    assert compiled.entry_count == 2


def test_what_cannot_be_captured_is_an_error_that_says_what_to_do():
    def function(x):
        return x + 1 if x.sum() > 0 else x

    with pytest.raises(tc.Error, match="function cannot be captured whole") as error:
        tc.compile(function)(torch.randn(4))
    assert 'torch.compile(function, backend="tc")' in str(error.value)
    with pytest.raises(tc.Error, match="the argument 'x' is of type set, expected tensors"):
        tc.compile(lambda x: 1)({1})


def test_a_function_that_changes_what_it_reads_is_an_error():
    calls = []

    def function(x):
        calls.append(1)
        return x + len(calls)

    compiled = tc.compile(function)
    with pytest.raises(tc.Error, match=r"calls is \[1.*\], expected \[\]; does the function change what it reads"):
        compiled(torch.randn(4))
    assert compiled.entry_count == 0


def test_an_exception_of_the_function_is_the_users():
    compiled = tc.compile(lambda x: torch.relu(x, 1, 2))
    with pytest.raises(Exception, match="relu"):
        compiled(torch.randn(4))
    assert compiled.entry_count == 0


def test_bad_options_are_errors():
    with pytest.raises(ValueError, match="on_recompile_limit is 'ignore', expected one of warn, error"):
        tc.compile(lambda x: x, on_recompile_limit="ignore")
    with pytest.raises(ValueError, match="recompile_limit is 0, expected at least 1"):
        tc.compile(lambda x: x, recompile_limit=0)
    with pytest.raises(ValueError, match="'target' is an option of programs"):
        tc.compile(lambda x: x, target="cpu:znver3")
    with pytest.raises(TypeError, match="'dynamic' is no option of programs"):
        tc.compile("func.func @main() { return }", dynamic=True)
    with pytest.raises(ValueError, match="the mode is 'fast'"):
        tc.compile(lambda x: x, mode="fast")


def test_a_compiled_module_can_be_freed():
    model = Block().eval()
    model.compiled = [tc.compile(model)]
    model.compiled[0](torch.randn(3, 4))
    known = weakref.ref(model)
    del model
    gc.collect()
    assert known() is None
