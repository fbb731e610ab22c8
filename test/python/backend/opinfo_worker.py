#!/usr/bin/env python3
"""Runs entries of PyTorch's table of operators through the backend of torch.compile.

usage: opinfo_worker.py [--samples=N] [--capture=aot|dynamo] [--device=cpu|cuda]

Reads lines "ENTRY DTYPE" from the standard input; for each it prints a line of
JSON before and after every sample, and one where the entry ends. A process of its own,
so that a crash is one sample's: opinfo.py starts it again behind that one.
"""

import argparse
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
sys.path[:0] = [str(BUILD / "python"), str(TESTS / "models"), str(TESTS / "ops")]

import numpy  # noqa: E402
import tc  # noqa: E402
import torch  # noqa: E402
from agreement import difference  # noqa: E402
from operator_call import ANY_ORDER, Call, select_equal  # noqa: E402
from tc.torch_backend import backend  # noqa: E402
from torch import fx  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "f64": torch.float64,
          "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "ui8": torch.uint8,
          "bool": torch.bool, "c32": torch.complex32, "c64": torch.complex64, "c128": torch.complex128}
# Every entry is tried with these, whether PyTorch lists them for it or not.
ALWAYS = {torch.bfloat16, torch.float16, torch.int16, torch.int8, torch.uint8}
# Whose gradients are compared.
GRADIENTS = ("f32",)


def name_of(op):
    return "/".join(filter(None, [op.name, op.variant_test_name]))


def is_used(op):
    """Every fifth operator is left out: its samples are for judging TC by inputs that it was not made to pass."""
    return zlib.crc32(op.name.encode()) % 5 != 0


def entries():
    return {name_of(op): op for op in op_db if is_used(op)}


def dtypes_of(op, device):
    listed = op.dtypes if device == "cpu" else op.dtypesIfCUDA
    return [name for name, dtype in DTYPES.items() if dtype in listed or dtype in ALWAYS]


def seed():
    torch.manual_seed(0)
    random.seed(0)
    numpy.random.seed(0)


