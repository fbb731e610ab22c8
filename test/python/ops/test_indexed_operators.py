"""Operators that read and write where tensors say, next to PyTorch: groups of
rows, bags, grids, windows put back, orders and histograms."""

import itertools

import pytest
import torch
from torch.nn import functional

tc = pytest.importorskip("tc")

import transformers.integrations.moe  # noqa: F401  registers its grouped product
from operator_call import Call, Refused, agrees

aten = torch.ops.aten
INFINITY, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("ends", [[3, 3, 7, 10], [0, 0, 0, 10], [0, 2, 4, 6], [10, 10, 10, 10], [0, 0, 0, 0]], ids=str)
@pytest.mark.parametrize("is_transposed", [False, True])
def test_rows_in_groups(ends, is_transposed):
    """Groups may be empty; rows after the last are zeros."""
    torch.manual_seed(0)
    x, w = torch.randn(10, 6), torch.randn(4, 6, 5)
    w = w.mT.contiguous().mT if is_transposed else w
    for dtype in (torch.int32, torch.int64):
        agrees(torch.ops.transformers.grouped_mm_fallback, x, w, torch.tensor(ends, dtype=dtype))


def test_grouped_products():
    torch.manual_seed(0)
    x, w, ends = torch.randn(16, 8).bfloat16(), torch.randn(3, 8, 16).bfloat16(), torch.tensor([2, 9, 16], dtype=torch.int32)
    agrees(lambda x, w, ends: torch._grouped_mm(x, w, offs=ends), x, w, ends)
    agrees(lambda w, y, ends: torch._grouped_mm(w.mT.contiguous(), y, offs=ends), w, x.T.contiguous(), ends)
    agrees(lambda a, b: torch._grouped_mm(a, b), torch.randn(3, 8, 8).bfloat16(), w)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 2, -1])
def test_bags(mode, padding):
    torch.manual_seed(0)
    weight, words = torch.randn(6, 4), torch.tensor([0, 2, 5, 5, 2, 1, 3])
    for offsets, is_closed in (([0, 2, 2, 5], False), ([0, 0, 7], True), ([0, 4, 7, 7], True)):
        agrees(lambda words, weight, offsets: functional.embedding_bag(
            words, weight, offsets, mode=mode, padding_idx=padding, include_last_offset=is_closed), words, weight, torch.tensor(offsets))
    if mode == "sum":
        agrees(lambda words, weight, by: functional.embedding_bag(words, weight, mode="sum", per_sample_weights=by),
               words[:6].reshape(2, 3), weight, torch.randn(2, 3))


@pytest.mark.parametrize("mode, padding", itertools.product(["bilinear", "nearest", "bicubic"], ["zeros", "border", "reflection"]))
def test_grids(mode, padding):
    """Also far outside, at the edges and where there is one element."""
    torch.manual_seed(0)
    grid = torch.cat([torch.rand(2, 3, 4, 2) * 6 - 3, torch.tensor([-1.0, 1.0, 0.0, 1e9]).reshape(1, 1, 2, 2).expand(2, 3, 2, 2)], 2)
    for align in (False, True):
        def sample(x, grid):
            return functional.grid_sample(x, grid, mode, padding, align)

        agrees(sample, torch.randn(2, 3, 5, 4), grid)
        agrees(sample, torch.randn(2, 3, 1, 1), grid[:, :, :4])


def test_affine_grids():
    for size, align in itertools.product([(2, 3, 4, 5), (2, 3, 1, 5), (2, 1, 3, 4, 2)], [False, True]):
        agrees(lambda theta: functional.affine_grid(theta, size, align), torch.randn(2, len(size) - 2, len(size) - 1))


def test_unpooling():
    x, volume = torch.randn(2, 3, 7, 8), torch.randn(1, 2, 4, 5, 6)

    def unpools(x, volume):
        y, where = functional.max_pool2d(x, 3, 2, return_indices=True)
        z, places = functional.max_pool3d(volume, 2, return_indices=True)
        return (functional.max_unpool2d(y, where, 3, 2, output_size=x.shape), functional.max_unpool2d(y[0], where[0], 3, 2, output_size=(7, 8)),
                functional.max_unpool3d(z, places, 2, output_size=volume.shape))

    agrees(unpools, x, volume)


@pytest.mark.parametrize("stride, padding, ceil_mode", [([], 0, False), ([2], 1, False), ([3], 1, True), ([2, 1], [0, 1], True)])
def test_gradients_of_averages(stride, padding, ceil_mode):
    x = torch.randn(2, 3, 8, 7)
    for counts, divisor in ((True, None), (False, None), (True, 5)):
        y = aten.avg_pool2d(x, [3, 3], stride, padding if isinstance(padding, list) else [padding], ceil_mode, counts, divisor)
        agrees(lambda g, x: aten.avg_pool2d_backward(g, x, [3, 3], stride, padding if isinstance(padding, list) else [padding],
                                                     ceil_mode, counts, divisor), torch.randn_like(y), x)


