"""Calls of an exported model and what PyTorch gives for them, as files: check_models.py runs them on a machine with a device.

FOLDER/model.pt2 is the model, with zeros for the weights that a weights.json beside it stands for (seeded_weights.py). Each call has input-0.npy, input-1.npy and so on, eager-0.npy for each result, and exact-0.npy for one that there
is in f64: the first call in FOLDER, the others in FOLDER/call-1, FOLDER/call-2 and so on. Where equal elements may be taken in another order,
first-of-equal has the results of that order.
"""

import numpy
import torch
from agreement import to_npy
from exported_model import flat_tensors


def folder_of_call(folder, index):
    return folder / f"call-{index}" if index else folder


def write_inputs(folder, arguments):
    folder.mkdir(parents=True, exist_ok=True)
    for index, tensor in enumerate(flat_tensors(arguments)):
        to_npy(tensor, folder / f"input-{index}.npy")


def shortened(exact):
    """f64 results with 30 bits of their fractions, which compress: far nearer than results in f32 or less are."""
    bits = exact.detach().contiguous().numpy().view(numpy.uint64)
    kept = (bits + numpy.uint64(1 << 21)) & numpy.uint64(2**64 - (1 << 22))
    return torch.where(exact.isfinite(), torch.from_numpy(kept.view(numpy.float64)), exact)


def write_results(folder, eager, exact):
    """`eager` and `exact` as differences() of agreement.py takes them."""
    folder.mkdir(parents=True, exist_ok=True)
    for index, (result, double) in enumerate(zip(eager, exact)):
        to_npy(result, folder / f"eager-{index}.npy")
        # The rule looks at f64 for results in floating point alone.
        if double is not None and double.shape == result.shape and result.is_floating_point():
            to_npy(double if result.dtype == torch.float64 else shortened(double), folder / f"exact-{index}.npy")


def write_call(folder, arguments, eager, exact, first_of_equal=None):
    """`first_of_equal` is another pair of eager and exact results."""
    write_inputs(folder, arguments)
    write_results(folder, eager, exact)
    if first_of_equal and not all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(eager, first_of_equal[0])):
        write_results(folder / "first-of-equal", *first_of_equal)
