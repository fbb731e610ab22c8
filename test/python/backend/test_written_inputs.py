"""Inputs that a graph writes: on a CPU the program computes their new values where they are,
if nothing else reads them; else PyTorch copies the values there."""

import pytest

torch = pytest.importorskip("torch")

import tc  # noqa: E402
from tc.torch_backend import backend  # noqa: E402


class Copies:
    """The copies that PyTorch makes of the values that programs have computed."""

    def __init__(self, monkeypatch):
        self.count = 0
        copy = torch._foreach_copy_

        def count(targets, values):
            self.count += len(targets)
            return copy(targets, values)

        monkeypatch.setattr(torch, "_foreach_copy_", count)


@pytest.fixture
def copies(monkeypatch):
    torch._dynamo.reset()
    return Copies(monkeypatch)


def check(function, make, calls=2):
    """Calls a function and what TC makes of it, with inputs of their own each."""
    compiled = torch.compile(function, backend=backend, fullgraph=True, options={"strict": True})
    expected, actual = make(), make()
    for _ in range(calls):
        versions = [one._version for one in actual], [one._version for one in expected]
        wanted, given = function(*expected), compiled(*actual)
        for before, wanted_before, one, other in zip(*versions, actual, expected):
            assert (one._version > before) == (other._version > wanted_before)  # as autograd needs to know
        torch.testing.assert_close(given, wanted)
        torch.testing.assert_close(actual, expected)


def numbers(*sizes, dtype=torch.float32):
    return torch.linspace(-2, 3, torch.Size(sizes).numel()).reshape(sizes).to(dtype)


def update(p, g, m):
    m.mul_(0.9).add_(g)
    p.sub_(m, alpha=0.1)
    return (p * p).sum()


def count_and_update(step, p, g):
    step.add_(1)
    p.sub_(g / (1 - 0.9 ** step))


def test_a_count_that_all_points_read_is_written_over(copies):
    check(count_and_update, lambda: (torch.tensor(2.0), numbers(5, 3), numbers(5, 3)))
    assert copies.count == 0


@pytest.mark.parametrize("sizes", [(8,), (), (3, 5, 7), (1 << 20,), (1, 4, 1)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int32])
def test_new_values_are_computed_in_place(sizes, dtype, copies):
    if dtype == torch.int32:
        check(lambda p, g, m: m.add_(g) + p.mul_(3), lambda: [numbers(*sizes, dtype=dtype) for _ in range(3)])
    else:
        check(update, lambda: [numbers(*sizes, dtype=dtype) for _ in range(3)])
    assert copies.count == 0


@pytest.mark.parametrize("make", [torch.optim.AdamW, torch.optim.SGD, torch.optim.RMSprop, torch.optim.Adagrad])
def test_optimizers_update_parameters_in_place(make, copies):
    parameters = [[torch.nn.Parameter(numbers(size, 3)) for size in (4, 9)] for _ in range(2)]
    options = {"foreach": True, "lr": 0.1}
    eager, optimizer = (make(own, **options) for own in parameters)
    step = torch.compile(optimizer.step, backend=backend, options={"strict": True})
    for call in range(3):
        copies.count = 0
        for own in parameters:
            for one in own:
                one.grad = numbers(*one.shape) * (call + 1)
        eager.step()
        step()
        torch.testing.assert_close(*parameters)
    assert copies.count == 0


def grow(x):
    old = x.clone()
    x.mul_(2)
    return old


def turn(x):
    x.copy_(x.t().clone())


def mix(x):
    x.add_(x.sum(0))


def both(x, y):
    x.add_(y)
    y.mul_(x)


def fill(x, y):
    x.copy_(y.exp())


@pytest.mark.parametrize("function, count", [(grow, 1), (turn, 1), (mix, 1), (both, 2), (fill, 2)])
def test_old_values_are_read_before_they_are_gone(function, count):
    torch._dynamo.reset()
    check(function, lambda: [numbers(5, 5) + number for number in range(count)])


