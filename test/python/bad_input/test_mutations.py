"""Damaged input ends in an error that says what is wrong, never in a crash.

Modules of the lit tests and an exported model are damaged at random places,
from a fixed seed; TC_MUTATIONS sets how many of each are tried.
"""

import json
import os
import pathlib
import random
import re
import subprocess
import zipfile

import pytest
import torch

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TC_BUILD_DIR", ROOT / "build"))
COUNT = int(os.environ.get("TC_MUTATIONS", "60"))

TOKEN = re.compile(r'-?\b\d+(\.\d+)?\b|\b(f32|i64|bf16|i1)\b|"[a-z,>-]+"|\[[^\[\]]*\]')
NUMBERS = ["0", "-1", "1", "2", "7", "9223372036854775807", "4294967296", "3.5", "1000000007"]
TYPES = ["f32", "f64", "i64", "bf16", "i1", "ui8", "index", "complex<f32>", "f8E4M3FN"]
LISTS = ["[]", "[0]", "[0, 0]", "[1, 0]", "[-1]", "[99]", "[s0]"]


def sources():
    """The parts of the lit tests that the phases before generate accept."""
    for folder in ("Dialect/TC", "Transforms", "Frontend"):
        for path in sorted((ROOT / "test" / folder).rglob("*.mlir")):
            text = path.read_text()
            if "phase = \"generate\"" not in text and "phase = \"emit\"" not in text:
                yield from (part for part in text.split("// -----") if "func.func" in part)


def damage(text, randomness):
    """The text with one to three numbers, types, strings or lists replaced."""
    for _ in range(randomness.randint(1, 3)):
        places = list(TOKEN.finditer(text))
        if not places:
            break
        place = randomness.choice(places)
        old = place.group()
        if old[0] == "[":
            new = randomness.choice(LISTS)
        elif old[0] == '"':
            new = randomness.choice(['""', '"mk,kn->mn"', '"a"'])
        elif old[0].isdigit() or old[0] == "-":
            new = randomness.choice(NUMBERS)
        else:
            new = randomness.choice(TYPES)
        text = text[:place.start()] + new + text[place.end():]
    return text


def ends_well(command, what):
    """Runs a tool: it succeeds, or fails with an error; both without a crash."""
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, errors="replace")
    said = result.stderr + result.stdout
    assert result.returncode in (0, 1), f"status {result.returncode} of {command} for:\n{what}\n{said}"
    assert "Stack dump" not in said, f"{command} crashed for:\n{what}\n{said}"
    if result.returncode == 1:
        assert "error" in said or "not as expected" in said or "not close" in said, \
            f"{command} failed without a word for:\n{what}\n{said}"


@pytest.mark.parametrize("index", range(COUNT))
def test_damaged_text(index, tmp_path):
    randomness = random.Random(index)
    text = damage(randomness.choice(list(sources())), randomness)
    path = tmp_path / "damaged.mlir"
    path.write_text(text)
    commands = [
        ["tc-opt", path, "--tc-pipeline=to=bufferize", "-o", os.devnull],
        ["tc-opt", path, "--canonicalize", "--tc-fold-constants", "-o", os.devnull],
        ["tc-run", path, "--random-inputs=1", "--device=reference"],
        ["tc-run", path, "--random-inputs=1"]]
    # A loop whose condition stays true is a program too, which does not end.
    command = randomness.choice(commands[:2] if "tc.while" in text else commands)
    ends_well([BUILD / "bin" / command[0], *command[1:]], text)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 4)
        self.register_buffer("shift", torch.ones(4))

    def forward(self, x):
        return torch.softmax(self.linear(x), -1) + self.shift[None, :].expand(x.shape[0], 4)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The files of an exported model with a dynamic batch, by name."""
    path = tmp_path_factory.mktemp("export") / "model.pt2"
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(Model(), (torch.randn(3, 8),), dynamic_shapes=({0: batch},))
    torch.export.save(program, path)
    with zipfile.ZipFile(path) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def places(value, path=()):
    """The paths of all values inside a JSON document."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def damage_json(document, randomness):
    path = randomness.choice([path for path in places(document) if path])
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    choice = randomness.randrange(4)
    if choice == 0 and isinstance(holder, (dict, list)):
        del holder[path[-1]]
    else:
        holder[path[-1]] = randomness.choice([None, -1, 0, 2**63 - 1, 2**70, "", "x", [], {}, True, 1.5])


@pytest.mark.parametrize("index", range(COUNT))
def test_damaged_archive(index, archive, tmp_path):
    randomness = random.Random(index)
    files = dict(archive)
    name = randomness.choice([name for name in files if name.endswith(".json")] * 3 + list(files))
    if name.endswith(".json"):
        document = json.loads(files[name])
        damage_json(document, randomness)
        files[name] = json.dumps(document).encode()
    elif randomness.random() < 0.5:
        del files[name]
    else:
        files[name] = files[name][:len(files[name]) // 2]
    path = tmp_path / "damaged.pt2"
    with zipfile.ZipFile(path, "w") as zipped:
        for each, data in files.items():
            zipped.writestr(each, data)
    if randomness.random() < 0.2:
        data = bytearray(path.read_bytes())
        for _ in range(8):
            data[randomness.randrange(len(data))] = randomness.randrange(256)
        path.write_bytes(data)
    ends_well([BUILD / "bin/tc-run", path, "--random-inputs=1"], f"{name} of seed {index}")
