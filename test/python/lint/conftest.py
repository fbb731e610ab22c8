"""Makes the lints importable and checkouts to run them on."""

import itertools
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "lint"))

from tree import Tree  # noqa: E402


@pytest.fixture
def make_tree(tmp_path):
    """make_tree({path: text}) is a Tree of just these files."""

    count = itertools.count()

    def make(files):
        root = tmp_path / str(next(count))
        root.mkdir()
        for path, text in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return Tree(root)

    return make


@pytest.fixture
def messages(make_tree):
    """messages(lint, {path: text}) is what the lint says, as one text."""

    def run(lint, files):
        return "\n".join(str(finding) for finding in lint.check(make_tree(files)))

    return run
