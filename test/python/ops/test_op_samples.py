"""PyTorch's samples of its operators: TC gives the right result, or refuses the
operator by name. Without TC_TEST_FULL=1 a part of the operators, one sample each."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("op_samples.py")
# How many parts the operators of a dtype are in; the default runs one of them.
PARTS = {"f32": 4, "bf16": 10, "i64": 8, "f64": 40, "f16": 40, "i32": 40, "i8": 40, "ui8": 40, "bool": 20}


@pytest.mark.parametrize("dtype", PARTS)
def test_samples(dtype, full):
    parts, samples = (1, 8) if full else (PARTS[dtype], 1)
    finished = subprocess.run([sys.executable, SCRIPT, dtype, str(samples), "0", str(parts)],
                              capture_output=True, text=True)
    lines = [json.loads(line) for line in finished.stdout.splitlines() if line.startswith("{")]
    failures = [f"{line['op']} sample {line['sample']}: {line['outcome']}: {line['text']}"
                for line in lines if line.get("outcome") in ("wrong", "error")]
    if finished.returncode != 0:
        where = lines[-1]["op"] if lines else "the start"
        failures.append(f"exit status {finished.returncode} in {where}\n{finished.stderr[-3000:]}")
    assert not failures, "\n".join(failures)
    counts = Counter(line["outcome"] for line in lines if "outcome" in line)
    assert counts["right"] > counts["refused"] / 2, counts
