"""The examples of docs/pytorch.md, docs/explain.md, docs/functions.md and docs/debugging.md run, in the order of the page."""

import re
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "utils/docs"))

DOCS = ROOT / "docs"


@pytest.mark.parametrize("name", ["pytorch", "explain", "functions", "debugging"])
def test_examples_of_the_page(name, capsys):
    from check_examples import blocks

    page = DOCS / f"{name}.md"
    torch._dynamo.reset()
    torch.manual_seed(0)
    names = {"__name__": "page"}
    count = 0
    for language, line, content in blocks(page.read_text()):
        if language != "python":
            continue
        count += 1
        code = compile("\n" * (line - 1) + content, str(page), "exec")
        exec(code, names)
        printed = capsys.readouterr().out.splitlines()
        for expected in re.findall(r"^ *print\(.*\)  # (.*)$", content, re.M):
            assert printed.pop(0) == expected
        assert not printed
    assert count
