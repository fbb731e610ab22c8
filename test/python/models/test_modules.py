"""Small modules whose parts meet in one kernel."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

from exported_model import ExportedModel
from plain_layers import Function


def test_mean_over_rows_that_are_normalised(agree):
    """A reduction over one dimension inside of one over another."""
    class NormThenMean(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.LayerNorm(32)

        def forward(self, x):
            return self.norm(x).mean(1)

    agree(NormThenMean(), (torch.randn(2, 36, 32),))


def test_long_sums(agree):
    """As exact as PyTorch's, which adds up blocks."""
    columns = Function(lambda x: (x.sum(0), x.mean((0, 1)), x.sum(-1), x.sum((0, 2)), x.sum()))
    agree(columns, (torch.randn(4100, 3, 17),))
    agree(Function(lambda x: (x.sum(-1), x.sum(0))), (torch.randn(3, 70001),))


def test_writes_through_views(agree):
    """A reshape is a view where the strides allow it, and a copy elsewhere."""
    def reshapes(x):
        x = x * 1
        merged = x.permute(2, 0, 1).reshape(4, -1)  # a view: only the outermost dimension moved
        merged.add_(1)
        copied = x.transpose(0, 1).reshape(3, -1)
        flat, own = x.transpose(0, 1).ravel(), x[:, :2].reshape(2, 2, 4, 1)
        own.mul_(2)
        x.sub_(3)
        return x, merged, copied, flat, own

    agree(Function(reshapes), (torch.randn(2, 3, 4),))

    def others(x):
        x = x * 1
        F.dropout(x, 0.5, training=False).add_(1)
        x.to(torch.float32).mul_(2)
        copied = x.to(torch.float32, copy=True).sub_(5)
        first, second = x.chunk(2, 1)
        second.neg_()
        x.split([1, 3], 1)[1].exp_()
        x.narrow(0, -2, 1).fill_(7)
        x.movedim(0, 1)[0] = 1
        x.swapaxes(0, 1)[1] = 2
        x.mT[2].sqrt_()
        x.view_as(x).add_(1)
        grid = torch.meshgrid(x[0], x[0], indexing="ij")
        x[0] = 3
        return x, copied, first, second, grid

    agree(Function(others), (torch.rand(3, 4),))


def test_branches(agree):
    """torch.cond, with weights, nested, and of a size that is not known."""
    class Branches(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.other = nn.Linear(4, 6), nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 6))

        def forward(self, x, choice):
            y = torch.cond(choice, lambda x: self.one(x).softmax(-1), self.other, (x,))
            z = torch.cond(x.sum() > 0, lambda x: torch.cond(x.amax() > 1, torch.exp, torch.neg, (x,)), torch.sin, (x,))
            return y * 2, y.sum(), z, x

    example = lambda rows, shift, choice: (torch.randn(rows, 4) + shift, torch.tensor(choice))
    agree(Branches(), example(3, 2, True), [example(1, 0.1, False), example(5, -2, True)],
          ({0: Dim("rows", min=1, max=64)}, None))


@pytest.mark.parametrize("layer", [nn.LSTM(6, 8, 2, batch_first=True, bidirectional=True), nn.LSTM(6, 8, proj_size=5),
                                   nn.GRU(6, 8, 2, bias=False), nn.RNN(6, 8, nonlinearity="relu")], ids=repr)
def test_recurrent_layers(agree, layer):
    batch = {0 if layer.batch_first else 1: Dim("batch", min=1, max=64)}
    inputs = lambda size: (torch.randn(*((size, 5, 6) if layer.batch_first else (5, size, 6))),)
    agree(layer, inputs(2), [inputs(1), inputs(3)], (batch,))


def test_casts_inside_attention(agree):
    """A cast to bf16 between the products rounds there."""
    def scores(q, k, v):
        return torch.softmax((q @ k.mT).bfloat16().to(q.dtype), -1) @ v

    def weights(q, k, v):
        return torch.softmax(q @ k.mT, -1).bfloat16().to(q.dtype) @ v

    def both(q, k, v):
        return torch.softmax((q.float() @ k.float().mT).bfloat16(), -1) @ v.bfloat16()

    for dtype in (torch.float32, torch.bfloat16):
        arguments = tuple((scale * torch.randn(2, 3, 40, 16)).to(dtype) for scale in (4, 2, 1))
        for attention in (scores, weights, both):
            agree(Function(attention), arguments)


