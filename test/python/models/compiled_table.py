#!/usr/bin/env python3
"""Runs architectures through torch.compile(backend="tc"), in evaluation and a step of training, and writes what became of each.

usage: compiled_table.py [--device=cpu] [--jobs=N] [--ways=eval,train] [--every=N] [--seconds=N] [--limit=N]
                         --output=FILE.jsonl [--table=FILE.md] [NAME...]

Names are those of architecture.py; by default all types of transformers with a small configuration, and all kinds of
plain_models.py; with --every=N each N-th of them. Lines are written to the output as they come; a run goes on where the
last one of the same output was stopped, and no model is begun after --seconds.
"""

import argparse
import json
import queue
import re
import subprocess
import sys
import threading
import time
import zlib
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUTCOMES = ("right", "falls back", "as captured", "ill-conditioned", "wrong", "error", "slow", "skipped")
FOLDERS = re.compile(r"/\S*/(?=test/python/|transformers/|torchaudio/|tc-failure)")  # of the machine
AT_ONCE = 8  # names of one process, which loads PyTorch once for all


def all_names():
    sys.path.insert(0, str(HERE))
    import plain_models
    import small_configurations
    return [f"plain/{kind}" for kind in plain_models.KINDS] + list(small_configurations.model_types())


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run_all(names, options):
    """Appends the line of each model and way to the output, with the name that was asked for."""
    waiting, lock = queue.Queue(), threading.Lock()
    for first in range(0, len(names), AT_ONCE):
        waiting.put(names[first:first + AT_ONCE])
    deadline = time.monotonic() + options.seconds

    def serve():
        while time.monotonic() < deadline:
            try:
                part = waiting.get_nowait()
            except queue.Empty:
                return
            # Memory of a device is mapped, too, and counts as data of the process.
            gibibytes = 6 if options.device == "cpu" else 4000
            command = [sys.executable, HERE / "architecture.py", f"--ways={options.ways}", f"--device={options.device}",
                       str(options.limit), str(gibibytes), *part]
            process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            for line in process.stdout:
                if line.startswith("{"):
                    entry = json.loads(line)
                    asked = next((name for name in part if entry["name"] in (name, f"{name}/{entry['name'].partition('/')[2]}")),
                                 entry["name"])
                    with lock, options.output.open("a") as output:
                        output.write(json.dumps({"asked": asked, **entry}) + "\n")
            process.wait()

    threads = [threading.Thread(target=serve) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def table(lines, device):
    from conditioning import LARGEST_CHANGE, NEIGHBOURS, most_outside

    ways = [way for way in ("eval", "train", "both") if any(line["way"] == way for line in lines)]
    text = [HEAD.format(device={"cpu": "a CPU", "cuda": "a GPU"}[device], neighbours=NEIGHBOURS, change=LARGEST_CHANGE,
                        most_of_one=most_outside(1), most_of_many=most_outside(100)),
            "| | models | " + " | ".join(OUTCOMES) + " |", "|---|---|" + "---|" * len(OUTCOMES)]
    for way in ways:
        counts = Counter(line["outcome"] for line in lines if line["way"] == way)
        text.append(f"| {way} | {counts.total()} | " + " | ".join(str(counts[one]) for one in OUTCOMES) + " |")
    text += ["", "## Others", "", "| model | way | outcome | why |", "|---|---|---|---|"]
    for line in sorted(lines, key=lambda line: (-OUTCOMES.index(line["outcome"]), line["name"])):
        if line["outcome"] != "right":
            why = FOLDERS.sub("", " ".join(line["text"].split()))[:200].replace("|", "\\|")
            text.append(f"| {line['name']} | {line['way']} | {line['outcome']} | {why} |")
    right = sorted({line["name"] for line in lines} - {line["name"] for line in lines if line["outcome"] != "right"})
    return "\n".join([*text, "", "## Right in all ways", "", ", ".join(right)]) + "\n"


HEAD = """# Models through torch.compile(backend="tc") on {device}

<!-- Written by test/python/models/compiled_table.py; run it again instead of editing. -->

Small configurations of architectures of transformers, and models in plain PyTorch, with random weights. "eval" compares the
results of a call in evaluation, "train" the results, all gradients and all parameters after a step of training (forward,
backward of the mean of the squares of the results, AdamW), without dropout. Right: every tensor agrees with eager PyTorch by
its own tolerances, or has a root mean square error against f64 of at most 1.1 of eager's and 0.1 units in the last place, and no
call was left to PyTorch; which of equal elements `topk` takes is open, and f64 has no rounding in between where a model fixes
element types. Falls back: the same, but PyTorch ran some calls. As captured: another result than eager PyTorch's,
and that of torch.compile without a compiler (`aot_eager`). Ill-conditioned: floating-point results are further from f64 than
that, but by chance (`conditioning.py`). The measure is {neighbours} neighbours, models whose parameters and floating-point inputs
are changed by at most about {change} units in their last place: the errors stand out from TC's and eager's on the neighbours no more
than those of two neighbours from the others', and each is out of the bounds next to eager's own on at most {most_of_one} of them,
{most_of_many} where a hundred results are to be judged. Wrong: all others. Skipped: eager
PyTorch, or torch.compile without TC, does not run the model, it is random, or nothing in it can be trained.
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ways", default="eval,train")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--limit", type=int, default=300, help="seconds of a model")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--table", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    done = {line["asked"] for line in lines_of(options.output)}
    # In an order of chance, the same in every run, so that a part of the time has models of all kinds.
    names = sorted((options.names or all_names())[::options.every], key=lambda name: zlib.crc32(name.encode()))
    names = [name for name in names if name not in done]
    run_all(names, options)
    lines = lines_of(options.output)
    for way, outcome in sorted(Counter((line["way"], line["outcome"]) for line in lines).items()):
        print(*way, outcome)
    if options.table:
        options.table.write_text(table(lines, options.device))


if __name__ == "__main__":
    main()
