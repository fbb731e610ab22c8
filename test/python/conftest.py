"""Makes the build's packages importable; what needs a library or a tool that
is not built is skipped."""

import os
import sys
import zlib
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

# How many cases of a test ./dev test runs at least, where there are so many.
LEAST_CASES = 6

# Folders whose tests load the compiler into this process.
IN_PROCESS = ("backend", "binding", "ops")


def slice_of(items):
    """Of tests with many cases a third, and no fewer than LEAST_CASES: always the same ones."""
    cases = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = set()
    for those in cases.values():
        those.sort(key=lambda item: zlib.crc32(item.nodeid.encode()))
        kept.update(those[:max(LEAST_CASES, -(-len(those) // 3))])
    return kept


def pytest_collection_modifyitems(config, items):
    # All cases of what is named on the command line, and with ./dev test --full.
    is_whole_suite = [Path(argument).resolve() for argument in config.args] == [TESTS]
    if is_whole_suite and os.environ.get("TC_TEST_FULL") != "1":
        kept = slice_of(items)
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = [item for item in items if item in kept]
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
