"""torch.compile(backend="tc") on the CPU."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import agrees, compiled  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

from tc import torch_backend  # noqa: E402
from tc.torch_backend import backend  # noqa: E402


def mlp():
    return torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.LayerNorm(128), torch.nn.Linear(128, 10))


class Images(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.norm = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8)
        self.linear = torch.nn.Linear(8 * 16, 10)

    def forward(self, x):
        return self.linear(F.max_pool2d(F.relu(self.norm(self.convolution(x))), 4).flatten(1))


def test_several_results():
    agrees(lambda x, y: (torch.relu(x) + y, x.sum(-1), None, 3), torch.randn(4, 8), torch.randn(8), fullgraph=True)


def test_a_model_without_gradients():
    with torch.no_grad():
        agrees(mlp().eval(), torch.randn(3, 64), fullgraph=True)
        agrees(Images().eval(), torch.randn(2, 3, 16, 16), fullgraph=True)


def test_one_graph_serves_all_sizes():
    model = mlp().eval()
    graphs = []

    def counting(module, inputs):
        graphs.append(module)
        return backend(module, inputs, options={"strict": True})

    function = torch.compile(model, backend=counting, dynamic=True)
    with torch.no_grad():
        function(torch.randn(3, 64))
        captured = len(graphs)  # Dynamo may capture the first call twice
        for rows in (5, 17, 100):
            x = torch.randn(rows, 64)
            torch.testing.assert_close(function(x), model(x))
    assert len(graphs) == captured


def test_sizes_among_the_results():
    agrees(lambda x: (x * 2, x.shape[0] * 3), torch.randn(5, 4), dynamic=True)


def test_inputs_that_are_written():
    def function(x, y):
        x.add_(y)
        return x * 2

    x, y = torch.zeros(4), torch.ones(4)
    assert torch.equal(compiled(function)(x, y), torch.full((4,), 2.0))
    assert torch.equal(x, y)


def test_results_that_are_views_of_inputs():
    x = torch.randn(4, 4)
    rows, turned = compiled(lambda x: (x[1:], x.t()))(x)
    assert rows.data_ptr() == x[1:].data_ptr() and turned.stride() == (1, 4)


def test_a_graph_break():
    def function(x):
        y = x + 1
        return y * 2 if y.sum() > 0 else y - 1

    agrees(function, torch.ones(3))
    agrees(function, -torch.ones(3) * 5)


def test_constants_of_the_module():
    table = torch.arange(4.0)
    agrees(lambda x: x + table + torch.tensor([1.0, 2, 3, 4]), torch.randn(4))


@pytest.mark.parametrize("make, inputs", [(mlp, lambda: torch.randn(5, 64)), (Images, lambda: torch.randn(5, 3, 16, 16))])
def test_training(make, inputs):
    """The same steps of a descent as without compilation."""
    eager = make()
    model = copy.deepcopy(eager)
    steps = [(eager, torch.optim.SGD(eager.parameters(), 0.1)), (compiled(model), torch.optim.SGD(model.parameters(), 0.1))]
    for _ in range(3):
        x, wanted = inputs(), torch.randint(0, 10, (5,))
        for function, optimizer in steps:
            optimizer.zero_grad()
            F.cross_entropy(function(x), wanted).backward()
            optimizer.step()
    torch.testing.assert_close(model.state_dict(), eager.state_dict(), rtol=1e-4, atol=1e-5)


def test_a_graph_that_is_refused(caplog):
    def function(x):
        return torch.linalg.eigvals(x).abs()

    x = torch.eye(3)
    with pytest.raises(Exception, match="linalg_eig"):
        compiled(function)(x)
    torch._dynamo.reset()
    torch.testing.assert_close(torch.compile(function, backend=backend)(x), function(x))
    assert "linalg_eig" in caplog.text


def test_options_are_checked():
    with pytest.raises(Exception, match="there is no option 'stric', expected one of strict"):
        torch.compile(lambda x: x + 1, backend=backend, options={"stric": True})(torch.ones(2))


@pytest.mark.filterwarnings("error:Accessing the data pointer of FakeTensor")
def test_a_compiler_in_fake_mode_has_real_tensors(monkeypatch):
    call = torch_backend._Compiler.__call__

    def in_mode(self, *arguments):
        with FakeTensorMode():
            return call(self, *arguments)

    monkeypatch.setattr(torch_backend._Compiler, "__call__", in_mode)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.LayerNorm(8), torch.nn.Linear(8, 4))
    run, x = torch.compile(model, backend=backend, options={"strict": True}), torch.randn(3, 4)
    found = [torch.autograd.grad(function(x).square().sum(), list(model.parameters())) for function in (run, model)]
    torch.testing.assert_close(*found)
    assert all(graph.programs for graph in torch_backend.compiled_graphs)
