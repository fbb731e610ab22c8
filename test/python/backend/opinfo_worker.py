#!/usr/bin/env python3
"""Runs entries of PyTorch's table of operators through the backend of torch.compile.

usage: opinfo_worker.py [--samples=N] [--capture=aot|dynamo] [--device=cpu|cuda] [--own]

Reads lines "ENTRY ROW FIRST" from the standard input, with the rows of rows_of();
for each it prints a line of JSON before and after every sample from number FIRST on,
and one where the entry ends. A process of its own, so that a crash is one sample's:
opinfo.py starts it again behind that one.
"""

import argparse
import json
import logging
import os
import sys
import warnings
import zlib
from pathlib import Path

BUILD = Path(os.environ.get("TC_BUILD_DIR", Path(__file__).resolve().parents[3] / "build"))
sys.path.insert(0, str(BUILD / "python"))

import tc  # noqa: E402
import torch  # noqa: E402
from opinfo_check import ErrorSample, Sample, describe, seed  # noqa: E402
from own_samples import own_entries  # noqa: E402
from torch.testing._internal import common_methods_invocations  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "f64": torch.float64,
          "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "ui8": torch.uint8,
          "bool": torch.bool, "c32": torch.complex32, "c64": torch.complex64, "c128": torch.complex128}
# Entries with random numbers set the state of the generator in the call, which Dynamo does not capture; whoever runs a
# sample sets it before the call.
common_methods_invocations.wrapper_set_seed = lambda function, *arguments, **named: function(*arguments, **named)
# Every entry is tried with these, whether PyTorch lists them for it or not.
ALWAYS = {torch.bfloat16, torch.float16, torch.int16, torch.int8, torch.uint8}


def name_of(op):
    return "/".join(filter(None, [op.name, op.variant_test_name]))


def is_used(op):
    """Every fifth operator is left out: its samples are for judging TC by inputs that it was not made to pass."""
    return zlib.crc32(op.name.encode()) % 5 != 0


def entries(own=False):
    """PyTorch's entries with its samples; or the others, with samples of our own."""
    if own:
        return own_entries((op for op in op_db if not is_used(op)), name_of)
    return {name_of(op): op for op in op_db if is_used(op)}


def rows_of(op, device):
    """The rows of an entry: an element type; "grad-" and one whose gradients are compared; "strided-" and one, of samples
    whose tensors are not contiguous; "errors"."""
    listed = op.dtypes if device == "cpu" else op.dtypesIfCUDA
    rows = []
    for name, dtype in DTYPES.items():
        if dtype in listed or dtype in ALWAYS:
            rows.append(name)
        if op.supports_autograd and dtype in op.supported_backward_dtypes(device):
            rows.append("grad-" + name)
    rows += ["strided-" + name for name in ("f32", "i64") if DTYPES[name] in listed]
    return rows + (["errors"] if op.error_inputs_func else [])


def samples_of(op, dtype, count, requires_grad, device):
    """The samples, or `count` of them spread over all."""
    seed()
    samples = list(op.sample_inputs(device, dtype, requires_grad=requires_grad))
    return samples[::max(1, len(samples) // count)][:count] if count else samples


def strided(sample):
    """With tensors that are not contiguous, but for sparse ones, of which PyTorch cannot say it."""
    try:
        return sample.noncontiguous()
    except RuntimeError:
        return sample


def outcomes(op, row, first, options):
    """(index, outcome, text) of each sample from `first` on; says where it begins one."""
    if row == "errors":
        for index, error_input in enumerate(op.error_inputs(options.device)):
            say(starts=index)
            if index >= first and (outcome := ErrorSample(op.name, op.op, error_input).outcome()):
                yield index, *outcome
        return
    kind, _, dtype = row.rpartition("-")
    try:
        samples = samples_of(op, DTYPES[dtype], options.samples, kind == "grad", options.device)
    except Exception as error:  # of many kinds
        yield 0, "refused by PyTorch", describe(error)
        return
    for index, sample in enumerate(samples[first:], first):
        say(starts=index)
        try:
            sample = strided(sample) if kind == "strided" else sample
            outcome, text = Sample(op.name, op.op, sample, options.capture, kind == "grad").outcome()
        except Exception as error:  # of many kinds
            outcome, text = "error", f"the test: {describe(error)}"
        yield index, outcome, text


def say(**what):
    print(json.dumps(what), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--capture", default="aot", choices=("aot", "dynamo"))
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--own", action="store_true", help="the entries that are left out, with samples of our own")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    tc.set_thread_count(1)
    known = entries(options.own)
    for line in sys.stdin:
        name, row, first = line.split()
        for index, outcome, text in outcomes(known[name], row, int(first), options):
            say(sample=index, outcome=outcome, text=text[:1000])
            if "CUDA error" in text:  # nothing works in this process any more
                sys.exit(1)
        say(ends=True)


if __name__ == "__main__":
    main()
