"""Training with compiled models, losses and optimizers, next to eager PyTorch."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import compiled  # noqa: E402
from torch import nn  # noqa: E402

from tc import torch_backend  # noqa: E402

STEPS = 3
CLOSE = {"rtol": 2e-4, "atol": 2e-5}


class Images(nn.Module):
    """A small convolutional network with batch norm."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
        self.second, self.linear = nn.Conv2d(8, 8, 3, stride=2), nn.Linear(8, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.first(x))), 2)
        return self.linear(F.relu(self.second(x)).mean((2, 3)))


class Sequences(nn.Module):
    """A transformer of two layers."""

    def __init__(self, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(30, 16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout, batch_first=True)
        self.encoder, self.linear = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(16, 10)

    def forward(self, x):
        return self.linear(self.encoder(self.embedding(x))[:, 0])


def mlp():
    return nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 10))


BATCHES = {mlp: lambda: torch.randn(6, 16), Images: lambda: torch.randn(6, 3, 12, 12),
           Sequences: lambda: torch.randint(0, 30, (6, 7))}


def sgd(parameters):
    return torch.optim.SGD(parameters, 0.05, momentum=0.9, weight_decay=1e-3)


def adamw(parameters):
    return torch.optim.AdamW(parameters, 1e-3, eps=1e-4)


def train(model, run, optimizer, step, batches):
    """The losses of a step for each batch of (input, class)."""
    losses = []
    for x, wanted in batches:
        optimizer.zero_grad()
        loss = F.cross_entropy(run(x), wanted)
        loss.backward()
        step()
        losses.append(loss.detach())
    return losses


def batches_for(make):
    return [(BATCHES[make](), torch.randint(0, 10, (6,))) for _ in range(STEPS)]


def check_same_state(model, eager, **tolerances):
    torch.testing.assert_close(model.state_dict(), eager.state_dict(), **(tolerances or CLOSE))


@pytest.mark.parametrize("make_optimizer", [sgd, adamw])
@pytest.mark.parametrize("make", BATCHES)
def test_training_gives_the_weights_of_eager(make, make_optimizer):
    eager = make().train()
    model = copy.deepcopy(eager)
    batches = batches_for(make)
    own, other = make_optimizer(model.parameters()), make_optimizer(eager.parameters())
    losses = train(model, compiled(model), own, own.step, batches)
    torch.testing.assert_close(losses, train(eager, eager, other, other.step, batches), **CLOSE)
    check_same_state(model, eager)


@pytest.mark.parametrize("make_optimizer", [sgd, adamw])
def test_an_optimizer_that_is_compiled(make_optimizer):
    eager = mlp()
    model = copy.deepcopy(eager)
    batches = batches_for(mlp)
    own, other = make_optimizer(model.parameters()), make_optimizer(eager.parameters())
    train(model, compiled(model), own, compiled(own.step), batches)
    train(eager, eager, other, other.step, batches)
    check_same_state(model, eager)


@pytest.mark.parametrize("make_optimizer", [
    lambda parameters: torch.optim.Adam(parameters, 1e-3, eps=1e-4, amsgrad=True),
    lambda parameters: torch.optim.RMSprop(parameters, 1e-3, eps=1e-4),
    lambda parameters: torch.optim.Adagrad(parameters, 1e-2),
    lambda parameters: torch.optim.SGD(parameters, 0.1, nesterov=True, momentum=0.9, foreach=True),
    lambda parameters: torch.optim.AdamW(parameters, 1e-3, eps=1e-4, foreach=True),
], ids=["amsgrad", "rmsprop", "adagrad", "nesterov-foreach", "adamw-foreach"])
def test_other_optimizers_that_are_compiled(make_optimizer):
    eager = nn.Linear(4, 3)
    model = copy.deepcopy(eager)
    own, other = make_optimizer(model.parameters()), make_optimizer(eager.parameters())
    step = compiled(own.step)
    for _ in range(STEPS):
        x = torch.randn(5, 4)
        for one, optimizer, update in ((model, own, step), (eager, other, other.step)):
            optimizer.zero_grad()
            one(x).square().sum().backward()
            update()
    check_same_state(model, eager)


