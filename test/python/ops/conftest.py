"""Single operators, exported and run in this process beside PyTorch."""

import os
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("TC_BUILD_DIR", TESTS.parents[1] / "build"))
sys.path[:0] = [str(BUILD / "python"), str(TESTS / "models")]


def pytest_collection_modifyitems(items):
    if not (BUILD / "lib/libTCCompiler.so").exists():
        for item in items:
            item.add_marker(pytest.mark.skip(reason="libTCCompiler is not built"))


@pytest.fixture
def full():
    """Whether every case was asked for, as ./dev test --full does."""
    return os.environ.get("TC_TEST_FULL") == "1"