def samples_of(op, dtype, count, requires_grad, device):
    """The samples, or `count` of them spread over all."""
    seed()
    samples = list(itertools.islice(op.sample_inputs(device, dtype, requires_grad=requires_grad), 500))
    return samples[::max(1, len(samples) // count)][:count] if count else samples


class Flat(torch.nn.Module):
    """A call as a function of its tensors, and what of the results is a tensor."""

    def __init__(self, call):
        super().__init__()
        self.call = call

    def forward(self, *tensors):
        return self.call(*tensors)


def compile_flat(call, inputs, capture, compiler):
    """What the backend makes of a call. Without Dynamo, which the graph of one call does not need: what it
    would hand over is one node for the call."""
    if capture == "dynamo":
        torch._dynamo.reset()
        return torch.compile(call, backend=compiler, fullgraph=True, dynamic=False)
    graph = fx.Graph()
    tensors = [graph.placeholder(f"input_{index}") for index in range(len(inputs))]
    node = graph.call_module("call", tuple(tensors))
    with torch.no_grad():
        count = len(call(*[copy_of(tensor) for tensor in inputs]))
    graph.output(tuple(graph.call_function(lambda values, i: values[i], (node, index)) for index in range(count)))
    return compiler(fx.GraphModule(Flat(call), graph), list(inputs))


def copy_of(tensor):
    return tensor.detach().clone(memory_format=torch.preserve_format).requires_grad_(tensor.requires_grad)


def strict(module, inputs):
    return backend(module, inputs, options={"strict": True})


def by_pytorch(module, inputs):
    """The same way without TC: whether PyTorch can capture the call."""
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.aot_autograd import make_boxed_func
    compiler = lambda graph, _: make_boxed_func(graph.forward)
    return aot_autograd(fw_compiler=compiler, bw_compiler=compiler, inference_compiler=compiler)(module, inputs)


def strides_of(tensor):
    """Of the dimensions where they say where an element is."""
    return [stride for size, stride in zip(tensor.shape, tensor.stride()) if size > 1] if tensor.numel() else []


def is_plain(tensor):
    return tensor.layout == torch.strided and not tensor.is_quantized


def with_gradients(function, inputs):
    """The results of a function, then the gradients of its inputs for cotangents that are the same for everyone."""
    results = function(*inputs)
    wanted = [one for one in inputs if one.requires_grad]
    sources = [one for one in results if one.requires_grad]
    if not sources or not wanted:
        return list(results), []
    generator = torch.Generator().manual_seed(1)
    cotangents = [torch.rand(one.shape, generator=generator).to(one.device, one.dtype) + 0.5 for one in sources]
    gradients = torch.autograd.grad(sources, wanted, cotangents, allow_unused=True)
    return [one.detach() for one in results], [one for one in gradients if one is not None]


def run(function, inputs, requires_grad):
    seed()
    inputs = [copy_of(tensor) for tensor in inputs]
    if requires_grad:
        results, gradients = with_gradients(function, inputs)
        return results + gradients
    with torch.no_grad():
        return list(function(*inputs))


def exact_of(call, inputs, requires_grad, expected):
    """The results in f64 of the same inputs, None where there are none."""
    def widen(tensor):
        if not tensor.is_floating_point():
            return tensor
        return tensor.detach().double().requires_grad_(tensor.requires_grad)
    try:
        exact = run(call, [widen(tensor) for tensor in inputs], requires_grad)
    except Exception:  # of many kinds
        return [None] * len(expected)
    if len(exact) != len(expected):
        return [None] * len(expected)
    return [one if one.shape == theirs.shape else None for one, theirs in zip(exact, expected)]


def compare(name, call, inputs, ours, expected, exact):
    """The error of each result that has one."""
    if len(ours) != len(expected):
        return [f"{len(ours)} results, expected {len(expected)}"]
    found = []
    for index, (mine, theirs, double) in enumerate(zip(ours, expected, exact)):
        if theirs.is_complex() and mine.dtype == theirs.dtype and mine.shape == theirs.shape:
            mine, theirs = (torch.view_as_real(one.resolve_conj()) for one in (mine, theirs))
            double = torch.view_as_real(double.resolve_conj()) if double is not None and double.is_complex() else None
        wrong = difference(mine.contiguous(), theirs.contiguous(), double)
        if wrong and theirs.dtype == torch.int64 and any(part in name for part in ANY_ORDER):
            wrong = None if mine.shape == theirs.shape and select_equal(inputs[0], mine, theirs) else wrong
        if not wrong and strides_of(mine) != strides_of(theirs):
            wrong = f"strides {mine.stride()}, expected {theirs.stride()} for {tuple(mine.shape)}"
        if wrong:
            found.append(f"result {index}: {wrong}")
    return found


def same_form(ours, expected):
    return [f"result {index} is {tuple(mine.shape)} {mine.dtype}, expected {tuple(theirs.shape)} {theirs.dtype}"
            for index, (mine, theirs) in enumerate(zip(ours, expected))
            if mine.shape != theirs.shape or mine.dtype != theirs.dtype]


def equal(first, second):
    first, second = ([one.float() if one.is_floating_point() and one.itemsize == 1 else one.resolve_conj().resolve_neg()
                      for one in values] for values in (first, second))
    return len(first) == len(second) and all(
        a.shape == b.shape and torch.equal(torch.view_as_real(a).nan_to_num() if a.is_complex() else a.nan_to_num(),
                                           torch.view_as_real(b).nan_to_num() if b.is_complex() else b.nan_to_num())
        for a, b in zip(first, second))


def reason_of(error):
    """The first line of a refusal that says what is refused."""
    text = str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "not supported" in line or "error:" in line), lines[0] if lines else "")


def is_captured(call, inputs, capture, requires_grad):
    try:
        run(compile_flat(call, inputs, capture, by_pytorch), inputs, requires_grad)
    except Exception as error:  # of many kinds
        return False, f"{type(error).__name__}: {str(error)[:300]}"
    return True, ""


