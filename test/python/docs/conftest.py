"""Makes the documentation tools importable, and a tc-opt that does little."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "utils" / "docs"), str(ROOT / "utils" / "lint")]


@pytest.fixture
def fake_tools(tmp_path):
    """A folder with a tc-opt that drops lines with `dead` when it is given a
    flag, and refuses input with `bad`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    tool = folder / "tc-opt"
    tool.write_text("""#!/bin/bash
input=$(cat)
if [[ "$input" == *bad* ]]; then echo "<stdin>:1:1: error: bad input" >&2; exit 1; fi
if [[ "$1" == --tc-* ]]; then grep -v dead <<<"$input"; else echo "$input"; fi
exit 0
""")
    tool.chmod(0o755)
    return folder
