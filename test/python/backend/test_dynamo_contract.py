"""What Dynamo asks of a backend: how it is found and called, when it is called again, and how its errors reach the user."""

import copy
import functools
import io
import threading
from collections import namedtuple
from dataclasses import dataclass

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from agreement_with_eager import agrees, check_agreement, compiled  # noqa: E402
from torch import nn  # noqa: E402
from torch._dynamo.testing import CompileCounterWithBackend, EagerAndRecordGraphs  # noqa: E402

import tc  # noqa: E402
from tc import torch_backend  # noqa: E402
from tc.torch_backend import backend  # noqa: E402


@pytest.fixture(autouse=True)
def name():
    """The backend has its name also where the package is not installed."""
    if "tc" not in torch._dynamo.list_backends(exclude_tags=()):
        torch._dynamo.register_backend(backend, "tc")
    return "tc"


@pytest.fixture
def counter(name):
    return CompileCounterWithBackend(name)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, x):
        return self.linear(x).relu()


# How the backend is found and called.


def test_the_backend_is_found_by_its_name(name):
    assert torch._dynamo.lookup_backend(name) is backend
    x = torch.randn(5)
    check_agreement(torch.compile(lambda x: x.sin() + 1, backend=name, fullgraph=True)(x), x.sin() + 1)
    assert len(torch_backend.compiled_graphs) == 1


def test_a_name_that_is_nearly_the_backends():
    with pytest.raises(torch._dynamo.exc.InvalidBackend, match="Invalid backend: 'tcc'"):
        torch.compile(lambda x: x, backend="tcc")(torch.ones(1))


def test_options_with_a_name(name):
    with pytest.raises(Exception, match="aten.linalg_eig.default: TC does not have this operator"):
        torch.compile(torch.linalg.eigvals, backend=name, options={"strict": True})(torch.eye(2))


def test_a_mode_and_options_are_pytorchs_error(name):
    with pytest.raises(RuntimeError, match="Either mode or options can be specified"):
        torch.compile(lambda x: x, backend=name, mode="default", options={"strict": True})


def test_the_backend_with_options_is_a_callable():
    run = torch.compile(torch.linalg.eigvals, backend=functools.partial(backend, options={"strict": True}))
    with pytest.raises(Exception, match="aten.linalg_eig.default: TC does not have this operator"):
        run(torch.eye(2))


@pytest.mark.parametrize("nopython", [False, True])
def test_optimize_of_dynamo(name, nopython):
    x = torch.randn(5)
    check_agreement(torch._dynamo.optimize(name, nopython=nopython)(lambda x: x.exp() * 2)(x), x.exp() * 2)


def test_a_backend_that_calls_this_one():
    recorded = EagerAndRecordGraphs()

    def record(module, inputs):
        recorded(module, inputs)
        return backend(module, inputs, options={"strict": True})

    x = torch.randn(5)
    check_agreement(torch.compile(lambda x: x.cos() * 3, backend=record)(x), x.cos() * 3)
    assert [node.target for node in recorded.graphs[0].graph.nodes if node.op == "call_method"] == ["cos"]


# When the backend is called.


def test_frames_and_calls_are_counted(counter):
    def function(x):
        y = x.sin()
        torch._dynamo.graph_break()
        return y.cos() + 1

    run, x = torch.compile(function, backend=counter), torch.randn(4)
    for _ in range(3):
        check_agreement(run(x), function(x))
    assert (counter.frame_count, counter.op_count) == (2, 3)
    assert [graph.kind for graph in torch_backend.compiled_graphs] == ["inference"] * 2


def test_other_types_ranks_and_devices_are_other_graphs(counter):
    run = torch.compile(lambda x: x * 2, backend=counter)
    inputs = torch.randn(4), torch.randn(4, 3), torch.ones(4, dtype=torch.int32), torch.randn(4, requires_grad=True)
    for number, x in enumerate(inputs):
        check_agreement(run(x), x * 2)
        assert counter.frame_count == number + 1


def test_a_reset_compiles_again(counter):
    run, x = torch.compile(lambda x: x * 2, backend=counter), torch.randn(4)
    run(x), torch._dynamo.reset(), run(x)
    assert counter.frame_count == 2


def test_a_disabled_function_is_not_compiled(counter):
    run = torch._dynamo.disable(torch.compile(lambda x: x * 2, backend=counter))
    check_agreement(run(torch.ones(3)), torch.full((3,), 2.0))
    assert counter.frame_count == 0


def test_a_stance_that_forces_eager(counter):
    run, x = torch.compile(lambda x: x * 2, backend=counter), torch.ones(3)
    with torch.compiler.set_stance("force_eager"):
        run(x)
        assert counter.frame_count == 0
    run(x)
    with torch.compiler.set_stance("fail_on_recompile"), pytest.raises(RuntimeError, match="fail_on_recompile"):
        run(x.int())
    assert counter.frame_count == 1


