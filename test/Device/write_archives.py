#!/usr/bin/env python3
"""Writes PyTorch's samples of its operators and small models as archives, for check_device.py --archives=FOLDER.

usage: write_archives.py FOLDER [--dtype=f32 ...] [--samples=1] [--part=0/1] [--models]
       write_archives.py FOLDER --samples=0 --models      the models alone, which check_models.py takes

Each is a folder with model.pt2 and its inputs as input-0.npy, input-1.npy and so on. Needs PyTorch and the package tc, where
check_device.py needs neither: the archives are written on one machine and run on another. What TC refuses by name and what draws
random numbers is left out.
"""

import argparse
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "python"
BUILD = Path(os.environ.get("TC_BUILD_DIR", TESTS.parents[1] / "build"))
sys.path[:0] = [str(BUILD / "python"), str(TESTS / "models"), str(TESTS / "ops")]

import op_samples  # noqa: E402
import plain_models  # noqa: E402
import small_configurations  # noqa: E402
import tc  # noqa: E402
import test_architectures  # noqa: E402
import torch  # noqa: E402
from agreement import REFUSED  # noqa: E402
from operator_call import Call  # noqa: E402
from recorded_calls import write_inputs  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

SHARE_WITH_SEVERAL_SIZES = 24  # one of so many types of models


def write(module, inputs, folder):
    """Exports a module on positional inputs; False where PyTorch does not export it or TC refuses it."""
    try:
        program = torch.export.export(module, inputs)
    except Exception:  # of many kinds
        return False
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "model.pt2"
    torch.export.save(program, path)
    try:
        tc.compile(str(path), returns="torch")
    except tc.Error as error:
        path.unlink()
        folder.rmdir()
        if REFUSED.search(str(error)):
            return False
        raise
    write_inputs(folder, inputs)
    return True


def write_samples(folder, dtype, count, part, parts):
    written = 0
    for op in op_db:
        name = "-".join(filter(None, [op.name, op.variant_test_name]))
        if not op_samples.is_used(op, op_samples.DTYPES[dtype]) or op_samples.digest(name, dtype) % parts != part:
            continue
        for index, sample in enumerate(op_samples.samples_of(op, op_samples.DTYPES[dtype], count)):
            call = Call(op.op, sample.input, *sample.args, **sample.kwargs)
            if not all(map(op_samples.is_plain, call.inputs)):
                continue
            try:
                results = call.eager()
            except Exception:  # of many kinds
                continue
            if all(map(op_samples.is_plain, results)) and not call.is_random():
                place = folder / "ops" / re.sub(r"\W", "-", f"{name}-{dtype}-{index}")
                written += write(call, tuple(map(torch.Tensor.contiguous, call.copies())), place)
    return written


def write_models(folder):
    """All models of the CPU's tests with what PyTorch gives for them, which check_models.py compares with; those of small_configurations.py
    for one size, some of them and all others for several sizes."""
    types = small_configurations.model_types()
    several = [*test_architectures.FEW_TYPES, *types[::SHARE_WITH_SEVERAL_SIZES]]
    names = [*(f"plain/{kind}" for kind in plain_models.KINDS), *dict.fromkeys(several)]
    lines = test_architectures.outcomes(names, f"--record={folder}")
    rest = [name for name in types if name not in several]
    lines += test_architectures.outcomes(rest, f"--record={folder}", "--ways=static")
    for line in lines:
        if line["outcome"] != "recorded":
            print(f"not recorded: {line['name']}, {line['way']}: {line['text'][:200]}")
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", TESTS / "models", f"--record={folder / 'tests'}"], check=True)
    return sum(1 for _ in folder.glob("**/model.pt2"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dtype", action="append", choices=op_samples.DTYPES)
    parser.add_argument("--samples", type=int, default=1, help="of each operator")
    parser.add_argument("--part", default="0/1", help="PART/PARTS of the operators")
    parser.add_argument("--models", action="store_true", help="also all models of the tests, each with the results of PyTorch")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    part, parts = map(int, options.part.split("/"))
    written = sum(write_samples(options.folder, dtype, options.samples, part, parts)
                  for dtype in options.dtype or ["f32"] if options.samples)
    if options.models:
        written += write_models(options.folder / "models")
    print(f"{written} archives in {options.folder}")
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main())
