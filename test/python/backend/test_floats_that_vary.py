"""Floats that differ from call to call are inputs of programs, without dimensions."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from agreement_with_eager import check_agreement, compiled  # noqa: E402

from tc import torch_backend  # noqa: E402

VALUES = 0.5, 0.25, -1.5, 1e30


def function(x, scale, shift):
    return x * scale + (scale * 2 + shift) - shift


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_they_are_inputs_of_one_program(dtype):
    run = compiled(function)
    for value in VALUES:
        x = torch.randn(3, 4, dtype=dtype)
        tolerance = 2e-2 if dtype == torch.bfloat16 else 1e-5
        check_agreement(run(x, value, value + 1), function(x, value, value + 1), rtol=tolerance, atol=1e-5)
    assert len(torch_backend.compiled_graphs) == 2 and not any(graph.refusals for graph in torch_backend.compiled_graphs)


def test_gradients():
    run = compiled(function)
    for value in VALUES:
        x = torch.randn(3, 4, requires_grad=True)
        gradients = [torch.autograd.grad(call(x, value, 3.0).sum(), x)[0] for call in (run, function)]
        torch.testing.assert_close(*gradients)
    assert [graph.kind for graph in torch_backend.compiled_graphs] == ["forward", "backward"] * 2


@pytest.mark.host  # a float is a tensor on the CPU, which a graph on a device computes with in a program of its own
def test_the_driver_is_not_python(plans):
    run, x = compiled(lambda x, scale: x.sin() * scale), torch.randn(3, 4, requires_grad=True)
    for value in (0.5, 0.25):
        run(x, value).sum().backward()
    assert len(plans) == 4 and all(plans)
