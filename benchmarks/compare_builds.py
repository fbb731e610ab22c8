#!/usr/bin/env python3
"""Times two builds of TC against each other, in paired rounds.

Each build compiles the same archives in a process of its own. A round times
both once, in alternating order, so that a drift of the machine's speed affects
both; the ratio of a row is the median of the rounds' ratios, the time of the
build under test to that of the base. Prints a line a row as it is measured, and
ends with the rows above the limit; with --out, writes PREFIX.json and PREFIX.md.
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
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

import torch  # noqa: E402

import measure  # noqa: E402
import report  # noqa: E402


def parse_options(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench compare", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", metavar="BASE", help="the build folder to compare with")
    parser.add_argument("--build", default=str(ROOT / "build"), metavar="FOLDER",
                        help="the build folder under test; default %(default)s")
    parser.add_argument("--base-target", default="cpu", metavar="TARGET", help="what the base compiles for; default %(default)s")
    parser.add_argument("--target", default="cpu", metavar="TARGET",
                        help="what the build under test compiles for; default %(default)s")
    parser.add_argument("--rows", default="", metavar="REGEX", help="rows whose name it is found in; default all")
    parser.add_argument("--rounds", type=int, default=30, help="default %(default)s")
    parser.add_argument("--threads", type=int, default=2, help="default %(default)s")
    parser.add_argument("--limit", type=float, default=1.03, metavar="RATIO",
                        help="rows whose median ratio is above it are named at the end; default %(default)s")
    parser.add_argument("--out", metavar="PREFIX", help="write the table to PREFIX.json and PREFIX.md")
    parser.add_argument("--append", action="store_true", help="keep the other rows of the files")
    return parser.parse_args(arguments)


class Build:
    """A process that compiles and times rows with the build in `folder`."""

    def __init__(self, folder, target, threads):
        package = Path(folder) / "python"
        if not (package / "tc").is_dir():
            raise SystemExit(f"error: {folder} has no Python package of TC's; expected a build folder with python/tc")
        environment = os.environ | {"PYTHONPATH": str(package)}
        environment.pop("TC_BUILD_DIR", None)
        self.process = subprocess.Popen([sys.executable, __file__, "--worker", target, str(threads)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def ask(self, **request):
        """The worker's answer; raises RuntimeError with its error."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process ended with exit status {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["value"]


def work(target, threads):
    """Answers requests on standard input, one JSON object a line."""
    import tc
    from tc.arrays import to_array

    tc.set_thread_count(threads)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    call = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "archive" in request:
                call = None  # frees the last row before the next is made
                compiled = tc.compile(request["archive"], target=target)
                arrays = [to_array(value) for value in torch.load(request["inputs"])]
                call = lambda: compiled.call_arrays(arrays)  # noqa: B023
                for _ in range(3):
                    call()
                value = len(compiled.kernels)
            else:
                value = measure.time_calls(call)
            answer = {"value": value}
        except Exception as error:
            answer = {"error": str(error).splitlines()[0] if str(error) else repr(error)}
        print(json.dumps(answer), file=answers, flush=True)


def compare_row(row, base, tested, rounds):
    """([seconds of the base], [seconds of the build under test]), one a round."""
    import rivals

    torch.manual_seed(0)
    with torch.inference_mode(False):
        module, inputs = row.module().requires_grad_(False), row.inputs()
        with tempfile.TemporaryDirectory() as directory:
            saved = os.path.join(directory, "inputs.pt")
            torch.save(list(inputs), saved)
            archive = rivals.export(module, inputs, directory)
            for build in (base, tested):
                build.ask(archive=archive, inputs=saved)
            seconds = {base: [], tested: []}
            for number in range(rounds):
                for build in (base, tested) if number % 2 else (tested, base):
                    seconds[build].append(build.ask())
    return seconds[base], seconds[tested]


def entry(name, before, after, options):
    ratios = [new / old for new, old in zip(after, before)]
    return {"name": f"{name}/compare", "run_name": name, "rival": "base", "run_type": "aggregate",
            "aggregate_name": "median", "threads": options.threads, "iterations": len(ratios), "time_unit": "ns",
            "real_time": statistics.median(after) * 1e9, "base_time": statistics.median(before) * 1e9,
            "ratio": statistics.median(ratios), "ratio_p10": report.percentile(ratios, 0.1),
            "ratio_p90": report.percentile(ratios, 0.9)}


def describe(one):
    if "real_time" not in one:
        return f"{one['run_name']}: {one['error_message']}"
    return (f"{one['run_name']}: {one['base_time'] / 1e6:.3f} -> {one['real_time'] / 1e6:.3f} ms, ratio {one['ratio']:.3f} "
            f"({one['ratio_p10']:.3f} to {one['ratio_p90']:.3f})")


def write(results, prefix, order):
    rows = sorted(results["benchmarks"], key=lambda one: order.index(one["run_name"]))
    Path(prefix + ".json").write_text(json.dumps(results | {"benchmarks": rows}, indent=1) + "\n")
    context = results["context"]
    lines = ["# Two builds of TC in paired rounds", "",
             f"{context['cpu']}, {context['threads']} threads, {context['rounds']} rounds, {context['date']}. "
             f"Command: `{context['executable']}`. Medians; the ratio is new to old, with its 10th and 90th percentile.", "",
             "| row | old, ms | new, ms | ratio |", "|---|---:|---:|---:|"]
    for one in rows:
        lines.append(f"| {one['run_name']} | {one['base_time'] / 1e6:.3f} | {one['real_time'] / 1e6:.3f} | "
                     f"{one['ratio']:.3f} ({one['ratio_p10']:.3f} to {one['ratio_p90']:.3f}) |" if "real_time" in one else
                     f"| {one['run_name']} | {one['error_message']} | | |")
    Path(prefix + ".md").write_text("\n".join(lines) + "\n")


def main(arguments):
    if arguments[:1] == ["--worker"]:
        work(arguments[1], int(arguments[2]))
        return 0
    import workloads

    options = parse_options(arguments)
    warnings.filterwarnings("ignore")
    base = Build(options.base, options.base_target, options.threads)
    tested = Build(options.build, options.target, options.threads)
    table = workloads.rows()
    command = shlex.join(["./dev", "bench", "compare", *arguments])
    results = {"context": report.context(options, command, {}), "benchmarks": []}
    for name in (name for name in table if re.search(options.rows, name)):
        try:
            one = entry(name, *compare_row(table[name], base, tested, options.rounds), options)
        except RuntimeError as error:
            one = report.missing(name, "base", str(error))
        print(describe(one), flush=True)
        results["benchmarks"].append(one)
    if not results["benchmarks"]:
        print(f"no row matches {options.rows}")
        return 1
    beyond = [one for one in results["benchmarks"] if one.get("ratio", 2) > options.limit]
    print(f"{len(beyond)} of {len(results['benchmarks'])} rows are above {options.limit} or failed")
    print("\n".join(map(describe, beyond)))
    if options.out:
        if options.append:
            results = report.merge(options.out + ".json", results)
        write(results, options.out, list(table))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
