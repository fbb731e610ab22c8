"""Kernels run on PyTorch's threads of OpenMP."""

import os
import subprocess
import sys

import pytest
import torch
from tc.torch_backend import backend
from tc.torch_threads import openmp_library, share_threads

pytestmark = pytest.mark.skipif(not torch.backends.openmp.is_available(), reason="this PyTorch has no OpenMP")


def scores(x, y):
    return torch.softmax(x @ y / 16, -1).sum(0)


PROGRAM = """
import os, sys
from pathlib import Path
import torch
{setup}
from tc.torch_backend import backend

def names():
    return [(task / "comm").read_text().strip() for task in Path("/proc/self/task").iterdir()]

x, y = torch.randn(512, 256), torch.randn(256, 384)
call = lambda x, y: torch.softmax(x @ y / 16, -1).sum(0)
compiled = torch.compile(call, backend=backend)
for _ in range(3):
    torch.testing.assert_close(compiled(x, y), call(x, y))
{check}
"""


def run(check, setup=""):
    process = subprocess.run([sys.executable, "-c", PROGRAM.format(setup=setup, check=check)], text=True, capture_output=True,
                             timeout=120, env={**os.environ, "OMP_NUM_THREADS": "2"})
    assert process.returncode == 0, process.stderr
    return process.stdout.split()


def test_the_library_is_the_one_that_pytorch_has_loaded():
    assert share_threads()
    assert os.path.basename(openmp_library()).startswith(("libgomp", "libiomp5", "libomp"))


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="kernels have one task on one CPU")
def test_kernels_start_no_threads_of_their_own():
    assert run("print(names().count('tc-worker'))") == ["0"]
    # The same kernels do, where they have no team.
    again = "tc._native.set_host_team(0, 0, 0); compiled(x, y); print(names().count('tc-worker'))"
    assert int(run(f"import tc; {again}")[0]) > 0


def test_a_forked_child_computes():
    child = "child = os.fork()\nif child == 0: os._exit(0 if torch.equal(compiled(x, y), mine) else 1)\n"
    assert run(f"mine = compiled(x, y)\n{child}print(os.waitpid(child, 0)[1])") == ["0"]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_teams_of_any_size_agree(count):
    x, y = torch.randn(300, 128), torch.randn(128, 200)
    compiled = torch.compile(scores, backend=backend)
    expected = compiled(x, y)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(count)
        assert torch.equal(compiled(x, y), expected)
    finally:
        torch.set_num_threads(before)
    torch.testing.assert_close(expected, scores(x, y))


def test_addresses_belong_together():
    from tc.library import native
    with pytest.raises(Exception, match="the argument 'number' is null"):
        native.set_host_team(1, 0, 1)
    with pytest.raises(Exception, match="the argument 'size' is null"):
        native.set_host_team(1, 1, 0)
