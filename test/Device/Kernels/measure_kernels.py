#!/usr/bin/env python3
"""Runs the hand-written kernels through TC on a GPU: compares every element with f64,
and times each next to PyTorch, a copy, and a kernel of the same reads and writes.

usage: measure_kernels.py [--only=REGEX] [--rounds=N] [--limit=SECONDS] [--out=FILE]

Every kernel has a process of its own: one that hangs is ended and is a line of the
table. Rates are of the traffic or the operations that the result needs. Exit status 1
when a kernel failed or disagreed."""

import argparse
import json
import multiprocessing
import re
import statistics
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path += [str(path) for path in (ROOT / "benchmarks", ROOT / "build/python") if path.is_dir()]

SUSTAINED_SECONDS = 0.2  # of one rival in one round
SUSTAINED_ROUNDS = 4


def parse_options(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="REGEX", help="kernels whose name it is found in; default all")
    parser.add_argument("--rounds", type=int, default=25, help="default %(default)s")
    parser.add_argument("--limit", type=float, default=30, metavar="SECONDS", help="of one kernel; default %(default)s")
    parser.add_argument("--out", metavar="FILE", help="for the table, in Markdown; default the terminal alone")
    return parser.parse_args(arguments)


def errors_of(case, inputs, result, other):
    """The largest and the root mean square errors of two results against f64."""
    worst, squares, count = [0.0, 0.0], [0.0, 0.0], 0
    for part, exact in case.exact_parts(*inputs):
        count += exact.numel()
        for i, values in enumerate((result, other)):
            difference = (values[part].double() - exact).abs_().nan_to_num_(nan=float("inf"))
            worst[i] = max(worst[i], difference.max().item())
            squares[i] += difference.square_().sum().item()
    rms = [(total / count)**0.5 for total in squares]
    return {"largest_error": worst[0], "rms_error": rms[0], "torch_largest_error": worst[1], "torch_rms_error": rms[1]}


def time_sustained(calls, flops):
    """Seconds of a call of each after a second of work: a GPU under load lowers its clock."""
    import torch
    seconds = {name: [] for name in calls}
    count = max(4, int(SUSTAINED_SECONDS * 5e14 / flops))
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for turn in range(SUSTAINED_ROUNDS + 1):
        for name, call in calls.items():
            begin.record()
            for _ in range(count):
                call()
            end.record()
            end.synchronize()
            if turn:
                seconds[name].append(begin.elapsed_time(end) * 1e-3 / count)
    return {name: statistics.median(values) for name, values in seconds.items()}


def measure(case, rounds, further=None):
    """The figures of a case. `further` makes calls of other rivals, {name: call}, of the
    inputs and the output's tensor."""
    import torch

    import gpu_floors
    import gpu_measure
    import tc
    from tc.arrays import to_array
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    inputs = case.inputs()
    begin = time.perf_counter()
    compiled = tc.compile(case.module(), device="cuda")
    figures = {"compile_seconds": time.perf_counter() - begin}
    arrays = [to_array(value) for value in inputs]
    calls = {"kernel": lambda: compiled.call_arrays(arrays), "torch": lambda: case.torch(*inputs)}
    result = torch.from_dlpack(calls["kernel"]()[0]).clone()
    torch.cuda.synchronize()
    other = calls["torch"]()
    figures |= errors_of(case, inputs, result, other)
    figures["agrees"] = (figures["largest_error"] <= case.largest * figures["torch_largest_error"] + case.least
                         and figures["rms_error"] <= case.rms * figures["torch_rms_error"] + case.least)
    calls |= further(inputs, other) if further else {}
    flush = gpu_floors.make_flush()
    if case.bytes:
        written = result.nbytes
        floor = gpu_floors.Floor(case.bytes - written, written, lambda call: gpu_measure.time_single(call, flush))
        calls |= {"floor": floor.call, "copy": floor.copy}
    del result, other
    cold, warm = gpu_measure.interleave(calls, flush, rounds)
    for name in calls:
        figures[name] = {"cold": statistics.median(cold[name]), "warm": statistics.median(warm[name]),
                         "ratio": statistics.median(mine / his for mine, his in zip(cold[name], cold["kernel"]))}
    if case.flops:
        for name, seconds in time_sustained(calls, case.flops).items():
            figures[name]["sustained"] = seconds
    return figures


def rate(case, seconds):
    return case.bytes / seconds / 1e12 if case.bytes else case.flops / seconds / 1e12


COLUMNS = ["kernel", "every element", "rms error (PyTorch's)", "rate", "of the floor", "of copy", "of PyTorch",
           "sustained", "of PyTorch", "the prototype's figure"]


def row(case, figures):
    """The cells of a table's line."""
    if "error" in figures:
        return [case.name, figures["error"], *[""] * (len(COLUMNS) - 3), case.figure]
    share = lambda name: f"{figures[name]['ratio']:.3f}" if name in figures else ""
    mine, unit = figures["kernel"], "TB/s" if case.bytes else "TFLOP/s"
    under_load = ["", ""]
    if "sustained" in mine:
        under_load = [f"{rate(case, mine['sustained']):.0f} {unit}",
                      f"{figures['torch']['sustained'] / mine['sustained']:.3f}"]
    return [case.name, "agrees" if figures["agrees"] else "DISAGREES",
            f"{figures['rms_error']:.3g} ({figures['torch_rms_error']:.3g})",
            f"{rate(case, mine['cold']):.{3 if case.bytes else 0}f} {unit}", share("floor"), share("copy"), share("torch"),
            *under_load, case.figure]


def table(lines):
    return "\n".join(f"| {' | '.join(line)} |" for line in [COLUMNS, ["---"] * len(COLUMNS), *lines]) + "\n"


def report(sender, case, rounds, further):
    try:
        sender.send(measure(case, rounds, further))
    except Exception as error:  # one kernel's failure is a line of the table
        traceback.print_exc()
        sender.send({"error": (str(error) or repr(error)).splitlines()[0][:200]})


def run_apart(case, rounds, limit, further=None):
    """The figures of a kernel from a process of its own, which has `limit` seconds."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=report, args=(sender, case, rounds, further))
    process.start()
    sender.close()
    try:
        figures = receiver.recv() if receiver.poll(limit) else {"error": f"still running after {limit:g} seconds"}
    except EOFError:
        figures = {"error": "its process ended without a result"}
    process.kill()
    process.join()
    return figures


def main(arguments):
    import torch  # noqa: F401  # before the processes are made, so that none of them has to read it

    import kernel_cases
    options = parse_options(arguments)
    lines, failed = [], 0
    for name, case in kernel_cases.CASES.items():
        if not re.search(options.only, name):
            continue
        figures = run_apart(case, options.rounds, options.limit)
        failed += not figures.get("agrees", False)
        lines.append(row(case, figures))
        print(f"{json.dumps({name: figures})}\n{table(lines[-1:])}", flush=True)
        if options.out:
            Path(options.out).write_text(table(lines))
    print(f"{len(lines)} kernels, {failed} failed or disagreed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
