#!/usr/bin/env python3
"""Runs recorded models on a device and compares them with what eager PyTorch gave.

usage: check_models.py FOLDER [--device=cuda] [--tools=DIR] [--jobs=8] [--seconds=200] [--summary=FILE] [FILTER...]

FOLDER is what `write_archives.py FOLDER --samples=0 --models` has written where PyTorch and transformers are. Each call of each model runs in a
process of tc-run, and its results have to agree with eager PyTorch by the rule of the tests (agreement.py): within the tolerances of
torch.testing.assert_close, or as near as eager itself, up to a tenth, to the results in f64 of the same inputs. Nothing stops at a failure: one
table says what agrees, what TC refuses by name, and what failed; the texts of refusals and failures follow. Needs PyTorch and numpy. Exit status 1
when anything failed or none ran.
"""

import argparse
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / "python/models")]  # in a bundle the rule lies beside this file

import agreement  # noqa: E402
import check_device  # noqa: E402
import seeded_weights  # noqa: E402
import torch  # noqa: E402

OUTCOMES = ("agrees", "refused", "failed", "not run")
# What the models are, by the folder that write_archives.py gives them.
GROUPS = {"tests": "models of the tests", "plain": "plain PyTorch", "transformers": "types of transformers"}


@dataclass
class Model:
    """A folder with a model, and how it went."""
    folder: Path
    name: str
    outcome: str = "not run"
    text: str = ""
    difference: float = 0.0  # the largest, of results in floating point
    seconds: float = 0.0

    @property
    def group(self):
        first = re.split(r"[/.]", self.name)[0]
        return first if first in GROUPS else "transformers"

    @property
    def calls(self):
        others = sorted(self.folder.glob("call-*"), key=lambda folder: int(folder.name.split("-")[1]))
        return [self.folder, *others]


def find_models(root):
    """All of a folder, those of the tests first."""
    found = []
    for pattern in ("models/**/model.pt2", "**/model.pt2"):
        found = found or [path.parent for path in root.glob(pattern)]
    start = root / "models" if (root / "models").is_dir() else root
    models = [Model(folder, str(folder.relative_to(start))) for folder in found]
    return sorted(models, key=lambda model: (list(GROUPS).index(model.group), model.name))


def files(folder, kind):
    """FOLDER/KIND-0.npy, KIND-1.npy and so on, by number."""
    found = {int(path.stem.split("-")[-1]): path for path in folder.glob(f"{kind}-*.npy")}
    return dict(sorted(found.items()))


def expected(folder):
    """What PyTorch gave, and in f64: None for a result without one."""
    eager = [agreement.from_npy(path) for path in files(folder, "eager").values()]
    exact = files(folder, "exact")
    return eager, [agreement.from_npy(exact[index]) if index in exact else None for index in range(len(eager))]


def largest_difference(actual, eager):
    pairs = [(ours.double(), theirs.double()) for ours, theirs in zip(actual, eager)
             if theirs.is_floating_point() and ours.shape == theirs.shape and theirs.numel()]
    return max(((a - b).nan_to_num(0.0, 0.0, 0.0).abs().max().item() for a, b in pairs), default=0.0)


def run_call(model, archive, folder, scratch, options):
    """Whether a call agrees; otherwise it fills in the model's outcome."""
    eager, exact = expected(folder)
    outputs = [scratch / f"output-{index}.npy" for index in range(len(eager))]
    command = [options.tool, str(archive), *(f"--input=@{path}" for path in files(folder, "input").values()),
               *(f"--output=@{path}" for path in outputs), f"--device={options.device}"]
    environment = {**os.environ, "TC_CACHE_DIR": str(scratch / "cache")}
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=options.limit, env=environment)
        status, error = done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        status, error = 124, f"still running after {options.limit} seconds"
    call = folder.relative_to(model.folder.parent)
    if status != 0:
        model.outcome = "refused" if status == 1 and agreement.REFUSED.search(error) else "failed"
        model.text = f"{call}: exit status {status}\n$ {shlex.join(command)}\n{error.strip()[:3000]}"
        return False
    actual = [agreement.from_npy(path, result.dtype) for path, result in zip(outputs, eager)]
    model.difference = max(model.difference, largest_difference(actual, eager))
    wrong = agreement.differences(actual, eager, exact)
    if wrong and (folder / "first-of-equal").is_dir() and not agreement.differences(actual, *expected(folder / "first-of-equal")):
        wrong = []
    if wrong:
        model.outcome, model.text = "failed", f"{call}:\n" + "\n".join(wrong)[:3000]
    return not wrong


