#!/usr/bin/env python3
"""Random kernels on a CUDA device: are they right, and how fast.

Each kernel runs on small inputs next to the reference interpreter, then at its full
size next to f64, its floor and torch.compile, interleaved, cold. Products of matrices
(--kinds=product --seeds=10000:10200), the linear layers of models (--kinds=linear
--seeds=20000:20100) and attention (--kinds=attention --seeds=30000:30100) are timed
next to eager PyTorch, which is a library's, instead of a floor. Programs are compiled for the strides of their inputs, as torch.compile
compiles them. Processes of some dozen kernels prepare these side by side and take
turns at the device; a kernel that crashes or hangs is one failure. Results are written
after every kernel: a run that is cut is continued with --append.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import fcntl
import functools
import json
import logging
import os
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The package in a build, and in a bundle that has this folder in it.
sys.path[:0] = [str(path) for path in (ROOT / "build/python", ROOT / "python") if (path / "tc").is_dir()]

import torch  # noqa: E402

import gpu_random_kernels  # noqa: E402
import gpu_rivals  # noqa: E402
import gpu_rows  # noqa: E402
import measure  # noqa: E402
from report import percentile  # noqa: E402
from workloads import Function  # noqa: E402

LARGE_BYTES = 64 << 20  # from here on the floor is what counts
SEEDS_OF_A_PROCESS = 12
RIVALS = {"floor": "the floor", "eager": "eager", "compile": "torch.compile"}  # that a kernel's time is compared with
# After these nothing works in the process; as torch and as TC say it.
LOST_DEVICE = re.compile(r"CUDA error|CUDA_ERROR|\(error 7\d\d\)")


def parse_seeds(text):
    """The seeds of numbers and ranges separated by commas, each once, in order."""
    seeds = {}
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(?::(\d+))?", part)
        if not match:
            raise SystemExit(f"error: --seeds={text}: {part!r} is neither a number nor a range FIRST:END")
        first = int(match[1])
        seeds |= dict.fromkeys(range(first, int(match[2] or first + 1)))
    return list(seeds)


def parse_options(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench random --device=cuda", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0:300", metavar="LIST",
                        help="numbers and ranges FIRST:END, separated by commas; default %(default)s")
    parser.add_argument("--kinds", default=",".join(gpu_random_kernels.KINDS), metavar="LIST",
                        help="default %(default)s, all but product, linear and attention")
    parser.add_argument("--libraries", default="", metavar="LIST",
                        help="that TC's code may call, as tc.compile names them; default those that a module lists")
    parser.add_argument("--rounds", type=int, default=12, help="default %(default)s")
    parser.add_argument("--no-compile", action="store_true", help="without torch.compile, which takes most of the time")
    parser.add_argument("--only-small", action="store_true", help="only compare with the interpreter")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) * 5 // 8), metavar="N",
                        help="processes that prepare kernels; default %(default)s, five for eight cores")
    parser.add_argument("--seed-limit", type=int, default=90, metavar="SECONDS",
                        help="a kernel that takes longer has failed; default %(default)s")
    parser.add_argument("--duration", type=float, default=0, metavar="SECONDS", help="begin no process after it")
    parser.add_argument("--out", default=str(ROOT / "benchmarks/results/cuda_random"), metavar="PREFIX",
                        help="default benchmarks/results/cuda_random")
    parser.add_argument("--append", action="store_true", help="keep the results of the file and run the other seeds")
    parser.add_argument("--retry", action="store_true", help="with --append, run those again that failed")
    parser.add_argument("--summary", action="store_true", help="run nothing: print the summary of the file")
    parser.add_argument("--print", action="store_true", help="run nothing: print the kernels")
    # What a process of some kernels is told: which, and the file that it adds lines to.
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--lines", help=argparse.SUPPRESS)
    parser.add_argument("--turns", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    known = (*gpu_random_kernels.KINDS, *gpu_random_kernels.PRODUCTS)
    unknown = set(options.kinds.split(",")) - set(known)
    if unknown:
        parser.error(f"--kinds names {', '.join(sorted(unknown))}; known are {', '.join(known)}")
    return options


#
# One kernel
#

def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)


def widened(inputs):
    return [value.double() if value.is_floating_point() else value for value in inputs]


class Program:
    """A kernel in TC: for one size, or with symbolic sizes for all."""

    def __init__(self, kernel, module, inputs, directory):
        import tc
        form = gpu_rivals.SymbolicTC if kernel.is_symbolic else gpu_rivals.TC
        self.tc, self.path = tc, form.export(None, module, inputs, directory)
        self.compiled = tc.compile(self.path, device="cuda", libraries=gpu_rivals.TC.libraries)

    def call(self, inputs):
        return as_tuple(self.compiled(*inputs))

    def interpret(self, inputs):
        return as_tuple(self.tc.compile(self.path, device="reference")(*[value.cpu() for value in inputs]))


def check_small(kernel, program, inputs):
    """How the results differ from the interpreter's, which rounds every value to its
    element type, or an empty text."""
    results = program.call(inputs)
    exact = as_tuple(kernel.function(exact=True)(*widened(inputs)))
    for index, (result, interpreted) in enumerate(zip(results, program.interpret(inputs), strict=True)):
        wrong = measure.disagreement(result, interpreted.to(result.device), exact[index], measure.TC_LIMIT)
        if wrong:
            return f"result {index} on small inputs differs from the interpreter's: {wrong}"
    return ""


def check_own_small(kernel, module, program, inputs, directory):
    """check_small of a program that was exported with the full inputs. That it may know
    sizes of, as those of the keys that a mask has: where a guard of it refuses the small
    inputs, of a program that is exported with these."""
    try:
        return check_small(kernel, program, inputs)
    except program.tc.GuardFailed:
        own = tempfile.mkdtemp(dir=directory)
        return check_small(kernel, Program(kernel, module, inputs, own), inputs)


def check_full(kernel, module, inputs, call):
    exact = as_tuple(kernel.function(exact=True)(*widened(inputs)))
    figures = {}
    for index, (output, eager) in enumerate(zip(call(), as_tuple(module(*inputs)), strict=True)):
        judged = gpu_rows.judge(output, eager, exact[index], measure.TC_LIMIT)
        if "disagrees" in judged:
            return judged | {"disagrees": f"result {index} differs: {judged['disagrees']}"}
        figures["largest_error"] = max(figures.get("largest_error", 0), judged["largest_error"])
    return figures


def floor_bytes(kernel, inputs, outputs):
    written = sum(value.nbytes for value in outputs)
    read = sum(map(gpu_random_kernels.bytes_read, inputs))
    if any(one.is_index for one in kernel.inputs):  # it reads the rows that it writes
        read = written + sum(value.nbytes for value in inputs if not value.is_floating_point())
    return read, written


def compile_rival(kernel, module, inputs):
    """({"compile": its call}, {}), or ({}, {"compile_error": text})."""
    try:
        torch._dynamo.reset()
        compiled = torch.compile(module, dynamic=kernel.is_symbolic)
        compiled(*inputs)
        return {"compile": lambda: compiled(*inputs)}, {}
    except Exception as error:  # the rival's, which is none of TC's
        return {}, {"compile_error": (str(error) or repr(error)).splitlines()[0][:200]}


@contextlib.contextmanager
def device_turn(path):
    """While it lasts, no other process measures."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def time_full(kernel, module, inputs, calls, options, flush):
    from gpu_floors import Floor
    from gpu_measure import interleave, time_single
    read, written = floor_bytes(kernel, inputs, as_tuple(module(*inputs)))
    if kernel.kind in gpu_random_kernels.PRODUCTS:
        calls = calls | {"eager": lambda: module(*inputs)}
    else:
        calls = calls | {"floor": Floor(read, written, lambda candidate: time_single(candidate, flush)).call}
    entry = {"bytes": read + written}
    cold, _ = interleave(calls, flush, options.rounds, warmups=3, measures_warm=False)
    entry |= {f"{name}_us": statistics.median(seconds) * 1e6 for name, seconds in cold.items()}
    for name in RIVALS:
        if name in cold:
            entry[f"of_{name}"] = statistics.median(other / mine for other, mine in zip(cold[name], cold["tc"]))
    return entry


