"""Autograd and memory of tensors, as Dynamo and AOTAutograd capture them."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from agreement_with_eager import agrees, agrees_with_gradients, check_agreement, compiled, copies, needing, tensors  # noqa: E402
from torch import nn  # noqa: E402

from tc import torch_backend  # noqa: E402


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
    agrees_with_gradients(lambda x, other: Scaled.apply(x * 2, 3, other), x, other)


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
    agrees_with_gradients(lambda x: Flipped.apply(x.exp()), needing(3, 2))


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
