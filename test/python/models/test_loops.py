"""torch.scan and torch.map, a graph that runs once a step, and torch.while_loop, one that runs until the elements say so."""

import pytest
import torch
from torch.export import Dim
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

from exported_model import ExportedModel
from plain_layers import Function


def running_means(x, weight, scale):
    """Two carried tensors, two stepped ones, two results a step, and a tensor that all steps see."""
    def advance(carried, step):
        mean, count = carried
        mean = mean * scale + torch.tanh(step["x"] @ weight) + step["y"]
        return (mean, count + 1.0), (mean.clone(), mean.sum(-1) / count)

    (mean, count), (means, sums) = scan(advance, (torch.zeros(x.shape[1:]), torch.ones(1)), {"x": x, "y": x.cos()})
    return mean, count, means, sums


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_scan(agree, steps):
    agree(Function(running_means), (torch.randn(steps, 3, 4), torch.randn(4, 4), torch.rand(4)))


def test_scan_backwards(agree):
    def run(x):
        return scan(lambda carried, step: (carried + step, carried * step), torch.zeros(3), x, dim=1, reverse=True)

    agree(Function(run), (torch.randn(3, 5),))


def test_scan_of_dynamic_rows(agree):
    def run(x):
        return scan(lambda carried, step: (carried * 0.5 + step, carried.sin()), torch.zeros(x.shape[1], 3), x)

    example = lambda batch: (torch.randn(5, batch, 3),)
    agree(Function(run), example(2), [example(1), example(9)], (({1: Dim("batch", min=1, max=64)},),))


def test_map(agree):
    def run(x, weight):
        return map_rows(lambda row, weight: (torch.softmax(row @ weight, -1), row.sum()), x, weight)

    agree(Function(run), (torch.randn(6, 4), torch.randn(4, 3)))


def test_unknown_numbers_of_steps_are_refused(tmp_path, tc_run):
    function = Function(lambda x: map_rows(lambda row: row.sin() * 2, x))
    exported = ExportedModel.save(function, (torch.randn(3, 4),), tmp_path / "m.pt2", (({0: Dim("rows", min=1, max=64)},),))
    with pytest.raises(AssertionError, match=r"torch.map of 2 calls over s\d+ steps is not supported; "
                       "expected a constant number of steps and at most 20000 calls in all"):
        exported.run((torch.randn(3, 4),))


def count_up(x, steps):
    """Carries a counter and a tensor; the number of steps is an element."""
    return while_loop(lambda i, y: i < steps, lambda i, y: (i + 1, torch.tanh(y) + i), (torch.tensor(0), x))


@pytest.mark.parametrize("steps", [0, 1, 6])
def test_counted_loop(agree, steps):
    agree(Function(count_up), (torch.randn(3, 5), torch.tensor(steps)))


def test_loop_of_no_elements_and_of_dynamic_sizes(agree):
    example = lambda rows, steps: (torch.randn(rows, 5), torch.tensor(steps))
    agree(Function(count_up), example(3, 2), [example(0, 4), example(1, 0), example(40, 3)],
          (({0: Dim("rows", min=0, max=64)}, None),))


@pytest.mark.parametrize("dtype,near", [(torch.float32, 1e-3), (torch.float64, 1e-10)])
def test_newton_iteration(agree, dtype, near):
    """Goes on until all elements are near; how long, no element of the module says."""
    def roots(a):
        return while_loop(lambda x, n: ((x * x - a).abs() > near).any(),
                          lambda x, n: (0.5 * (x + a / x), n + 1),
                          (torch.ones_like(a), torch.zeros((), dtype=torch.int64)))

    example = lambda n: (torch.rand(n, dtype=dtype) * 30 + 1,)
    agree(Function(roots), example(7), [example(1), example(500)], (({0: Dim("n", min=1, max=1000)},),))


