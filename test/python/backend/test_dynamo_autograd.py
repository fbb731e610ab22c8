"""Autograd, operators of higher order, and memory of tensors, as Dynamo and AOTAutograd capture them."""

import copy
import re

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from agreement_with_eager import agrees, check_agreement, compiled, copies, tensors  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

from tc import torch_backend  # noqa: E402


def check_gradients(function, *inputs, options=None, **tolerances):
    """Results and the gradients of all inputs that need one."""
    found = []
    for call in (compiled(function, options=options), function):
        own = copies(inputs)
        results = [one for one in tensors(call(*own)) if one.requires_grad]
        leaves = [one for one in tensors(own) if one.requires_grad]
        torch.manual_seed(3)
        gradients = [torch.randn_like(one) for one in results]
        found.append(results + list(torch.autograd.grad(results, leaves, gradients, allow_unused=True)))
    assert found[0]
    torch.testing.assert_close(*found, **tolerances)


def needing(*shape):
    return torch.randn(shape, requires_grad=True)


# Functions with gradients of their own.


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(context, x, factor, other):
        context.save_for_backward(x, other)
        context.factor = factor
        result = x.sin() * factor * other
        context.mark_non_differentiable(places := result.argmax(-1))
        return result, places

    @staticmethod
    def backward(context, gradient, _):
        x, other = context.saved_tensors
        return 3 * gradient * x.cos() * context.factor, None, gradient * 2 if context.needs_input_grad[2] else None


@pytest.mark.parametrize("needs", [(True, True), (True, False), (False, True)])
def test_functions_of_autograd(needs):
    x, other = (torch.randn(3, 4, requires_grad=one) for one in needs)
    check_gradients(lambda x, other: Scaled.apply(x * 2, 3, other), x, other)


