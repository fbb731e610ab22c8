"""Models exported from PyTorch and run by tc-run, without Python in its process."""

import os

import pytest
import torch

from exported_model import ExportedModel


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="also run what takes long")


@pytest.fixture
def full(request):
    if not request.config.getoption("--full", default=False) and os.environ.get("TC_TEST_FULL") != "1":
        pytest.skip("takes long: give --full")


@pytest.fixture
def agree(tmp_path, tc_run):
    """agree(model, arguments, ...): the exported model, run on `arguments` and
    on each of `others`, does as PyTorch does."""
    def check(model, arguments, others=(), dynamic_shapes=None, decompose=False):
        exported = ExportedModel.save(model.eval(), arguments, tmp_path / "model.pt2",
                                      dynamic_shapes, decompose)
        for run in [arguments, *others]:
            differences = exported.differences(run)
            assert not differences, "\n".join(differences)
        return exported

    torch.manual_seed(0)
    torch.set_num_threads(1)  # small tensors
    return check
