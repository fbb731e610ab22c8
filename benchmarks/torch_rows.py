"""What the tables of torch.compile share: rivals, options, a process for each measurement, times in alternation.

A measurement is one or more rows. Its process runs the script again with --row, and begins with nothing in the caches on
disk. The script gives what measures there, and what writes the files after each measurement.
"""

import argparse
import json
import logging
import os
import shlex
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The package in a build, and in a bundle that has this folder in it; else an installed one.
sys.path[:0] = [str(path) for path in (ROOT / "build/python", ROOT / "python") if (path / "tc").is_dir()]

import torch  # noqa: E402

import gpu_measure  # noqa: E402
import measure  # noqa: E402
import report  # noqa: E402
import torch_compile_report  # noqa: E402

# Inductor's modes that are measured unless the command names others.
INDUCTOR = {"cpu": ("default",), "cuda": ("default", "reduce-overhead")}


@dataclass(frozen=True)
class Measurement:
    """The rows that one process measures, and what names it in the arguments of that process."""

    rows: list[str]
    arguments: list[str]


def rivals(device, modes=None):
    """What torch.compile is given, by the name in the table. Eager and capture alone first; Inductor in some of its modes."""
    from tc.torch_backend import backend
    own = {"tc": {"backend": backend}}
    if device == "cuda":
        own["tc reduce-overhead"] = {"backend": backend, "mode": "reduce-overhead"}
    inductor = {mode: {"mode": mode} for mode in modes or INDUCTOR[device]}
    return {"eager": None, "aot_eager": {"backend": "aot_eager"}} | inductor | own


def make_parser(script, description, row_limit=600):
    """With the options that all tables have."""
    parser = argparse.ArgumentParser(prog=f"benchmarks/{Path(script).name}", description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=list(INDUCTOR), default="cpu", help="default %(default)s")
    parser.add_argument("--rounds", type=int, default=30, help="default %(default)s")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of the CPU, default %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="of inputs and weights, default %(default)s")
    parser.add_argument("--row-limit", type=float, default=row_limit, metavar="SECONDS",
                        help="a row that takes longer has failed; default %(default)s")
    parser.add_argument("--out", metavar="PREFIX", help=f"default benchmarks/results/{Path(script).stem}_DEVICE")
    parser.add_argument("--append", action="store_true", help="keep the other rows of the files")
    # What the process of a measurement is told: its name, and the file for its results.
    parser.add_argument("--row", help=argparse.SUPPRESS)
    parser.add_argument("--result", help=argparse.SUPPRESS)
    return parser


def read_options(parser, arguments):
    options = parser.parse_args(arguments)
    options.out = options.out or str(ROOT / f"benchmarks/results/{Path(parser.prog).stem}_{options.device}")
    return options


def synchronize(device):
    if device == "cuda":
        torch.cuda.synchronize()


def why_failed(error):
    """The first line of an error, as a cell of the table."""
    return (str(error) or repr(error)).splitlines()[0][:300]


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


def run_measurement(options, entries_of):
    """The work of the process of a measurement; `entries_of` gives the entries of its rows."""
    import tc
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(options.threads)
    tc.set_thread_count(options.threads)
    torch.backends.cuda.matmul.allow_tf32 = False
    versions = {"torch": torch.__version__, "tc": tc.__version__}
    if options.device == "cuda":
        torch.zeros(1, device="cuda")
    entries = entries_of(options)
    about = torch_compile_report.context(options, "", versions)
    Path(options.result).write_text(json.dumps({"context": about, "benchmarks": entries}))
    return 0


def results_of(script, measurement, options):
    """The results of a measurement, from a process of its own with empty caches."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, script, f"--device={options.device}", *measurement.arguments, f"--result={result}",
                   f"--rounds={options.rounds}", f"--threads={options.threads}", f"--seed={options.seed}"]
        caches = {"TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor", "TRITON_CACHE_DIR": f"{folder}/triton", "TC_CACHE_DIR": f"{folder}/tc"}
        try:
            status = subprocess.run(command, timeout=options.row_limit, env=os.environ | caches).returncode
            if status == 0:
                return json.loads(result.read_text())
            reason = f"the process of the row ended with status {status}"
        except subprocess.TimeoutExpired:
            reason = f"still running after {options.row_limit:.0f} seconds"
    return {"context": torch_compile_report.context(options, "", {}),
            "benchmarks": [report.missing(name, "tc", reason) for name in measurement.rows]}


def run_all(script, measurements, options, arguments, write):
    """Measures, prints each row, and gives `write` the results after each measurement. In how many measurements TC failed."""
    failed, is_first = 0, not options.append
    for measurement in measurements:
        results = results_of(script, measurement, options)
        results["context"]["executable"] = shlex.join([f"benchmarks/{Path(script).name}", *arguments])
        for name in measurement.rows:
            print(torch_compile_report.summary(name, [one for one in results["benchmarks"] if one["run_name"] == name]), flush=True)
        failed += any(one["rival"].startswith("tc") and ("error_message" in one or "disagrees" in one) for one in results["benchmarks"])
        if not is_first:
            results = report.merge(options.out + ".json", results)
        is_first = False
        write(results)
    return failed