class Flipped(torch.autograd.Function):
    """With the context apart from the forward call."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.flip(0) * 2

    @staticmethod
    def setup_context(context, inputs, result):
        context.save_for_backward(result)

    @staticmethod
    def backward(context, gradient):
        return gradient.flip(0) * context.saved_tensors[0]


def test_functions_of_autograd_with_a_context_of_their_own():
    check_gradients(lambda x: Flipped.apply(x.exp()), needing(3, 2))


# Backward calls.


def test_double_backward_is_right_or_a_clear_error():
    x, other = copies([torch.randn(4, requires_grad=True)] * 2)

    def function(x):
        return (x.sin() * x).sum()

    wanted = torch.autograd.grad(torch.autograd.grad(function(other), other, create_graph=True)[0].sum(), other)[0]
    gradient, = torch.autograd.grad(compiled(function)(x), x, create_graph=True)
    try:
        found = torch.autograd.grad(gradient.sum(), x)[0]
    except RuntimeError as error:
        assert "does not currently support double backward" in str(error)
    else:
        torch.testing.assert_close(found, wanted)


def test_second_gradients_within_a_graph():
    def function(x):
        return torch.func.grad(lambda x: torch.func.grad(lambda x: (x.sin() * x).sum())(x).sum())(x)

    agrees(function, torch.randn(4))


def test_results_one_by_one_with_a_graph_that_is_retained():
    x, other = copies([needing(4)] * 2)

    def function(x):
        y = x.sin()
        return y * 2, y.exp()

    for value, call in ((x, compiled(function)), (other, function)):
        first, second = call(value)
        first.sum().backward(retain_graph=True)
        second.sum().backward(retain_graph=True)
        second.sum().backward()
    torch.testing.assert_close(x.grad, other.grad)


def test_some_results_and_inputs_have_no_gradient():
    def function(x, y, z):
        return x * 2, x.argmax(), (y * x).detach(), z + 1, y.sin()

    for number in (0, 3, 4):
        x, y, z = needing(4), needing(4), torch.randn(4)
        results, wanted = (call(x, y, z) for call in (compiled(function), function))
        check_agreement(results, wanted)
        if results[number].requires_grad:
            found = [torch.autograd.grad(one[number].sum(), (x, y), allow_unused=True, materialize_grads=True)
                     for one in (results, wanted)]
            torch.testing.assert_close(*found)
        torch._dynamo.reset()


@pytest.mark.filterwarnings("ignore:Anomaly Detection", "ignore:Error detected")
def test_anomalies_are_detected():
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    with torch.autograd.detect_anomaly():
        compiled(lambda x: x.exp().sum(), options={})(x).backward()
        torch.testing.assert_close(x.grad, x.exp().detach())
        with pytest.raises(RuntimeError, match="returned nan values"):
            (compiled(lambda x: (x - x).sqrt() * 0, options={})(x)).sum().backward()


def test_saved_tensors_in_host_memory():
    x, other = copies([needing(4, 5)] * 2)

    def function(x):
        return (x.sin() * x.exp()).sum()

    with torch.autograd.graph.save_on_cpu():
        compiled(function, options={})(x).backward()
    function(other).backward()
    torch.testing.assert_close(x.grad, other.grad)


def test_gradients_that_are_asked_for_within_a_function():
    def function(x):
        y = x.detach().requires_grad_()
        loss = (y.sin() * y).sum()
        return torch.autograd.grad(loss, y)[0] + 1, y.requires_grad

    x = torch.randn(4)
    result, wanted = compiled(function, options={})(x), function(x)
    check_agreement(result[0], wanted[0])
    assert result[1] is wanted[1] is True


def test_a_backward_within_a_function():
    layer = nn.Linear(4, 2)
    other, x = copy.deepcopy(layer), torch.randn(3, 4)

    def step(layer, x):
        layer(x).square().mean().backward()
        with torch.no_grad():
            for parameter in layer.parameters():
                parameter -= 0.1 * parameter.grad
                parameter.grad = None
        return layer(x).sum()

    torch.testing.assert_close(compiled(step, options={})(layer, x), step(other, x))
    torch.testing.assert_close(layer.state_dict(), other.state_dict())


def test_compiled_autograd():
    model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 2))
    eager, x = copy.deepcopy(model), torch.randn(3, 4)
    kinds = len(torch_backend.compiled_graphs)
    with torch._dynamo.compiled_autograd._enable(lambda module: torch.compile(module, backend=torch_backend.backend)):
        for _ in range(2):
            model(x).square().mean().backward()
    for _ in range(2):
        eager(x).square().mean().backward()
    assert len(torch_backend.compiled_graphs) > kinds
    for one, wanted in zip(model.parameters(), eager.parameters()):
        torch.testing.assert_close(one.grad, wanted.grad)


# Modes and kinds of tensors.


def test_tensors_of_inference():
    with torch.inference_mode():
        x = torch.randn(3, 4)
    layer = nn.Linear(4, 4)
    run = compiled(lambda x: layer(x).relu())
    with torch.no_grad():
        check_agreement(run(x), layer(x).relu())
    with torch.inference_mode():
        check_agreement(run(x), layer(x).relu())
        assert run(x).is_inference()


def test_parameters_are_written_without_gradients():
    def step(w, x):
        with torch.no_grad():
            w.mul_(2)
            w[0] = 0
        return (w * x).sum()

    w, x = needing(4), torch.randn(4)
    own, others = copies((w, x)), copies((w, x))
    results = [compiled(step)(*own), step(*others)]
    check_agreement(*results)
    check_agreement(own, others)
    for result in results:
        result.backward()
    torch.testing.assert_close(own[0].grad, others[0].grad)


def test_results_are_the_objects_of_eager():
    def function(x, y):
        z = x + 1
        return z, z, x, y, [z, x], z.detach()

    x, y = torch.randn(3), needing(3)
    result = compiled(function)(x, y)
    check_agreement(result, function(x, y))
    assert result[0] is result[1] is result[4][0] and result[2] is x is result[4][1] and result[3] is y


@pytest.mark.parametrize("needs_gradients", [False, True])
def test_detached_results_share_memory(needs_gradients):
    def function(x):
        y = x * 2
        return y, y.detach(), y.view(2, 2).t(), x.detach()

    x = torch.randn(4, requires_grad=needs_gradients)
    y, detached, view, own = compiled(function)(x)
    check_agreement([y, detached, view, own], function(x))
    assert detached.data_ptr() == y.data_ptr() == view.data_ptr() and own.data_ptr() == x.data_ptr()


def test_memory_that_is_set_or_resized_is_as_in_eager():
    def set_memory(x, y):
        x.set_(y)
        return x * 2

    def resize(x, y):
        x.resize_(2)
        return x + y[:2]

    def set_data(x, y):
        x.data = y * 3
        return x + 1

    for function in (set_memory, resize, set_data):
        inputs = torch.arange(4.0), torch.arange(4.0) + 10
        own, others = copies(inputs), copies(inputs)
        torch._dynamo.reset()
        check_agreement(compiled(function, options={})(*own), function(*others))
        check_agreement(own, others)


# Operators of higher order.


@pytest.mark.parametrize("needs_gradients", [False, True])
def test_cond(needs_gradients):
    def function(x, y):
        return torch.cond(x.sum() > 0, lambda x, y: (x.sin() * y,), lambda x, y: (x - y.exp(),), (x * 2, y))[0] + 1

    for sign in (1, -1):
        x, y = (torch.rand(3) * sign).requires_grad_(needs_gradients), torch.randn(3, requires_grad=needs_gradients)
        check_agreement(compiled(function, options={}, fullgraph=True)(x, y), function(x, y))
        if needs_gradients:
            check_gradients(function, x, y, options={})


def test_while_loop():
    from torch._higher_order_ops.while_loop import while_loop

    def function(x, count):
        return while_loop(lambda x, count: count > 0, lambda x, count: (x * 2 + 1, count - 1), (x.sin(), count))

    x, count = torch.randn(3), torch.tensor(4)
    check_agreement(compiled(function, options={}, fullgraph=True)(x, count), function(x, count))


def test_map_and_scan():
    from torch._higher_order_ops.map import map as map_rows
    from torch._higher_order_ops.scan import scan

    def rows(x, y):
        return map_rows(lambda one, y: one.sin() * y, x + 1, y)

    def sums(x, y):
        return scan(lambda carry, one: (carry + one, carry * one), y * 2, x, dim=0)

    for function in (rows, sums):
        x, y = torch.randn(5, 3), torch.randn(3)
        check_agreement(compiled(function, options={}, fullgraph=True)(x, y), function(x, y))


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_checkpoints(use_reentrant):
    layer = nn.Linear(4, 4)
    other, x = copy.deepcopy(layer), torch.randn(3, 4)

    def step(layer, x):
        return checkpoint(lambda x: layer(x).tanh().exp(), x * 2, use_reentrant=use_reentrant).sum()

    found = []
    for call, one in ((compiled(step), layer), (step, other)):
        own = x.clone().requires_grad_()
        call(one, own).backward()
        found.append([own.grad, one.weight.grad, one.bias.grad])
    torch.testing.assert_close(*found)


@pytest.mark.parametrize("dynamic", [None, True])
def test_regions_are_parts_of_a_program(dynamic):
    def inner(x):
        return x.exp() + torch.arange(4, device=x.device)

    if not dynamic:  # with symbols, Dynamo fails at a region in another
        inner = torch.compiler.nested_compile_region(inner)

    @torch.compiler.nested_compile_region
    def region(x, w):
        return inner(x @ w).tanh(), x.shape[0] * 2, x.argmax()

    def function(x, w):
        for _ in range(3):
            x, rows, place = region(x, w)
        return x * rows, place

    w = needing(4, 4)
    run = compiled(function, dynamic=dynamic, fullgraph=True)
    for rows in (3, 5):
        x = needing(rows, 4)
        results, wanted = run(x, w), function(x, w)
        check_agreement(results, wanted)
        torch.testing.assert_close(*(torch.autograd.grad(one[0].sum(), (x, w)) for one in (results, wanted)))
        with torch.no_grad():
            check_agreement(run(x, w), function(x, w))
    assert all(len(graph.programs) == 1 and not graph.refusals for graph in torch_backend.compiled_graphs)


def test_regions_that_know_some_of_their_gradients():
    layer = nn.Linear(4, 4).requires_grad_(False)

    @torch.compiler.nested_compile_region
    def region(x, mask):
        return layer(x).masked_fill(mask, 0.0).relu()

    mask = torch.tensor([True, False, False, True])
    check_gradients(lambda x: region(region(x, mask), ~mask) + 1, needing(3, 4))


def test_flex_attention():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    q, k, v = (torch.randn(1, 2, 128, 16) for _ in range(3))
    mask = create_block_mask(lambda batch, head, row, column: row >= column, None, None, 128, 128, device=q.device)

    def function(q, k, v):
        return flex_attention(q * 1, k, v, score_mod=lambda score, batch, head, row, column: score * 2, block_mask=mask) + 1

    scores = q @ k.transpose(-1, -2) * 2 / 4
    kept = torch.ones(128, 128, dtype=torch.bool, device=q.device).tril()
    wanted = torch.softmax(scores.masked_fill(~kept, float("-inf")), -1) @ v + 1
    torch.testing.assert_close(compiled(function, options={})(q, k, v), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("function", [
    lambda x, w: torch.func.vmap(lambda row: (row @ w).softmax(-1))(x),
    lambda x, w: torch.func.jvp(lambda x: (x @ w).sin(), (x,), (torch.ones_like(x),)),
    lambda x, w: torch.func.vjp(lambda x: (x @ w).sin(), x)[1](torch.ones(3, 2, device=x.device)),
    lambda x, w: torch.func.jacrev(lambda x: (x @ w).sum(0))(x),
    lambda x, w: torch.func.jacfwd(lambda x: (x @ w).sum(0))(x),
    lambda x, w: torch.func.hessian(lambda w: (x @ w).square().sum())(w)], ids=["vmap", "jvp", "vjp", "jacrev", "jacfwd", "hessian"])
def test_functions_of_functions(function):
    x, w = torch.randn(3, 4), torch.randn(4, 2)
    check_agreement(compiled(function, fullgraph=True)(x, w), function(x, w), rtol=1e-4, atol=1e-5)


def test_operators_of_the_user_are_pytorchs():
    @torch.library.custom_op("tc_test::scaled", mutates_args=())
    def scaled(x: torch.Tensor, factor: float) -> torch.Tensor:
        return torch.from_numpy(x.detach().cpu().numpy() * factor).to(x)

    scaled.register_fake(lambda x, factor: torch.empty_like(x))
    scaled.register_autograd(lambda ctx, gradient: (gradient * ctx.factor, None),
                             setup_context=lambda ctx, inputs, output: setattr(ctx, "factor", inputs[1]))

    @torch.library.custom_op("tc_test::fill", mutates_args=("x",))
    def fill(x: torch.Tensor, value: float) -> None:
        x.fill_(value)

    def function(x):
        y = scaled(x.sin(), 3.0) * 2
        other = torch.zeros_like(x)
        fill(other, 4.0)
        return y + other

    check_gradients(function, needing(4), options={})
    operators = [refusal.operator for graph in torch_backend.compiled_graphs for refusal in graph.refusals]
    assert any(re.match("tc_test.scaled|tc_test::scaled", one) for one in operators)
    assert all(graph.programs for graph in torch_backend.compiled_graphs)
