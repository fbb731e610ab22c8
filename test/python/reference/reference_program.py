"""A function of many tc ops, run in the reference interpreter next to PyTorch."""

import os
import subprocess
from pathlib import Path

import numpy
import torch

BUILD = Path(os.environ.get("TC_BUILD_DIR", Path(__file__).resolve().parents[3] / "build"))

ELEMENT_TYPES = {
    torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.int64: "i64", torch.int32: "i32", torch.int16: "i16", torch.int8: "i8",
    torch.uint8: "ui8", torch.bool: "i1",
}
TOLERANCES = {torch.float64: 1e-11, torch.float32: 2e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}


def tensor_type(tensor):
    sizes = "".join(f"{size}x" for size in tensor.shape)
    return f"tensor<{sizes}{ELEMENT_TYPES[tensor.dtype]}>"


def is_narrow(tensor):
    """numpy has no bf16: such tensors cross as f32, which holds their values."""
    return tensor.dtype in (torch.bfloat16, torch.float16)


def run_tool(*arguments):
    finished = subprocess.run([BUILD / "bin/tc-run", *arguments], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


class Program:
    """Many ops in one function, so that one process runs them all."""

    def __init__(self, folder, phase):
        """`phase` is the phase to compile to before the function is run, or
        None to run it as it is."""
        self.folder, self.phase = folder, phase
        self.arguments, self.lines, self.results = [], [], []
        self.expected = []

    def check(self, op, operands, expected, tolerance=None):
        """Adds `op`, whose {0}, {1}, ... are the operands, and what PyTorch
        says of it: a tensor or a list of them."""
        expected = list(expected) if isinstance(expected, (list, tuple)) else [expected]
        names = [self.add_argument(operand) for operand in operands]
        prefix = f"%r{len(self.lines)}_"
        results = [f"{prefix}{index}" for index in range(len(expected))]
        op = op.format(*names) if names else op
        self.lines.append(f"{', '.join(results)} = {op}")
        for result, tensor in zip(results, expected):
            if is_narrow(tensor):
                self.lines.append(f"{result}w = tc.cast {result} : {tensor_type(tensor)} to {tensor_type(tensor.float())}")
                result += "w"
            self.results.append(result)
            self.expected.append((op, tensor, tolerance))

    def add_argument(self, tensor):
        name = f"%a{len(self.arguments)}"
        self.arguments.append(tensor.float() if is_narrow(tensor) else tensor)
        if is_narrow(tensor):
            self.lines.append(f"{name}n = tc.cast {name} : {tensor_type(tensor.float())} to {tensor_type(tensor)}")
            name += "n"
        return name

    def text(self):
        widened = [tensor.float() if is_narrow(tensor) else tensor for _, tensor, _ in self.expected]
        arguments = ", ".join(f"%a{index}: {tensor_type(tensor)}" for index, tensor in enumerate(self.arguments))
        types = ", ".join(tensor_type(tensor) for tensor in widened)
        body = "\n".join(f"  {line}" for line in self.lines)
        return (f"func.func @main({arguments}) -> ({types}) {{\n{body}\n"
                f"  return {', '.join(self.results)} : {types}\n}}\n")

    def run(self):
        """Runs the function and compares every result; all that differ are in
        the failure."""
        file = self.folder / "program.mlir"
        file.write_text(self.text())
        if self.phase:
            compiled = self.folder / f"{self.phase}.mlir"
            compiled.write_text(run_tool(f"--compile-to={self.phase}", file))
            file = compiled
        arguments = ["--device=reference", file]
        for index, tensor in enumerate(self.arguments):
            path = self.folder / f"in{index}.npy"
            numpy.save(path, numpy.asarray(tensor.contiguous()))
            arguments.append(f"--input=@{path}")
        paths = [self.folder / f"out{index}.npy" for index in range(len(self.results))]
        run_tool(*arguments, *[f"--output=@{path}" for path in paths])
        differences = []
        for path, (op, expected, tolerance) in zip(paths, self.expected):
            actual = torch.from_numpy(numpy.load(path)).to(expected.dtype)
            tolerance = TOLERANCES.get(expected.dtype, 0) if tolerance is None else tolerance
            try:
                torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
            except AssertionError as difference:
                differences.append(f"{op}\n{difference}")
        assert not differences, "\n".join(differences)


def random(*sizes, dtype=torch.float32):
    return torch.randn(*sizes, dtype=torch.float64).to(dtype)
