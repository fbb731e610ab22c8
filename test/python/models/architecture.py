#!/usr/bin/env python3
"""Exports architectures, compiles them and compares them with PyTorch.

usage: architecture.py [--record=FOLDER] [--ways=static,dynamic] [--device=cpu] SECONDS GIBIBYTES NAME...

A name is "TYPE" for a type of models of transformers, of which the first class
counts that has a small configuration, "TYPE/CLASS" for this class, "plain/KIND"
for a kind of plain_models.py. Each is a process of its own, with a limit of seconds of its
core and of memory. Prints a line of JSON for each way: name, way, outcome ("right",
"wrong", "ill-conditioned", "refused", "falls back", "error", "skipped") and text. The ways are "static" and
"dynamic", by torch.export, and "eval" and "train", by torch.compile. With --record, TC runs
nothing: the exported models and what PyTorch gives go to FOLDER, for check_models.py,
and the outcome is "recorded".
"""

import argparse
import contextlib
import json
import logging
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("TC_BUILD_DIR", TESTS.parents[1] / "build"))
sys.path[:0] = [str(BUILD / "python"), str(TESTS / "models"), str(TESTS / "ops"), str(TESTS.parent / "Device")]

import torch  # noqa: E402
from agreement import differences  # noqa: E402
from reference_modes import FirstOfEqual  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

EXPORTED = ("static", "dynamic")
COMPILED = ("eval", "train")


class Wrapped(torch.nn.Module):
    """A model that gives a tuple of tensors."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.config = getattr(model, "config", None)

    def forward(self, arguments):
        keywords = isinstance(arguments, dict)
        result = self.model(**arguments) if keywords else self.model(*arguments)
        return tuple(tensors_of(result))


def tensors_of(result):
    """The tensors of a result, without those of caches."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, dict):
        return [tensor for value in result.values() for tensor in tensors_of(value)]
    if isinstance(result, (list, tuple)):
        return [tensor for value in result for tensor in tensors_of(value)]
    return []


class Skipped(Exception):
    """PyTorch does not run or export it."""


def build(name):
    """The whole name, the model, and a function from a batch to its arguments."""
    kind, _, rest = name.partition("/")
    if kind == "plain":
        import plain_models

        model, make = plain_models.build(rest)
        return name, Wrapped(model).eval(), make
    import small_configurations

    reasons = []
    for rest in [rest] if rest else small_configurations.classes_of(kind):
        try:
            return f"{kind}/{rest}", *build_class(kind, rest)
        except Skipped as skipped:
            reasons.append(f"{rest}: {skipped}")
    raise Skipped("; ".join(reasons))


def build_class(kind, rest):
    """A class of transformers, and a function from a batch to its arguments."""
    import generic_inputs
    import small_configurations

    first = None
    try:
        for model in small_configurations.small_models(kind, rest):
            make, error = generic_inputs.inputs_of(model, kind)
            if make is not None:
                return Wrapped(model), make
            first = first or error
    except Exception as error:  # of many kinds
        raise Skipped(f"no small configuration: {error!r}") from error
    raise Skipped(f"no inputs: {first!r}")


def run(model, arguments):
    with torch.no_grad():
        return model(pytree.tree_map(lambda x: x.clone() if isinstance(x, torch.Tensor) else x, arguments))


def sizes_by_batch(make):
    """For each argument the dimensions whose sizes are factor * batch + rest, as
    {dimension: (factor, rest)}; None for one without such dimensions."""
    def factors(two, three):
        if not isinstance(two, torch.Tensor):
            return None
        sizes = enumerate(zip(two.shape, three.shape))
        return {dim: (b - a, a - 2 * (b - a)) for dim, (a, b) in sizes if a != b} or None

    return pytree.tree_map(factors, make(2), make(3))


