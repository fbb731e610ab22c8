"""Graphs of which PyTorch runs a part, and random numbers."""

import logging

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402

from tc import torch_backend  # noqa: E402


def compiled(function, **options):
    return torch.compile(function, backend=torch_backend.backend, fullgraph=True, options=options)


def agrees(function, *inputs):
    """The graphs that were compiled for the call, whose results and strides are eager's."""
    result, wanted = compiled(function)(*inputs), function(*inputs)
    torch.testing.assert_close(result, wanted)
    for one, other in zip(torch.utils._pytree.tree_leaves(result), torch.utils._pytree.tree_leaves(wanted)):
        assert one.stride() == other.stride()
    return list(torch_backend.compiled_graphs)


@torch.library.custom_op("tc_test::refused", mutates_args=())
def refused(x: torch.Tensor) -> torch.Tensor:
    return x * 2 + 1


@refused.register_fake
def _(x):
    return torch.empty_like(x)


def test_pytorch_runs_the_calls_that_tc_refuses(caplog):
    def function(x):
        y = torch.relu(x) @ x
        return refused(y) * 2 + y.sum(0)

    with caplog.at_level(logging.WARNING, "tc.torch"):
        graph, = agrees(function, torch.randn(4, 4))
    assert len(graph.programs) == 2
    refusal, = graph.refusals
    assert refusal.operator == "tc_test.refused.default" and __file__ in refusal.line
    message, = (record.getMessage() for record in caplog.records)
    assert message.startswith("PyTorch runs 1 of the ") and str(refusal) in message


def test_a_refused_call_in_a_branch_does_not_split_the_others():
    def function(x):
        side = refused(x)
        y = torch.relu(x) @ x
        return (y + 1).cumsum(0), side * 1

    graph, = agrees(function, torch.randn(4, 4))
    assert len(graph.programs) == 1


def test_a_call_that_only_its_arguments_make_unsupported_is_found():
    def function(x):
        y = torch.relu(x)
        return y.to(torch.float8_e4m3fnuz).float() + y, y @ y

    graph, = agrees(function, torch.randn(4, 4))
    assert "aten._to_copy.default" in [refusal.operator for refusal in graph.refusals]
    assert len(graph.programs) >= 1


def test_strict_names_the_operator_and_the_line():
    with pytest.raises(Exception, match=f"(?s){__file__}:[0-9]+: tc_test.refused.default: TC does not have this operator"):
        compiled(lambda x: refused(x + 1), strict=True)(torch.randn(4, 4))


def test_an_unknown_option_is_refused_with_the_near_one():
    with pytest.raises(Exception, match="no option 'stric', expected one of strict, interpret, stop_after, eager; did you mean 'strict'"):
        compiled(lambda x: x + 1, stric=True)(torch.randn(4))


def test_sizes_that_vary_pass_refused_calls():
    def function(x):
        y = refused(x * 2)
        return torch.relu(y) + y.shape[0], y.reshape(-1) * 2

    run = torch.compile(function, backend=torch_backend.backend, dynamic=True)
    for rows in (3, 4, 7):
        x = torch.randn(rows, 5)
        torch.testing.assert_close(run(x), function(x))
    assert len(torch_backend.compiled_graphs) == 1


def test_views_are_of_memory_that_there_is():
    def function(x, y):
        z = torch.relu(x)
        return z.t(), z[1:], y.t() @ x, y.expand(3, 4, 4), z.unsqueeze(1).split(1, dim=2)[2]

    graph, = agrees(function, torch.randn(4, 4), torch.randn(4, 4))
    assert not graph.refusals


def test_results_have_the_strides_of_eager():
    convolution = torch.nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
    x = torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last)
    with torch.no_grad():
        agrees(lambda x: torch.relu(convolution(x)), x)
    agrees(lambda x: (x.t() + 1, x.permute(2, 0, 1) * 2) if x.dim() == 3 else x.t() + 1, torch.randn(4, 5))
    agrees(lambda x: torch.exp(x.permute(2, 0, 1)), torch.randn(2, 3, 4))


def test_a_graph_of_views_runs_no_program():
    graph, = agrees(lambda x: (x.t(), x[1:].unsqueeze(0)), torch.randn(4, 5))
    assert not graph.programs and not graph.refusals


def test_random_numbers_follow_the_generator():
    run = compiled(lambda x: (torch.rand_like(x), F.dropout(x, 0.5), torch.randn(3)))
    x = torch.ones(1000)
    torch.manual_seed(3)
    first, second = run(x), run(x)
    torch.manual_seed(3)
    again = run(x)
    for one, other, repeated in zip(first, second, again):
        assert not torch.equal(one, other)
        torch.testing.assert_close(one, repeated, rtol=0, atol=0)
    assert 400 < int((first[1] != 0).sum()) < 600 and set(first[1].tolist()) == {0.0, 2.0}


def test_gradients_drop_what_the_forward_call_dropped():
    x = torch.ones(1000, requires_grad=True)
    result = compiled(lambda x: F.dropout(x * 3, 0.25))(x)
    result.sum().backward()
    torch.testing.assert_close(x.grad, result.detach())


def test_dropout_of_attention_is_that_of_its_gradients():
    q, k = (torch.randn(1, 2, 16, 8, requires_grad=True) for _ in range(2))
    v = torch.eye(16).expand(1, 2, 16, 16).clone().requires_grad_()
    weights = compiled(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, dropout_p=0.5))(q, k, v)
    weights.sum().backward()
    assert 100 < int((weights == 0).sum()) < 412
    torch.testing.assert_close(v.grad.sum(-1) / 16, weights.detach().sum(-2))


def test_a_fault_within_tc_leaves_the_graph_to_pytorch(monkeypatch, caplog):
    def fails(*_):
        raise KeyError("something")

    monkeypatch.setattr(torch_backend, "write_graph", fails)
    x = torch.randn(3)
    torch.testing.assert_close(compiled(lambda x: x + 1)(x), x + 1)
    assert "TC failed at a graph of 1 calls" in caplog.text and "KeyError: 'something'" in caplog.text
    torch._dynamo.reset()
    with pytest.raises(Exception, match="something"):
        compiled(lambda x: x + 1, strict=True)(x)


def test_an_element_type_that_tc_lacks_is_refused_with_its_name(caplog):
    def function(x):
        return (x + 1, x.to(torch.float32).view(torch.float4_e2m1fn_x2).view(torch.uint8))

    x = torch.randn(4, 4)
    for one, wanted in zip(compiled(function)(x), function(x)):
        assert torch.equal(one, wanted)


def test_a_graph_that_writes_to_its_arguments_is_an_error_under_strict():
    @torch.library.custom_op("tc_test::writes", mutates_args=("x",))
    def writes(x: torch.Tensor) -> None:
        x.add_(1)

    def function(x):
        y = x * 2
        writes(y)
        return y + 1

    x = torch.randn(4)
    torch.testing.assert_close(compiled(function)(x), function(x))
    torch._dynamo.reset()
    with pytest.raises(Exception, match="writes|auto_functionalized"):
        compiled(function, strict=True)(x)