def run_kernel(kernel, options, flush):
    """The entry of one kernel."""
    torch.manual_seed(kernel.seed)
    module = Function(kernel.function())
    module.known_dims = kernel.known_dims
    with tempfile.TemporaryDirectory() as directory, torch.no_grad():
        with torch.device("cuda"):
            small = tuple(one.make() for one in kernel.small)
            full = () if options.only_small else tuple(one.make() for one in kernel.inputs)
        if full and kernel.is_symbolic:
            program = Program(kernel, module, full, directory)
            wrong = check_own_small(kernel, module, program, small, directory)
        else:
            program = Program(kernel, module, small, directory)
            wrong = check_small(kernel, program, small)
        if wrong or options.only_small:
            return {"error": wrong} if wrong else {}
        if not kernel.is_symbolic:
            program = Program(kernel, module, full, directory)
        call = functools.partial(program.call, full)
        rivals, failure = ({}, {}) if options.no_compile else compile_rival(kernel, module, full)
        signal.alarm(0)  # waiting for a turn takes as long as it takes
        with device_turn(options.turns):
            signal.alarm(options.seed_limit)
            entry = failure | check_full(kernel, module, full, call)
            entry["kernels"] = len(program.compiled.kernels)
            if "disagrees" in entry:
                return entry | {"error": entry.pop("disagrees")}
            torch.cuda.empty_cache()
            entry |= time_full(kernel, module, full, {"tc": call} | rivals, options, flush)
        return entry


