"""Makes the build's packages importable; what needs a library or a tool that
is not built is skipped."""

import os
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("TC_BUILD_DIR", TESTS.parents[1] / "build"))
sys.path[:0] = [str(BUILD / "python"), str(TESTS / "models")]

# No test finds what another one has compiled, nor leaves it.
os.environ["TC_CACHE_DIR"] = ""

# Without a GPU the driver is that of the tests, which runs PTX, and no machine code that ptxas makes of it.
if not os.path.exists("/dev/nvidiactl"):
    os.environ["TC_PTXAS"] = "none"

# Folders whose tests load the compiler into this process.
IN_PROCESS = ("backend", "binding", "ops")


def pytest_collection_modifyitems(items):
    if (BUILD / "lib/libTCCompiler.so").exists():
        return
    for item in items:
        if item.path.relative_to(TESTS).parts[0] in IN_PROCESS:
            item.add_marker(pytest.mark.skip(reason="libTCCompiler is not built"))


@pytest.fixture
def tc_run():
    """The path of tc-run."""
    path = BUILD / "bin/tc-run"
    if not path.exists():
        pytest.skip("tc-run is not built")
    return path
