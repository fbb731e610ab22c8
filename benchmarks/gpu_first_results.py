#!/usr/bin/env python3
"""First results and memory of whole models on a CUDA device, next to PyTorch.

Each model is exported once. A process then compiles it with TC and calls it, with no
compiled code kept from before and the driver's cache off; its CUDA context and its
inputs are made ahead. Another process runs the module itself, eager and compiled.
Memory is what the device has less of than before the inputs: the largest of samples
every millisecond, and for PyTorch also what its allocator had given out at most.
Writes PREFIX.json and PREFIX.md.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(path) for path in (ROOT / "build/python", ROOT / "python") if (path / "tc").is_dir()]

import torch  # noqa: E402

import gpu_rivals  # noqa: E402
import gpu_workloads  # noqa: E402

MODELS = ("block d768 h12 b1 t128 bf16", "GPT-2 small b8 t1024 bf16", "BERT-base b8 t128 bf16", "ViT-B/16 b32 bf16",
          "Llama 16x2048 b1 t512 bf16", "decode step 16x2048 cache 1024 b1 bf16", "ResNet-50 b32 bf16", "ResNet-50 b1 bf16")
KINDS = ("tc", "eager", "default")
COLD = {"CUDA_CACHE_DISABLE": "1", "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}
TEXT = """First result: seconds from the exported file (TC) or the module on the device (PyTorch) to the first result, the CUDA context and the
inputs made ahead, nothing compiled before; the median of the processes. Memory: MiB that the device has less of than before the inputs and
weights, at most; `allocated` is what PyTorch's allocator had given out at most. Calls are three, of which the first compiles."""


def parse_options(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench first-results --device=cuda", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="", metavar="REGEX", help="models whose name it is found in; default all")
    parser.add_argument("--kinds", default=",".join(KINDS), metavar="LIST", help="default %(default)s")
    parser.add_argument("--processes", type=int, default=3, metavar="N", help="of TC for each model; default %(default)s")
    parser.add_argument("--limit", type=float, default=120, metavar="SECONDS", help="of a process; default %(default)s")
    parser.add_argument("--out", default=str(ROOT / "benchmarks/results/cuda_first_results"), metavar="PREFIX",
                        help="default benchmarks/results/cuda_first_results")
    # What a process of one model is told.
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--model", help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    unknown = set(options.kinds.split(",")) - set(KINDS)
    if unknown:
        parser.error(f"--kinds names {', '.join(sorted(unknown))}; known are {', '.join(KINDS)}")
    return options


class LeastFree:
    """The least free memory of the device while it lasts, in bytes."""

    def __enter__(self):
        self.before = self.least = torch.cuda.mem_get_info()[0]
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()
        return self

    def watch(self):
        while not self.ends.wait(0.001):
            self.least = min(self.least, torch.cuda.mem_get_info()[0])

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()
        self.least = min(self.least, torch.cuda.mem_get_info()[0])

    def used(self):
        return self.before - self.least


def run_tc(row, path):
    import tc
    with LeastFree() as memory:
        inputs = [value.cuda() for value in row.inputs()]
        torch.cuda.synchronize()
        begin = time.perf_counter()
        compiled = tc.compile(path, device="cuda", libraries="")
        compiled(*inputs)
        torch.cuda.synchronize()
        first = time.perf_counter() - begin
        for _ in range(2):
            compiled(*inputs)
        torch.cuda.synchronize()
    return {"first": first, "memory": memory.used(), "compile": sum(compiled.timings.values()), "kernels": len(compiled.kernels)}


def run_torch(row, compiles):
    with LeastFree() as memory, torch.no_grad():
        module, inputs = row.module().requires_grad_(False).cuda(), [value.cuda() for value in row.inputs()]
        torch.cuda.synchronize()
        begin = time.perf_counter()
        call = torch.compile(module) if compiles else module
        call(*inputs)
        torch.cuda.synchronize()
        first = time.perf_counter() - begin
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        for _ in range(2):
            call(*inputs)
        torch.cuda.synchronize()
    return {"first": first, "memory": memory.used(), "allocated": torch.cuda.max_memory_allocated()}


def run_one(options):
    """The work of a process: a line with its figures."""
    row = gpu_workloads.rows()[options.model]
    torch.manual_seed(0)
    torch.zeros(1, device="cuda")
    torch.cuda.synchronize()
    figures = run_tc(row, options.file) if options.run == "tc" else run_torch(row, options.run == "default")
    print(json.dumps(figures))
    return 0


def export(row, path):
    torch.manual_seed(0)
    with torch.no_grad():
        torch.export.save(torch.export.export(row.module().requires_grad_(False), tuple(row.inputs())), path)


def measure(name, kind, path, options):
    """The figures of processes, as lists; a reason where one failed."""
    all_figures = []
    for _ in range(options.processes if kind == "tc" else 1):
        command = [sys.executable, __file__, f"--run={kind}", f"--model={name}", f"--file={path}"]
        environment = {**os.environ, "TC_CACHE_DIR": "", **COLD}
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit, env=environment)
        except subprocess.TimeoutExpired:
            return {"failed": f"still running after {options.limit:.0f} seconds"}
        if done.returncode:
            return {"failed": (done.stderr.strip() or f"status {done.returncode}").splitlines()[-1][:200]}
        all_figures.append(json.loads(done.stdout.splitlines()[-1]))
    return {key: statistics.median(figures[key] for figures in all_figures) for key in all_figures[0]}


def cell(figures, key, scale, form):
    return "" if key not in figures else format(figures[key] * scale, form)


def table(results):
    heads = ["model", "TC, s", "of it compiling", "torch.compile, s", "TC, MiB", "eager, MiB", "allocated", "torch.compile, MiB", "allocated"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for name, kinds in results.items():
        ours, eager, compiled = (kinds.get(kind, {}) for kind in KINDS)
        cells = [cell(ours, "first", 1, ".2f") or ours.get("failed", ""), cell(ours, "compile", 1, ".2f"),
                 cell(compiled, "first", 1, ".1f") or compiled.get("failed", "")]
        for figures, keys in ((ours, ["memory"]), (eager, ["memory", "allocated"]), (compiled, ["memory", "allocated"])):
            cells += [cell(figures, key, 2**-20, ".0f") for key in keys]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments):
    options = parse_options(arguments)
    if options.run:
        return run_one(options)
    import re
    results, context = {}, {"date": time.strftime("%Y-%m-%d"), "torch": torch.__version__,
                            "device": torch.cuda.get_device_name(), "tc": gpu_rivals.TC().version,
                            "command": "./dev bench first-results --device=cuda " + shlex.join(arguments)}
    with tempfile.TemporaryDirectory() as directory:
        for number, name in enumerate(filter(re.compile(options.models).search, MODELS)):
            path = os.path.join(directory, f"{number}.pt2")
            export(gpu_workloads.rows()[name], path)
            results[name] = {kind: measure(name, kind, path, options) for kind in options.kinds.split(",")}
            print(name, json.dumps(results[name]), flush=True)
            Path(options.out + ".json").write_text(json.dumps({"context": context, "models": results}, indent=1) + "\n")
    text = f"# First results and memory of models\n\n{context['date']}, {context['device']}, PyTorch {context['torch']}, TC {context['tc']}. " \
           f"Command: `{context['command'].strip()}`.\n\n{TEXT}\n\n{table(results)}\n"
    Path(options.out + ".md").write_text(text)
    print(text)
    return int(any("failed" in kinds.get("tc", {}) for kinds in results.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
