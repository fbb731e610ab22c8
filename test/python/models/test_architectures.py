"""Architectures of transformers and of plain PyTorch, exported in small
configurations, static and with a dynamic batch: TC compiles them and does as
PyTorch does. Without --full, a few of them."""

import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("architecture.py")
SECONDS, GIBIBYTES = 300, 6
# How many run at once, each a process and its children.
AT_ONCE = min(3, os.cpu_count() or 1)
FEW_TYPES = ["minimax", "t5gemma", "nemotron_asr_streaming_encoder", "git"]
FEW_PLAIN = ["sorted_experts", "grid_samples", "bag_of_means", "written_in_place", "several_labels_margin_loss", "unet", "gru"]
# Those through torch.compile, in evaluation and in training.
FEW_COMPILED = ["git"]
FEW_PLAIN_COMPILED = ["unet", "gru", "residual_network"]
# At least so many of those that PyTorch exports must be right, each way.
LEAST = 0.95
WAYS = ("static", "dynamic")
COMPILED = "--ways=eval,train"
OUTCOMES = ("wrong", "error", "refused", "falls back", "slow", "skipped")


def outcomes(names, *options):
    """The outcome of each, as lines; architecture.py says which options there are."""
    parts = [names[first::AT_ONCE] for first in range(min(AT_ONCE, len(names)))]
    processes = [subprocess.Popen([sys.executable, SCRIPT, *options, str(SECONDS), str(GIBIBYTES), *part], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) for part in parts]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        texts = list(pool.map(lambda process: process.communicate(), processes))
    for process, (_, errors) in zip(processes, texts):
        assert process.returncode == 0, f"exit status {process.returncode}\n{errors[-3000:]}"
    return [json.loads(line) for text, _ in texts for line in text.splitlines() if line.startswith("{")]


def describe(lines):
    return "\n".join(f"{line['name']}, {line['way']}: {line['outcome']}: {line['text']}" for line in lines)


def is_right(line):
    return line["outcome"] == "right"


def of_way(lines, way):
    """Those of static or dynamic exports; a process without a result was to do both."""
    return [line for line in lines if line["way"] in (way, "both")]


def share(lines):
    """How much of what PyTorch exports is right."""
    exported = [line for line in lines if line["outcome"] != "skipped"]
    return sum(map(is_right, exported)) / max(1, len(exported))


def summary(names, lines):
    """How many models came to which end, each way, and the names and reasons of
    those that are not right."""
    text = [f"{len(names)} models tried"]
    for way in WAYS:
        counts = Counter(line["outcome"] for line in of_way(lines, way))
        skipped = counts["skipped"] + len(names) - counts.total()  # without a model there is no second way
        text.append(f"{way}: {counts['right']} right, {counts['wrong']} wrong, {counts['refused']} refused by name, {counts['slow']} slow, "
                    f"{counts['error']} with another error, {skipped} skipped; {share(of_way(lines, way)):.1%} of those that PyTorch exports are right")
    rest = [line for line in lines if not is_right(line)]
    rest.sort(key=lambda line: (OUTCOMES.index(line["outcome"]), line["name"]))
    return "\n".join(text) + "\n" + describe(rest)


def test_few_through_torch_compile(tc_run):
    names = FEW_COMPILED + [f"plain/{kind}" for kind in FEW_PLAIN_COMPILED]
    lines = outcomes(names, COMPILED)
    assert len(lines) == 2 * len(names) and all(map(is_right, lines)), describe(lines)


def test_few(tc_run):
    names = FEW_TYPES + [f"plain/{kind}" for kind in FEW_PLAIN]
    lines = outcomes(names)
    assert len(lines) == 2 * len(names) and all(map(is_right, lines)), describe(lines)


def check_most(names, capsys):
    lines = outcomes(names)
    text = summary(names, lines)
    with capsys.disabled():
        print(f"\n{text}")
    assert not [line for line in lines if line["outcome"] == "wrong"], text
    for way in WAYS:
        exported = [line for line in of_way(lines, way) if line["outcome"] != "skipped"]
        assert len(exported) > len(names) / 2 and share(exported) >= LEAST, text


def test_all_of_transformers(full, tc_run, capsys):
    import small_configurations

    check_most(small_configurations.model_types(), capsys)


def test_all_of_plain_pytorch(full, tc_run, capsys):
    import plain_models

    check_most([f"plain/{kind}" for kind in plain_models.KINDS], capsys)