def test_largest_of_several_nan(agree):
    """The index is that of the last NaN, as a window of PyTorch finds it."""
    x = torch.randn(2, 3, 9, 10)
    x = x.masked_fill(torch.rand_like(x) < 0.4, float("nan"))
    pools = Function(lambda x: (*F.max_pool2d(x, 3, 2, 1, return_indices=True),
                                *F.max_pool1d(x[0], 4, 3, return_indices=True),
                                *F.max_pool3d(x, 2, 1, return_indices=True)))
    for dtype in (torch.float32, torch.bfloat16):
        agree(pools, (x.to(dtype),))


def test_windows_and_equations(agree):
    def windows(x):
        columns = F.unfold(x, 3, padding=1, stride=2)
        return columns, F.fold(columns, x.shape[-2:], 3, padding=1, stride=2), x.unfold(2, 3, 2).unfold(1, 2, 1)

    agree(Function(windows), (torch.randn(2, 3, 7, 8),))
    agree(Function(lambda x, y: (torch.einsum("...ij,...jk->...ik", x, y), torch.einsum("abcc->ab", y),
                                 torch.einsum("a...,...->a", x, x[0]))),
          (torch.randn(2, 3, 4, 5), torch.randn(1, 3, 5, 5)))


def test_parts_and_strides(agree):
    def parts(x):
        y = x * 1
        y.tensor_split(2, 1)[0].add_(1)
        return y, x.hsplit(2), x.vsplit([1, 2]), x.tensor_split((1, 3), 1), x.as_strided((2, 3), (1, 2), 1)

    agree(Function(parts), (torch.randn(3, 4, 5),))


def test_order_statistics(agree):
    sorts = Function(lambda x: (x.median(), *x.median(1), *x.kthvalue(2, 1)))
    row = torch.tensor([[3.0, 1.0, 2.0, -0.5], [float("nan"), 1.0, 0.0, 4.0]])
    agree(sorts, (torch.randn(3, 5),), [(torch.randn(3, 5),)])
    agree(Function(lambda x: (x.median(), x.median(1)[0], torch.isclose(x, x, equal_nan=True))), (row,))


def test_moments_of_what_is_infinite(tmp_path, tc_run):
    """The mean of var_mean is torch.mean; PyTorch's own is NaN for most
    orders of the same elements, as its variance is."""
    x = torch.tensor([[1.0, float("inf"), 2.0], [float("inf"), 1.0, float("-inf")], [float("nan"), 1.0, 2.0]])
    moments = Function(lambda x: (*torch.var_mean(x, 1), *torch.std_mean(x, 1)))
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        arguments = (x.to(dtype),)
        exported = ExportedModel.save(moments, arguments, tmp_path / "moments.pt2")
        for device in ("cpu", "reference"):
            (variance, mean, deviation, other), _ = exported.run(arguments, f"--device={device}")
            assert variance.isnan().all() and deviation.isnan().all()
            torch.testing.assert_close(mean, arguments[0].mean(1), equal_nan=True)
            torch.testing.assert_close(other, mean, equal_nan=True)


def test_remainders_of_large_quotients(agree):
    """Exact whatever the exponents of f64 are."""
    x, y = torch.randn(2, 400, dtype=torch.float64)
    x, y = x * 2.0 ** torch.randint(-600, 1000, x.shape), y * 2.0 ** torch.randint(-1060, 600, y.shape)
    agree(Function(lambda x, y: (torch.fmod(x, y), torch.floor_divide(x, y))), (x[:3], y[:3]))
    agree(Function(lambda x, y: (torch.fmod(x, y), torch.remainder(x, y))), (x.clamp(-2.0**500, 2.0**500), y))


def test_weights_by_norm_and_running_statistics(agree):
    norm = nn.InstanceNorm1d(6, affine=True, track_running_stats=True)
    norm.running_mean.uniform_()
    model = nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 6, 3), dim=2), norm)
    agree(model, (torch.randn(2, 4, 9),))
    agree(Function(lambda x, y: (F.kl_div(x.log_softmax(1), y.softmax(1), reduction="batchmean"),
                                 F.kl_div(x, y, log_target=True, reduction="none"),
                                 torch.tensordot(x, y, ([0], [0])))), (torch.randn(3, 5), torch.randn(3, 5)))


def test_bicubic_resampling(agree):
    sizes = [{"size": (7, 9)}, {"size": (1, 3), "align_corners": True}, {"scale_factor": (1.7, 0.6)}]
    resample = Function(lambda x: tuple(F.interpolate(x, mode="bicubic", **size) for size in sizes))
    agree(resample, (torch.randn(2, 3, 5, 6),))