@pytest.mark.parametrize("view", [
    lambda base: base[:, ::2], lambda base: base.t(), lambda base: base[1:3], lambda base: base.view(-1)[1:9],
    lambda base: base[:0], lambda base: base[..., None]])
def test_views_are_written(view):
    torch._dynamo.reset()
    bases = [numbers(4, 6) for _ in range(2)]
    compiled = torch.compile(lambda x: x.mul_(3).sum(), backend=backend, fullgraph=True, options={"strict": True})
    for _ in range(2):
        torch.testing.assert_close(compiled(view(bases[0])), view(bases[1]).mul_(3).sum())
        torch.testing.assert_close(*bases)


@pytest.mark.parametrize("pair", [
    lambda base: (base, base), lambda base: (base[:4], base[2:]), lambda base: (base[2:], base[:4]),
    lambda base: (base, base.view(-1)[:6])])
def test_inputs_that_share_memory_are_written(pair):
    torch._dynamo.reset()

    def function(x, y):
        x.mul_(2)
        return x.sum() + y.sum()

    bases = [numbers(6, 1) for _ in range(2)]
    compiled = torch.compile(function, backend=backend, options={"strict": True})
    for _ in range(2):
        torch.testing.assert_close(compiled(*pair(bases[0])), function(*pair(bases[1])))
        torch.testing.assert_close(*bases)


def test_tensors_of_inference_are_written(copies):
    with torch.inference_mode():
        compiled = torch.compile(update, backend=backend, fullgraph=True, options={"strict": True})
        expected, actual = ([numbers(6) for _ in range(3)] for _ in range(2))
        torch.testing.assert_close(compiled(*actual), update(*expected))
        torch.testing.assert_close(actual, expected)


def test_a_write_to_what_autograd_has_saved_is_an_error():
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: [x.mul_(2)][:0], backend=backend, fullgraph=True, options={"strict": True})
    weight, x = torch.ones(4, requires_grad=True), torch.ones(4)
    loss = (weight * x).sum()
    with torch.no_grad():
        compiled(x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_sizes_that_vary():
    torch._dynamo.reset()
    compiled = torch.compile(update, backend=backend, dynamic=True, options={"strict": True})
    for size in (5, 9, 64):
        expected, actual = ([numbers(size) for _ in range(3)] for _ in range(2))
        torch.testing.assert_close(compiled(*actual), update(*expected))
        torch.testing.assert_close(actual, expected)


def test_sizes_among_the_inputs_are_none_of_the_written_ones():
    def function(x, a, b):
        rows = x.t() * x.shape[0]
        scaled = a * x.shape[0]
        b.add_(scaled)
        return rows

    compiled = torch.compile(function, backend=backend, fullgraph=True, options={"strict": True})
    for rows in (5, 7):
        x, a, b = numbers(rows, 3), torch.ones(4), torch.ones(4)
        torch._dynamo.mark_dynamic(x, 0)
        compiled(x, a, b)
        assert torch.equal(a, torch.ones(4)) and torch.equal(b, torch.full((4,), 1.0 + rows))


def test_interpreted_programs_write_inputs():
    torch._dynamo.reset()
    compiled = torch.compile(update, backend=backend, options={"interpret": True, "strict": True})
    expected, actual = ([numbers(6) for _ in range(3)] for _ in range(2))
    torch.testing.assert_close(compiled(*actual), update(*expected))
    torch.testing.assert_close(actual, expected)


@pytest.mark.parametrize("function", [update, both, turn, mix])
def test_functions_that_tc_captures_write_inputs(function):
    count = function.__code__.co_argcount
    compiled = tc.compile(function)
    expected, actual = ([numbers(5, 5) + number for number in range(count)] for _ in range(2))
    addresses = [one.data_ptr() for one in actual]
    for _ in range(3):
        versions = [one._version for one in actual]
        torch.testing.assert_close(compiled(*actual), function(*expected))
        torch.testing.assert_close(actual, expected)
        assert actual[0]._version > versions[0]
    assert [one.data_ptr() for one in actual] == addresses