def dynamic_shapes(make):
    batch = torch.export.Dim("batch", min=1, max=64)

    def size(factor, rest):
        scaled = batch if factor == 1 else factor * batch
        return scaled + rest if rest else scaled

    return pytree.tree_map(lambda leaf: leaf and {dim: size(*parts) for dim, parts in leaf.items()}, sizes_by_batch(make), is_leaf=is_shape)


def is_shape(value):
    return value is None or isinstance(value, dict) and all(isinstance(key, int) for key in value)


def ways_to_export(model):
    """As it is, and with what transformers replaces in its models for torch.export."""
    yield contextlib.nullcontext()
    if model.config is not None:
        from transformers.exporters import exporter_dynamo, utils

        exporter_dynamo.register_cache_pytrees_for_model(model.model)
        yield utils.apply_patches("dynamo")


def export(model, make, dynamic, path):
    arguments = make(2)
    shapes = (dynamic_shapes(make),) if dynamic else None
    first = None
    for way in ways_to_export(model):
        try:
            with torch.no_grad(), way:
                program = torch.export.export(model, (arguments,), dynamic_shapes=shapes)
                torch.export.save(program, path)
            return program
        except Exception as error:  # of many kinds
            first = first or error
    raise Skipped(f"export: {first!r}"[:500]) from first


def fails(model, arguments):
    """Whether PyTorch itself refuses the arguments: it may in some sizes."""
    try:
        run(model, arguments)
    except Exception:  # of many kinds
        return True
    return False


def compare(compiled, model, arguments):
    """The errors of the results of TC, or of an exported program, whichever
    of equal elements topk takes."""
    if isinstance(compiled, torch.nn.Module):
        results = run(compiled, arguments)
    else:
        results = compiled(*[leaf.clone() for leaf in pytree.tree_leaves(arguments) if isinstance(leaf, torch.Tensor)])
    results = results if isinstance(results, tuple) else () if results is None else (results,)
    found = differences(results, *expected(model, arguments))
    if found:
        with FirstOfEqual():
            found = differences(results, *expected(model, arguments))
    return found


def expected(model, arguments):
    """What PyTorch gives, and what it gives in f64: None for each where the model itself fixes dtypes."""
    from exported_model import double_model, in_dtype

    eager = run(model, arguments)
    try:
        return eager, run(double_model(model), in_dtype(arguments, torch.float64))
    except Exception:  # of many kinds
        return eager, [None] * len(eager)


def export_what_repeats(model, make, dynamic, path):
    """The program of a model that gives the same results twice."""
    torch.manual_seed(1)
    arguments = make(2)
    first, second = run(model, arguments), run(model, arguments)
    if not first or not all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(first, second)):
        raise Skipped("random, or without a result")
    return export(model, make, dynamic, path)


def batches(dynamic):
    return (2, 3, 1) if dynamic else (2,)


def record(model, make, dynamic, folder):
    """Writes a model and its calls; the outcome, and a text."""
    import recorded_calls
    import seeded_weights

    recipes = seeded_weights.reseed(model, folder.name)
    folder.mkdir(parents=True)
    try:
        program = export_what_repeats(model, make, dynamic, folder / "model.pt2")
        count = 0
        for batch in batches(dynamic):
            arguments = make(batch)
            if fails(model, arguments) or dynamic and fails(program.module(), arguments):
                continue
            eager, exact = expected(model, arguments)
            if compare(program.module(), model, arguments):
                raise Skipped("export: the program does something else than the model")
            with FirstOfEqual():
                other = expected(model, arguments)
            recorded_calls.write_call(recorded_calls.folder_of_call(folder, count), arguments, eager, exact, other)
            count += 1
        if not count:
            raise Skipped("PyTorch runs no call")
        seeded_weights.take_out(folder, recipes)
    except Exception:
        shutil.rmtree(folder)
        raise
    return "recorded", f"{count} calls"


