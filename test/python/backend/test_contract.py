"""What users of torch.compile expect of every backend: values, element types,
strides, aliases and gradients are those of eager PyTorch."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import agrees, check_agreement, compiled  # noqa: E402
from torch import nn  # noqa: E402

from tc import torch_backend  # noqa: E402


def small_model():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))


# How functions are compiled.


@pytest.mark.parametrize("mode", ["default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"])
def test_every_mode_of_torch_compile(mode):
    model, x = small_model(), torch.randn(5, 4)
    run = torch.compile(model, backend=torch_backend.backend, mode=mode)
    torch.testing.assert_close(run(x), model(x))
    torch.testing.assert_close(run(x + 1), model(x + 1))


def test_an_unknown_mode_is_refused_with_the_modes_that_there_are():
    with pytest.raises(Exception, match="the mode is 'fastest', expected one of default, reduce-overhead"):
        torch.compile(lambda x: x + 1, backend=torch_backend.backend, mode="fastest")(torch.ones(2))


def test_a_decorator():
    @torch.compile(backend=torch_backend.backend)
    def function(x):
        return x.sin() + x.cos()

    x = torch.randn(7)
    torch.testing.assert_close(function(x), x.sin() + x.cos())


def test_a_module_that_is_compiled_in_place():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(4, 4)

        def forward(self, x):
            return self.linear(x) + 1

    model, x = Model(), torch.randn(5, 4)
    wanted = model(x)
    model.compile(backend=torch_backend.backend, options={"strict": True})
    check_agreement(model(x), wanted)
    assert torch_backend.compiled_graphs and list(model.state_dict()) == ["linear.weight", "linear.bias"]


def test_a_compiled_function_within_another():
    inner = compiled(lambda x: x.exp() * 2)
    agrees(lambda x: inner(x + 1) - 3, torch.randn(4))


def test_a_compiled_function_under_disable():
    @torch.compiler.disable
    def alone(x):
        return x * 3

    agrees(lambda x: alone(x + 1) - 3, torch.randn(4))


def test_fullgraph_raises_at_a_graph_break():
    def function(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    with pytest.raises(torch._dynamo.exc.Unsupported):
        compiled(function, fullgraph=True)(torch.ones(3))
    agrees(function, torch.ones(3))


def test_several_graph_breaks_keep_local_state():
    def function(x, history):
        for step in range(3):
            x = x * 2 + step
            torch._dynamo.graph_break()
            history.append(x.sum())
        return x, history

    x = torch.randn(4)
    check_agreement(compiled(function)(x, []), function(x, []))


@pytest.mark.parametrize("dynamic", [None, True, False])
def test_sizes_that_change_between_calls(dynamic):
    model = small_model()
    run = compiled(model, dynamic=dynamic)
    for rows in (2, 3, 1, 7):
        x = torch.randn(rows, 4)
        check_agreement(run(x), model(x))


def test_a_dimension_that_is_marked_dynamic_is_compiled_once():
    model = small_model()
    run = compiled(model, fullgraph=True)
    for rows in (2, 3, 9, 40):
        x = torch.randn(rows, 4)
        torch._dynamo.mark_dynamic(x, 0)
        with torch.no_grad():
            check_agreement(run(x), model(x))
    assert len(torch_backend.compiled_graphs) == 1


def test_sizes_of_tensors_that_are_not_read():
    def function(x, y):
        return x.sum() * y.shape[0] + torch.arange(y.shape[1], device=x.device)

    run = compiled(function, dynamic=True)
    for rows, columns in ((3, 4), (5, 6)):
        x, y = torch.randn(7, 9), torch.randn(rows, columns)
        check_agreement(run(x, y), function(x, y))


def test_gradients_of_sizes_that_vary():
    run = compiled(lambda x: (x * x.shape[0]).mean(), dynamic=True)
    for rows in (3, 5, 8):
        x = torch.randn(rows, 4, requires_grad=True)
        run(x).backward()
        torch.testing.assert_close(x.grad, torch.full_like(x, 1 / 4))
    assert [graph.kind for graph in torch_backend.compiled_graphs] == ["forward", "backward"]


def test_numbers_among_the_arguments():
    def function(x, scale, power):
        return x * scale + x ** power

    run = compiled(function)
    for scale, power in ((2, 2), (3, 2), (-4, 3), (0.5, 3), (1.5, 2)):
        x = torch.rand(5)
        check_agreement(run(x, scale, power), function(x, scale, power))


# Parameters.


def test_parameters_that_change_between_calls():
    model, x = small_model(), torch.randn(5, 4)
    run = compiled(model)

    def check():
        check_agreement(run(x), model(x))

    check()
    with torch.no_grad():
        model[0].weight.mul_(2)
    check()
    model[0].weight.data = torch.randn(8, 4)
    check()
    model[0].weight = nn.Parameter(torch.randn(8, 4))
    check()
    other = small_model()
    model.load_state_dict(other.state_dict())
    check()
    model.load_state_dict(copy.deepcopy(other.state_dict()), assign=True)
    check()
    model[2] = nn.Linear(8, 6)
    check()


def test_buffers_that_training_updates():
    eager = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
    model = copy.deepcopy(eager)
    run = compiled(model)
    for _ in range(3):
        x = torch.randn(2, 3, 6, 6)
        check_agreement(run(x), eager(x), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(model.state_dict(), eager.state_dict())
    assert int(model[1].num_batches_tracked) == 3


def test_training_and_evaluation_are_graphs_of_their_own():
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    run, eager, x = compiled(model), copy.deepcopy(model), torch.randn(8, 4)
    check_agreement(run(x), eager(x))
    model.eval(), eager.eval()
    check_agreement(run(x), eager(x))


# Gradients and modes of PyTorch.


@pytest.mark.parametrize("guard", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_modes_of_gradients(guard):
    model, x = small_model(), torch.randn(5, 4)
    with guard():
        result, wanted = compiled(model)(x), model(x)
    check_agreement(result, wanted)
    assert result.is_inference() == wanted.is_inference()


def test_a_mode_of_gradients_within_the_function():
    def function(x):
        with torch.no_grad():
            y = x * 2
        return y, x * 3

    agrees(function, torch.randn(4, requires_grad=True))


def test_gradients_reach_inputs_and_parameters():
    eager, x = small_model(), torch.randn(5, 4, requires_grad=True)
    model, other = copy.deepcopy(eager), x.detach().clone().requires_grad_()
    compiled(model)(other).square().mean().backward()
    eager(x).square().mean().backward()
    torch.testing.assert_close(other.grad, x.grad)
    for one, wanted in zip(model.parameters(), eager.parameters()):
        torch.testing.assert_close(one.grad, wanted.grad)


def test_detached_results_need_no_gradients():
    agrees(lambda x: (x.detach() * 2, x * 2, x.detach()), torch.randn(4, requires_grad=True))


@pytest.mark.parametrize("where", ["inside", "outside"])
def test_autocast(where, default_device):
    model, x = small_model(), torch.randn(5, 4)

    def inside(x):
        with torch.autocast(default_device, torch.bfloat16):
            return model(x)

    if where == "inside":
        result, wanted = compiled(inside)(x), inside(x)
    else:
        with torch.autocast(default_device, torch.bfloat16):
            result, wanted = compiled(model)(x), model(x)
    assert result.dtype == torch.bfloat16
    check_agreement(result, wanted, rtol=2e-2, atol=2e-2)


def test_a_loss_of_several_results_and_hooks():
    def function(x):
        y = x * 2
        return y, y.sin()

    x = torch.randn(4, requires_grad=True)
    seen = []
    x.register_hook(lambda gradient: seen.append(gradient))
    first, second = compiled(function)(x)
    (first.sum() + second.sum()).backward()
    torch.testing.assert_close(x.grad, 2 + 2 * (2 * x).cos())
    assert len(seen) == 1


# Kinds of arguments and results.


@pytest.mark.parametrize("sizes", [(0,), (3, 0), (0, 4), ()])
def test_empty_tensors_and_scalars(sizes):
    agrees(lambda x: (x * 2 + 1, x.sum(), torch.relu(x)), torch.randn(sizes))


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
                                   torch.float16, torch.bfloat16, torch.float64])
def test_element_types(dtype):
    x = torch.randint(0, 2, (3, 4)).to(dtype)
    agrees(lambda x, y: (x + y, x == y, torch.where(x > 0, x, y), x.to(torch.float32), x / 2), x, x.flip(0))


def test_complex_tensors():
    x = torch.randn(3, 4, dtype=torch.complex64)
    agrees(lambda x: (x.abs(), x * 2, x.conj() + x, x.real), x, options={})


def test_element_types_are_promoted_as_by_eager():
    agrees(lambda x, y, z: (x + y, x + 1.5, y * z, y + True), torch.arange(4), torch.randn(4), torch.tensor(2.0, dtype=torch.float64))


def test_results_of_any_structure():
    def function(x, named):
        return {"sum": x.sum(), "parts": [x + 1, (x, None)], "count": 3, "text": "a", "nothing": None,
                "again": named["y"] * 2}

    x = torch.randn(4)
    arguments = (x, {"y": torch.ones(2)})
    result, wanted = compiled(function)(*arguments), function(*arguments)
    assert list(result) == list(wanted) and result["parts"][1][1] is None
    assert result["count"] == 3 and result["text"] == "a" and result["nothing"] is None
    for key in ("sum", "again"):
        torch.testing.assert_close(result[key], wanted[key])
    assert result["parts"][1][0] is x


@pytest.mark.host  # PyTorch's own backends do not ask for the default device there
def test_functions_without_tensors():
    assert compiled(lambda n: n + 1)(3) == 4
    torch._dynamo.reset()
    agrees(lambda n: torch.arange(n) * 2, 5)
    torch._dynamo.reset()
    agrees(lambda: torch.zeros(3) + 1)


def test_exceptions_of_the_user_pass():
    class Special(Exception):
        pass

    def function(x):
        y = x * 2
        if x.shape[0] == 3:
            raise Special("three rows")
        return y

    run = compiled(function)
    agrees(function, torch.ones(2))
    with pytest.raises(Special, match="three rows"):
        run(torch.ones(3))
    check_agreement(run(torch.ones(4)), torch.ones(4) * 2)


def test_sizes_that_do_not_fit_are_pytorchs_error():
    with pytest.raises(Exception, match="size of tensor a|shape|broadcast|Shape"):
        compiled(lambda x, y: x + y)(torch.ones(3), torch.ones(4))


# Random numbers.


def test_calls_leave_the_generator_alone_where_nothing_is_random():
    run = compiled(lambda x: x.exp())
    state = torch.get_rng_state()
    run(torch.ones(3))
    assert torch.equal(torch.get_rng_state(), state)


def test_a_seed_repeats_random_numbers():
    run = compiled(lambda x: F.dropout(x, 0.5))
    x = torch.ones(100)
    torch.manual_seed(5)
    first = run(x)
    torch.manual_seed(5)
    assert torch.equal(run(x), first) and not torch.equal(run(x), first)
