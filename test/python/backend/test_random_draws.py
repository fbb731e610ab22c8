"""Operators that draw random numbers: shapes, types, ranges and statistics, and that states of the generator repeat them."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import agrees, compiled, tensors_saved  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

DTYPES = [torch.float32, torch.bfloat16, torch.float16, torch.float64]


@pytest.fixture
def generator(default_device):
    """The state of the generator of the device that a test is for, as two functions: one reads it, the other writes it."""
    if default_device == "cuda":
        return torch.cuda.get_rng_state, torch.cuda.set_rng_state
    return torch.get_rng_state, torch.set_rng_state


@pytest.mark.parametrize("dtype", DTYPES)
def test_frequencies_of_draws(dtype):
    """PyTorch runs the call. Four standard deviations of the number of each are the bound; what has no weight is never drawn."""
    weights, count = torch.tensor([1.0, 0.0, 2.0, 5.0]), 4000
    drawn = compiled(lambda w: torch.multinomial(w * 2, count, True), options={})(weights.to(dtype))
    assert drawn.dtype == torch.int64 and drawn.shape == (count,) and drawn.stride() == (1,)
    share = weights / weights.sum()
    found = torch.bincount(drawn, minlength=4)
    assert found[1] == 0 and found.numel() == 4
    assert ((found - count * share).abs() <= 4 * (count * share * (1 - share)).sqrt()).all()


def test_draws_without_replacement_are_distinct():
    weights = torch.rand(50, 6) + 0.1
    weights[:, 2] = 0
    run = compiled(lambda w: torch.multinomial(w * 2, 5), options={})
    drawn = run(weights)
    assert drawn.dtype == torch.int64
    assert (drawn.sort(1).values == torch.tensor([0, 1, 3, 4, 5])).all()
    # The first of each is drawn by its weight.
    first = torch.stack([run(torch.tensor([[8.0, 1.0, 0.0, 1.0, 1.0, 1.0]]).expand(50, 6))[:, 0] for _ in range(8)])
    assert 0.5 < (first == 0).float().mean() < 0.83


def test_draws_of_one_column_and_of_no_rows():
    agrees(lambda w: (torch.multinomial(w, 1), torch.multinomial(w[:, 0], 1), torch.multinomial(w.t(), 3, True) * 0),
           torch.ones(4, 1), options={})
    agrees(lambda w: torch.multinomial(w, 2, True), torch.ones(0, 3), options={})


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(40, 50, 3, 2), (40, 3, 2)])
def test_whole_channels_are_dropped(sizes, dtype):
    """Of three dimensions the first is the batch, as in PyTorch."""
    x = torch.ones(sizes, dtype=dtype, requires_grad=True)
    y = compiled(lambda x: F.dropout2d(x, 0.25))(x)
    assert y.shape == x.shape and y.dtype == dtype and y.stride() == x.stride()
    channels = y.detach().float().flatten(2)
    assert (channels == channels[..., :1]).all()
    kept = torch.tensor(1 / 0.75).to(dtype).float()
    assert ((channels == 0) | (channels == kept)).all()
    share, count = (channels[..., 0] != 0).float().mean(), channels[..., 0].numel()
    assert abs(share - 0.75) <= 4 * (0.75 * 0.25 / count) ** 0.5
    gradient, = torch.autograd.grad(y, x, torch.ones_like(y))
    assert torch.equal(gradient, y.detach())


def test_channels_that_are_all_kept_or_all_dropped():
    x = torch.randn(3, 2, 4, 5).to(memory_format=torch.channels_last)
    agrees(lambda x: (F.dropout2d(x, 0.0), F.dropout2d(x, 1.0), F.dropout2d(x, 0.5, training=False)), x)


def dropped(x):
    return F.dropout(torch.relu(x + 1), 0.5)


def test_states_of_the_generator_repeat_dropout(generator):
    """The next numbers are those that come after the state, also in what is drawn outside."""
    read, write = generator
    run, x = compiled(dropped), torch.ones(64, 64)
    run(x)
    state = read()
    first, second, outside = run(x), run(x), torch.rand(4)
    assert not torch.equal(first, second)
    write(state)
    again = run(x), run(x), torch.rand(4)
    assert torch.equal(again[0], first) and torch.equal(again[1], second) and torch.equal(again[2], outside)
    torch.manual_seed(7)
    seeded = run(x)
    torch.manual_seed(7)
    assert torch.equal(run(x), seeded)


def test_states_of_the_generator_repeat_gradients(generator):
    read, write = generator
    run, x = compiled(dropped), torch.ones(32, 32, requires_grad=True)
    state = read()
    results = []
    for _ in range(2):
        write(state)
        y = run(x)
        results.append((y.detach(), *torch.autograd.grad(y.sum(), x)))
    assert torch.equal(results[0][0], results[1][0]) and torch.equal(results[0][1], results[1][1])


def bytes_saved(function, *inputs):
    """By autograd, besides the inputs, for the gradient of what `function` gives; and that."""
    saved, result = tensors_saved(function, *inputs)
    kept = {one.data_ptr() for one in inputs}
    return sum(one.nbytes for one in saved if one.data_ptr() not in kept), result


@pytest.mark.parametrize("p", [0.5, 0.75])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_checkpoints_with_dropout_have_one_mask(dtype, p):
    """Each element is y = (s (x + 1))^2 or 0, and its gradient 2 y / (x + 1). A mask is saved, and no values."""
    run = compiled(lambda x: checkpoint(lambda x: F.dropout(torch.relu(x + 1), p).square(), x, use_reentrant=False))
    x = torch.ones(32, 64, dtype=dtype, requires_grad=True)
    found = []
    for _ in range(2):
        count, y = bytes_saved(run, x)
        assert count <= x.numel()
        gradient, = torch.autograd.grad(y.sum(), x)
        assert set(y.detach().unique().tolist()) == {0.0, (2 / (1 - p)) ** 2}
        assert torch.equal(gradient, y.detach())
        found.append(y.detach())
    assert not torch.equal(*found)


@pytest.mark.parametrize("function", [
    lambda x: F.dropout2d(x, 0.5), lambda x: torch.bernoulli(torch.full_like(x, 0.5)) * x, lambda x: (torch.rand_like(x) > 0.5) * x,
    lambda x: x * F.dropout(torch.ones_like(x)), lambda x: F.dropout(x, 1.0) + F.dropout(x, 0.0), lambda x: F.dropout(x, 0.3, False)])
def test_checkpoints_with_random_numbers_have_gradients_of_these(function):
    """What is linear in x has the gradient y / x; sin asks for y itself once more."""
    x = torch.full((4, 6, 5, 5), 0.5, requires_grad=True)
    y, sine = compiled(lambda x: checkpoint(lambda x: ((y := function(x)), torch.sin(y)), x, use_reentrant=False))(x)
    assert torch.equal(torch.autograd.grad(y.sum(), x, retain_graph=True)[0], y.detach() / 0.5)
    torch.testing.assert_close(torch.autograd.grad(sine.sum(), x)[0], y.detach().cos() * y.detach() / 0.5)


def test_checkpoints_of_attention_with_dropout():
    """Twice from one state of the generator: the same results and gradients; those of the values add up to the weights."""
    q, k, v = (torch.randn(2, 3, 16, 8, requires_grad=True) for _ in range(3))

    def attention(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, dropout_p=0.4)

    run = compiled(lambda *given: checkpoint(attention, *given, use_reentrant=False), options={})
    found = []
    for _ in range(2):
        torch.manual_seed(3)
        y = run(q, k, v)
        found.append((y.detach(), *torch.autograd.grad(y, (q, k, v), torch.ones_like(y))))
    assert all(map(torch.equal, *found))
    # y is linear in v: of the gradient of its sum, v has y's sum again.
    torch.testing.assert_close((found[0][3] * v.detach()).sum(), found[0][0].sum(), rtol=1e-3, atol=1e-3)


def test_checkpoints_one_after_the_other_draw_numbers_of_their_own():
    def drops(x):
        return F.dropout(x, 0.5) * x

    def function(x):
        first = checkpoint(drops, x, use_reentrant=False)
        return first, checkpoint(drops, x, use_reentrant=False)

    x = torch.full((64, 32), 3.0, requires_grad=True)
    first, second = compiled(function)(x)
    assert not torch.equal(first, second)
    for one in (first, second):  # 2 * x * x or 0
        gradient, = torch.autograd.grad(one.sum(), x, retain_graph=True)
        assert torch.equal(gradient, one.detach() * 2 / 3)


def test_a_checkpoint_without_random_numbers_is_eagers():
    agrees(lambda x: checkpoint(lambda x: torch.tanh(x @ x.mT), x, use_reentrant=False), torch.randn(5, 4, requires_grad=True))