def run_seeds(options):
    """The work of a process of some kernels: a line for each, when it is done."""
    from gpu_floors import make_flush
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    gpu_rivals.TC.libraries = options.libraries
    torch.zeros(1, device="cuda")  # makes the device's context current
    flush = make_flush()
    for seed in map(int, options.run.split(",")):
        kernel = gpu_random_kernels.sample(seed)
        signal.alarm(options.seed_limit)  # ends the process
        try:
            entry = run_kernel(kernel, options, flush)
        except Exception as error:
            traceback.print_exc(limit=-2)
            entry = {"error": (str(error) or repr(error)).splitlines()[0][:400]}
        signal.alarm(0)
        torch.cuda.empty_cache()
        with open(options.lines, "a") as file:
            file.write(json.dumps({"seed": seed, "kind": kernel.kind, "symbolic": kernel.is_symbolic,
                                   "kernel": kernel.describe()} | entry) + "\n")
        if LOST_DEVICE.search(entry.get("error", "")):
            os._exit(3)
    return 0


#
# All of them
#

def one_line(entry):
    text = f"{entry['seed']:4} "
    if "tc_us" in entry:
        text += f"{entry['bytes'] / 2**20:7.1f} MiB {entry['tc_us']:8.1f} us"
        for rival, title in RIVALS.items():
            if f"of_{rival}" in entry:
                text += f"  {entry[f'of_{rival}']:.3f} of {title}"
    else:
        text += f"FAILED: {entry['error']}" if "error" in entry else "agrees"
    return f"{text}  {entry['kernel'][:160]}"


def _quantiles(values):
    if not values:
        return "-"
    return (f"geometric mean {statistics.geometric_mean(values):.3f}, median {statistics.median(values):.3f}, "
            f"5th percentile {percentile(values, 0.05):.3f}")


def summary(entries):
    timed = [one for one in entries if "tc_us" in one]
    failed = [one for one in entries if "error" in one]
    lines = [f"{len(entries)} kernels, {len(failed)} failed, {len(timed)} timed"]
    kinds = collections.defaultdict(list)
    for one in timed:
        kinds["all"].append(one)
        kinds[one["kind"]].append(one)
        kinds["symbolic" if one["symbolic"] else "static"].append(one)
    for name, those in kinds.items():
        line = f"  {name:10} {len(those):4}"
        for key, title in (("of_floor", "floor/TC from 64 MiB on"), ("of_eager", "eager/TC"), ("of_compile", "torch.compile/TC")):
            large = [one[key] for one in those if key in one and (key != "of_floor" or one["bytes"] >= LARGE_BYTES)]
            line += f"  {title}: {_quantiles(large):60}" if large or key != "of_eager" else ""
        lines.append(line.rstrip())
    for rival, title in RIVALS.items():
        slowest = sorted((one for one in timed if f"of_{rival}" in one), key=lambda one: one[f"of_{rival}"])[:15]
        lines += [f"slowest next to {title}:"] if slowest else []
        lines += ["  " + one_line(one) for one in slowest]
    lines += ["failed:"] if failed else []
    lines += ["  " + one_line(one) for one in failed]
    return "\n".join(lines)


