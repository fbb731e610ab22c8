"""What a forward graph saves for its backward graph is one tensor."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import compiled  # noqa: E402
from torch import fx, nn  # noqa: E402

from tc import torch_backend, torch_packed  # noqa: E402

CLOSE = {"rtol": 2e-4, "atol": 2e-5}


class Mixed(nn.Module):
    """Saves transposed and sliced tensors, flags of a dropout-like mask, images in channels-last order and
    statistics."""

    def __init__(self):
        super().__init__()
        self.convolution, self.norm = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 5)

    def forward(self, x):
        images = F.gelu(self.norm(self.convolution(x)))
        tokens = images.flatten(2).transpose(1, 2)
        q, k, v = self.qkv(tokens).unflatten(-1, (3, 2, 4)).permute(2, 0, 3, 1, 4).unbind(0)
        mixed = torch.softmax(q @ k.transpose(-1, -2), -1) @ v
        heads = mixed.transpose(1, 2).flatten(2)
        return self.out(torch.where(heads > 0, heads.exp(), heads * 0.5)).relu()


def step(run, model, x):
    """The loss, and the gradients of x and the parameters."""
    model.zero_grad(set_to_none=True)
    x = x.clone().requires_grad_()
    loss = run(x).square().mean()
    loss.backward()
    return [loss.detach(), x.grad, *(one.grad.clone() for one in model.parameters())]


def check(model, x, steps=2):
    other = copy.deepcopy(model)
    run = compiled(model)
    for _ in range(steps):
        torch.testing.assert_close(step(run, model, x), step(other, other, x), **CLOSE)
    torch.testing.assert_close(dict(model.named_buffers()), dict(other.named_buffers()), **CLOSE)


@pytest.mark.parametrize("memory_format", [torch.contiguous_format, torch.channels_last])
def test_saved_tensors_are_one(plans, memory_format):
    check(Mixed(), torch.randn(2, 3, 6, 6).contiguous(memory_format=memory_format))
    kinds = [source[0] for source in plans[0]]
    assert kinds.count("packed") == 1 and len(plans[0][kinds.index("packed")][2]) > 5
    # All else are the result and inputs, which are saved as they are.
    assert set(kinds) - {"packed"} <= {"input", "result", "view", "function"}


def test_bf16(plans):
    model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4)).bfloat16()
    other = copy.deepcopy(model)
    x = torch.randn(6, 8, dtype=torch.bfloat16)
    torch.testing.assert_close(step(compiled(model), model, x), step(other, other, x), rtol=0.05, atol=0.02)
    assert "packed" in [source[0] for source in plans[0]]


def test_steps_that_overlap():
    """Each forward call has memory of its own."""
    model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8), nn.GELU())
    run, inputs = compiled(model), [torch.randn(4, 8) for _ in range(3)]

    def gradients(call):
        model.zero_grad(set_to_none=True)
        losses = [call(x).square().sum() for x in inputs]
        for loss in reversed(losses):
            loss.backward()
        return [one.grad for one in model.parameters()]

    torch.testing.assert_close(gradients(run), gradients(model), **CLOSE)


def test_gradients_with_memory_in_common(monkeypatch, plans):
    monkeypatch.setattr(torch_backend._Compiler, "is_joint", lambda self, kind, device: kind == "backward")
    model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))
    check(model, torch.randn(4, 8), steps=3)
    gradients = [one.grad for one in model.parameters()]
    assert len({one.untyped_storage().data_ptr() for one in gradients}) > 1  # each is a tensor of its own
    addresses = sorted((one.data_ptr(), one.numel() * 4) for one in gradients)
    assert all(one + size <= other for (one, size), (other, _) in zip(addresses, addresses[1:]))
    assert addresses[-1][0] - addresses[0][0] < 4096


def test_pytorch_packs_and_unpacks_where_it_runs_the_driver(monkeypatch, plans):
    monkeypatch.setattr(torch_backend, "wrappers", [lambda call, program, piece: call])
    check(Mixed(), torch.randn(2, 3, 6, 6).contiguous(memory_format=torch.channels_last))
    assert not plans


def test_a_graph_with_calls_of_pytorchs_packs_nothing(plans):
    model = nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.Linear(4, 4))
    other = copy.deepcopy(model)
    def calls(layers, x):
        y = layers(x)
        return y + torch.segment_reduce(y.detach(), "sum", lengths=torch.tensor([1, 1, 1]))

    run = torch.compile(lambda x: calls(model, x), backend=torch_backend.backend)
    wanted = lambda x: calls(other, x)
    x = torch.randn(3, 4)
    torch.testing.assert_close(step(run, model, x), step(wanted, other, x), **CLOSE)
    assert "packed" not in {source[0] for plan in plans for source in plan or []}


def test_hooks_of_saved_tensors():
    model = nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.Linear(6, 4), nn.GELU())
    run, x, seen = compiled(model), torch.randn(3, 4), []

    def keep(tensor):
        seen.append(tensor.dtype)
        return tensor.clone()

    def gradients(call):
        model.zero_grad(set_to_none=True)
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda kept: kept.clone()):
            loss = call(x).square().sum()
        loss.backward()
        return [one.grad for one in model.parameters()]

    torch.testing.assert_close(gradients(run), gradients(model), **CLOSE)
    assert torch.uint8 in seen


@pytest.mark.parametrize("spoil", [lambda kept: kept[:8] if kept.dtype == torch.uint8 else kept,
                                   lambda kept: kept.float() if kept.dtype == torch.uint8 else kept])
def test_a_hook_that_gives_another_tensor_is_an_error(spoil):
    model = nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.Linear(6, 4), nn.GELU())
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, spoil):
        loss = compiled(model)(torch.randn(3, 4)).square().sum()
    with pytest.raises(TypeError, match="hooks of saved tensors must give back what they got"):
        loss.backward()


def test_operators():
    tensors = [torch.randn(3, 4), torch.randn(4, 2).t(), torch.arange(5), torch.tensor([True, False])]
    offsets = [0, 128, 256, 384]
    strides = [stride for one in tensors for stride in one.stride()]
    packed = torch.ops.tc.pack(tensors, offsets, strides, 512)
    assert packed.dtype == torch.uint8 and packed.shape == (512,)
    for one, offset in zip(tensors, offsets):
        view = torch.ops.tc.unpack(packed, offset, one.shape, one.stride(), one.dtype)
        assert torch.equal(view, one) and view.stride() == one.stride() and view.dtype == one.dtype


def test_what_the_user_has_is_not_packed(monkeypatch):
    graphs, partition = [], torch_backend._partition

    def capture(*arguments, **options):
        graphs.append(partition(*arguments, **options))
        return graphs[-1]

    monkeypatch.setattr(torch_backend, "_partition", capture)

    def function(x, y):
        shown = torch.softmax(x @ y, -1)
        return shown, torch.softmax(shown @ y, -1) @ torch.softmax(y @ x, -1)

    x, y = (torch.randn(4, 4, requires_grad=True) for _ in range(2))

    def gradients(call):
        x.grad = y.grad = None
        shown, other = call(x, y)
        (shown.square().sum() + other.square().sum()).backward()
        return x.grad, y.grad

    torch.testing.assert_close(gradients(compiled(function)), gradients(function), **CLOSE)
    forward, backward = graphs[0]
    packs = forward.graph.find_nodes(op="call_function", target=torch_packed.PACK)
    own = {node for node in forward.graph.output_node().args[0][:2] if isinstance(node, fx.Node)}
    assert len(packs) == 1 and own.isdisjoint(packs[0].args[0])
    assert backward.graph.find_nodes(op="call_function", target=torch_packed.UNPACK)