def run(model, options):
    begin = time.monotonic()
    if options.seconds is not None and begin - options.begin > options.seconds:
        return model
    with tempfile.TemporaryDirectory() as scratch:
        archive = seeded_weights.restore(model.folder, Path(scratch) / "model.pt2")
        if all(run_call(model, archive, folder, Path(scratch), options) for folder in model.calls):
            model.outcome = "agrees"
    model.seconds = time.monotonic() - begin
    return model


def count(models, outcome):
    return sum(model.outcome == outcome for model in models)


def summary(models, options):
    """A page that says which models run on the device."""
    lines = [f"# Models on {options.device}", "",
             f"<!-- Written by test/Device/check_models.py --device={options.device} --summary; run it again instead of editing. -->", "",
             options.title, "",
             "Compared with eager PyTorch on the CPU by the rule of the tests: within the tolerances of `torch.testing.assert_close`, or with "
             "an error (root mean square, against f64) at most 1.1 times eager's own and a tenth of a unit in the last place.", "",
             "| models | " + " | ".join(OUTCOMES) + " |", "|---|" + "---|" * len(OUTCOMES)]
    for group, title in GROUPS.items():
        part = [model for model in models if model.group == group]
        lines.append(f"| {title} | " + " | ".join(str(count(part, outcome)) for outcome in OUTCOMES) + " |")
    for outcome in OUTCOMES[1:]:
        part = [model for model in models if model.outcome == outcome]
        if part:
            lines += ["", f"## {outcome.capitalize()}", "", *(f"- {model.name}" for model in part)]
    for group, title in GROUPS.items():
        part = [model.name for model in models if model.group == group and model.outcome == "agrees"]
        if part:
            lines += ["", f"## Agrees: {title}", "", ", ".join(part)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", choices=["cpu", "cuda", "reference"], default="cuda")
    parser.add_argument("--tools", help="folder of tc-run")
    parser.add_argument("--jobs", type=int, default=1, help="models that run at the same time")
    parser.add_argument("--limit", type=int, default=check_device.LIMIT_SECONDS, help="seconds that a call may take")
    parser.add_argument("--seconds", type=float, help="begin no model after so many seconds")
    parser.add_argument("--summary", type=Path, help="also write a page in Markdown")
    parser.add_argument("--title", default="", help="what the page says first: the date and the hardware")
    parser.add_argument("--without", action="append", default=[], metavar="TEXT", help="leave out the models whose name has this text")
    parser.add_argument("filter", nargs="*", help="run the models whose name has one of these texts")
    options = parser.parse_intermixed_args()
    options.tool, options.begin = check_device.find_tool(options.tools), time.monotonic()
    torch.set_num_threads(1)
    models = [model for model in find_models(options.folder)
              if (not options.filter or any(text in model.name for text in options.filter))
              and not any(text in model.name for text in options.without)]
    print(f"{'result':7}  {'model':72}  calls  seconds  difference", flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for model in pool.map(lambda model: run(model, options), models):
            print(f"{model.outcome:7}  {model.name[:72]:72}  {len(model.calls):5}  {model.seconds:7.1f}  {model.difference:.3g}", flush=True)
    for model in models:
        if model.text:
            print(f"\n--- {model.outcome}: {model.name}\n{model.text}")
    print(f"\n{len(models)} models on {options.device}: " + ", ".join(f"{count(models, outcome)} {outcome}" for outcome in OUTCOMES))
    if options.summary:
        options.summary.write_text(summary(models, options))
    return 1 if count(models, "failed") or not count(models, "agrees") else 0


if __name__ == "__main__":
    sys.exit(main())