def write(entries, options, command):
    Path(options.out).parent.mkdir(parents=True, exist_ok=True)
    entries = sorted(entries, key=lambda one: one["seed"])
    for ending, text in ((".json", json.dumps({"command": command, "kernels": entries}, indent=1) + "\n"),
                         (".txt", summary(entries) + "\n")):
        new = Path(options.out + ending + ".new")
        new.write_text(text)
        new.replace(options.out + ending)


def run_process(seeds, options, add):
    """Runs seeds in a process of their own until they are done or it ends, and gives
    `add` the entries; the seeds that are left. A process that ends early failed at its
    next seed."""
    passed_on = [f"--rounds={options.rounds}", f"--seed-limit={options.seed_limit}", f"--turns={options.turns}",
                 f"--libraries={options.libraries}"]
    passed_on += [name for name, given in (("--no-compile", options.no_compile), ("--only-small", options.only_small))
                  if given]
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as lines:
        command = [sys.executable, __file__, "--run", ",".join(map(str, seeds)), "--lines", lines.name, *passed_on]
        # Compiling on its own thread leaves the cores to the other processes.
        process = subprocess.Popen(command, env=os.environ | {"TORCHINDUCTOR_COMPILE_THREADS": "1"})
        while True:
            ended = process.poll() is not None
            for line in lines.readlines():
                entry = json.loads(line)
                seeds = [seed for seed in seeds if seed != entry["seed"]]
                add(entry)
            if ended:
                break
            time.sleep(0.2)
    if seeds and process.returncode not in (0, 3):
        kernel = gpu_random_kernels.sample(seeds[0])
        add({"seed": seeds[0], "kind": kernel.kind, "symbolic": kernel.is_symbolic,
             "kernel": kernel.describe(), "error": f"the process ended with status {process.returncode}"})
        seeds = seeds[1:]
    return seeds


def run_all(seeds, options, entries, command):
    """Runs the seeds in `options.jobs` processes at a time; no new one after the duration."""
    begin, lock = time.monotonic(), threading.Lock()
    size = min(SEEDS_OF_A_PROCESS, -(-len(seeds) // options.jobs) or 1)
    waiting = collections.deque(seeds[first:first + size] for first in range(0, len(seeds), size))

    def add(entry):
        with lock:
            entries.append(entry)
            print(one_line(entry), flush=True)
            write(entries, options, command)

    def work():
        while not (options.duration and time.monotonic() - begin > options.duration):
            with lock:
                if not waiting:
                    return
                chunk = waiting.popleft()
            if left := run_process(chunk, options, add):
                with lock:
                    waiting.append(left)

    with tempfile.NamedTemporaryFile(suffix=".turns") as turns:
        options.turns = turns.name
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for worker in [pool.submit(work) for _ in range(options.jobs)]:
                worker.result()


def main(arguments):
    options = parse_options(arguments)
    if options.run:
        return run_seeds(options)
    entries, path = [], Path(options.out + ".json")
    if (options.append or options.summary) and path.exists():
        entries = [one for one in json.loads(path.read_text())["kernels"] if not (options.retry and "error" in one)]
    known, kinds = {one["seed"] for one in entries}, options.kinds.split(",")
    seeds = [seed for seed in parse_seeds(options.seeds) if seed not in known and gpu_random_kernels.sample(seed).kind in kinds]
    if options.print:
        print("\n".join(f"{seed:4} {gpu_random_kernels.sample(seed).describe()}" for seed in seeds))
        return 0
    if not options.summary:
        if not torch.cuda.is_available():
            print("error: torch finds no CUDA device")
            return 1
        command = shlex.join(["./dev", "bench", "random", "--device=cuda", *arguments])
        run_all(seeds, options, entries, command)
    print(summary(entries))
    return 1 if any("error" in one for one in entries) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