class Decoder(torch.nn.Module):
    """Attends to a cache, fills one row of it and feeds its result back, token by token."""

    def __init__(self, width=16, words=11, longest=8):
        super().__init__()
        self.embedding = torch.nn.Embedding(words, width)
        self.norm = torch.nn.LayerNorm(width)
        self.query, self.key, self.value = (torch.nn.Linear(width, width) for _ in range(3))
        self.out = torch.nn.Linear(width, words)
        self.longest = longest

    def forward(self, tokens, state):
        rows = tokens.shape[0]
        places = torch.arange(self.longest)
        caches = torch.zeros(rows, self.longest, state.shape[1]), torch.zeros(rows, self.longest, state.shape[1])

        def more(step, tokens, state, keys, values, text):
            return (step < self.longest) & (text.sum() < 40 * rows)

        def decode(step, tokens, state, keys, values, text):
            x = self.norm(self.embedding(tokens) + state)
            here = (places == step)[None, :, None]
            keys = torch.where(here, self.key(x)[:, None, :], keys)
            values = torch.where(here, self.value(x)[:, None, :], values)
            scores = (keys @ self.query(x)[:, :, None])[..., 0] / 4.0
            weights = scores.masked_fill(places > step, float("-inf")).softmax(-1)
            state = torch.tanh((weights[:, None, :] @ values)[:, 0] + x)
            tokens = self.out(state).argmax(-1)
            text = torch.where(places == step, tokens[:, None], text)
            return step + 1, tokens, state, keys, values, text

        text = torch.zeros(rows, self.longest, dtype=torch.int64)
        step, _, state, keys, _, text = while_loop(
            more, decode, (torch.tensor(0), tokens, state, *caches, text))
        return step, state, keys, text


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_decoder(tmp_path, tc_run, threads):
    torch.manual_seed(1)
    example = lambda rows: (torch.randint(0, 11, (rows,)), torch.randn(rows, 16))
    exported = ExportedModel.save(Decoder().eval(), example(3), tmp_path / "m.pt2",
                                  ({0: Dim("rows", min=1, max=64)}, {0: Dim("rows", min=1, max=64)}))
    for rows in [3, 1, 17]:
        assert not exported.differences(example(rows), f"--threads={threads}")


def test_nested_loops_and_branches(agree):
    def run(x, outer):
        def body(i, x, steps):
            def inner(j, x, steps):
                bent = torch.cond(x.sum() > 0, lambda x: x - 1, lambda x: x * 0.5 + j, (x,))
                return j + 1, bent, steps + 1

            j, x, steps = while_loop(lambda j, x, steps: j < i, inner, (torch.zeros_like(i), x, steps))
            return i + 1, x.flip(0) + j, steps

        zero = torch.zeros((), dtype=torch.int64)
        return while_loop(lambda i, x, steps: i < outer, body, (zero, x, zero.clone()))

    example = lambda rows, outer: (torch.randn(rows, 3), torch.tensor(outer))
    agree(Function(run), example(4, 3), [example(1, 5), example(9, 0)], (({0: Dim("rows", min=1, max=64)}, None),))


def test_loop_in_a_branch(agree):
    def run(x):
        def halve(x):
            (x,) = while_loop(lambda x: x.abs().sum() > 1, lambda x: (x * 0.5,), (x,))
            return x

        return torch.cond(x.sum() > 0, halve, lambda x: x.clone(), (x,)), x + 1

    agree(Function(run), (torch.rand(5) + 3,), [(-torch.rand(5),)])


def test_carried_values_change_places(agree):
    def run(x, y, steps):
        a, b, c, i = while_loop(lambda a, b, c, i: i < steps, lambda a, b, c, i: (b.clone(), c.clone(), a + 1, i + 1),
                                (x, y, x, torch.tensor(0)))
        return a, b, c, x * y

    example = lambda steps: (torch.randn(4), torch.randn(4), torch.tensor(steps))
    agree(Function(run), example(4), [example(0), example(1), example(3)])


def test_a_mutated_buffer_outside(agree):
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(3))

        def forward(self, x):
            before = self.total.clone()
            x, i = while_loop(lambda x, i: i < 3, lambda x, i: (x * 2 + before, i + 1), (x, torch.tensor(0)))
            self.total.copy_(x)
            return x, before

    class Fresh(Counter):
        def forward(self, x):
            self.total.zero_()
            return super().forward(x)

    agree(Fresh(), (torch.randn(3),))


