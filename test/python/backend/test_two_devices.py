"""Functions with tensors on the device and on the CPU, against eager PyTorch. Without a GPU all of it is on the CPU."""

import math

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from tc.torch_backend import backend, compiled_graphs  # noqa: E402

HAS_CUDA = torch.cuda.is_available()
DEVICE = "cuda" if HAS_CUDA else "cpu"
MODES = ("default", "reduce-overhead") if HAS_CUDA else ("default",)


def blocks(x):
    """As transformers' pixtral masks images."""
    mask = torch.full((x.shape[1], x.shape[1]), -1e9, dtype=x.dtype, device=x.device)
    sizes = [3, 4, 5]
    ends, starts = torch.tensor(sizes).cumsum(-1), torch.tensor([0] + sizes[:-1]).cumsum(-1)
    for start, end in zip(starts, ends):
        mask[start:end, start:end] = 0
    return torch.softmax(x + mask, -1)


def sinc(x, device):
    places = torch.arange(-7, 7 + 3, dtype=torch.float64, device=device)[None, None] / 3
    t = torch.arange(0, -2, -1, device=device)[:, None, None] / 2 + places
    t *= 0.99
    t = t.clamp_(-6, 6)
    window = torch.cos(t * math.pi / 6 / 2) ** 2
    t *= math.pi
    kernels = torch.where(t == 0, torch.tensor(1.0).to(t), t.sin() / t)
    kernels *= window * 0.5
    return kernels.to(x.device, torch.float32)


def resample(x):
    """As torchaudio does, with the kernel on the device."""
    return torch.nn.functional.conv1d(x[:, None], sinc(x, x.device), stride=3)


def resample_of_host(x):
    """With the kernel on the CPU, which is a result as well."""
    kernel = sinc(x, "cpu")
    return torch.nn.functional.conv1d(x[:, None], kernel.to(x.device), stride=3), kernel


def triangles(x):
    lower, upper = torch.tril_indices(5, 6, -1), torch.triu_indices(5, 6, 2)
    return x[:, lower[0], lower[1]], x[:, upper[0], upper[1]], lower, torch.tril_indices(3, 4, 1)


def put(x, places, value):
    return torch.index_put(x.exp(), (places,), value), x[places], torch.index_put(x, (places,), x[:3] * 2, accumulate=True)


def masked(x, mask):
    return x[mask] * 2, x[mask.nonzero().squeeze(1)].sum(0)


def to_host(x):
    y = (x * 2).sum(0)
    host = y.to("cpu", non_blocking=True)
    return host.sort().values + 1, y * 3, (host.cumsum(0).to(x.device) + x).relu()


def number_of_device(x, y):
    count = (x > 0).sum().item()
    return y * count, x * count, (x[:3] + count).relu()


def number_of_host(x, y):
    return x + y.sum().long().item(), x * (y > 0).sum().item()


def sizes_of_host(x, mask):
    places = mask.nonzero().squeeze(1)
    return torch.arange(places.shape[0], device=x.device) * 2, places + 1, torch.ones(places.shape[0], 2, device=x.device)


def there_and_back(x):
    host = x.cpu()
    return host.to(x.device), host, host.sort().values.to(x.device)


def write(x, steps):
    steps.add_(1)
    return x / (1 - 0.9 ** steps)


def into(x, y):
    z = torch.zeros_like(x)
    z[:2] = y[:2]
    y.copy_(x)
    return z.exp()


def random_of_host(x):
    return x + 1, torch.rand(1000).mean() * 0 + 1


def with_gradient(x, places, weight):
    lower = torch.tril_indices(5, 6, -1)
    return (x[:, lower[0], lower[1]].sum() + x[places].square().sum() + (weight * 2).sum().to(x.device) * x.mean()).sin()


def on_device(*size):
    return lambda: torch.randn(*size, device=DEVICE)


def on_host(*size):
    return lambda: torch.randn(*size)


def three_places():
    return torch.randperm(4)[:3]


def some():
    return torch.rand(6) > 0.3


def three():
    return torch.tensor(3.0)


CASES = [(blocks, on_device(2, 12, 12)), (resample, on_device(2, 600)), (resample_of_host, on_device(2, 600)),
         (triangles, on_device(4, 5, 6)), (put, on_device(4, 5), three_places, three), (masked, on_device(6, 5), some),
         (to_host, on_device(64, 100)), (number_of_device, on_device(50), on_host(7)), (number_of_host, on_device(50), on_host(7)),
         (sizes_of_host, on_device(5), some), (there_and_back, on_device(40)), (write, on_device(50), three),
         (into, on_device(4, 5), on_host(4, 5)), (random_of_host, on_device(5)),
         (with_gradient, on_device(4, 5, 6), three_places, on_host(3))]


def check_same(results, wanted):
    results, wanted = torch.utils._pytree.tree_leaves(results), torch.utils._pytree.tree_leaves(wanted)
    for one, other in zip(results, wanted, strict=True):
        assert one.device == other.device
        assert one.stride() == other.stride()
    torch.testing.assert_close(results, wanted, rtol=1e-4, atol=1e-4)


def check(function, makers, mode):
    run = torch.compile(function, backend=lambda module, inputs: backend(module, inputs, mode=mode, options={"strict": True}),
                        fullgraph=True)
    has_gradient = function is with_gradient
    for _ in range(4):  # the later calls replay graphs, where the mode has them
        inputs = [make() for make in makers]
        for one in inputs:
            one.requires_grad_(has_gradient and one.is_floating_point())
        others = [one.detach().clone().requires_grad_(one.requires_grad) for one in inputs]
        results, wanted = run(*inputs), function(*others)
        if has_gradient:
            results.backward()
            wanted.backward()
            check_same([one.grad for one in inputs if one.requires_grad], [one.grad for one in others if one.requires_grad])
        check_same(results, wanted)
        check_same([one.detach() for one in inputs], [one.detach() for one in others])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function, makers", [(case[0], case[1:]) for case in CASES], ids=[case[0].__name__ for case in CASES])
def test_tensors_on_two_devices(function, makers, mode):
    compiled_graphs.clear()
    with torch._dynamo.config.patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True):
        if mode == "default":
            check(function, makers, mode)
        else:  # on another stream than the default one
            with torch.cuda.stream(torch.cuda.Stream()):
                check(function, makers, mode)
    assert not [str(refusal) for graph in compiled_graphs for refusal in graph.refusals]
