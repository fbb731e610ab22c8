#!/usr/bin/env python3
"""Runs small modules on a device and compares them with the reference interpreter.

usage: check_device.py [--device=cpu|cuda] [--mode=default|reduce-overhead] [--target=TARGET] [--tools=DIR] [--sample=N] [FILTER...]

Every function of the .mlir files in Inputs, every command of the examples, every run of the tests of tc-run and every archive of a model or of an
operator's sample goes through `tc-run --check`. Nothing stops at a failure: one table says what passed, then the texts of the failures follow.
Comments above a function:

  types: f32 bf16           run it once for each, in place of the first
  sizes: n=0 n=3,m=5        run it once for each choice of symbolic sizes
  fails: TEXT               the call has to fail with a message that has TEXT
  refused by DEVICE: TEXT   so has the compilation, for that device alone

Only the standard library is used. Exit status 1 when anything failed.
"""

import argparse
import array
import concurrent.futures
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT_SECONDS = 120  # unless --limit says otherwise
PARAMETER = re.compile(r"^tc\.parameter_source .*\n", re.MULTILINE)
FUNCTION = re.compile(r"((?:^//.*\n)*)^func\.func @(\w+)", re.MULTILINE)


@dataclass
class Case:
    """One run of tc-run."""
    name: str
    arguments: list
    fails: str = ""  # text of the message when the run has to fail
    refused: str = ""  # text of the message when the device has to refuse it
    passed: bool = False
    kernels: list = field(default_factory=list)
    difference: str = ""
    error: str = ""


def notes(comment):
    """The lines `key: value` of the comment above a function."""
    return dict(re.findall(r"^// (types|sizes|fails|refused by \w+): (.*)$", comment, re.MULTILINE))


def module_cases(path, device, scratch):
    text = path.read_text()
    for comment, function in FUNCTION.findall(text):
        note = notes(comment)
        types = note.get("types", "").split()
        for kind in types or [""]:
            # Alone, so that what one function fails with is not another's.
            body = text[re.search(rf"^func\.func @{function}\b", text, re.MULTILINE).start():]
            body = "".join(PARAMETER.findall(text)) + body[:body.index("\n}\n") + 3]
            if kind:
                body = re.sub(rf"(?<![a-z0-9]){types[0]}\b|(?<=x){types[0]}\b", kind, body)
            file = scratch / f"{path.stem}-{function}-{kind}.mlir"
            file.write_text(body)
            for sizes in note.get("sizes", "").split() or [""]:
                words = [*(f"--size={size}" for size in sizes.split(",") if size)]
                yield Case(" ".join(filter(None, [f"{path.stem}.{function}", kind, sizes])),
                           [str(file), "--random-inputs=0", "--check", *words],
                           note.get("fails", ""), note.get(f"refused by {device}", ""))


def example_cases(folder):
    for path in sorted(folder.glob("*.mlir")):
        for line in path.read_text().splitlines():
            if line.startswith("// $ tc-run "):
                words = shlex.split(line)[3:]
                yield Case("examples/" + " ".join([path.stem, *words[1:]])[:48], [str(path), *words[1:]])


# What a test of tc-run says about something else than results: other phases, targets, files and texts.
OTHER_OPTIONS = re.compile(r"--(compile-to|print|explain|benchmark|expected_output|output|target|threads|device|profile|trace|phase|from|seed-"
                           r"|object|parameters|save|dump)")
DROPPED_OPTIONS = re.compile(r"--(target|threads|benchmark_min_time|output|profile)(=|$)")


def test_cases(folder):
    """The runs of the tests of tc-run: their RUN lines without what follows a pipe, each compared with the interpreter once."""
    for path in sorted(folder.glob("*.mlir")):
        # A module with kernels has gone through the phase that chooses schedules, for a CPU.
        if re.search(r"^\s*(%\S+ = )?tc\.(kernel|launch) ", path.read_text(), re.MULTILINE):
            continue
        seen = set()
        for line in re.findall(r"^// RUN: tc-run %s (.*)$", path.read_text(), re.MULTILINE):
            words = [word for word in shlex.split(re.split(r"\||\s2?>", line)[0]) if not DROPPED_OPTIONS.match(word)]
            key = tuple(word for word in words if word != "--check")
            if any(OTHER_OPTIONS.match(word) or "%" in word for word in words) or key in seen:
                continue
            seen.add(key)
            yield Case(f"tc-run/{path.stem} " + " ".join(key), [str(path), *key, "--check"])


def archive_cases(folder):
    """The archives that write_archives.py has written: FOLDER/NAME/model.pt2 and input-0.npy, input-1.npy and so on."""
    for path in sorted(folder.glob("**/model.pt2")):
        inputs = sorted(path.parent.glob("input-*.npy"), key=lambda file: int(file.stem.split("-")[1]))
        yield Case("archives/" + str(path.parent.relative_to(folder)),
                   [str(path), *(f"--input=@{file}" for file in inputs), "--check"])


