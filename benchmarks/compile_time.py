#!/usr/bin/env python3
"""Measures how long TC takes from a program's text to its first result.

Each case is captured, written as text, and run by tc-run in a process of its
own, which says how long it read, compiled, prepared parameters and called;
figures are medians of the processes. Compiled code is kept nowhere between
them. Writes PREFIX.json and PREFIX.md; with --append, cases that are measured
replace those of the files and the others stay.
"""

import argparse
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("TC_BUILD_DIR", ROOT / "build"))

import torch  # noqa: E402
from torch import nn  # noqa: E402

import report  # noqa: E402
import rivals  # noqa: E402
import workloads  # noqa: E402

BLOCKS = (1, 2, 4, 8, 12)
PARTS = ("read", "compile", "parameters", "call")
TEXT = """Milliseconds. Read: from text to a module. Compile: to code that can be called. Parameters: mapping the weights and packing them.
First call: with the page faults of the first results. First result: all of it. Limits are for one pointwise kernel 150 ms, for a
transformer block 700 ms, and for each further equal block 9 ms: the slope of a line through the counts of blocks. A block of d512
has 12.6 MB of weights in f32, 6.3 MB in bf16; preparing them is in proportion to them, the rest is not."""


class Case:
    def __init__(self, module, *shapes, dtype=torch.float32, limit=None):
        self.module, self.shapes, self.dtype, self.limit = module, shapes, dtype, limit

    def export(self, directory):
        torch.manual_seed(0)
        inputs = tuple(torch.randn(shape).to(self.dtype) for shape in self.shapes)
        return rivals.export(self.module().eval().to(self.dtype).requires_grad_(False), inputs, directory)


def blocks(count, dim, heads):
    return lambda: nn.Sequential(*(workloads.Block(dim, heads) for _ in range(count)))


def cases():
    pointwise = workloads.Function(lambda x, y: torch.relu(x + y) * 2)
    table = {
        "pointwise relu(x+y)*2 512^2 f32": Case(lambda: pointwise, (512, 512), (512, 512), limit=150),
        "block d512 h8 b8 t128 f32": Case(blocks(1, 512, 8), (8, 128, 512), limit=700),
        "block d512 h8 b8 t128 bf16": Case(blocks(1, 512, 8), (8, 128, 512), dtype=torch.bfloat16, limit=700),
    }
    for dtype, name in ((torch.float32, "f32"), (torch.bfloat16, "bf16")):
        for count in BLOCKS:
            table[f"{count} x block d64 h4 b1 t16 {name}"] = Case(blocks(count, 64, 4), (1, 16, 64), dtype=dtype)
        for count in BLOCKS:
            table[f"{count} x block d512 h8 b1 t16 {name}"] = Case(blocks(count, 512, 8), (1, 16, 512), dtype=dtype)
    return table


def parse_options(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench compile-time", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", metavar="REGEX", help="cases whose name it is found in; default all")
    parser.add_argument("--rounds", type=int, default=10, help="processes of a case, default %(default)s")
    parser.add_argument("--threads", type=int, default=2, help="default %(default)s")
    parser.add_argument("--out", default=str(ROOT / "benchmarks" / "results" / "compile_time"), metavar="PREFIX",
                        help="default benchmarks/results/compile_time")
    parser.add_argument("--append", action="store_true", help="keep the other cases of the files")
    return parser.parse_args(arguments)


def tool(name, *arguments, **keywords):
    finished = subprocess.run([BUILD / "bin" / name, *arguments], capture_output=True, text=True, **keywords)
    if finished.returncode:
        raise RuntimeError(f"{name} exits with {finished.returncode}\n{finished.stderr}")
    return finished.stdout


def measure(case, options):
    """Medians in milliseconds, by part and by phase."""
    with tempfile.TemporaryDirectory() as directory:
        archive = case.export(directory)
        text = Path(directory) / "program.mlir"
        text.write_text(tool("tc-opt", f"--tc-import-pt2=file={archive}", "-", input="module {}"))
        contexts = [json.loads(tool(
            "tc-run", text, "--random-inputs=1", f"--threads={options.threads}", "--benchmark",
            "--benchmark_min_time=0", "--benchmark_format=json"))["context"] for _ in range(options.rounds)]
    median = lambda values: 1e3 * statistics.median(values)
    return {"first_result": median([one["first_result_seconds_total"] for one in contexts]),
            **{part: median([one["first_result_seconds"][part] for one in contexts]) for part in PARTS},
            "phases": {phase: median([one["compile_seconds"][phase] for one in contexts])
                       for phase in contexts[0]["compile_seconds"]},
            "kernels": contexts[0]["kernels"], "limit": case.limit}


def slope(points):
    """Of the least-squares line."""
    mean_x, mean_y = (statistics.mean(axis) for axis in zip(*points))
    return (sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points))


def further_blocks(rows):
    """{kind of block: slopes in milliseconds a block, by part} for those measured at several counts."""
    series = {}
    for name, row in rows.items():
        if match := re.match(r"(\d+) x (.*)", name):
            series.setdefault(match[2], []).append((int(match[1]), row))
    return {kind: {part: slope([(count, row[part]) for count, row in points]) for part in ("first_result", *PARTS)}
            for kind, points in series.items() if len(points) > 1}


def to_markdown(context, rows):
    columns = ("first_result", *PARTS)
    heads = ("first result", *PARTS[:-1], "first call")
    lines = ["# Time from text to the first result", "",
             f"{context['cpu']} ({', '.join(context['vector_extensions'])}), {context['threads']} threads, {context['date']}.",
             f"Command: `{context['executable']}`; medians of {context['rounds']} processes.", "", TEXT, "",
             "| case | " + " | ".join(heads) + " | limit | kernels |", "|---" * (len(heads) + 3) + "|"]
    for name, row in rows.items():
        cells = [f"{row[column]:.1f}" for column in columns] + [str(row["limit"] or "-"), str(row["kernels"])]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "Each further block:", "", "| block | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for kind, slopes in further_blocks(rows).items():
        lines.append(f"| {kind} | " + " | ".join(f"{slopes[column]:.1f}" for column in columns) + " |")
    order = [line.split(":")[0] for line in tool("tc-opt", "--list-phases").splitlines()] + ["code generation", "link"]
    phases = [phase for phase in order if any(phase in row["phases"] for row in rows.values())]
    lines += ["", "Compile, by phase:", "", "| case | " + " | ".join(phases) + " |", "|---" * (len(phases) + 1) + "|"]
    for name, row in rows.items():
        lines.append(f"| {name} | " + " | ".join(f"{row['phases'].get(phase, 0):.1f}" for phase in phases) + " |")
    return "\n".join(lines) + "\n"


def main(arguments):
    options = parse_options(arguments)
    rows = {}
    if options.append and Path(options.out + ".json").exists():
        rows = json.loads(Path(options.out + ".json").read_text())["rows"]
    for name, case in cases().items():
        if re.search(options.rows, name):
            rows[name] = measure(case, options)
            print(f"{name}: {rows[name]['first_result']:.1f} ms, compile {rows[name]['compile']:.1f} ms", flush=True)
    rows = {name: rows[name] for name in cases() if name in rows}
    context = report.context(options, shlex.join(["./dev", "bench", "compile-time", *arguments]), {})
    document = {"context": context, "rows": rows, "further_blocks": further_blocks(rows)}
    Path(options.out + ".json").write_text(json.dumps(document, indent=2) + "\n")
    Path(options.out + ".md").write_text(to_markdown(context, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