def test_gradients_of_several_batches_add_up():
    eager = mlp()
    model = copy.deepcopy(eager)
    run = compiled(model)
    for x, wanted in batches_for(mlp):
        F.cross_entropy(run(x), wanted).backward()
        F.cross_entropy(eager(x), wanted).backward()
    for one, other in zip(model.parameters(), eager.parameters()):
        torch.testing.assert_close(one.grad, other.grad, **CLOSE)


def test_a_step_that_is_compiled_with_its_loss():
    eager = Images()
    model = copy.deepcopy(eager)
    batches = batches_for(Images)
    step = compiled(lambda x, wanted: F.cross_entropy(model(x), wanted, label_smoothing=0.1))
    for x, wanted in batches:
        step(x, wanted).backward()
        F.cross_entropy(eager(x), wanted, label_smoothing=0.1).backward()
    for one, other in zip(model.parameters(), eager.parameters()):
        torch.testing.assert_close(one.grad, other.grad, **CLOSE)
    check_same_state(model, eager)


def test_autocast_with_a_scaler_of_gradients(default_device):
    eager = mlp()
    model = copy.deepcopy(eager)
    batches = batches_for(mlp)
    for one, run in ((model, compiled(model)), (eager, eager)):
        optimizer, scaler = sgd(one.parameters()), torch.amp.GradScaler(default_device, init_scale=128.0)
        for x, wanted in batches:
            optimizer.zero_grad()
            with torch.autocast(default_device, torch.bfloat16):
                loss = F.cross_entropy(run(x), wanted)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
    check_same_state(model, eager, rtol=3e-2, atol=3e-3)


def test_parameters_that_are_frozen_get_no_gradients():
    model = mlp()
    model[0].requires_grad_(False)
    compiled(model)(torch.randn(6, 16)).sum().backward()
    assert model[0].weight.grad is None and model[3].weight.grad is not None


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("needs", [True, False])
def test_gradients_of_convolutions_that_nobody_asks_for(bias, needs):
    eager, x = nn.Conv2d(3, 4, 3, bias=bias), torch.randn(2, 3, 8, 8, requires_grad=needs)
    model, other = copy.deepcopy(eager), x.detach().clone().requires_grad_(needs)
    eager(x).square().sum().backward()
    compiled(model)(other).square().sum().backward()
    torch.testing.assert_close(model.weight.grad, eager.weight.grad, **CLOSE)
    if needs:
        torch.testing.assert_close(other.grad, x.grad, **CLOSE)


@pytest.mark.parametrize("kernel, how", [(3, {"stride": 2, "padding": 1}), (1, {"stride": 2}), (1, {"stride": 4, "padding": 1}),
                                         ((3, 2), {"stride": (1, 3), "dilation": 2, "padding": 2}), (3, {"groups": 2}),
                                         (4, {"stride": 3, "groups": 4, "padding": (2, 1)})])
def test_gradients_of_convolutions_of_images_of_any_size(kernel, how):
    """Where the stride leaves rows over, and where it leaves none, in one program."""
    eager = nn.Conv2d(4, 8, kernel, **how)
    model = copy.deepcopy(eager)
    run = compiled(model, dynamic=True)
    for batch, height, width in [(2, 16, 16), (3, 17, 19), (2, 12, 21), (5, 18, 11)]:
        x = torch.randn(batch, 4, height, width, requires_grad=True)
        other = x.detach().clone().requires_grad_()
        for one, made in ((model, run(other)), (eager, eager(x))):
            one.zero_grad()
            made.square().sum().backward()
        torch.testing.assert_close(other.grad, x.grad, **CLOSE)
        for ours, theirs in zip(model.parameters(), eager.parameters(), strict=True):
            torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("how", [{"stride": 2}, {"stride": 2, "padding": 1, "output_padding": 1}, {"stride": (3, 1)},
                                 {"stride": 2, "groups": 4}, {"stride": 4, "dilation": 3}])
@pytest.mark.parametrize("kernel", [1, 3, 4])
@pytest.mark.parametrize("dynamic", [False, True])
def test_transposed_convolutions_with_strides(kernel, how, dynamic):
    """The phases of the stride, with what is fused behind them: some have several taps, some none."""
    turned = nn.ConvTranspose2d(8, 4, kernel, **how)

    def scaled(x, other):
        y = turned(x)
        return y.relu() * other[..., :y.shape[-2], :y.shape[-1]], y.double()

    run = compiled(scaled, dynamic=dynamic)
    for batch, height, width in [(1, 5, 6), (3, 7, 4)][:2 if dynamic else 1]:
        given = torch.randn(batch, 8, height, width), torch.randn(batch, 4, 64, 64)
        with torch.no_grad():
            torch.testing.assert_close(run(*given), scaled(*given), rtol=1e-5, atol=1e-5)