def check(op, sample, capture, requires_grad):
    """The outcome of a sample, and a text."""
    # Eigenvectors have any sign: the sample says what of the results is defined.
    call = Call(lambda *args, **how: sample.output_process_fn_grad(op.op(*args, **how)),
                sample.input, *sample.args, **sample.kwargs)
    leaves = [leaf for leaf in torch.utils._pytree.tree_leaves((sample.input, sample.args, sample.kwargs))
              if isinstance(leaf, torch.Tensor)]
    inputs = tuple(inner.requires_grad_(leaf.requires_grad) for inner, leaf in zip(call.inputs, leaves))
    call.inputs = inputs
    try:
        expected = run(call, inputs, requires_grad)
    except Exception as error:  # of many kinds
        return "refused by PyTorch", f"{type(error).__name__}: {error}"
    if not all(map(is_plain, (*inputs, *expected))):
        return "falls back", "sparse tensors"
    is_random = not equal(expected, run(call, inputs, requires_grad)) or "empty" in op.name
    try:
        compiled = compile_flat(call, inputs, capture, strict)
        ours = run(compiled, inputs, requires_grad)
    except Exception as error:  # of many kinds
        if isinstance(error, tc.Error) or isinstance(error.__cause__, tc.Error):
            return "falls back", reason_of(error)
        captured, text = is_captured(call, inputs, capture, requires_grad)
        return ("error", f"{type(error).__name__}: {error}") if captured else ("not captured", text)
    try:
        if is_random:
            found = same_form(ours, expected)
        else:
            found = compare(op.name, call, inputs, ours, expected, exact_of(call, inputs, requires_grad, expected))
    except Exception as error:  # of many kinds
        return "error", f"comparison: {type(error).__name__}: {error}"
    if found:
        # PyTorch's own ways of capturing give other results and strides for some calls.
        theirs = run(compile_flat(call, inputs, capture, by_pytorch), inputs, requires_grad)
        if not is_random and "strides" in found[0] and all(
                strides_of(mine) == strides_of(captured) for mine, captured in zip(ours, theirs)):
            return "compiled", "strides as PyTorch captures them"
        if not is_random and not equal(expected, theirs):
            drawn = same_form(ours, theirs)
            return ("differs", "\n".join(drawn)) if drawn else ("compiled", "as far as PyTorch's capture agrees with eager")
    return ("differs", "\n".join(found)) if found else ("compiled", "random" if is_random else "")


def check_errors(op, device):
    """What a call that PyTorch refuses becomes."""
    seed()
    for index, error_input in enumerate(op.error_inputs(device) if op.error_inputs_func else ()):
        sample = error_input.sample_input
        call = Call(op.op, sample.input, *sample.args, **sample.kwargs)
        try:
            run(call, call.inputs, False)
            continue  # an error of another device, or of an argument that the call copies
        except Exception:  # of many kinds
            pass
        try:
            graph = fx.Graph()
            tensors = [graph.placeholder(f"input_{place}") for place in range(len(call.inputs))]
            graph.output((graph.call_function(lambda *values: call(*values)[0], tuple(tensors)),))
            run(strict(fx.GraphModule(Flat(call), graph), list(call.inputs)), call.inputs, False)
        except Exception:  # of many kinds
            yield index, "compiled", ""
            continue
        yield index, "no error", f"no error, expected {error_input.error_type.__name__}: {error_input.error_regex}"


def say(**what):
    print(json.dumps(what), flush=True)


def check_entry(name, dtype, first, options):
    op = entries()[name]
    if dtype == "errors":
        for index, outcome, text in check_errors(op, options.device):
            say(sample=index, outcome=outcome, text=text[:2000])
        return
    requires_grad = dtype.startswith("grad-")
    dtype = dtype.removeprefix("grad-")
    try:
        samples = samples_of(op, DTYPES[dtype], options.samples, requires_grad, options.device)
    except Exception as error:  # of many kinds
        say(sample=0, outcome="refused by PyTorch", text=f"{type(error).__name__}: {error}"[:300])
        return
    for index, sample in enumerate(samples):
        if index < first:
            continue
        say(starts=index)
        try:
            outcome, text = check(op, sample, options.capture, requires_grad)
        except Exception as error:  # of many kinds
            outcome, text = "error", f"the test: {type(error).__name__}: {error}"
        say(sample=index, outcome=outcome, text=text[:1000])
        if "CUDA error" in text:  # nothing works in this process any more
            sys.exit(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--capture", default="aot", choices=("aot", "dynamo"))
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    tc.set_thread_count(1)
    for line in sys.stdin:
        name, dtype, first = line.split()
        check_entry(name, dtype, int(first), options)
        say(ends=True)


if __name__ == "__main__":
    main()