def test_the_limit_of_recompiles_leaves_the_function_to_pytorch(counter):
    run = torch.compile(lambda x: x * 2, backend=counter)
    with torch._dynamo.config.patch(recompile_limit=2):
        for dtype in (torch.float32, torch.float64, torch.int32, torch.int64):
            x = torch.ones(2, dtype=dtype)
            check_agreement(run(x), x * 2)
    assert counter.frame_count == 2


def test_an_error_on_a_recompile(counter):
    run = torch.compile(lambda x: x * 2, backend=counter)
    run(torch.ones(3))
    with torch._dynamo.config.patch(error_on_recompile=True), pytest.raises(torch._dynamo.exc.RecompileError):
        run(torch.ones(3).int())


def test_a_function_that_is_allowed_in_a_graph(counter):
    @torch._dynamo.allow_in_graph
    def inner(x):
        return x.sin() * x

    x, other = torch.randn(4, requires_grad=True), torch.randn(4)
    run = torch.compile(lambda x: inner(x) + 1, backend=counter, fullgraph=True)
    run(x).sum().backward()
    torch.testing.assert_close(x.grad, (x.cos() * x + x.sin()).detach())
    check_agreement(run(other), other.sin() * other + 1)
    assert counter.op_count == 4


def test_a_function_that_is_not_allowed_in_a_graph(counter):
    torch._dynamo.disallow_in_graph(torch.sub)
    try:
        def function(x):
            return torch.sub(x * 2, 1) / 3

        check_agreement(torch.compile(function, backend=counter)(torch.ones(3)), torch.ones(3) / 3)
    finally:
        torch._dynamo.allow_in_graph(torch.sub)
    assert counter.frame_count == 2


def test_layers_that_are_compiled_one_by_one_share_code(counter):
    model, x = nn.Sequential(*(Model() for _ in range(3))), torch.randn(2, 4, requires_grad=True)
    for layer in model:
        layer.linear = nn.Linear(4, 4)
    wanted = model(x)
    for layer in model:
        layer.compile(backend=counter)
    check_agreement(model(x), wanted)
    assert counter.frame_count == 1


# Sizes.


def test_sizes_that_are_marked(counter):
    run = torch.compile(lambda x: x.sum(0) * x.shape[0], backend=counter, dynamic=True)
    for rows in (3, 4, 5):
        x = torch.randn(rows, 2)
        torch._dynamo.mark_static(x, 0)
        check_agreement(run(x), x.sum(0) * rows)
    assert counter.frame_count == 3


def test_a_size_that_may_be_dynamic(counter):
    run = torch.compile(lambda x: x * 2 if x.shape[0] == 3 else x, backend=counter)
    x = torch.randn(3, 2)
    torch._dynamo.maybe_mark_dynamic(x, 0)
    check_agreement(run(x), x * 2)
    x = torch.randn(3, 2)
    torch._dynamo.mark_dynamic(x, 0)
    torch._dynamo.reset()
    with pytest.raises(Exception, match="marked"):
        run(x)


def test_a_size_that_is_no_symbol_of_an_example():
    run = compiled(lambda x: (x * 2).sum(0) + x.shape[0], fullgraph=True)
    for rows in (5, 1, 0):
        x = torch.randn(rows, 2)
        torch._dynamo.decorators.mark_unbacked(x, 0)
        check_agreement(run(x), (x * 2).sum(0) + rows)
    assert len(torch_backend.compiled_graphs) == 1


# Values that are guarded.

FACTOR = 2
WEIGHT = torch.ones(3)


def test_global_values(counter):
    global FACTOR, WEIGHT
    run = torch.compile(lambda x: x * FACTOR + WEIGHT, backend=counter)
    x = torch.ones(3)
    old = FACTOR, WEIGHT
    WEIGHT = torch.ones(3)  # on the default device
    try:
        for factor, weight in ((2, WEIGHT), (3, WEIGHT), (2, WEIGHT * 4), (2.5, WEIGHT.double())):
            FACTOR, WEIGHT = factor, weight
            check_agreement(run(x), x * factor + weight)
    finally:
        FACTOR, WEIGHT = old


def test_closures_and_default_arguments(counter):
    factor, weights = 2, {"w": torch.ones(3)}

    def function(x, offset=1, *, scale=torch.tensor(2.0)):
        return x * factor * scale.to(x.device) + weights["w"] + offset

    run, x = torch.compile(function, backend=counter), torch.ones(3)
    check_agreement(run(x), function(x))
    factor = 5
    weights["w"] = torch.zeros(3)
    check_agreement(run(x), function(x))
    check_agreement(run(x, 7), function(x, 7))
    check_agreement(run(x, scale=torch.tensor(3.0), offset=4), function(x, offset=4, scale=torch.tensor(3.0)))