def test_integers_are_carried(agree):
    """An integer of Python's is an element in the loop; sizes are known in it, and results count as numbers."""
    def run(x, y):
        rows = x.shape[0]

        def step(i, x):
            return i * 2 + rows % 3, x * 0.5 + i + i // 2

        i, x = while_loop(lambda i, x: i < 4 * rows, step, (rows - 3, x))
        return x, x.sum() + i, y - i

    example = lambda rows: (torch.randn(rows, 2), torch.arange(3))
    agree(Function(run), example(5), [example(4), example(30)], (({0: Dim("rows", min=4, max=64)}, None),))


def test_sizes_that_depend_on_data_are_known_in_a_loop(agree):
    """In front of it they become so; what has them is carried, and made in each iteration."""
    def run(x, steps):
        chosen = x[x > 0]
        _, chosen, total = while_loop(
            lambda i, y, total: i < steps, lambda i, y, total: (i + 1, y.flip(0) * 0.5 + chosen, total + (y * chosen).cumsum(0)),
            (torch.tensor(0), chosen, chosen * 2))
        return chosen, total, total.sum()

    example = lambda steps: (torch.randn(9), torch.tensor(steps))
    agree(Function(run), example(3), [example(0), (-torch.rand(9), torch.tensor(2))])


def test_constants_are_carried(agree):
    """Also without a tensor; the number that is left is a size."""
    def run(x):
        (i,) = while_loop(lambda i: i * i < 60, lambda i: (i + 3,), (1,))
        torch._check(i >= 0)
        return x * i, torch.arange(i).sum()

    agree(Function(run), (torch.randn(3),))


def test_a_decomposed_loop(agree):
    agree(Function(count_up), (torch.randn(3, 5), torch.tensor(4)), decompose=True)


def test_rows_of_a_cache_are_written_in_place(agree):
    def run(x, cache, steps):
        def write(i, cache):
            row = torch.where(i < 2, x, x * 2)
            return i + 1, cache.index_copy(0, i.reshape(1), row[None]).index_add(0, i.reshape(1), cache[:1])

        return while_loop(lambda i, cache: i < steps, write, (torch.tensor(0), cache))

    agree(Function(run), (torch.randn(4), torch.randn(6, 4), torch.tensor(5)))


def test_iterations_draw_other_numbers(tmp_path, tc_run):
    """Of each row of the result one iteration has drawn; a loop ends that waits for a small sum."""
    def run(x):
        def draw(i, rows):
            return i + 1, torch.where(torch.arange(6)[:, None] == i, torch.rand(50), rows)

        _, rows = while_loop(lambda i, rows: i < 6, draw, (torch.tensor(0), x))
        last, waited = while_loop(lambda y, n: y.sum() > 0.6, lambda y, n: (torch.rand(2), n + 1), (x[0, :2] + 1, torch.tensor(0)))
        return rows, last, waited

    actual, _ = ExportedModel.save(Function(run), (torch.zeros(6, 50),), tmp_path / "m.pt2").run((torch.zeros(6, 50),))
    rows, last, waited = actual
    assert len({row.sum().item() for row in rows}) == 6
    assert 0.4 < rows.mean() < 0.6 and rows.min() >= 0 and rows.max() < 1
    assert last.sum() <= 0.6 and waited >= 1


def test_an_element_bounds_the_loop(agree):
    def run(x, steps):
        return while_loop(lambda i, x: i < steps.item(), lambda i, x: (i + 1, x + x.sum().item()), (torch.tensor(0), x))

    agree(Function(run), (torch.rand(3), torch.tensor(4)), [(torch.rand(3), torch.tensor(0))])


def test_integers_that_are_sizes_are_refused(tmp_path, tc_run):
    def run(x):
        i, y = while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y + x.narrow(0, i, 1).sum()), (x.shape[0] - 8, x))
        return y

    exported = ExportedModel.save(Function(run), (torch.randn(8, 3),), tmp_path / "m.pt2", (({0: Dim("rows", min=8, max=64)},),))
    with pytest.raises(AssertionError, match=r"argument 'start' of 'aten.narrow.default' is the number 'u\d+', which a loop carries or a "
                       "region reads from a tensor; it may be an operand, but no size, index or dimension"):
        exported.run((torch.randn(8, 3),))
