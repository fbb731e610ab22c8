"""A dump that somebody edits runs as the interpreter runs it, or is refused.

Dumps of the examples at each phase are changed at random places, from a fixed
seed; TC_MUTATIONS sets how many are tried.
"""

import os
import pathlib
import random
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TC_BUILD_DIR", ROOT / "build"))
COUNT = int(os.environ.get("TC_MUTATIONS", "60"))

NUMBER = re.compile(r"(?<![\w.%#@\"])-?\d+(?![\w.])")
OPERAND = re.compile(r"%\w+")
TYPE = re.compile(r"\b(f32|f64|i64|i32|i1|bf16)\b")
LIMITS = ["0", "1", "-1", "2", "3", "5", "63", "64", "4096", "2147483648", "9223372036854775807", "-9223372036854775808"]

SYMBOLIC = """
func.func @main(%x: tensor<?x6xf32, #tc.sizes<[s0, 6]>>, %y: tensor<6xf32>) -> (tensor<?x6xf32, #tc.sizes<[s0, 6]>>, tensor<?xf32, #tc.sizes<[s0 * 6]>>)
    attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %b = tc.broadcast %y dims [1] : tensor<6xf32> -> tensor<?x6xf32, #tc.sizes<[s0, 6]>>
  %0 = tc.mul %x, %b : tensor<?x6xf32, #tc.sizes<[s0, 6]>>
  %1 = tc.softmax %0 dim 1 : tensor<?x6xf32, #tc.sizes<[s0, 6]>>
  %2 = tc.reshape %1 : tensor<?x6xf32, #tc.sizes<[s0, 6]>> -> tensor<?xf32, #tc.sizes<[s0 * 6]>>
  return %0, %2 : tensor<?x6xf32, #tc.sizes<[s0, 6]>>, tensor<?xf32, #tc.sizes<[s0 * 6]>>
}
"""


@pytest.fixture(scope="module")
def dumps(tmp_path_factory):
    """Texts of modules after simplify, fuse and bufferize."""
    folder = tmp_path_factory.mktemp("dumps")
    (folder / "symbolic.mlir").write_text(SYMBOLIC)
    paths = [ROOT / "examples" / f"{name}.mlir" for name in ("relu", "softmax", "layer_norm", "perceptron")]
    texts = []
    for path in [*paths, folder / "symbolic.mlir"]:
        target = folder / path.stem
        subprocess.run([BUILD / "bin/tc-run", path, "--random-inputs=1", "--output=", f"--dump-phases={target}"],
                       check=True, capture_output=True, timeout=120)
        texts += [next(target.glob(f"*-{phase}.mlir")).read_text() for phase in ("simplify", "fuse", "bufferize")]
    return texts


def replace_one(pattern, text, randomness, choose):
    places = list(pattern.finditer(text))
    if not places:
        return text
    place = randomness.choice(places)
    return text[:place.start()] + choose(place.group()) + text[place.end():]


def edit(text, randomness):
    """One edit: a number, an operand, a type, or a line that is gone, doubled or
    in another place."""
    kind = randomness.randrange(6)
    if kind < 3:
        return replace_one(NUMBER, text, randomness, lambda old: randomness.choice(
            [*LIMITS, str(int(old) + 1), str(int(old) - 1), str(int(old) * 2)]))
    if kind == 3:
        names = OPERAND.findall(text)
        return replace_one(OPERAND, text, randomness, lambda _: randomness.choice(names))
    if kind == 4:
        return replace_one(TYPE, text, randomness, lambda _: randomness.choice(["f32", "f64", "i64", "bf16", "i1"]))
    lines = text.splitlines()
    at, to = randomness.randrange(len(lines)), randomness.randrange(len(lines))
    line = lines[at]
    if randomness.random() < 0.7:
        del lines[at]
    if randomness.random() < 0.5:
        lines.insert(to, line)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("index", range(COUNT))
def test_edited_dump(index, dumps, tmp_path):
    randomness = random.Random(index)
    text = randomness.choice(dumps)
    for _ in range(randomness.randint(1, 2)):
        text = edit(text, randomness)
    path = tmp_path / "edited.mlir"
    path.write_text(text)
    result = subprocess.run([BUILD / "bin/tc-run", path, "--random-inputs=1", "--check", "--output="],
                            capture_output=True, text=True, timeout=120, errors="replace")
    said = result.stderr + result.stdout
    assert result.returncode in (0, 1), f"status {result.returncode} for:\n{text}\n{said}"
    assert "Stack dump" not in said, f"a crash for:\n{text}\n{said}"
    assert "reproducer" not in said, f"a reproducer of what was edited:\n{text}\n{said}"
    if result.returncode == 1:
        assert "error" in said, f"another result than the interpreter's for:\n{text}\n{said}"
