"""An archive whose conditions were taken out computes nothing that they ruled out.

What the export assumed of sizes is in `guards_code`. Without it a call with
other sizes must end in an error, or in PyTorch's own result: never in a crash
and never with elements from outside of its tensors.
"""

import json
import os
import pathlib
import subprocess
import zipfile

import numpy as np
import pytest
import torch
from torch.export import Dim

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TC_BUILD_DIR", ROOT / "build"))

# What is exported, with which shapes, and shapes that the export ruled out.
PROGRAMS = {
    "narrow": (lambda x, y: x[:, :y.shape[0]] * y, [(3, 9), (5,)], [(3, 4), (4096,)]),
    "tail": (lambda x, y: x[y.shape[0]:].sum(0), [(9, 3), (5,)], [(4, 3), (8192,)]),
    "add": (lambda x, y: x + y, [(7, 5), (7, 5)], [(7, 5), (1024, 5)]),
    "matmul": (lambda x, y: x @ y, [(4, 6), (6, 5)], [(4, 4096), (6, 5)]),
    "view": (lambda x, y: x.view(-1, y.shape[0]) + y, [(12,), (4,)], [(13,), (5,)]),
    "scatter": (lambda x, y: torch.select_scatter(x, y, 0, 1), [(6, 5), (5,)], [(6, 5), (4096,)]),
    "pool": (lambda x, y: torch.nn.functional.max_pool1d(x, 2, 3, 1, ceil_mode=True) + y.sum(), [(2, 3, 11), (1,)],
             [(2, 3, 12), (1,)]),
    "index": (lambda x, y: torch.gather(x, 0, (y * 0).long()), [(6, 5), (4, 5)], [(6, 5), (4, 4096)]),
}


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y):
        return self.function(x, y)


def without_guards(source, target):
    """Copies an archive, all conditions of which are gone."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name.endswith("model.json"):
                document = json.loads(data)
                document["guards_code"] = []
                document["range_constraints"] = {}
                data = json.dumps(document).encode()
            new.writestr(name, data)


@pytest.mark.parametrize("name", PROGRAMS)
def test_sizes_that_were_ruled_out(name, tmp_path):
    function, shapes, others = PROGRAMS[name]
    example = tuple(torch.randn(shape) for shape in shapes)
    dims = tuple({dim: Dim.AUTO for dim in range(len(shape))} for shape in shapes)
    program = torch.export.export(Module(function), example, dynamic_shapes=dims)
    torch.export.save(program, tmp_path / "whole.pt2")
    without_guards(tmp_path / "whole.pt2", tmp_path / "emptied.pt2")
    given = []
    for index, shape in enumerate(others):
        np.save(tmp_path / f"{index}.npy", np.random.default_rng(index).standard_normal(shape).astype(np.float32))
        given.append(f"--input=@{tmp_path / f'{index}.npy'}")
    result = subprocess.run([BUILD / "bin/tc-run", tmp_path / "emptied.pt2", *given, f"--output=@{tmp_path / 'out.npy'}"],
                            capture_output=True, text=True, timeout=120)
    assert result.returncode in (0, 1), result.stderr
    if result.returncode == 1:
        assert "error" in result.stderr
        return
    expected = function(*(torch.from_numpy(np.load(tmp_path / f"{i}.npy")) for i in range(2)))
    torch.testing.assert_close(torch.from_numpy(np.load(tmp_path / "out.npy")), expected)