def test_training_with_dropout_learns():
    model = Sequences(dropout=0.2).train()
    run, optimizer = compiled(model), torch.optim.AdamW(model.parameters(), 1e-2)
    x, wanted = torch.randint(0, 30, (16, 7)), torch.randint(0, 10, (16,))
    first = run(x)
    assert not torch.equal(first, run(x))
    losses = train(model, run, optimizer, optimizer.step, [(x, wanted)] * 25)
    assert torch.stack(losses[-3:]).mean() < 0.6 * losses[0]


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("mask", [None, "padding", "causal", "both"])
def test_evaluation_of_an_encoder(norm_first, activation, mask):
    """Eager PyTorch has one operator for a layer, but not in a mode as that of a default device."""
    layer = nn.TransformerEncoderLayer(16, 2, 32, activation=activation, batch_first=True, norm_first=norm_first).eval()
    x, how = torch.randn(3, 5, 16), {}
    if mask in ("padding", "both"):
        how["src_key_padding_mask"] = torch.arange(5) >= torch.tensor([[5], [3], [4]])
    if mask in ("causal", "both"):
        how["src_mask"] = torch.ones(5, 5, dtype=torch.bool).triu(1)
    torch.set_default_device(None)
    with torch.no_grad():
        torch.testing.assert_close(compiled(lambda x: layer(x, **how))(x), layer(x, **how), **CLOSE)


@pytest.mark.parametrize("need_weights", [True, False])
def test_evaluation_of_multi_head_attention(need_weights):
    attention, x = nn.MultiheadAttention(16, 2, batch_first=True).eval(), torch.randn(3, 5, 16)
    with torch.no_grad():
        result = compiled(lambda x: attention(x, x, x, need_weights=need_weights))(x)
        torch.testing.assert_close(result, attention(x, x, x, need_weights=need_weights), **CLOSE)


def test_gradients_compute_masks_of_positions_again_instead_of_reading_them():
    def function(q):
        row = torch.arange(q.shape[-2], device=q.device)
        return F.scaled_dot_product_attention(q, q, q, attn_mask=(row[:, None] >= row) & (row[:, None] < row + 4))

    q = torch.randn(2, 2, 10, 8, requires_grad=True)
    wanted, = torch.autograd.grad(function(q).square().sum(), q)
    found, = torch.autograd.grad(compiled(function)(q).square().sum(), q)
    torch.testing.assert_close(found, wanted, **CLOSE)
    backward, = (graph for graph in torch_backend.compiled_graphs if graph.kind == "backward")
    assert "tc.iota" in backward.programs[0].ir("import")


def batch_norm_step(function, x, cotangent, weight):
    x, weight = (one.clone().requires_grad_() for one in (x, weight))
    function(x, weight).backward(cotangent)
    return x.grad, weight.grad


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("training", [True, False])
def test_gradients_of_batch_norm(dtype, training):
    """In f32, as exact as those of eager PyTorch, which adds up in f64."""
    torch.manual_seed(0)
    x, weight = torch.randn(2, 16, 8, 8, dtype=dtype), torch.rand(16, dtype=dtype) + 0.5
    cotangent = torch.randint(8, 25, x.shape).to(dtype) / 16
    function = lambda x, weight: F.batch_norm(  # noqa: E731
        x, *(torch.full((16,), value, dtype=weight.dtype) for value in (0.5, 2.0)), weight, None, training)
    ours = batch_norm_step(compiled(function), x, cotangent, weight)
    eager = batch_norm_step(function, x, cotangent, weight)
    exact = batch_norm_step(function, x.double(), cotangent.double(), weight.double())
    for mine, theirs, double in zip(ours, eager, exact):
        error, limit = ((one.double() - double).square().mean().sqrt() for one in (mine, theirs))
        assert error <= 1.5 * limit + torch.finfo(dtype).eps * double.abs().mean() / 4
