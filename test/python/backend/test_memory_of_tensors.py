"""Strides, views and writes are those of eager PyTorch."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from agreement_with_eager import agrees, compiled  # noqa: E402
from torch import nn  # noqa: E402

from tc import torch_backend  # noqa: E402



def test_inputs_of_any_strides():
    def function(x):
        return x * 2, x.sum(0), x.relu()

    agrees(function, torch.randn(4, 6).t())
    torch._dynamo.reset()
    agrees(function, torch.randn(4, 12)[:, ::2])
    torch._dynamo.reset()
    agrees(function, torch.randn(1, 6).expand(4, 6))
    torch._dynamo.reset()
    agrees(function, torch.randn(10).as_strided((4, 4), (2, 1)))
    torch._dynamo.reset()
    agrees(function, torch.randn(4, 6)[2:, 3:])


def test_images_in_channels_last():
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).to(memory_format=torch.channels_last)
    x = torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last)
    with torch.no_grad():
        agrees(model.eval(), x)
        agrees(lambda x: x.to(memory_format=torch.contiguous_format) + 1, x)
        agrees(lambda x: (x.relu() * 2).contiguous(memory_format=torch.channels_last), torch.randn(2, 3, 8, 8))


def test_in_place_calls():
    def function(x, y):
        z = x + 1
        z.mul_(y)
        z[1:].add_(3)
        z[0] = y[1]
        return z, z.view(-1)

    agrees(function, torch.randn(3, 4), torch.randn(3, 4))


def test_inputs_that_are_written_through_views():
    def function(x, y):
        x[1:].copy_(y[1:])
        x.t()[0].zero_()
        y.add_(1)
        return x.sum()

    agrees(function, torch.randn(3, 4), torch.randn(3, 4))


def test_inputs_that_share_memory():
    def function(x, y):
        x.add_(1)
        return x + y

    base = torch.randn(6)
    other = base.clone()
    result = compiled(function)(base[:4], base[2:])
    wanted = function(other[:4], other[2:])
    torch.testing.assert_close(result, wanted)
    torch.testing.assert_close(base, other)


def test_one_tensor_given_twice():
    def function(x, y):
        x.mul_(2)
        return x + y

    x = torch.randn(4)
    other = x.clone()
    torch.testing.assert_close(compiled(function)(x, x), function(other, other))
    torch.testing.assert_close(x, other)


def test_an_input_that_is_a_result_is_the_same_object():
    def function(x):
        x.add_(1)
        return x, x * 2

    x = torch.randn(4)
    result, _ = compiled(function)(x)
    assert result is x


def test_results_that_share_memory():
    def function(x):
        y = x * 2
        return y, y.t(), y[0]

    whole, turned, row = compiled(function)(torch.randn(3, 4))
    whole.zero_()
    assert not turned.any() and not row.any()


def test_results_of_calls_are_memory_of_their_own():
    run = torch.compile(lambda x: x + 1, backend=torch_backend.backend, mode="reduce-overhead")
    first = run(torch.zeros(4))
    run(torch.ones(4))
    assert torch.equal(first, torch.ones(4))


def test_a_view_of_an_input_shares_its_memory():
    x = torch.randn(4, 4)
    row = compiled(lambda x: x.view(2, 8)[1])(x)
    row.zero_()
    assert not x[2:].any()
