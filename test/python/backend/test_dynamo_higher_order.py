"""Operators of higher order, as Dynamo and AOTAutograd capture them."""

import copy
import re

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from agreement_with_eager import agrees_with_gradients, check_agreement, compiled, needing  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

from tc import torch_backend  # noqa: E402


def is_all_of_tc():
    """Whether each graph that was compiled is one program, and PyTorch runs nothing."""
    return all(len(graph.programs) == 1 and not graph.refusals for graph in torch_backend.compiled_graphs)


@pytest.mark.parametrize("needs_gradients", [False, True])
def test_cond(needs_gradients):
    def function(x, y):
        return torch.cond(x.sum() > 0, lambda x, y: (x.sin() * y,), lambda x, y: (x - y.exp(),), (x * 2, y))[0] + 1

    for sign in (1, -1):
        x, y = (torch.rand(3) * sign).requires_grad_(needs_gradients), torch.randn(3, requires_grad=needs_gradients)
        check_agreement(compiled(function, fullgraph=True)(x, y), function(x, y))
        assert is_all_of_tc()
        if needs_gradients:
            agrees_with_gradients(function, x, y)
            assert is_all_of_tc()


def test_branches_in_branches_of_any_size():
    def inner(x):
        return torch.cond(x[0, 0] > 0, lambda x: x.cumsum(0) * x.shape[0], lambda x: x.flip(0) + 1, (x,))

    def function(x):
        return torch.cond(x.sum() > 0, inner, lambda x: x.exp() - 1, (x * 2,)) @ x.T

    run = compiled(function, dynamic=True, fullgraph=True)
    for rows in (2, 5, 7):
        for sign in (1, -1):
            x = torch.rand(rows, 3) * sign
            check_agreement(run(x), function(x))
    assert is_all_of_tc()


def test_while_loop():
    from torch._higher_order_ops.while_loop import while_loop

    def function(x, count):
        return while_loop(lambda x, count: count > 0, lambda x, count: (x * 2 + 1, count - 1), (x.sin(), count))

    run = compiled(function, fullgraph=True)
    for steps in (4, 0, 1):
        x, count = torch.randn(3), torch.tensor(steps)
        check_agreement(run(x, count), function(x, count))
    assert is_all_of_tc()


def test_map_and_scan():
    from torch._higher_order_ops.map import map as map_rows
    from torch._higher_order_ops.scan import scan

    def rows(x, y):
        return map_rows(lambda one, y: one.sin() * y, x + 1, y)

    def sums(x, y):
        return scan(lambda carry, one: (carry + one, carry * one), y * 2, x, dim=0)

    for function in (rows, sums):
        x, y = torch.randn(5, 3), torch.randn(3)
        check_agreement(compiled(function, fullgraph=True)(x, y), function(x, y))
        assert is_all_of_tc()


def test_branches_that_pytorch_runs():
    """What TC does not have in a branch, or has for graphs of their own alone, leaves the branch to PyTorch and the rest to TC."""
    def eigenvalues(x):
        return torch.linalg.eigvals(x).abs()

    def draws(x):
        return torch.rand_like(x[0]) * 0 + 1

    for branch, reason in ((eigenvalues, "linalg_eig"), (draws, "random")):
        def function(x):
            return torch.cond(x.sum() > 0, branch, lambda x: x[0].exp(), (x * 2,)) + 1

        torch_backend.compiled_graphs.clear()
        for x in (torch.eye(3), -torch.eye(3)):
            check_agreement(compiled(function, options={}, fullgraph=True)(x), function(x))
            refusals = [refusal for graph in torch_backend.compiled_graphs for refusal in graph.refusals]
            assert refusals and all(refusal.operator == "cond" for refusal in refusals)
            assert any(reason in refusal.reason for refusal in refusals)


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
    assert is_all_of_tc()


def test_regions_that_know_some_of_their_gradients():
    layer = nn.Linear(4, 4).requires_grad_(False)

    @torch.compiler.nested_compile_region
    def region(x, mask):
        return layer(x).masked_fill(mask, 0.0).relu()

    mask = torch.tensor([True, False, False, True])
    agrees_with_gradients(lambda x: region(region(x, mask), ~mask) + 1, needing(3, 4))