def check(model, make, dynamic, path):
    """The outcome of one way, and a text."""
    program = export_what_repeats(model, make, dynamic, path)
    import tc

    tc.set_thread_count(1)
    begin = time.monotonic()
    try:
        compiled = tc.compile(path, returns="torch")
    except tc.Error as error:
        return ("refused" if "support" in str(error) else "error"), str(error)
    seconds = time.monotonic() - begin
    for batch in batches(dynamic):
        arguments = make(batch)
        if fails(model, arguments):
            continue
        try:
            found = compare(compiled, model, arguments)
        except tc.GuardFailed as error:
            if fails(program.module(), arguments):
                continue
            return "error", f"batch {batch}: {error}"
        except tc.Error as error:
            return "error", f"batch {batch}: {error}"
        if found and compare(program.module(), model, arguments):
            other, found = found[0], compare(compiled, program.module(), arguments)
            if not found:
                raise Skipped(f"export: the program does something else than the model, and TC does as the program: {other}")
        if found:
            return "wrong", f"batch {batch}: " + "\n".join(found)
    return "right", f"compiled in {seconds:.2f} s"


def report(name, way, outcome, text):
    print(json.dumps({"name": name, "way": way, "outcome": outcome, "text": text[:3000]}), flush=True)


def check_compiled(model, make, way, device):
    import compiled_steps
    import tc

    tc.set_thread_count(1)
    try:
        return compiled_steps.check(model, make, way, device)
    except compiled_steps.Unfit as unfit:
        raise Skipped(str(unfit)) from unfit


def run_one(name, ways, device, recorded=None):
    """One architecture, in this process."""
    folder = os.environ.get("TC_KEEP_EXPORTS") or tempfile.mkdtemp()
    try:
        name, model, make = build(name)
    except Skipped as skipped:
        return report(name, "static", "skipped", str(skipped))
    for way in ways:
        path = os.path.join(folder, name.replace("/", ".") + f".{way}.pt2")
        try:
            if recorded:
                outcome = record(model, make, way == "dynamic", recorded / f"{name.replace('/', '.')}.{way}")
            elif way in COMPILED:
                outcome = check_compiled(model, make, way, device)
            else:
                outcome = check(model, make, way == "dynamic", path)
            report(name, way, *outcome)
        except Skipped as skipped:
            report(name, way, "skipped", str(skipped))
        except Exception as error:  # of many kinds
            report(name, way, "skipped" if not isinstance(error, AssertionError) else "error", f"PyTorch: {error!r}")
        finally:
            if "TC_KEEP_EXPORTS" not in os.environ and os.path.exists(path):
                os.unlink(path)


def data_size():
    """Bytes of data of this process: terabytes where a sanitizer keeps its shadow."""
    with open("/proc/self/status") as status:
        return int(re.search(r"VmData:\s*(\d+) kB", status.read())[1]) << 10


def run_limited(name, seconds, gibibytes, ways, device, recorded=None):
    """A child process without a result says so for itself. It may take so much
    more memory than this process has."""
    child = os.fork()
    if child == 0:
        limit = data_size() + (gibibytes << 30)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        signal.alarm(4 * seconds)  # other programs may have the cores
        status = 1
        try:
            run_one(name, ways, device, recorded)
            status = 0
        finally:
            sys.stdout.flush()
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGALRM, signal.SIGXCPU):
        report(name, "both", "slow", f"not done in {seconds} s")
    elif status != 0:
        report(name, "both", "error", f"wait status {status}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", type=Path, metavar="FOLDER")
    parser.add_argument("--ways", type=lambda text: text.split(","), default=list(EXPORTED))
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="of eval and train")
    parser.add_argument("seconds", type=int)
    parser.add_argument("gibibytes", type=int)
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    torch.backends.cudnn.allow_tf32 = False  # eager convolutions of f32 have the bits of f32 then
    import transformers  # noqa: F401  so that the children have it

    for name in options.names:
        run_limited(name, options.seconds, options.gibibytes, options.ways, options.device, options.record)


if __name__ == "__main__":
    main()
