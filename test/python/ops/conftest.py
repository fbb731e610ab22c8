"""Single operators, exported and run in this process next to PyTorch."""

import os

import pytest


@pytest.fixture
def full():
    """Whether every case was asked for, as ./dev test --full does."""
    return os.environ.get("TC_TEST_FULL") == "1"
