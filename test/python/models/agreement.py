"""When results agree with those of PyTorch: the one rule of the tests of models and operators, on every device.

Needs PyTorch and numpy alone, so that check_models.py takes it along to a machine with neither the tests nor transformers.
"""

import re

import numpy
import torch

# Of a message that says what TC does not do.
REFUSED = re.compile(r"'[\w.]+'[^\n]* is not supported")


def to_npy(tensor, path):
    """numpy has no bf16; two bytes without a meaning stand for it."""
    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:
        numpy.save(path, tensor.view(torch.int16).numpy().view("V2"))
    else:
        numpy.save(path, tensor.numpy())


def from_npy(path, dtype=None):
    """The tensor that to_npy() has written; `dtype` says where two bytes are bf16 whatever the file says."""
    array = numpy.load(path)
    if array.dtype.kind == "V" or dtype == torch.bfloat16:
        return torch.from_numpy(array.view(numpy.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(array)


def root_mean_square(error):
    return error.double().square().mean().sqrt().item() if error.numel() else 0.0


def unit_in_last_place(exact, dtype):
    """Of the root mean square of `exact`."""
    size = root_mean_square(exact)
    return torch.finfo(dtype).eps * 2.0 ** numpy.floor(numpy.log2(size)) if size else 0.0


def tolerance_of(dtype):
    """PyTorch's default of a type, relative and absolute."""
    return torch.testing._comparison.default_tolerances(dtype)


def errors_against(exact, actual, eager):
    """The root mean square errors of `actual` and of `eager` against `exact`, the f64 result, and 0.1 units in the last place; None
    where the two differ in more than such errors: in shape, element type, integers or in where they are finite."""
    if exact is None or not actual.shape == eager.shape == exact.shape or actual.dtype != eager.dtype or not eager.is_floating_point():
        return None
    exact = exact.double()  # of fewer bits where a compiled model keeps the element types that it fixes
    rounded = exact.to(eager.dtype)  # out of whose range f64 has numbers
    finite = torch.isfinite(rounded)
    if not torch.equal(finite, torch.isfinite(actual)) or not torch.equal(actual[~finite].nan_to_num(), rounded[~finite].nan_to_num()):
        return None
    # Where eager has run out of the type's range and the exact result is in it, eager is no measure.
    measured = finite & torch.isfinite(eager)
    others = finite & ~measured
    if not torch.allclose(actual[others].double(), exact[others], *tolerance_of(eager.dtype)):
        return None
    own, theirs = (root_mean_square((result.double() - exact)[measured]) for result in (actual, eager))
    return own, theirs, 0.1 * unit_in_last_place(exact[measured], eager.dtype)


def difference(actual, eager, exact):
    """The error of `actual`, or None where it is within PyTorch's tolerance of
    `eager`, or as near to `exact`, the f64 result, as `eager` is."""
    if actual.shape != eager.shape or actual.dtype != eager.dtype:
        return f"is {tuple(actual.shape)} {actual.dtype}, expected {tuple(eager.shape)} {eager.dtype}"
    try:
        torch.testing.assert_close(actual, eager, equal_nan=True)
        return None
    except AssertionError as error:
        message = str(error)
    if not eager.is_floating_point() or exact is None:
        return message
    errors = errors_against(exact, actual, eager)
    if errors is None:
        return f"has other values where some are not finite\n{message}"
    own, theirs, slack = errors
    bound = 1.1 * theirs + slack
    return None if own <= bound else f"has RMSE {own:.3g} against f64, at most {bound:.3g} allowed\n{message}"


def differences_by_result(actual, eager, exact):
    """The error of each result that has one, by its number; `exact` has None for a result without one in f64."""
    found = {}
    for index, (ours, theirs, double) in enumerate(zip(actual, eager, exact)):
        if double is not None and double.shape != theirs.shape:
            double = None
        wrong = difference(ours.contiguous(), theirs.contiguous(), double)
        if wrong:
            found[index] = wrong
    return found


def differences(actual, eager, exact):
    """The error of each result that has one; `exact` has None for a result without one in f64."""
    if len(actual) != len(eager):
        return [f"{len(actual)} results, expected {len(eager)}"]
    return [f"result {index} of {len(eager)}: {wrong}" for index, wrong in differences_by_result(actual, eager, exact).items()]
