#!/usr/bin/env python3
"""Times torch.compile with TC next to Inductor and eager, in inference and in training.

A training step is forward and backward of the mean of the squared output, in training mode without dropout, and without
an optimizer. All rivals of a row run in one process, alternately, round by round; the result, or every gradient, is
compared with the row in f64 before it is timed. The first call of each rival is timed with nothing in the caches on
disk; next to them stands `aot_eager`, which captures the same graphs and compiles nothing. Every row has a process of
its own. Writes PREFIX.json and PREFIX.md after every row; with --append, rows that are measured replace those of the
files and the others stay.
"""

import argparse
import copy
import json
import logging
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The package in a build, and in a bundle that has this folder in it; else an installed one.
sys.path[:0] = [str(path) for path in (ROOT / "build/python", ROOT / "python") if (path / "tc").is_dir()]

import torch  # noqa: E402

import gpu_measure  # noqa: E402
import gpu_workloads  # noqa: E402
import measure  # noqa: E402
import report  # noqa: E402
import torch_compile_report  # noqa: E402
import workloads  # noqa: E402

WAYS = ("inference", "training")
INDUCTOR = {"cpu": {"default": {}}, "cuda": {"default": {}, "reduce-overhead": {"mode": "reduce-overhead"}}}


def rivals(device):
    """What torch.compile is given, by the name in the table. Eager and capture alone first."""
    from tc.torch_backend import backend
    own = {"tc": {"backend": backend}}
    if device == "cuda":
        own["tc reduce-overhead"] = {"backend": backend, "mode": "reduce-overhead"}
    return {"eager": None, "aot_eager": {"backend": "aot_eager"}} | INDUCTOR[device] | own


def rows(device):
    return gpu_workloads.rows() if device == "cuda" else workloads.rows()


# Models and parts of them.
MODELS = r"^(block|GPT|BERT|ViT|Llama|ResNet|MobileNet|decode|20 x|MLP)"


