"""Whether a result is further from f64 than eager PyTorch's by chance, because its model multiplies errors of rounding.

A model whose normalised rows hardly vary multiplies the rounding errors of a few numbers by 1e4, so that these few decide which of
two results is nearer to f64. So is a sum of few terms that cancel. The control asks what is so on neighbours: the same model, each
parameter and floating-point argument changed by at most about LARGEST_CHANGE, so that sums are rounded in other ways. Numbers that
are integers stay, as those of masks are exact. Each neighbour has f64 results of its own. Results outside of the rule of
agreement.py are so by chance if

- they stand out from the neighbours no more than two of these do from the others (`excess`), so that no fault of the given
  numbers alone is excused; where chance decides, this is so with a probability of 59 / 61,
- on no more of the neighbours the error of each is outside of the rule than chance has it on (`most_outside`); a compiler whose
  errors are larger in general has them on nearly all.
"""

import contextlib
import copy
import math
from typing import NamedTuple

import torch
from agreement import differences_by_result, errors_against, root_mean_square
from exported_model import change_kept_tensors, double_model, in_dtype
from reference_modes import WideArithmetic
from torch.utils import _pytree as pytree

NEIGHBOURS = 60
LARGEST_CHANGE = 64  # units in the last place
CHANCE = 1 / 300


def most_outside(results):
    """On how many neighbours an error may be outside: that any of so many results is outside on more has at most the probability
    CHANCE, if each is on every second neighbour. 40 for one result, 45 for a hundred."""
    def exceeds(most):
        return sum(math.comb(NEIGHBOURS, outside) for outside in range(most + 1, NEIGHBOURS + 1)) / 2 ** NEIGHBOURS

    return next(most for most in range(NEIGHBOURS) if results * exceeds(most) <= CHANCE)


def in_double(function, model, arguments, count, compiler=None):
    """The `count` results in f64, also of what the model itself computes in fewer bits; None for each where it is not to be had.
    Dynamo captures nothing in modes, so that a compiler keeps the element types that the model fixes."""
    try:
        model, arguments = double_model(model), in_dtype(arguments, torch.float64)
        with contextlib.nullcontext() if compiler else WideArithmetic():
            exact = function(model, arguments, compiler)
    except Exception:  # of many kinds
        exact = []
    return exact if len(exact) == count else [None] * count


def on_device(arguments, device):
    return pytree.tree_map(lambda leaf: leaf.to(device) if isinstance(leaf, torch.Tensor) else leaf, arguments)


def moved(model, device):
    """The model on a device, with the tensors that are neither parameters nor buffers."""
    model = model.to(device)
    change_kept_tensors(model, lambda value: value.to(device))
    return model


def reference(function, model, arguments, count):
    """The `count` results in f64. Where the model has none, eager PyTorch's kernels of another device say what is nearer: those of
    a CPU, and None on one."""
    exact = in_double(function, model, arguments, count)
    if None in exact and any(parameter.device.type != "cpu" for parameter in model.parameters()):
        exact = [value.double() if value.is_floating_point() else None
                 for value in function(moved(copy.deepcopy(model), "cpu"), on_device(arguments, "cpu"), None)]
    return exact


class Errors(NamedTuple):
    """Root mean square errors against f64 on one neighbour, and how much the f64 result is another."""

    ours: float
    eager: float
    allowed: float
    change: float


def changed(value, generator):
    """A tensor whose floating-point numbers, but for integers, are others by up to LARGEST_CHANGE."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    shares = 2 * torch.rand(value.shape, generator=generator, dtype=torch.float64) - 1
    factors = 1 + LARGEST_CHANGE * torch.finfo(value.dtype).eps * shares.to(value.device)
    return torch.where(value == value.round(), value, (value.double() * factors).to(value.dtype))


def neighbour(model, arguments, seed):
    generator = torch.Generator().manual_seed(seed)
    near = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in near.parameters():
            parameter.copy_(changed(parameter, generator))
    return near, pytree.tree_map(lambda leaf: changed(leaf, generator), arguments)


def errors_on_neighbours(function, model, arguments, compiler, exact, indices):
    """For each neighbour the errors of the results of these numbers, without those that have none. `compiler` compiles for all
    neighbours at once, as their modules differ in nothing that Dynamo looks at."""
    found = []
    for seed in range(NEIGHBOURS):
        near, given = neighbour(model, arguments, seed)
        eager = function(near, given, None)
        double = reference(function, near, given, len(eager))
        with torch._dynamo.config.patch(recompile_limit=NEIGHBOURS + 1, fail_on_recompile_limit_hit=True):
            ours = function(near, given, compiler)
        errors = {}
        for index in indices:
            measured = errors_against(*(one[index].cpu() for one in (double, ours, eager)))
            if measured is not None:
                own, theirs, slack = measured
                change = root_mean_square(double[index].cpu() - exact[index])
                errors[index] = Errors(own, theirs, 1.1 * theirs + slack, change)
        found.append(errors)
    return found


def excess(errors, others):
    """How far errors, by the numbers of results, stand out: the largest one next to what `others` have for the same result, TC's
    error or what eager PyTorch's allows; at most 1 where they do not."""
    largest = 0.0
    for index, own in errors.items():
        limit = max((max(one[index].ours, one[index].allowed) for one in others if index in one), default=0.0)
        largest = max(largest, own / limit if limit else float("inf") if own else 0.0)
    return largest


def chance(function, model, arguments, compiler, results, eager, exact):
    """Whether the results, on the CPU, are outside of the rule by chance, and a text on the worst of them. `function` is call() or
    train() of compiled_steps.py, or like them; `model` and `arguments` are on the device that is tested."""
    if len(results) != len(eager):
        return False, ""
    given = {index: errors_against(*of) for index, of in enumerate(zip(exact, results, eager))}
    wrong = list(differences_by_result(results, eager, exact))
    if any(given[index] is None for index in wrong):
        return False, ""
    given = {index: errors for index, errors in given.items() if errors is not None}
    try:
        near = errors_on_neighbours(function, model, arguments, compiler, exact, given)
    except Exception as error:  # of many kinds
        return False, f"a neighbour fails: {error!r}"
    if any(index not in errors for errors in near for index in wrong):
        return False, "a neighbour has other results than numbers further from f64"
    own = excess({index: errors[0] for index, errors in given.items()}, near)
    # One neighbour may be at the edge of a decision, as of a greatest element, where f32 and f64 part.
    theirs = sorted(excess({index: one.ours for index, one in errors.items()}, near[:place] + near[place + 1:])
                    for place, errors in enumerate(near))[-2]
    most = most_outside(len(wrong))

    def describe(index):
        """On how many neighbours the error of a result is outside, and what is known of it."""
        of = [errors[index] for errors in near]
        outside = sum(one.ours > one.allowed for one in of)
        change = (sum(one.change ** 2 for one in of) / len(of)) ** 0.5
        own, theirs, _ = given[index]
        return outside, (f"result {index} of {len(eager)}: RMSE {own:.3g}, eager {theirs:.3g}; on neighbours eager up to "
                         f"{max(one.eager for one in of):.3g}, outside {outside} of {len(of)}, f64 changes by {change:.3g}")

    outside, text = max(map(describe, wrong))
    return own <= max(1.0, theirs) and outside <= most, f"{text}; stands out by {own:.3g}, neighbours by {theirs:.3g}"
