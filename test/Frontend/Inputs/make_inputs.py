"""Makes the .pt2 archives of this folder. Needs PyTorch 2.13; run it here.

Each archive is a few kilobytes: the same seed and one thread give the same
weights, so a change of an archive is a change of the export.
"""

import os
import struct
import zipfile

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch._higher_order_ops import while_loop
from torch._higher_order_ops.strict_mode import strict_mode
from torch.export import Dim, export


class Tied(nn.Module):
    """Tied weights, a mutated buffer, a region without gradients, an in-place
    call on an input, several results of one call, and a symbolic batch."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.second.weight = self.first.weight
        self.register_buffer("calls", torch.zeros(1))
        self.register_buffer("scale", torch.ones(4), persistent=False)

    def forward(self, x, y):
        self.calls.add_(1)
        with torch.no_grad():
            z = self.first(x) * self.scale
        rows = x.shape[0]
        a, b = torch.cat([x, z], 1).chunk(2, 1)
        doubled = self.second(z).view(rows * 2, 2) + a.sum()
        return doubled, y.relu_(), *b.max(1), torch.arange(rows * 2)


class Guarded(nn.Module):
    """Conditions on the sizes of nested inputs become guards."""

    def forward(self, pair, mask):
        x, y = pair["x"], pair["y"]
        if x.shape[0] * y.shape[1] > 20 and x.shape[0] % 4 == 0:
            x = x + y.sum()
        return x.masked_fill(mask, float("-inf")), x[: max(x.shape[0], 5)]


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4))

    def forward(self, x):
        return F.softmax(self.layers(x), dim=-1)


class Views(nn.Module):
    """Writes through views of an input."""

    def forward(self, x):
        turned = x.t()
        x[:, 2].mul_(2)
        x[1:3].fill_(1)
        return turned + 1


class Branches(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))


class Item(nn.Module):
    def forward(self, x):
        return x * x.max().item()


class Loop(nn.Module):
    def forward(self, x):
        return while_loop(lambda x: x.sum() < 10, lambda x: (x + 1,), (x,))


class Strict(nn.Module):
    """A higher-order operator that has no import."""

    def forward(self, x):
        return strict_mode(lambda x: (x.sin(),), (x,))


class Strided(nn.Module):
    """Inputs that are views: of a wider matrix, of every second column, and transposed."""

    def forward(self, pitched, stepped, turned, row):
        return pitched + stepped + turned + row


def save(program, path):
    """Saves without what depends on the machine: the folders of source files
    and the pickled sample inputs. Entries stay aligned to 64 bytes."""
    torch.export.save(program, path)
    with zipfile.ZipFile(path) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in entries:
            if "/sample_inputs/" in name or "/.data/" in name:
                continue
            for folder in (os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(torch.__file__))):
                data = data.replace(folder.encode() + b"/", b"")
            info = zipfile.ZipInfo(name)
            used = archive.fp.tell() + 30 + len(name) + 4
            padding = -used % 64
            info.extra = struct.pack("<HH", 0x4246, padding) + b"Z" * padding
            archive.writestr(info, data)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    batch = Dim("batch", min=2, max=64)
    example = (torch.randn(6, 4), torch.randn(3))
    shapes = {"x": {0: batch}, "y": None}
    tied = export(Tied().eval(), example, dynamic_shapes=shapes)
    save(tied, "tied.pt2")
    save(tied.run_decompositions(), "tied-core.pt2")

    pair = {"x": torch.randn(8, 4), "y": torch.randn(7, 4)}
    sizes = {"x": {0: Dim.AUTO}, "y": {0: Dim.AUTO, 1: Dim.AUTO}}
    guarded = export(
        Guarded(),
        (pair, torch.zeros(4, dtype=torch.bool)),
        dynamic_shapes={"pair": sizes, "mask": None},
    )
    save(guarded, "guarded.pt2")

    mlp = export(Mlp().eval(), (torch.randn(2, 8),))
    save(mlp, "mlp.pt2")
    save(mlp.run_decompositions(), "mlp-core.pt2")
    save(export(Views(), (torch.randn(4, 6),)), "views.pt2")
    save(export(Branches(), (torch.randn(4),)), "branches.pt2")
    save(export(Item(), (torch.randn(4),)), "item.pt2")
    save(export(Loop(), (torch.randn(4),)), "loop.pt2")
    views = (torch.randn(8, 96)[:, :72], torch.randn(8, 144)[:, ::2], torch.randn(72, 8).t(), torch.randn(1, 96)[:, :72])
    save(export(Strided(), views), "strided.pt2")
    sizes = {0: Dim.AUTO, 1: Dim.AUTO}
    save(export(Strided(), views, dynamic_shapes=(sizes, sizes, sizes, {1: Dim.AUTO})), "strided-symbolic.pt2")
    save(export(Strict(), (torch.randn(4),)), "strict.pt2")


if __name__ == "__main__":
    main()
