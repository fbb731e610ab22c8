"""Tests of the package `tc` (python-bindings) as it is in the build."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("TC_BUILD_DIR", ROOT / "build"))
if (BUILD / "python").exists():
    sys.path.insert(0, str(BUILD / "python"))


def pytest_collection_modifyitems(items):
    if not (BUILD / "lib/libTCCompiler.so").exists():
        for item in items:
            item.add_marker(pytest.mark.skip(reason="libTCCompiler is not built"))


@pytest.fixture
def inputs():
    """Modules in files, for the road through tc.compile(path)."""
    return ROOT / "test/python/binding/Inputs"
