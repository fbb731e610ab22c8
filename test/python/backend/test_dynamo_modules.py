"""Modules that Dynamo captures: attributes, hooks, parametrizations, lazy and tied parameters, subclasses of tensors."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from agreement_with_eager import check_agreement, compiled  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn.utils import parametrizations, parametrize  # noqa: E402
from torch.testing._internal.two_tensor import TwoTensor  # noqa: E402

from tc import torch_backend  # noqa: E402


def check_training(model, *inputs, steps=2, options=None, **tolerances):
    """Results, gradients and state of a model after steps of SGD, next to a copy that eager PyTorch trains."""
    eager = copy.deepcopy(model)
    run = compiled(model, options=options)
    for _ in range(steps):
        found = []
        for one, call in ((model, run), (eager, eager)):
            optimizer = torch.optim.SGD(one.parameters(), 0.1)
            result = call(*inputs)
            result.square().mean().backward()
            found.append([result, *(parameter.grad for parameter in one.parameters())])
            optimizer.step()
            optimizer.zero_grad()
        torch.testing.assert_close(*found, **tolerances)
    torch.testing.assert_close(model.state_dict(), eager.state_dict(), **tolerances)


# Attributes.


class Attributes(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.scale, self.is_squared, self.calls = nn.Linear(4, 4), 2, False, 0
        self.register_buffer("seen", torch.zeros(4))
        self.parts = {"offset": torch.ones(4)}

    def forward(self, x):
        self.calls += 1
        y = self.linear(x) * self.scale + self.parts["offset"]
        self.seen = self.seen + y.detach().sum(0)
        return y.square() if self.is_squared else y


def test_attributes_that_change():
    eager, x = Attributes(), torch.randn(3, 4)
    model = copy.deepcopy(eager)
    run = compiled(model)

    def check():
        check_agreement(run(x), eager(x))
        check_agreement(model.seen, eager.seen)
        assert model.calls == eager.calls

    check()
    wider = {"linear": nn.Linear(4, 6), "seen": torch.zeros(6), "parts": {"offset": torch.ones(1)}}
    for changes in ({"scale": 3}, {"is_squared": True}, {"scale": 0.5}, {"parts": {"offset": torch.zeros(4)}},
                    {"seen": torch.ones(4)}, wider):
        for one in (model, eager):
            for name, value in copy.deepcopy(changes).items():
                setattr(one, name, value)
        check()


def test_types_and_lists_of_modules():
    class Lists(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
            self.named = nn.ModuleDict({"tanh": nn.Tanh(), "relu": nn.ReLU()})
            self.factors = nn.ParameterList(nn.Parameter(torch.full((4,), float(one))) for one in range(1, 4))

        def forward(self, x, name):
            for layer, factor in zip(self.layers, self.factors):
                x = self.named[name](layer(x) * factor)
            return x + sum(parameter.sum() for parameter in self.factors)

    model = Lists()
    for name in ("tanh", "relu"):
        check_training(model, torch.randn(2, 4), name, steps=1)
    run = compiled(model)
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.float64, 1e-7), (torch.bfloat16, 2e-2)):
        model.to(dtype)
        x = torch.randn(2, 4, dtype=dtype)
        check_agreement(run(x, "tanh"), model(x, "tanh"), rtol=tolerance, atol=tolerance)


# Hooks.


def test_hooks_of_forward_and_state():
    def make():
        torch.manual_seed(1)
        model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        model[0].register_forward_pre_hook(lambda module, args: (args[0] * 2,))
        model[0].register_forward_hook(lambda module, args, result: result + args[0].sum())
        model.register_forward_hook(lambda module, args, kwargs, result: result * 3, with_kwargs=True)
        model.register_state_dict_post_hook(lambda module, state, prefix, metadata: state.update(extra=torch.tensor(7)))
        return model

    model, x = make(), torch.randn(2, 4)
    run = compiled(model)
    check_agreement(run(x), make()(x))
    assert model.state_dict()["extra"] == 7
    model.register_forward_hook(lambda module, args, result: result - 1)
    torch._dynamo.reset()
    check_agreement(compiled(model)(x), make()(x) - 1)


def test_hooks_of_backward():
    found = []
    for compile_model in (lambda model: model, lambda model: compiled(model, options={})):
        torch.manual_seed(1)
        model, seen = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2)), []
        model[1].register_full_backward_hook(lambda module, inputs, results: seen.append(results[0].clone()) or (inputs[0] * 2,))
        x = torch.ones(3, 4, requires_grad=True)
        compile_model(model)(x).sum().backward()
        found.append([x.grad, *(parameter.grad for parameter in model.parameters()), *seen])
    assert len(found[0]) == 6
    torch.testing.assert_close(*found)


def test_hooks_of_tensors_within_a_graph():
    def function(x):
        y = x * 2
        y.register_hook(lambda gradient: gradient * 5)
        return y.sin()

    x = torch.randn(4, requires_grad=True)
    compiled(function, options={})(x).sum().backward()
    torch.testing.assert_close(x.grad, (10 * (2 * x).cos()).detach())


def test_gradients_in_buckets_without_processes():
    """As data parallel training does it: gradients are views of buckets, which hooks reduce as they become ready."""
    found = []
    for is_compiled in (False, True):
        torch.manual_seed(1)
        model, ready = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), []
        parameters = list(model.parameters())

        def reduce(one):
            ready.append(one.numel())
            one.grad.mul_(0.5)

        bucket, offset = torch.zeros(sum(one.numel() for one in parameters)), 0
        for one in parameters:
            one.grad = bucket[offset:offset + one.numel()].view_as(one)
            offset += one.numel()
            one.register_post_accumulate_grad_hook(reduce)
        run = compiled(model) if is_compiled else model
        for _ in range(2):
            run(torch.ones(3, 4)).square().sum().backward()
        assert all(one.grad.untyped_storage().data_ptr() == bucket.untyped_storage().data_ptr() for one in parameters)
        assert sorted(ready) == sorted(2 * [one.numel() for one in parameters])
        found.append(bucket)
    torch.testing.assert_close(*found)


# Parameters that are made of others, shared, or made late.


@pytest.mark.parametrize("wrap", [parametrizations.weight_norm, parametrizations.spectral_norm, parametrizations.orthogonal])
def test_parametrizations_of_pytorch(wrap):
    # Matrix exponentials are not TC's in the types that PyTorch captures them in.
    options = {} if wrap is parametrizations.orthogonal else None
    check_training(nn.Sequential(wrap(nn.Linear(4, 4)), nn.Tanh()), torch.randn(3, 4), options=options, rtol=1e-4, atol=1e-5)


def test_parametrizations_of_the_user():
    class Symmetric(nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).transpose(-1, -2)

    layer = nn.Linear(4, 4)
    parametrize.register_parametrization(layer, "weight", Symmetric())
    check_training(layer, torch.randn(3, 4))
    parametrize.remove_parametrizations(layer, "weight")
    x = torch.randn(3, 4)
    check_agreement(compiled(layer)(x), layer(x))


def test_weights_that_are_tied():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.head = nn.Embedding(10, 6), nn.Linear(6, 10, bias=False)
            self.head.weight = self.tokens.weight

        def forward(self, ids):
            return self.head(self.tokens(ids).tanh())

    model = Tied()
    check_training(model, torch.tensor([[1, 2, 3], [4, 4, 0]]))
    assert model.head.weight is model.tokens.weight


def test_lazy_modules():
    model, x = nn.Sequential(nn.LazyLinear(5), nn.ReLU(), nn.LazyLinear(2)), torch.randn(3, 4)
    run = compiled(model)
    for _ in range(2):
        check_agreement(run(x), model(x))
    assert model[0].weight.shape == (5, 4) and type(model[0]) is nn.Linear


def test_models_that_begin_without_memory(default_device):
    with torch.device("meta"):
        model = nn.Linear(4, 3)
    model.to_empty(device=default_device)
    nn.init.ones_(model.weight), nn.init.zeros_(model.bias)
    check_training(model, torch.randn(2, 4))


# Modules as functions of their parameters.


def test_parameters_that_are_given():
    model, x = nn.Sequential(nn.Linear(4, 3), nn.Tanh()), torch.randn(2, 4)
    others = {name: torch.randn_like(value).requires_grad_() for name, value in model.named_parameters()}

    def call(values, x):
        return torch.func.functional_call(model, values, (x,))

    result, wanted = compiled(call, fullgraph=True)(others, x), call(others, x)
    check_agreement(result, wanted)
    gradients = [torch.autograd.grad(one.square().sum(), list(others.values())) for one in (result, wanted)]
    torch.testing.assert_close(*gradients)


def test_an_ensemble_of_models():
    models = [nn.Linear(4, 3) for _ in range(5)]
    parameters, buffers = torch.func.stack_module_state(models)

    def call(parameters, x):
        def one(values, x):
            return torch.func.functional_call(models[0], (values, buffers), (x,))

        return torch.vmap(one, in_dims=(0, None))(parameters, x)

    x = torch.randn(2, 4)
    check_agreement(compiled(call)(parameters, x), torch.stack([model(x) for model in models]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dynamic", [None, True])
def test_gradients_of_each_sample(dynamic):
    model = nn.Sequential(nn.Linear(4, 3), nn.Tanh())

    def loss(values, x, y):
        return (torch.func.functional_call(model, values, (x,)) - y).square().sum()

    def call(values, x, y):
        return torch.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(values, x, y)

    values = {name: value.detach() for name, value in model.named_parameters()}
    run = compiled(call, dynamic=dynamic)
    for rows in (5, 6):
        x, y = torch.randn(rows, 4), torch.randn(rows, 3)
        check_agreement(run(values, x, y), call(values, x, y), rtol=1e-4, atol=1e-5)


# Subclasses of tensors.


def parts(value):
    return value.a, value.b


def test_a_tensor_of_two():
    def function(x, y):
        return (x @ y).relu() + 1, x.t(), y

    x, y = TwoTensor(torch.randn(3, 4), torch.randn(3, 4)), torch.randn(4, 3)
    results, wanted = compiled(function)(x, y), function(x, y)
    assert type(results[0]) is type(results[1]) is TwoTensor and results[2] is y
    for one, other in zip(results[:2], wanted):
        check_agreement(parts(one), parts(other))


def test_gradients_of_a_tensor_of_two():
    found = []
    for call in (compiled(lambda x, w: (x * w).sin().sum(0)), lambda x, w: (x * w).sin().sum(0)):
        torch.manual_seed(2)
        x = TwoTensor(torch.randn(3, 4), torch.randn(3, 4)).requires_grad_()
        w = torch.randn(4, requires_grad=True)
        result = call(x, w)
        result.sum().backward()
        assert type(x.grad) is TwoTensor
        found.append([*parts(result), *parts(x.grad), *(parts(w.grad) if isinstance(w.grad, TwoTensor) else [w.grad])])
    torch.testing.assert_close(*found)


def test_a_plain_tensor_and_one_of_two_are_graphs_of_their_own():
    run, x = compiled(lambda x: x * 2), torch.randn(3)
    check_agreement(run(x), x * 2)
    check_agreement(parts(run(TwoTensor(x, x + 1))), (x * 2, (x + 1) * 2))
    assert len(torch_backend.compiled_graphs) == 2


def test_parameters_that_are_tensors_of_two():
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(TwoTensor(torch.randn(4, 3), torch.randn(4, 3)))

        def forward(self, x):
            return (x @ self.weight).tanh()

    layer, x = Layer(), torch.randn(2, 4)
    result, wanted = compiled(layer)(x), layer(x)
    check_agreement(parts(result), parts(wanted))
    gradients = [torch.autograd.grad(one.sum(), layer.weight)[0] for one in (result, wanted)]
    torch.testing.assert_close(*map(parts, gradients))