@dataclass
class Pair:
    left: torch.Tensor
    right: torch.Tensor
    factor: float = 2.0


def test_dataclasses_and_named_tuples():
    Point = namedtuple("Point", "x y")

    def function(pair, point):
        return Point(pair.left * pair.factor + point.x, point.y), Pair(pair.right + 1, point.y * 2).left

    inputs = Pair(torch.randn(3), torch.randn(3)), Point(torch.randn(3), torch.randn(2))
    result, wanted = compiled(function)(*inputs), function(*inputs)
    check_agreement(result[0].x, wanted[0].x)
    check_agreement(result[1], wanted[1])
    assert result[0].y is inputs[1].y


def test_what_a_function_does_besides_is_done():
    seen = []

    class Counted:
        calls = 0

    def function(x, state):
        state.calls += 1
        seen.append(x.shape[0])
        state.last = x * state.calls
        return state.last + 1

    run, state, x = compiled(function), Counted(), torch.ones(3)
    for number in range(1, 4):
        check_agreement(run(x, state), x * number + 1)
        check_agreement(state.last, x * number)
    assert state.calls == 3 and seen == [3] * 3


# Errors.


def user_error(x):
    y = x * 2
    return torch.linalg.eigvals(y)


LINE = user_error.__code__.co_firstlineno + 2


def test_an_error_of_the_backend_has_the_users_line(name):
    run = torch.compile(user_error, backend=name, options={"strict": True})
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed) as caught:
        run(torch.eye(2))
    assert f"{__file__}:{LINE}: aten.linalg_eig.default: TC does not have this operator" in str(caught.value)
    assert isinstance(caught.value.inner_exception, tc.Error) and caught.value.inner_exception.location == f"{__file__}:{LINE}"


def test_errors_that_are_suppressed(counter):
    run = compiled(user_error)
    with torch._dynamo.config.patch(suppress_errors=True):
        check_agreement(run(torch.eye(2)), user_error(torch.eye(2)))
    with pytest.raises(Exception, match="TC does not have this operator"):
        torch._dynamo.reset()
        run(torch.eye(2))


@pytest.mark.parametrize("function", [lambda x: print(x.sum().item()), lambda x: x if x.sum() > 0 else -x, lambda x: x.tolist()])
def test_breaks_are_errors_of_a_full_graph(name, function):
    with pytest.raises(torch._dynamo.exc.Unsupported), torch._dynamo.config.patch(capture_scalar_outputs=False):
        torch.compile(function, backend=name, fullgraph=True)(torch.ones(3))


def test_a_compiled_function_is_right_after_an_error():
    def function(x, index):
        return x[index] + 1

    run, x = compiled(function), torch.arange(4.0)
    check_agreement(run(x, torch.tensor([1, 2])), function(x, torch.tensor([1, 2])))
    if x.device.type == "cpu":
        with pytest.raises(IndexError):
            run(x, torch.tensor([1, 9]))
    check_agreement(run(x, torch.tensor([3, 0])), function(x, torch.tensor([3, 0])))


# Copies, files, threads.


def test_a_compiled_module_is_copied(counter):
    model, x = Model(), torch.randn(2, 4)
    run = torch.compile(model, backend=counter)
    run(x)
    other = copy.deepcopy(run)
    with torch.no_grad():
        other.linear.weight.zero_()
    check_agreement(other(x), copy.deepcopy(other._orig_mod)(x))
    check_agreement(run(x), model(x))
    assert not torch.equal(run(x), other(x))


def test_a_compiled_module_is_saved_and_loaded(name):
    model, x, file = Model(), torch.randn(2, 4), io.BytesIO()
    run = torch.compile(model, backend=name)
    run(x)
    torch.save(run, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    check_agreement(loaded(x), model(x))
    assert list(run.state_dict()) == ["_orig_mod.linear.weight", "_orig_mod.linear.bias"]


def test_a_model_is_exported_after_it_was_compiled(name):
    model, x = Model().eval(), torch.randn(2, 4)
    check_agreement(torch.compile(model, backend=name)(x), model(x))
    check_agreement(torch.export.export(model, (x,)).module()(x), model(x))


def test_threads_call_one_function():
    model = Model()
    run = compiled(model)
    found = {}

    def call(number):
        x = torch.full((2, 4), float(number), device=model.linear.weight.device)
        for _ in range(10):
            result = run(x)
            result.sum().backward()
        found[number] = x, result

    threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
    list(map(threading.Thread.start, threads))
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for x, result in found.values():
        check_agreement(result, model(x))


def test_a_function_that_is_compiled_twice():
    agrees(compiled(lambda x: x.tanh() * 2), torch.randn(3))
