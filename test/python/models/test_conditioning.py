"""What the control of the table of models excuses: errors that chance decides, and nothing else."""

import compiled_steps
import conditioning
import pytest
import torch
from agreement import differences


class NearlyConstantRows(torch.nn.Module):
    """Whose normalization multiplies errors of rounding by 1e4."""

    def __init__(self):
        super().__init__()
        self.rows = torch.nn.Parameter(1 + 1e-4 * torch.randn(4, 64))
        self.norm = torch.nn.LayerNorm(64, eps=1e-12)

    def forward(self, arguments):
        x, = arguments
        return (self.norm(self.rows + x),)


class Varied(NearlyConstantRows):
    """Whose rows are what the normalization expects."""

    def __init__(self):
        super().__init__()
        self.rows = torch.nn.Parameter(torch.randn(4, 64))


def in_other_order(model):
    """The same function; its sums are of other halves first."""
    order = torch.randperm(64, generator=torch.Generator().manual_seed(0))

    def run(arguments):
        x, = arguments
        rows = (model.rows + x)[:, order]
        centred = rows - rows.mean(1, keepdim=True)
        normal = centred / (centred.square().mean(1, keepdim=True) + model.norm.eps).sqrt()
        return (normal[:, order.argsort()] * model.norm.weight + model.norm.bias,)

    return run


def with_variance_of_squares(model):
    """E(x^2) - E(x)^2, whose errors are larger for rows that hardly vary."""
    def run(arguments):
        x, = arguments
        rows = model.rows + x
        mean = rows.mean(1, keepdim=True)
        variance = (rows.square().mean(1, keepdim=True) - mean.square()).clamp(min=1e-9)
        return ((rows - mean) / variance.sqrt() * model.norm.weight + model.norm.bias,)

    return run


def given(kind, seed=0):
    """A model, arguments, and what eager PyTorch gives in f32 and f64."""
    torch.manual_seed(seed)
    model, arguments = kind(), (torch.rand(4, 1),)
    eager, exact = compiled_steps.expected(compiled_steps.call, model, arguments)
    return model, arguments, eager, exact


def chance(kind, compiler, change=lambda results: results):
    """Whether the results of `compiler`, changed on the given model alone, are outside of the rule by chance."""
    for seed in range(20):  # until they are outside
        model, arguments, eager, exact = given(kind, seed)
        results = change(compiled_steps.call(model, arguments, compiler))
        if differences(results, eager, exact):
            return conditioning.chance(compiled_steps.call, model, arguments, compiler, results, eager, exact)
    raise AssertionError("never outside of the rule")


def test_which_is_nearer_is_chance():
    is_chance, text = chance(NearlyConstantRows, in_other_order)
    assert is_chance, text
    assert text.startswith("result 0 of 1: RMSE ") and " of 60, f64 changes by " in text


@pytest.mark.parametrize("kind", [NearlyConstantRows, Varied])
def test_larger_errors_on_all_neighbours_are_no_chance(kind):
    is_chance, text = chance(kind, lambda model: lambda arguments: (model(arguments)[0] * 1.05,))
    assert not is_chance and "outside 60 of 60" in text


def test_another_algorithm_with_larger_errors_is_no_chance():
    assert not chance(NearlyConstantRows, with_variance_of_squares)[0]


def test_an_error_on_a_well_conditioned_model_is_no_chance():
    assert not chance(Varied, lambda model: lambda arguments: (model(arguments)[0] + 1e-4,))[0]


@pytest.mark.parametrize("kind", [NearlyConstantRows, Varied])
def test_an_error_on_the_given_numbers_alone_is_no_chance(kind):
    is_chance, text = chance(kind, in_other_order, lambda results: [results[0] * 1.05])
    assert not is_chance and "outside 60 of 60" not in text


@pytest.mark.parametrize("change", [
    lambda result: result[:, :-1], lambda result: result.double(), lambda result: result.int(),
    lambda result: result.index_fill(1, torch.tensor([3]), float("nan")), lambda result: result.index_fill(1, torch.tensor([3]), float("inf"))
], ids=["shape", "type", "integers", "nan", "infinity"])
def test_more_than_errors_is_no_chance(change):
    assert chance(NearlyConstantRows, in_other_order, lambda results: [change(results[0])]) == (False, "")


def test_a_result_too_many_is_no_chance():
    model, arguments, eager, exact = given(Varied)
    assert conditioning.chance(compiled_steps.call, model, arguments, in_other_order, [*eager, eager[0]], eager, exact) == (False, "")


def test_what_only_a_neighbour_does_is_no_chance():
    def compiler(model):
        return lambda arguments: (in_other_order(model)(arguments)[0].double(),)

    model, arguments, eager, exact = given(NearlyConstantRows)
    results = compiled_steps.call(model, arguments, in_other_order)
    assert conditioning.chance(compiled_steps.call, model, arguments, compiler, results, eager, exact) == (
        False, "a neighbour has other results than numbers further from f64")


def test_neighbours():
    numbers = torch.tensor([0.1, 3.7e-5, 1.0, 0.0, -2.0, float("-inf"), torch.finfo().min])
    near = torch.stack([conditioning.changed(numbers, torch.Generator().manual_seed(seed)) for seed in range(20)])
    assert torch.equal(near[:, 2:], numbers[2:].expand(20, -1))
    steps = (near[:, :2].view(torch.int32) - numbers[:2].view(torch.int32)).unique().tolist()
    most = 2 * conditioning.LARGEST_CHANGE  # a unit in the last place of small mantissas is twice that of large ones
    assert -most <= min(steps) < 0 < max(steps) <= most and len(steps) >= 20
    assert conditioning.changed(7, None) == 7 and torch.equal(conditioning.changed(torch.arange(3), None), torch.arange(3))
    one, other = (conditioning.neighbour(Varied(), (), 3)[0] for _ in range(2))
    assert one.rows.shape == other.rows.shape


def test_how_many_neighbours_chance_has_outside():
    assert [conditioning.most_outside(results) for results in (1, 10, 100)] == [40, 43, 45]
    draws = torch.randint(0, 2, (20000, conditioning.NEIGHBOURS), generator=torch.Generator().manual_seed(0)).sum(1)
    assert (draws > conditioning.most_outside(1)).float().mean() < 2 * conditioning.CHANCE
