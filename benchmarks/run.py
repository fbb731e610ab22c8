#!/usr/bin/env python3
"""Times TC next to PyTorch eager, torch.compile, JAX, ONNX Runtime, OpenVINO and IREE.

All of them run in this process on the same inputs and as many threads, alternately,
round by round; results are compared before anything is timed. Writes PREFIX.json
and PREFIX.md; with --append, rows that are measured replace those of the files
and the others stay, so that a long table can be made in parts.
"""

import argparse
import logging
import re
import shlex
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "build" / "python")]

import torch  # noqa: E402

import measure  # noqa: E402
import report  # noqa: E402
import rivals  # noqa: E402
import workloads  # noqa: E402
from floors import Floors  # noqa: E402


def parse_options(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", metavar="REGEX", help="rows whose name it is found in; default all")
    parser.add_argument("--rivals", default=",".join(rivals.ALL), metavar="LIST",
                        help="with tc, which has to be among them: %(default)s")
    parser.add_argument("--rounds", type=int, default=30, help="default %(default)s")
    parser.add_argument("--threads", type=int, default=2, help="default %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="of inputs and weights, default %(default)s")
    parser.add_argument("--out", default=str(ROOT / "benchmarks" / "results" / "cpu"), metavar="PREFIX",
                        help="default benchmarks/results/cpu")
    parser.add_argument("--append", action="store_true", help="keep the other rows of the files")
    parser.add_argument("--list", action="store_true", help="print the rows and stop")
    options = parser.parse_args(arguments)
    unknown = set(options.rivals.split(",")) - set(rivals.ALL)
    if unknown:
        parser.error(f"--rivals names {', '.join(sorted(unknown))}; known are {', '.join(rivals.ALL)}")
    return options


def start_rivals(options):
    """The rivals that are installed; prints why others are not."""
    started = {}
    for name in options.rivals.split(","):
        try:
            started[name] = rivals.ALL[name](options.threads)
        except rivals.Unavailable as reason:
            print(f"without {name}: {reason}", flush=True)
    return started


def measure_row(name, row, started, floors, options):
    """The entries of one row, one a rival."""
    torch.manual_seed(options.seed)
    with torch.inference_mode(False):  # what is made in inference mode cannot be captured
        module, inputs = row.module().requires_grad_(False), row.inputs()
    eager, exact = module(*inputs), measure.exact_result(module, inputs)
    calls, entries = {}, []
    # The archive and the ONNX model must outlive the calls: weights are mapped.
    with tempfile.TemporaryDirectory() as directory:
        for rival_name, rival in started.items():
            try:
                # Nor can anything be captured in inference mode.
                with torch.inference_mode(False), torch.no_grad():
                    call = rival.make(name, module, inputs, directory)
                wrong = measure.disagreement(rival.to_torch(call()), eager, exact,
                                             measure.TC_LIMIT if rival_name == "tc" else measure.RIVAL_LIMIT)
                if wrong:
                    raise RuntimeError(f"disagrees: {wrong}")
                calls[rival_name] = call
            except Exception as error:  # one rival's failure is a cell of the table
                entries.append(report.missing(name, rival_name, str(error).splitlines()[0] if str(error) else repr(error)))
        floors.start(row)
        seconds = measure.interleave(calls, floors, options.rounds)
        floor = floors.finish()
        extra = floor | started["tc"].describe() if "tc" in calls else floor
    for rival_name, times in seconds.items():
        entries.append(report.entry(name, rival_name, times, seconds.get("tc"), options.threads,
                                    extra if rival_name == "tc" else {}))
    return entries


def summary(entries):
    cells = []
    for one in entries:
        if "real_time" in one:
            ratio = f" ({one['ratio']:.2f}x)" if "ratio" in one else ""
            cells.append(f"{one['rival']} {one['real_time'] / 1e6:.3f} ms{ratio}")
        else:
            cells.append(f"{one['rival']}: {one['error_message']}")
    return "; ".join(cells)


def main(arguments):
    options = parse_options(arguments)
    table = workloads.rows()
    names = [name for name in table if re.search(options.rows, name)]
    if options.list or not names:
        print("\n".join(table) if options.list else f"no row matches {options.rows}")
        return 0 if options.list else 1
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    started = start_rivals(options)
    floors = Floors(options.threads)
    command = shlex.join(["./dev", "bench", *arguments])
    results = {"context": report.context(options, command, {name: one.version for name, one in started.items()}),
               "benchmarks": []}
    with torch.inference_mode():
        for name in names:
            entries = measure_row(name, table[name], started, floors, options)
            print(f"{name}: {summary(entries)}", flush=True)
            results["benchmarks"] += entries
    if options.append:
        results = report.merge(options.out + ".json", results)
    report.write(results, options.out, list(table))
    failed = [one for one in results["benchmarks"] if one["rival"] == "tc" and "error_message" in one]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
