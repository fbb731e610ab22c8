"""The program that a test fills with ops: run as it is, and after phases that
must not change what it computes."""

import pytest
import torch

from reference_program import Program


@pytest.fixture(params=[None, "simplify", "fuse", "bufferize"], ids=lambda phase: phase or "as-is")
def program(tmp_path, request, tc_run):
    torch.manual_seed(0)
    return Program(tmp_path, request.param)
