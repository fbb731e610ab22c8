"""A PyTorch model, exported to a .pt2 file and run by tc-run next to PyTorch."""

import copy
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import torch
from agreement import differences, from_npy, to_npy
from torch.utils import _pytree as pytree

BUILD = Path(os.environ.get("TC_BUILD_DIR", Path(__file__).resolve().parents[3] / "build"))


def flat_tensors(tree):
    return [leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def run_tool(*arguments):
    return subprocess.run([BUILD / "bin/tc-run", *map(str, arguments)], capture_output=True, text=True)


def in_dtype(tree, dtype):
    """The tree with its float tensors in `dtype`."""
    return pytree.tree_map(
        lambda leaf: leaf.to(dtype) if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() else leaf, tree)


def change_kept_tensors(model, change):
    """Replaces the tensors that are neither parameters nor buffers, which some models keep of a call."""
    for module in model.modules():
        for name, value in list(vars(module).items()):
            if isinstance(value, torch.Tensor):
                setattr(module, name, change(value))


def double_model(model):
    """The model in f64, with the weights that `model` has, and the tensors that are neither parameters nor buffers."""
    exact = copy.deepcopy(model).double()
    change_kept_tensors(exact, lambda value: in_dtype(value, torch.float64))
    config = getattr(exact, "config", None)
    if config is not None and hasattr(config, "dtype"):
        config.dtype = torch.float64
    return exact


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

    def expected(self, arguments):
        """What PyTorch gives, and what it gives in f64: None for each where the model itself fixes dtypes."""
        eager = self.call(self.model, arguments)
        try:
            return eager, self.call(double_model(self.model), in_dtype(arguments, torch.float64))
        except RuntimeError:
            return eager, [None] * len(eager)

    def differences(self, arguments, *options):
        """The error of each output that has one."""
        actual, _ = self.run(arguments, *options)
        return differences(actual, *self.expected(arguments))
