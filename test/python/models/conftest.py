"""Models exported from PyTorch and run by tc-run, without Python in its process."""

import itertools
import os
import re
from pathlib import Path

import pytest
import torch

from exported_model import ExportedModel
from recorded_calls import folder_of_call, write_call


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="also run what takes long")
    parser.addoption("--record", type=Path, metavar="FOLDER", help="run nothing: write the models that agree() gets, and "
                     "what PyTorch gives for them, for check_models.py")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--record", default=None):
        items[:] = [item for item in items if "agree" in item.fixturenames]


@pytest.fixture
def full(request):
    if not request.config.getoption("--full", default=False) and os.environ.get("TC_TEST_FULL") != "1":
        pytest.skip("takes long: give --full")


def new_folder(parent, name):
    """One that no other call of agree() in the same test has taken."""
    name = re.sub(r"\W+", "-", name).strip("-")
    names = (name if not index else f"{name}-{index + 1}" for index in itertools.count())
    return next(parent / name for name in names if not (parent / name).exists())


@pytest.fixture
def agree(tmp_path, tc_run, request):
    """agree(model, arguments, ...): the exported model, run on `arguments` and
    on each of `others`, does as PyTorch does."""
    recorded = request.config.getoption("--record", default=None)

    def check(model, arguments, others=(), dynamic_shapes=None, decompose=False):
        place = new_folder(recorded, request.node.name) if recorded else tmp_path
        place.mkdir(parents=True, exist_ok=True)
        exported = ExportedModel.save(model.eval(), arguments, place / "model.pt2", dynamic_shapes, decompose)
        for index, run in enumerate([arguments, *others]):
            if recorded:
                write_call(folder_of_call(place, index), run, *exported.expected(run))
                continue
            differences = exported.differences(run)
            assert not differences, "\n".join(differences)
        return exported

    torch.manual_seed(0)
    torch.set_num_threads(1)  # small tensors
    return check