def assemble(case, tool, chip):
    """Only generates the kernels' PTX and hands it to ptxas."""
    words = [word for word in case.arguments if word != "--check" and not word.startswith("--output")]
    command = [tool, *words, f"--target=cuda:{chip}", "--print-assembly"]
    made = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LIMIT_SECONDS)
    case.kernels = re.findall(r"\.entry (\w+)", made.stdout)
    status, error = made.returncode, made.stderr
    for kernel in re.findall(r"^(//\n// Generated by LLVM.*?)(?=^//---|\Z)", made.stdout, re.MULTILINE | re.DOTALL):
        done = subprocess.run(["ptxas", f"-arch={chip}", "-o", "/dev/null", "-"], input=kernel, capture_output=True,
                              text=True)
        status, error = status or done.returncode, error + done.stdout + done.stderr
    judge(case, status, error, "", command, case.refused)


def run(case, tool, device, mode, limit=LIMIT_SECONDS, target=None):
    command = [tool, *case.arguments, f"--device={device}", *([f"--target={target}"] if target else []), f"--mode={mode}", "--print-kernels", "--benchmark_min_time=0.01"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit)
        status, output, error = result.returncode, result.stdout, result.stderr
    except subprocess.TimeoutExpired:
        status, output, error = 124, "", f"still running after {limit} seconds"
    # Each kernel once, though --check and --print-kernels both list them.
    case.kernels = list(dict.fromkeys(re.findall(r"^(?:\d+|once) +(\w+)  ", output, re.MULTILINE)))
    case.difference = ", ".join(re.findall(r"largest difference (\S+) absolute", output))
    judge(case, status, error, output, command, case.refused or case.fails)


def judge(case, status, error, output, command, message):
    """Fills in whether the command went as it has to: with exit status 0, or 1 and `message`."""
    case.passed = status == 1 and message in error if message else status == 0
    if not case.passed:
        wanted = f"expected exit status 1 and '{message}', got " if message else ""
        text = f"$ {shlex.join(command)}\n{wanted}exit status {status}\n{error}{output}"
        case.error = text.strip()[:4000]


def find_tool(folder):
    for place in filter(None, [folder, HERE.parent / "bin", HERE.parents[1] / "build/bin"]):
        if (Path(place) / "tc-run").exists():
            return str(Path(place) / "tc-run")
    return shutil.which("tc-run") or sys.exit("error: there is no tc-run; give its folder with --tools=")


def find_folders(name):
    """Of a bundle, next to this script; of a checkout, next to its folder."""
    return [path for path in (HERE / name, HERE.parent / name) if path.is_dir()]


def find_examples():
    return next(path for path in (HERE.parent / "examples", HERE.parents[1] / "examples") if path.is_dir())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cuda")
    parser.add_argument("--mode", choices=["default", "reduce-overhead"], default="default",
                        help="of tc-run; what is compared in reduce-overhead is the result of a CUDA graph")
    parser.add_argument("--tools", help="folder of tc-run")
    parser.add_argument("--target", help="generate code for an older target, such as cuda:sm_80; default the device's own")
    parser.add_argument("--assemble", metavar="CHIP", help="run nothing: generate PTX for a chip such as sm_90a and hand "
                        "it to ptxas")
    parser.add_argument("--archives", action="append", default=[], metavar="DIR",
                        help="also run the archives that write_archives.py has written to a folder")
    parser.add_argument("--without", action="append", default=[], metavar="TEXT",
                        help="leave out the cases whose name has this text")
    parser.add_argument("--sample", type=int, metavar="N", help="run N of the cases, drawn by --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int, default=LIMIT_SECONDS, help="seconds that a case may take")
    parser.add_argument("--jobs", type=int, default=1, help="cases that run at the same time")
    parser.add_argument("filter", nargs="*", help="run the cases whose name has one of these texts")
    options = parser.parse_args()
    tool = find_tool(options.tools)
    with tempfile.TemporaryDirectory() as scratch:
        weights = array.array("f", (((i * 37) % 101 - 50) / 64 for i in range(4096)))
        (Path(scratch) / "weights.bin").write_bytes(weights.tobytes())
        cases = [case for path in sorted((HERE / "Inputs").glob("*.mlir"))
                 for case in module_cases(path, options.device, Path(scratch))]
        cases += example_cases(find_examples())
        cases += [case for folder in find_folders("tc-run") for case in test_cases(folder)]
        cases += [case for folder in [*find_folders("archives"), *options.archives] for case in archive_cases(Path(folder))]
        if options.filter:
            cases = [case for case in cases if any(text in case.name for text in options.filter)]
        cases = [case for case in cases if not any(text in case.name for text in options.without)]
        if options.sample is not None and options.sample < len(cases):
            drawn = random.Random(options.seed).sample(range(len(cases)), options.sample)
            cases = [cases[i] for i in sorted(drawn)]
        print(f"{'result':6}  {'case':48}  {'kernels':40}  difference", flush=True)

        def finish(case):
            if options.assemble:
                assemble(case, tool, options.assemble)
            else:
                run(case, tool, options.device, options.mode, options.limit, options.target)
            return case

        for case in concurrent.futures.ThreadPoolExecutor(options.jobs).map(finish, cases):
            outcome = "failed" if not case.passed else "refused" if case.refused else "pass"
            print(f"{outcome:7} {case.name[:96]:48}  {' '.join(case.kernels)[:40]:40}  {case.difference}", flush=True)
    for case in cases:
        if not case.passed:
            print(f"\n--- {case.name}\n{case.error}")
    failed = sum(not case.passed for case in cases)
    print(f"\n{len(cases)} cases on {options.device}, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
