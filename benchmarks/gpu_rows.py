#!/usr/bin/env python3
"""Times TC on a CUDA device next to PyTorch eager, torch.compile and JAX.

All rivals of a row run in one process on the same tensors, alternately, round by
round, with a kernel of the same reads and writes and no arithmetic among them;
each result is compared with the row in f64 before it is timed. With --cache=warm
only single calls alternate, and nothing but these touches the cache. Every row has a
process of its own: one that fails is a line of the table, and the next row goes
on. Writes PREFIX.json and PREFIX.md after every row; with --append, rows that are
measured replace those of the files and the others stay.
"""

import argparse
import json
import logging
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The package in a build, and in a bundle that has this folder in it.
sys.path[:0] = [str(path) for path in (ROOT / "build/python", ROOT / "python") if (path / "tc").is_dir()]

import torch  # noqa: E402

import gpu_measure  # noqa: E402
import gpu_report  # noqa: E402
import gpu_rivals  # noqa: E402
import gpu_workloads  # noqa: E402
import measure  # noqa: E402
import report  # noqa: E402


def parse_options(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench --device=cuda", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", metavar="REGEX", help="rows whose name it is found in; default all")
    parser.add_argument("--rivals", default=",".join(gpu_rivals.ALL), metavar="LIST", help="default %(default)s")
    parser.add_argument("--libraries", default="", metavar="LIST",
                        help="that TC's code may call, as tc.compile names them; default those that a module lists")
    gpu_measure.add_cache_option(parser)
    parser.add_argument("--rounds", type=int, default=30, help="default %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="of inputs and weights, default %(default)s")
    parser.add_argument("--row-limit", type=float, default=240, metavar="SECONDS",
                        help="a row that takes longer has failed; default %(default)s")
    parser.add_argument("--out", default=str(ROOT / "benchmarks/results/cuda"), metavar="PREFIX",
                        help="default benchmarks/results/cuda")
    parser.add_argument("--append", action="store_true", help="keep the other rows of the files")
    parser.add_argument("--list", action="store_true", help="print the rows and stop")
    # What a row's own process is told: its name, and the file for its results.
    parser.add_argument("--row", help=argparse.SUPPRESS)
    parser.add_argument("--result", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    unknown = set(options.rivals.split(",")) - set(gpu_rivals.ALL)
    if unknown:
        parser.error(f"--rivals names {', '.join(sorted(unknown))}; known are {', '.join(gpu_rivals.ALL)}")
    return options


def judge(result, eager, exact, limit):
    """The errors of a result, and how it disagrees where it does; `limit` is that
    of measure.disagreement."""
    if result.shape != exact.shape:
        return {"disagrees": f"the result has shape {tuple(result.shape)}, expected {tuple(exact.shape)}"}
    difference = (result.double() - exact).abs_()
    figures = {"largest_error": difference.max().item(), "rms_error": difference.square().mean().sqrt().item()}
    del difference
    wrong = measure.disagreement(result, eager, exact, limit)
    return figures | ({"disagrees": wrong} if wrong else {})


def make_rival(rival, name, row, module, inputs, eager, exact, directory):
    """A rival's call, and what is known of it."""
    with torch.inference_mode(False), torch.no_grad():
        call = rival.make(name, row, module, inputs, directory)
        result = rival.to_torch(call()).clone()
    torch.cuda.synchronize()
    limit = measure.TC_LIMIT if isinstance(rival, gpu_rivals.TC) else measure.RIVAL_LIMIT
    return call, judge(result, eager, exact, limit) | rival.describe()


def measure_row(name, row, options, flush):
    """The entries of one row, one a rival."""
    from gpu_floors import Floor
    torch.manual_seed(options.seed)
    with torch.device("cuda"), torch.inference_mode(False), torch.no_grad():
        module, inputs = row.module().requires_grad_(False), row.inputs()
        eager, exact = module(*inputs), measure.exact_result(module, inputs)
    calls, extras, entries, versions = {}, {}, [], {}
    with tempfile.TemporaryDirectory() as directory:  # weights are mapped from files in it
        for rival_name in options.rivals.split(","):
            try:
                rival = gpu_rivals.ALL[rival_name]()
                calls[rival_name], extras[rival_name] = make_rival(rival, name, row, module, inputs, eager, exact,
                                                                   directory)
                versions["torch" if isinstance(rival, gpu_rivals.Eager) else rival_name] = rival.version
            except Exception as error:  # one rival's failure is a cell of the table
                if not isinstance(error, gpu_rivals.Unavailable):
                    traceback.print_exc()
                entries.append(gpu_report.missing(name, rival_name, (str(error) or repr(error)).splitlines()[0][:300]))
        written = eager.nbytes
        del eager, exact
        torch.cuda.empty_cache()
        is_cold = options.cache == "cold"
        if row.bytes and is_cold:
            floor = Floor(max(0, row.bytes - written), written, lambda call: gpu_measure.time_single(call, flush))
            calls |= {"floor": floor.call, "copy": floor.copy}
            extras |= {"floor": {"shape": floor.describe()}, "copy": {}}
        with torch.inference_mode(False), torch.no_grad():  # as when it was compiled: rivals check that
            single, warm = gpu_measure.interleave(calls, flush, options.rounds, measures_warm=is_cold)
    entries += [gpu_report.entry(name, row, rival_name, single, warm, extras[rival_name]) for rival_name in calls]
    return entries, versions


def run_row(options):
    """The work of a row's own process."""
    from gpu_floors import make_flush
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    gpu_rivals.TC.libraries = options.libraries
    torch.cuda.init()
    torch.zeros(1, device="cuda")  # makes the device's context current
    entries, versions = measure_row(options.row, gpu_workloads.rows()[options.row], options,
                                    make_flush(options.cache))
    context = gpu_report.context(options, options.result, versions)
    Path(options.result).write_text(json.dumps({"context": context, "benchmarks": entries}))
    return 0


def start_row(name, rivals, options):
    """The results of a row from a process of its own; a reason where there are none."""
    with tempfile.NamedTemporaryFile(suffix=".json") as result:
        command = [sys.executable, __file__, f"--row={name}", f"--result={result.name}", f"--rivals={','.join(rivals)}",
                   f"--libraries={options.libraries}", f"--cache={options.cache}", f"--rounds={options.rounds}",
                   f"--seed={options.seed}"]
        try:
            done = subprocess.run(command, timeout=options.row_limit)
        except subprocess.TimeoutExpired:
            return None, f"still running after {options.row_limit:.0f} seconds"
        text = Path(result.name).read_text()
    if done.returncode or not text:
        return None, f"the process of the row ended with status {done.returncode}"
    return json.loads(text), ""


def results_of(name, options):
    """The results of a row. Where its process fails, which may be for a kernel of
    TC's that leaves the device in error, once more without TC."""
    rivals = options.rivals.split(",")
    results, reason = start_row(name, rivals, options)
    if results:
        return results
    own = [rival for rival in rivals if rival.startswith("tc")]
    print(f"{name}: FAILED: {reason}", flush=True)
    others = [rival for rival in rivals if rival not in own]
    if own and others:
        results, _ = start_row(name, others, options)
    results = results or {"context": gpu_report.context(options, "", {}), "benchmarks": []}
    results["benchmarks"] += [gpu_report.missing(name, rival, reason) for rival in own or rivals]
    return results


def main(arguments):
    options = parse_options(arguments)
    if options.row:
        return run_row(options)
    table = list(gpu_workloads.rows())
    names = [name for name in table if re.search(options.rows, name)]
    if options.list or not names:
        print("\n".join(table) if options.list else f"no row matches {options.rows}")
        return 0 if options.list else 1
    if not torch.cuda.is_available():
        print("error: torch finds no CUDA device")
        return 1
    if options.append and (reason := gpu_report.other_table(options)):
        print(f"error: --append: {reason}")
        return 1
    command = shlex.join(["./dev", "bench", "--device=cuda", *arguments])
    failed, is_first = 0, not options.append
    for name in names:
        results = results_of(name, options)
        results["context"]["executable"] = command
        print(f"{name}\n{gpu_report.summary(results['benchmarks'])}", flush=True)
        failed += any(one["rival"] == "tc" and ("error_message" in one or "disagrees" in one)
                      for one in results["benchmarks"])
        if not is_first:
            results = report.merge(options.out + ".json", results)
        is_first = False
        gpu_report.write(results, options.out, table, gpu_rivals.RIVALS)
    print(f"{len(names)} rows, TC failed or disagreed in {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