def is_kept(batch, head, row, column):
    return (row >= column) & (row - column < 48)


@pytest.mark.parametrize("heads", [2, 4])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("needs_gradients", [False, True])
def test_flex_attention(heads, dtype, needs_gradients):
    """With a sliding window and a bias of each head, of queries with heads of their own and of groups."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    if needs_gradients and torch.get_default_device().type == "cpu":
        pytest.skip("PyTorch has no gradients of FlexAttention on a CPU")
    q, k, v = (torch.randn(2, count, 128, 16, dtype=dtype, requires_grad=needs_gradients) for count in (heads, 2, 2))
    slopes = torch.rand(heads)
    mask = create_block_mask(is_kept, None, None, 128, 128, device=q.device)

    def function(q, k, v, slopes):
        return flex_attention(q * 1, k, v, score_mod=lambda score, batch, head, row, column: score + slopes[head] * (column - row),
                              block_mask=mask, enable_gqa=True) + 1

    def wanted(q, k, v, slopes):
        q, k, v = q.double(), *(one.double().repeat_interleave(heads // 2, 1) for one in (k, v))
        place = torch.arange(128, device=q.device)
        scores = q @ k.transpose(-1, -2) / 4 + slopes[:, None, None] * (place - place[:, None])
        return torch.softmax(scores.masked_fill(~is_kept(0, 0, place[:, None], place), float("-inf")), -1) @ v + 1

    inputs, near = (q, k, v, slopes), 1e-4 if dtype == torch.float32 else 2e-2
    results, expected = compiled(function, fullgraph=True)(*inputs), wanted(*inputs)
    torch.testing.assert_close(results, expected.to(dtype), rtol=near, atol=near)
    if needs_gradients:
        for one, other in zip(*(torch.autograd.grad(one.double().square().sum(), (q, k, v)) for one in (results, expected))):
            assert (one - other).norm() <= near * other.norm()
    assert is_all_of_tc()


def test_flex_attention_of_rows_without_keys():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    q, k, v = (torch.randn(1, 2, 128, 16) for _ in range(3))
    mask = create_block_mask(lambda batch, head, row, column: row > column, None, None, 128, 128, device=q.device)
    result, sums = compiled(lambda *inputs: flex_attention(*inputs, block_mask=mask, return_lse=True), fullgraph=True)(q, k, v)
    scores = (q @ k.transpose(-1, -2) / 4).masked_fill(torch.ones(128, 128, dtype=torch.bool, device=q.device).triu(), float("-inf"))
    assert (result[:, :, 0] == 0).all() and (sums[:, :, 0] == float("-inf")).all()
    torch.testing.assert_close(result[:, :, 1:], (scores.softmax(-1) @ v)[:, :, 1:], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(sums, scores.logsumexp(-1), rtol=1e-4, atol=1e-4)
    assert is_all_of_tc()


@pytest.mark.parametrize("function", [
    lambda x, w: torch.func.vmap(lambda row: (row @ w).softmax(-1))(x),
    lambda x, w: torch.func.jvp(lambda x: (x @ w).sin(), (x,), (torch.ones_like(x),)),
    lambda x, w: torch.func.vjp(lambda x: (x @ w).sin(), x)[1](torch.ones(3, 2, device=x.device)),
    lambda x, w: torch.func.jacrev(lambda x: (x @ w).sum(0))(x),
    lambda x, w: torch.func.jacfwd(lambda x: (x @ w).sum(0))(x),
    lambda x, w: torch.func.hessian(lambda w: (x @ w).square().sum())(w),
    lambda x, w: torch.func.jacfwd(lambda x: (x @ w).tanh() * x.sum())(x)], ids=["vmap", "jvp", "vjp", "jacrev", "jacfwd", "hessian", "sum"])
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

    agrees_with_gradients(function, needing(4), options={})
    operators = [refusal.operator for graph in torch_backend.compiled_graphs for refusal in graph.refusals]
    assert any(re.match("tc_test.scaled|tc_test::scaled", one) for one in operators)
    assert all(graph.programs for graph in torch_backend.compiled_graphs)
