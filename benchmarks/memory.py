#!/usr/bin/env python3
"""Compares what a call of TC allocates with the same graph op by op.

Each row is exported and run by tc-run, which says what the call's arena, the
workspaces of its kernels and its results take, and how much would be live at
most if the captured graph ran op by op and freed each tensor after its last
use. Writes PREFIX.json and PREFIX.md.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

import torch  # noqa: E402

import report  # noqa: E402
import rivals  # noqa: E402
import workloads  # noqa: E402

COLUMNS = {"arena": "arena_bytes", "workspaces": "workspace_bytes", "results": "result_bytes",
           "op by op": "op_by_op_peak_bytes", "op by op, without results": "op_by_op_intermediate_peak_bytes"}
TEXT = """Arena: the call's intermediates. Workspaces: what the threads of one launch take of their stacks at most.
Op by op: most bytes live when the captured graph runs op by op; parameters and inputs are not counted, views own nothing.
The arena is at most the peak without results; with the workspaces it is at most the peak with them."""


def parse_options(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench memory", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", metavar="REGEX", help="rows whose name it is found in; default all")
    parser.add_argument("--threads", type=int, default=2, help="default %(default)s")
    parser.add_argument("--out", default=str(ROOT / "benchmarks" / "results" / "memory"), metavar="PREFIX",
                        help="default benchmarks/results/memory")
    return parser.parse_args(arguments)


def measure_call(path, threads, *options):
    """The memory that tc-run reports for a call of the program at `path`, as COLUMNS."""
    build = Path(os.environ.get("TC_BUILD_DIR", ROOT / "build"))
    finished = subprocess.run(
        [build / "bin/tc-run", path, "--random-inputs=1", f"--threads={threads}", *options, "--benchmark",
         "--benchmark_min_time=0", "--benchmark_format=json"], capture_output=True, text=True)
    if finished.returncode:
        raise RuntimeError(f"tc-run exits with {finished.returncode}\n{finished.stderr}")
    context = json.loads(finished.stdout)["context"]
    return {name: context[key] for name, key in COLUMNS.items()}


def measure_row(row, threads, *options):
    torch.manual_seed(0)
    module, inputs = row.module().requires_grad_(False), row.inputs()
    with tempfile.TemporaryDirectory() as directory:
        return measure_call(rivals.export(module, inputs, directory), threads, *options)


def to_markdown(context, rows):
    lines = ["# Memory of a call", "",
             f"{context['threads']} threads, {context['date']}. Command: `{context['executable']}`.", "", TEXT, "",
             "KiB.", "", "| row | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for name, sizes in rows.items():
        lines.append(f"| {name} | " + " | ".join(f"{sizes[column] / 1024:,.1f}" for column in COLUMNS) + " |")
    return "\n".join(lines) + "\n"


def main(arguments):
    options = parse_options(arguments)
    options.rounds = 1
    rows = {}
    for name, row in workloads.rows().items():
        if re.search(options.rows, name):
            rows[name] = measure_row(row, options.threads)
            print(name, rows[name], flush=True)
    context = report.context(options, shlex.join(["./dev", "bench", "memory", *arguments]), {})
    Path(options.out + ".json").write_text(json.dumps({"context": context, "rows": rows}, indent=2) + "\n")
    Path(options.out + ".md").write_text(to_markdown(context, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