def test_adaptive_maxima():
    x = torch.randn(2, 3, 7, 9)
    agrees(lambda x: functional.adaptive_max_pool2d(x, (3, 4), return_indices=True), x)
    agrees(lambda x: functional.adaptive_max_pool2d(x, (10, 4), return_indices=True), x)
    agrees(lambda x: functional.adaptive_max_pool1d(x, 4), x[0])
    agrees(lambda x: functional.adaptive_max_pool3d(x, (2, 3, 5), return_indices=True), torch.randn(1, 2, 3, 7, 6))


@pytest.mark.parametrize("reduce", ["prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_index_reduce(reduce, dtype):
    torch.manual_seed(0)
    x, source, index = torch.randint(1, 9, (3, 4, 2)).to(dtype), torch.randint(1, 9, (3, 5, 2)).to(dtype), torch.tensor([3, 0, 3, 1, 3])
    agrees(lambda x, index, source: tuple(
        x.index_reduce(1, index, source, reduce, include_self=own) for own in (True, False)), x, index, source)


@pytest.mark.parametrize("offset", [-9, -2, 0, 1, 9])
def test_triangles(offset):
    agrees(lambda x: (x, torch.tril_indices(4, 6, offset), torch.triu_indices(4, 6, offset),
                      torch.triu_indices(3, 3, offset, dtype=torch.int32)), torch.ones(1))


def test_quantiles():
    x, q = torch.randn(4, 9, 3), torch.tensor([0.0, 0.13, 0.5, 1.0])
    x[0, 2, 1] = NAN
    for way in ("linear", "lower", "higher", "nearest", "midpoint"):
        agrees(lambda x, q: (torch.quantile(x, q, 1, interpolation=way), torch.quantile(x, q[1], 1, True, interpolation=way),
                             torch.quantile(x[1], 0.4, interpolation=way), torch.quantile(x[1], q, interpolation=way)), x, q)


def test_histograms():
    x = torch.tensor([0.0, 1.0, 4.0, 4.1, -0.1, 3.999, 2.0, 0.99, NAN, INFINITY])
    agrees(lambda x: (torch.histc(x[:8], 4, 0, 4), torch.histc(x[:8], 7, -3, 5)), x)
    # The range of the elements, which may all be equal.
    agrees(lambda x: (torch.histc(x[:8], 5), torch.histc(x[1:2], 3), torch.histc(x[:8], 4, 2, 2), torch.histc(x[:0], 2)), x)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_scatters_of_equal_values_at_equal_indices(count):
    # Each of them counts, though all are known to be the same.
    agrees(lambda x: (x.index_add(0, torch.full((count,), 2), torch.ones(count, 2)),
                      x.scatter_reduce(0, torch.full((count, 2), 1), torch.full((count, 2), 3.0), "prod"),
                      x.index_put((torch.full((count,), -1),), torch.tensor(5.0)),
                      x.scatter_add(0, x[:1].long().expand(count, 2), x[1:2].expand(count, 2))), torch.arange(8.0).reshape(4, 2))


def test_pairs():
    x, y = torch.randn(5, 4), torch.randn(5, 4)
    for p in (0.0, 1.0, 2.0, 3.5, INFINITY):
        agrees(lambda x, y: (torch.pdist(x, p), functional.pairwise_distance(x, y, p, keepdim=True), functional.pairwise_distance(x, y[0], p)),
               x, y)
    agrees(lambda x: torch.pdist(x), torch.randn(1, 4))


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_margin_losses(reduction):
    """A single row has no batch; PyTorch captures sizes of its losses that it does not give."""
    torch.manual_seed(0)
    x, p, n, sign, weight = torch.randn(4, 5), torch.randn(4, 5), torch.randn(4, 5), torch.tensor([1.0, -1, -1, 1]), torch.rand(5)
    classes = torch.tensor([0, 4, 2, 2])
    several = torch.tensor([[3, 0, -1, 1, 2], [-1, 0, 0, 0, 0], [4, 3, 2, 1, 0], [1, -1, 3, -1, 0]])
    agrees(lambda x, p, n, sign: (
        functional.triplet_margin_loss(x, p, n, reduction=reduction),
        functional.triplet_margin_loss(x, p, n, 0.3, 1.0, swap=True, reduction=reduction),
        functional.cosine_embedding_loss(x, p, sign, 0.2, reduction=reduction)), x, p, n, sign)
    agrees(lambda x, classes, several, weight: (
        functional.multi_margin_loss(x, classes, reduction=reduction),
        functional.multi_margin_loss(x, classes, 2, 0.5, weight, reduction=reduction),
        functional.multilabel_margin_loss(x, several, reduction=reduction)), x, classes, several, weight)
    if reduction != "none":
        agrees(lambda x, classes, several: (functional.multi_margin_loss(x, classes, reduction=reduction),
                                            functional.multilabel_margin_loss(x, several, reduction=reduction)),
               x[1], classes[1], several[1])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.int64])
def test_digamma(dtype):
    x = torch.tensor([1, 2, 5, 30, 0, -1, -7]).to(dtype)
    if dtype.is_floating_point:
        x = torch.cat([x, torch.tensor([0.3, 1e-3, 1.4616, -0.5, -3.7, 9.99, 1e6, INFINITY, -INFINITY, NAN, -0.0]).to(dtype)])
    agrees(torch.digamma, x)


