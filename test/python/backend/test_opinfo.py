"""PyTorch's table of operators through the backend: nothing differs from eager PyTorch, and nothing ends the
process. Without TC_TEST_FULL=1 a part of the entries, one sample each; opinfo.py makes the table of all."""

import json
import os
import subprocess
import sys
from pathlib import Path

from opinfo_table import COMPILED

SCRIPT = Path(__file__).with_name("opinfo.py")
FULL = os.environ.get("TC_TEST_FULL") == "1"  # as ./dev test --full says
BAD = ("crash", "differs", "error", "too slow")


def rows_of(path, *arguments):
    finished = subprocess.run([sys.executable, SCRIPT, f"--output={path}", *arguments], capture_output=True, text=True,
                              env=os.environ)
    assert finished.returncode == 0, finished.stderr[-3000:]
    rows = json.loads(path.read_text())
    return [(name, kind, row) for name, entry in rows.items() for kind, row in entry.items()]


def agrees(path, *arguments):
    rows = rows_of(path, *arguments)
    failures = [f"{name} {kind} sample {row['sample']}: {row['outcome']}: {row['text']}" for name, kind, row in rows
                if row["outcome"] in BAD]
    assert not failures, "\n".join(failures)
    outcomes = [row["outcome"] for _, _, row in rows]
    assert sum(outcomes.count(one) for one in COMPILED) > 4 * outcomes.count("falls back")


def test_entries_agree_with_eager(tmp_path):
    agrees(tmp_path / "rows.json", "--samples=1",
           *(() if FULL else ("--part=7/40", "--rows=f32,grad-f32,bf16,grad-bf16,i64,strided-f32,errors")))


def test_entries_agree_with_eager_through_dynamo(tmp_path):
    agrees(tmp_path / "rows.json", "--samples=1", "--rows=f32", "--capture=dynamo",
           *(("--part=3/10",) if FULL else ("--part=11/80",)))
