#!/usr/bin/env python3
"""Times a kernel of a module on a CUDA device with other schedules than the chosen one.

Each schedule is the chosen one with some fields changed, such as 'rows = 64, keys = 64';
a field that has its default is left out of the text, so it may be one that the chosen
schedule does not print. They are changed before bufferization, which gives a kernel the
workspace of its schedule and adds copies; those keep their schedules. tc-run times each
of them, round by round in turns; a schedule that the kernel cannot have is a line with
the reason. Inputs are random.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = next((path for path in (ROOT / "build/bin", ROOT / "bin") if (path / "tc-run").exists()), None)


def parse_options(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench schedules --device=cuda", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", help="MLIR text, or a .pt2 file")
    parser.add_argument("schedules", nargs="+", metavar="FIELDS", help="fields and values, separated by commas")
    parser.add_argument("--kernel", default="", metavar="NAME", help="the kernel; default the first one that has a schedule")
    parser.add_argument("--target", default="cuda:sm_90a", help="default %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="default %(default)s")
    return parser.parse_args(arguments)


def with_fields(module, kernel, fields):
    """The text of a module, whose kernel `kernel`, or the first, has a schedule with
    these fields; the schedule itself as well."""
    name = re.escape(kernel) or '[^"]*'
    found = re.search(rf'tc\.kernel "{name}" [^\n]*?schedule (#tc\.\w+)<([^>]*)>', module)
    if not found:
        raise ValueError(f"the module has no kernel {kernel or 'with a schedule'}; expected one of "
                         + (", ".join(re.findall(r'tc\.kernel "([^"]*)"', module)) or "those of a fused module"))
    values = dict(re.findall(r"(\w+) = ((?:\[[^]]*\]|[^,\[])+)", found[2]))
    for field in filter(None, map(str.strip, fields.split(","))):
        name, equals, value = map(str.strip, field.partition("="))
        if not (name and equals and value):
            raise ValueError(f"'{field}' is no field of a schedule; expected NAME = VALUE")
        values[name] = value
    schedule = f"{found[1]}<{', '.join(f'{name} = {value}' for name, value in values.items())}>"
    return module[:found.start(1)] + schedule + module[found.end(2) + 1:], schedule


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"tc-run ended with status {done.returncode}")
    return done.stdout


def microseconds(path):
    """The median of single calls on the device."""
    report = json.loads(run(TOOLS / "tc-run", path, "--device=cuda", "--libraries=none", "--random-inputs=1", "--benchmark",
                            "--benchmark_format=json"))
    median = next(one for one in report["benchmarks"] if one.get("aggregate_name") == "median")
    return median["real_time"] * {"ns": 1e-3, "us": 1, "ms": 1e3}[median["time_unit"]]


def main(arguments):
    options = parse_options(arguments)
    if not TOOLS:
        print(f"error: there is no tc-run in {ROOT / 'build/bin'} or {ROOT / 'bin'}; build it first")
        return 1
    try:
        module = run(TOOLS / "tc-run", options.module, f"--target={options.target}", "--libraries=none", "--compile-to=fuse")
        texts = [with_fields(module, options.kernel, fields) for fields in ("", *options.schedules)]
    except (RuntimeError, ValueError) as error:
        print(f"error: {error}")
        return 1
    times, reasons = {}, {}
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "module.mlir"
        for _ in range(options.rounds):
            for text, schedule in texts:
                path.write_text(text)
                try:
                    time = microseconds(path)
                    times.setdefault(schedule, []).append(time)
                except RuntimeError as error:
                    reasons[schedule] = str(error).splitlines()[-1][:200]
    chosen = statistics.median(times.get(texts[0][1], [float("nan")]))
    for _, schedule in texts:
        if schedule in times:
            time = statistics.median(times[schedule])
            print(f"{time:10.1f} us  {chosen / time:6.3f} of the chosen one  {schedule}")
        else:
            print(f"{'failed':>13}  {reasons[schedule]}  {schedule}")
    return 0 if times else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
