#!/usr/bin/env python3
"""Runs PyTorch's own samples of its operators through TC.

usage: op_samples.py DTYPE SAMPLES PART OF

Prints a line of JSON before each operator and one with what became of it. A
process of its own, so that a crash is one operator's.
"""

import itertools
import json
import logging
import os
import random
import sys
import warnings
import zlib
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("TC_BUILD_DIR", TESTS.parents[1] / "build"))
sys.path[:0] = [str(BUILD / "python"), str(TESTS / "models")]

import numpy  # noqa: E402
import tc  # noqa: E402
import torch  # noqa: E402
from operator_call import Call, NotExported, Refused, differences  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "f64": torch.float64,
          "i64": torch.int64, "i32": torch.int32, "i8": torch.int8, "ui8": torch.uint8, "bool": torch.bool}


def digest(*texts):
    return zlib.crc32("/".join(texts).encode())


def is_used(op, dtype):
    """Every fifth operator is left out: its samples are for judging TC by
    inputs that it was not made to pass. `empty` gives whatever memory holds."""
    return dtype in op.dtypes and digest(op.name) % 5 != 0 and "empty" not in op.name


def samples_of(op, dtype, count):
    """`count` of the samples, spread over all, and the first with other strides."""
    torch.manual_seed(digest(op.name))
    random.seed(0)
    numpy.random.seed(0)
    samples = list(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=False), 200))
    picked = samples[::max(1, len(samples) // count)][:count]
    if picked and count > 1 and all(map(is_plain, tensors_of(picked[0]))):
        picked.append(picked[0].noncontiguous())
    return picked


def tensors_of(sample):
    leaves = pytree.tree_leaves((sample.input, sample.args, sample.kwargs))
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def is_plain(tensor):
    return tensor.layout == torch.strided and not tensor.is_complex() and not tensor.is_quantized


def check(op, sample):
    """The class of a sample's outcome, and a text."""
    call = Call(op.op, sample.input, *sample.args, **sample.kwargs)
    if not all(map(is_plain, call.inputs)):
        return "skipped", "operands are sparse or complex"
    try:
        first, second = call.eager(), call.eager()
    except Exception as error:  # of many kinds
        return "skipped", f"PyTorch: {error}"
    if not all(map(is_plain, first)):
        return "skipped", "results are sparse or complex"
    if not all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(first, second)):
        return "skipped", "random"
    try:
        found = differences(call, op.name)
    except NotExported as error:
        return "skipped", f"export: {error}"
    except Refused as error:
        return "refused", str(error)
    except tc.Error as error:
        return "error", str(error)
    if found and call.is_random():  # PyTorch's sample sets the seed
        return "skipped", "random"
    return ("wrong", "\n".join(found)) if found else ("right", "")


def main():
    dtype_name, count, part, parts = sys.argv[1], *map(int, sys.argv[2:5])
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    tc.set_thread_count(1)
    dtype = DTYPES[dtype_name]
    for op in op_db:
        name = "/".join(filter(None, [op.name, op.variant_test_name]))
        if not is_used(op, dtype) or digest(name, dtype_name) % parts != part:
            continue
        print(json.dumps({"op": name, "starts": True}), flush=True)
        for index, sample in enumerate(samples_of(op, dtype, count)):
            outcome, text = check(op, sample)
            print(json.dumps({"op": name, "sample": index, "outcome": outcome, "text": text[:2000]}), flush=True)


if __name__ == "__main__":
    main()
