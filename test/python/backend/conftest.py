"""Every test starts without compiled functions and with the same random numbers."""

import sys

import pytest


@pytest.fixture(autouse=True)
def fresh():
    torch = pytest.importorskip("torch")
    torch._dynamo.reset()
    torch.manual_seed(0)
    if torch_backend := sys.modules.get("tc.torch_backend"):
        torch_backend.compiled_graphs.clear()


@pytest.fixture
def no_gradients():
    import torch

    with torch.no_grad():
        yield
