"""A PyTorch model, exported to a .pt2 file and run by tc-run next to PyTorch."""

import copy
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy
import torch
from torch.utils import _pytree as pytree

BUILD = Path(os.environ.get("TC_BUILD_DIR", Path(__file__).resolve().parents[3] / "build"))


def to_npy(tensor, path):
    """numpy has no bf16; two bytes without a meaning stand for it."""
    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:
        numpy.save(path, tensor.view(torch.int16).numpy().view("V2"))
    else:
        numpy.save(path, tensor.numpy())


def from_npy(path, dtype):
    array = numpy.load(path)
    if array.dtype.kind == "V" or dtype == torch.bfloat16:
        return torch.from_numpy(array.view(numpy.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(array)


def flat_tensors(tree):
    return [leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def run_tool(*arguments):
    return subprocess.run([BUILD / "bin/tc-run", *map(str, arguments)], capture_output=True, text=True)


def in_dtype(tree, dtype):
    """The tree with its float tensors in `dtype`."""
    return pytree.tree_map(
        lambda leaf: leaf.to(dtype) if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() else leaf, tree)


def double_model(model):
    """The model in f64, with the weights that `model` has."""
    exact = copy.deepcopy(model).double()
    config = getattr(exact, "config", None)
    if config is not None and hasattr(config, "dtype"):
        config.dtype = torch.float64
    return exact


def root_mean_square(error):
    return error.double().square().mean().sqrt().item() if error.numel() else 0.0


def unit_in_last_place(exact, dtype):
    """Of the root mean square of `exact`."""
    size = root_mean_square(exact)
    return torch.finfo(dtype).eps * 2.0 ** numpy.floor(numpy.log2(size)) if size else 0.0


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
    finite = torch.isfinite(exact)
    if not torch.equal(finite, torch.isfinite(actual)) or not torch.equal(
            actual[~finite].nan_to_num(), exact[~finite].to(actual.dtype).nan_to_num()):
        return f"has other values that are not finite\n{message}"
    own = root_mean_square((actual.double() - exact)[finite])
    bound = 1.1 * root_mean_square((eager.double() - exact)[finite])
    bound += 0.1 * unit_in_last_place(exact[finite], eager.dtype)
    if own <= bound:
        return None
    return f"has RMSE {own:.3g} against f64, at most {bound:.3g} allowed\n{message}"


@dataclass
class ExportedModel:
    """A model saved at `path`, with what PyTorch says of `arguments`."""

    path: Path
    model: torch.nn.Module
    kwargs: bool = False

    @staticmethod
    def save(model, arguments, path, dynamic_shapes=None, decompose=False):
        """`arguments` are a tuple, or a dict of keyword arguments."""
        keywords = isinstance(arguments, dict)
        with torch.no_grad():
            program = torch.export.export(
                model, () if keywords else arguments, arguments if keywords else None,
                dynamic_shapes=dynamic_shapes)
            if decompose:
                program = program.run_decompositions()
        torch.export.save(program, path)
        return ExportedModel(Path(path), model, keywords)

    def call(self, model, arguments):
        with torch.no_grad():
            return flat_tensors(model(**arguments) if self.kwargs else model(*arguments))

    def run(self, arguments, *options):
        """The outputs of tc-run, in the dtypes that the model gives them."""
        folder = self.path.parent / f"{self.path.stem}-files"
        folder.mkdir(exist_ok=True)
        eager = self.call(self.model, arguments)
        specs = []
        for index, tensor in enumerate(flat_tensors(arguments)):
            to_npy(tensor, folder / f"in{index}.npy")
            specs.append(f"--input=@{folder}/in{index}.npy")
        specs += [f"--output=@{folder}/out{index}.npy" for index in range(len(eager))]
        finished = run_tool(self.path, *specs, *options)
        assert finished.returncode == 0, f"tc-run exits with {finished.returncode}\n{finished.stderr}"
        actual = [from_npy(folder / f"out{index}.npy", tensor.dtype) for index, tensor in enumerate(eager)]
        return actual, eager

    def symbols(self):
        """The names of the program's symbolic sizes, in order."""
        imported = run_tool(self.path, "--compile-to=import").stdout
        return re.findall(r'#tc.symbol<"(\w+)"', imported)

    def differences(self, arguments, *options):
        """The error of each output that has one."""
        actual, eager = self.run(arguments, *options)
        try:
            exact = self.call(double_model(self.model), in_dtype(arguments, torch.float64))
        except RuntimeError:  # dtypes that the model itself fixes
            exact = [None] * len(eager)
        found = []
        for index, (ours, theirs, double) in enumerate(zip(actual, eager, exact)):
            wrong = difference(ours, theirs, double)
            if wrong:
                found.append(f"output {index}: {wrong}")
        return found