def parse_options(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/torch_compile.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=list(INDUCTOR), default="cpu", help="default %(default)s")
    parser.add_argument("--rows", metavar="REGEX", help="rows whose name it is found in; default those of models")
    parser.add_argument("--ways", default=",".join(WAYS), metavar="LIST", help="default %(default)s")
    parser.add_argument("--rounds", type=int, default=30, help="default %(default)s")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of the CPU, default %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="of inputs and weights, default %(default)s")
    parser.add_argument("--row-limit", type=float, default=600, metavar="SECONDS",
                        help="a row that takes longer has failed; default %(default)s")
    parser.add_argument("--out", metavar="PREFIX", help="default benchmarks/results/torch_compile_DEVICE")
    parser.add_argument("--append", action="store_true", help="keep the other rows of the files")
    # What a row's own process is told: its name, its way, and the file for its results.
    parser.add_argument("--row", help=argparse.SUPPRESS)
    parser.add_argument("--result", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.rows = options.rows or MODELS
    options.out = options.out or str(ROOT / f"benchmarks/results/torch_compile_{options.device}")
    if unknown := set(options.ways.split(",")) - set(WAYS):
        parser.error(f"--ways names {', '.join(sorted(unknown))}; known are {', '.join(WAYS)}")
    return options


def synchronize(device):
    if device == "cuda":
        torch.cuda.synchronize()


def without_dropout(module):
    for part in module.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    return module


class Step:
    """What is timed: a call of the module, or forward and backward of its loss. Returns the tensors that are compared."""

    def __init__(self, module, inputs, way):
        self.module, self.way = module, way
        self.inputs = inputs
        self.leaves = list(module.parameters())
        if way == "training" and not self.leaves:
            self.inputs = [value.detach().clone().requires_grad_(value.is_floating_point()) for value in inputs]
            self.leaves = [value for value in self.inputs if value.requires_grad]

    def __call__(self):
        if self.way == "inference":
            with torch.no_grad():
                return [self.module(*self.inputs)]
        for leaf in self.leaves:
            leaf.grad = None
        self.module(*self.inputs).float().square().mean().backward()
        return [leaf.grad for leaf in self.leaves if leaf.grad is not None]


class ExactStep(Step):
    """The same in f64, without a cast to f32."""

    def __call__(self):
        if self.way == "inference":
            return super().__call__()
        self.module(*self.inputs).square().mean().backward()
        return [leaf.grad for leaf in self.leaves if leaf.grad is not None]


def exact_results(module, inputs, way):
    wide = copy.deepcopy(module).double()
    return [value.detach() for value in ExactStep(wide, [x.double() if x.is_floating_point() else x for x in inputs], way)()]


def judge(results, eager, exact, limit):
    """How the results disagree with eager's and the exact ones, empty where they do not."""
    if len(results) != len(eager):
        return f"{len(results)} results, expected {len(eager)}"
    wrong = [text for one in zip(results, eager, exact) if (text := measure.disagreement(*one, limit))]
    return f"{len(wrong)} of {len(results)}: {wrong[0]}" if wrong else ""


def captured_seconds(name):
    """What PyTorch has taken of this process so far for tracing, autograd and partition in front of TC or of Inductor."""
    from tc.torch_backend import compiled_graphs
    timed = {key: sum(seconds) for key, seconds in torch._dynamo.utils.compilation_time_metrics.items()}
    whole = timed.get("_compile.compile_inner", 0.0) + timed.get("backward._backward_impl", 0.0)
    return whole - (sum(graph.seconds for graph in compiled_graphs) if name.startswith("tc") else timed.get("compile_fx_inner", 0.0))


def first_call(options, module, inputs, way, name, given):
    """A rival's step, with its results and the seconds of its first call, and of that without PyTorch's capture: its compiler,
    assembler and first run. One that records graphs does so in later ones."""
    torch._dynamo.reset()
    own = copy.deepcopy(module)
    synchronize(options.device)
    before, begin = captured_seconds(name), time.perf_counter()
    step = Step(own if given is None else torch.compile(own, **given), inputs, way)
    results = [value.detach().clone() for value in step()]
    synchronize(options.device)
    seconds = {"first_seconds": time.perf_counter() - begin}
    if name in torch_compile_report.TC + torch_compile_report.INDUCTOR:
        seconds["compiler_seconds"] = seconds["first_seconds"] - (captured_seconds(name) - before)
    return step, results, seconds


def peak_memory(step):
    """Bytes on the device that a call has at its peak, beyond those before it."""
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    step()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def interleave(steps, options):
    """{name: [seconds of a call, one a round]}."""
    if options.device == "cuda":
        counts = {}
        for name, step in steps.items():
            for _ in range(5):
                step()
            counts[name] = max(1, min(gpu_measure.MOST_CALLS, int(0.01 / gpu_measure.time_warm(step, 2))))
    seconds = {name: [] for name in steps}
    names = list(steps)
    for turn in range(options.rounds + 3):  # the first three are not counted
        for name in names[turn % len(names):] + names[:turn % len(names)]:
            taken = gpu_measure.time_warm(steps[name], counts[name]) if options.device == "cuda" else measure.time_calls(steps[name])
            if turn >= 3:
                seconds[name].append(taken)
    return seconds


def measure_row(options):
    """The entries of one row and way, one a rival."""
    way, row = options.ways, rows(options.device)[options.row]
    torch.manual_seed(options.seed)
    with torch.device(options.device):
        module, inputs = row.module(), row.inputs()
        module = without_dropout(module.train()) if way == "training" else module.requires_grad_(False)
    exact = exact_results(module, inputs, way)
    steps, extras, eager = {}, {}, None
    name_of_row = f"{options.row}, {way}"
    entries = []
    for name, given in rivals(options.device).items():
        try:
            step, results, extras[name] = first_call(options, module, inputs, way, name, given)
            eager = eager or results
            limit = measure.TC_LIMIT if name.startswith("tc") else measure.RIVAL_LIMIT
            if wrong := judge(results, eager, exact, limit):
                extras[name]["disagrees"] = wrong
            if name != "aot_eager":
                steps[name] = step
        except Exception as error:  # one rival's failure is a cell of the table
            traceback.print_exc()
            entries.append(report.missing(name_of_row, name, (str(error) or repr(error)).splitlines()[0][:300]))
    seconds = interleave(steps, options)
    if options.device == "cuda":
        for name, step in steps.items():
            extras[name]["peak_bytes"] = peak_memory(step)
    return entries + [torch_compile_report.entry(name_of_row, name, seconds, extras[name]) for name in extras]


def run_row(options):
    """The work of a row's own process."""
    import tc
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(options.threads)
    tc.set_thread_count(options.threads)
    torch.backends.cuda.matmul.allow_tf32 = False
    versions = {"torch": torch.__version__, "tc": tc.__version__}
    if options.device == "cuda":
        torch.zeros(1, device="cuda")
    entries = measure_row(options)
    about = torch_compile_report.context(options, "", versions)
    Path(options.result).write_text(json.dumps({"context": about, "benchmarks": entries}))
    return 0


def results_of(name, way, options):
    """The results of a row, from a process of its own with empty caches."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, __file__, f"--device={options.device}", f"--row={name}", f"--ways={way}", f"--result={result}",
                   f"--rounds={options.rounds}", f"--threads={options.threads}", f"--seed={options.seed}"]
        caches = {"TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor", "TRITON_CACHE_DIR": f"{folder}/triton", "TC_CACHE_DIR": f"{folder}/tc"}
        try:
            status = subprocess.run(command, timeout=options.row_limit, env=os.environ | caches).returncode
            if status == 0:
                return json.loads(result.read_text())
            reason = f"the process of the row ended with status {status}"
        except subprocess.TimeoutExpired:
            reason = f"still running after {options.row_limit:.0f} seconds"
    return {"context": torch_compile_report.context(options, "", {}), "benchmarks": [report.missing(f"{name}, {way}", "tc", reason)]}


def main(arguments):
    options = parse_options(arguments)
    if options.row:
        return run_row(options)
    table = list(rows(options.device))
    names = [name for name in table if re.search(options.rows, name)]
    if not names:
        print(f"no row matches {options.rows}; rows are\n" + "\n".join(table))
        return 1
    ways, failed, is_first = options.ways.split(","), 0, not options.append
    for name in names:
        for way in ways:
            if way == "training" and name.startswith("decode"):
                continue
            results = results_of(name, way, options)
            results["context"]["executable"] = shlex.join(["benchmarks/torch_compile.py", *arguments])
            print(torch_compile_report.summary(f"{name}, {way}", results["benchmarks"]), flush=True)
            failed += any(one["rival"].startswith("tc") and ("error_message" in one or "disagrees" in one) for one in results["benchmarks"])
            if not is_first:
                results = report.merge(options.out + ".json", results)
            is_first = False
            torch_compile_report.write(results, options.out, [f"{one}, {two}" for two in WAYS for one in table])
    print(f"{len(names)} rows, TC failed or disagreed in {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
