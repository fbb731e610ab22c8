"""A process that was forked after its parent compiled and called can do both."""

import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("tc")

SCRIPT = """
import os, sys
import numpy as np
import tc
from programs import SCALE

def use(program, device):
    x = np.arange(64 * 8, dtype=np.float32).reshape(64, 8)
    scale = tc.compile(program, device=device, threads=2)
    np.testing.assert_array_equal(scale(x, np.full(8, 2, np.float32)), 2 * x)
    return scale

device = sys.argv[1]
parents = use(SCALE, device)
child = os.fork()
if child == 0:
    # What the parent made, and what the child makes; threads are its own.
    x = np.ones((3, 8), np.float32)
    parents(x, np.ones(8, np.float32))
    assert "tc.kernel" in parents.ir("fuse")
    use(SCALE, device)
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
use(SCALE, device)
print("both")
"""


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_fork(device):
    environment = dict(os.environ)
    here = str(pathlib.Path(__file__).parent)
    environment["PYTHONPATH"] = os.pathsep.join([here, environment.get("PYTHONPATH", "")])
    result = subprocess.run([sys.executable, "-c", SCRIPT, device], capture_output=True, text=True, timeout=120,
                            env=environment)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "both\n"