def test_random_numbers():
    """Of the distribution that is asked for, the same at each run, and each call its own."""
    def draw(x):
        return (torch.rand(2000), torch.rand_like(x), torch.randn(2000), torch.randint(-3, 5, (2000,)), torch.randperm(50),
                torch.bernoulli(torch.full((2000,), 0.3)), x.clone().uniform_(2, 4), x.clone().normal_(3, 0.5), torch.randint_like(x, 7))

    call = Call(draw, torch.zeros(2000))
    uniform, like, normal, whole, order, coin, spread, shifted, other = first = call.compiled()
    for mine, eager, again in zip(first, call.eager(), call.compiled()):
        assert mine.dtype == eager.dtype and mine.shape == eager.shape
        torch.testing.assert_close(mine, again, rtol=0, atol=0)
    assert (uniform >= 0).all() and (uniform < 1).all() and abs(uniform.mean() - 0.5) < 0.05 and not torch.equal(uniform, like)
    assert abs(normal.mean()) < 0.1 and abs(normal.std() - 1) < 0.1
    assert whole.unique().tolist() == list(range(-3, 5)) and other.unique().tolist() == list(range(7))
    assert order.sort()[0].tolist() == list(range(50)) and order.tolist() != list(range(50))
    assert set(coin.tolist()) == {0.0, 1.0} and abs(coin.mean() - 0.3) < 0.05
    assert spread.min() >= 2 and spread.max() <= 4 and abs(shifted.mean() - 3) < 0.1 and abs(shifted.std() - 0.5) < 0.05


def test_what_is_written():
    """In-place and out forms are the calls that they are named after."""
    def writes(x, y):
        z, i = x.clone(), torch.empty(3, dtype=torch.int64)
        z.floor_divide_(y).addcmul_(x, y, value=0.5).clamp_min_(-2)
        z[1:].fmod_(1.5).copysign_(x[1:])
        z.t()[0].hypot_(y[:, 0])
        torch.atan2(x, y, out=z[0:3])
        v = torch.empty(3)
        torch.max(z, 1, out=(v, i))
        out = torch.empty(3, 4, dtype=torch.float64)
        torch.mul(x, 2, out=out)
        return z, v, i, out, x.bool().logical_or_(y > 0), z.index_add_(0, i.clamp(max=2), y)

    agrees(writes, torch.randn(3, 4), torch.rand(3, 4) + 0.5)


def test_batch_statistics_are_written():
    def normalize(x, mean, variance):
        mean, variance = mean.clone(), variance.clone()
        result = aten._native_batch_norm_legit(x, None, None, mean, variance, True, 0.1, 1e-5)
        return (*result, mean, variance)

    agrees(normalize, torch.randn(4, 3, 5), torch.zeros(3), torch.ones(3))


def test_out_of_other_sizes_is_refused():
    def writes(x):
        out = torch.empty(0)
        torch.add(x, 1, out=out)
        return out

    with pytest.raises(Exception, match="give it one of the result's sizes") as error:
        Call(writes, torch.randn(3)).compiled()
    assert not isinstance(error.value, Refused) or "out" in str(error.value)


def test_sizes_that_are_symbols(tmp_path):
    """topk and padding by sizes."""
    class Sizes(torch.nn.Module):
        def forward(self, x):
            half = x.shape[1] // 2
            return *x.topk(half, 1), *x.topk(half, 1, largest=False), functional.pad(x, (half, 1, 0, half), value=2.5)

    x = torch.randn(3, 10)
    program = torch.export.export(Sizes(), (x,), dynamic_shapes=({1: 2 * torch.export.Dim("half", min=2, max=32)},))
    torch.export.save(program, tmp_path / "sizes.pt2")
    compiled = tc.compile(tmp_path / "sizes.pt2", returns="torch")
    for size in (10, 4, 18):
        x = torch.randn(3, size)
        for ours, eager in zip(compiled(x), Sizes()(x), strict=True):
            torch.testing.assert_close(ours, eager)


@pytest.mark.parametrize("count", (1, 3, 16, 100))
@pytest.mark.parametrize("largest", (True, False))
@pytest.mark.parametrize("is_sorted", (True, False))
def test_equal_elements_of_topk(count, largest, is_sorted):
    """Of equal elements PyTorch's are selected, in its order: a few of many, most of them, all; NaN among them."""
    torch.manual_seed(count)
    for size in (count, count + 7, 65 * count):
        for dtype in (torch.float32, torch.bfloat16, torch.uint8):
            x = torch.randint(0, 5, (3, size, 2)).to(dtype)
            if dtype.is_floating_point:
                x[x == 4] = float("nan")
            arguments = {"dim": 1, "largest": largest, "sorted": is_sorted}
            compiled = Call(torch.topk, x, count, **arguments).compiled()
            for ours, eager in zip(compiled, x.topk(count, **arguments), strict=True):
                torch.testing.assert_close(ours, eager, rtol=0, atol=0, equal_nan=True)
