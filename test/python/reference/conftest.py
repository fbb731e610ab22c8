"""The program that a test fills with ops."""

import pytest
import torch

from reference_program import BUILD, Program


@pytest.fixture
def program(tmp_path):
    if not (BUILD / "bin/tc-run").exists():
        pytest.skip("tc-run is not built")
    torch.manual_seed(0)
    return Program(tmp_path)
