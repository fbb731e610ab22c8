"""Gradients of pooling, resampling, padding and overlapping windows, compiled and by eager PyTorch."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import agrees_with_all_gradients  # noqa: E402


def layouts(x):
    """The same elements with the channels behind the rows in memory, too."""
    kind = {4: torch.channels_last, 5: torch.channels_last_3d}[x.dim()]
    return [x, x.to(memory_format=kind)]


MAX_POOLS = {
    "overlapping": {"kernel_size": 3, "stride": 2, "padding": 1},
    "apart": {"kernel_size": 2, "stride": 2},
    "dense": {"kernel_size": 3, "stride": 1, "padding": 1},
    "gaps": {"kernel_size": 2, "stride": 3},
    "dilated": {"kernel_size": 3, "stride": 2, "padding": 1, "dilation": 2},
    "ceil": {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True},
    "uneven": {"kernel_size": (3, 2), "stride": (2, 3), "padding": (1, 0), "ceil_mode": True},
}


@pytest.mark.parametrize("options", MAX_POOLS.values(), ids=MAX_POOLS)
@pytest.mark.parametrize("is_last", [False, True], ids=["planes", "channels_last"])
def test_max_pool2d(options, is_last):
    x = layouts(torch.randn(2, 3, 10, 13))[is_last]
    agrees_with_all_gradients(lambda x: F.max_pool2d(x, **options), x)


@pytest.mark.parametrize("options", [MAX_POOLS["overlapping"], MAX_POOLS["dilated"], MAX_POOLS["ceil"]], ids=["overlapping", "dilated", "ceil"])
def test_the_first_of_equal_elements_has_the_gradient(options):
    # Of three values, most windows have several that are the largest.
    agrees_with_all_gradients(lambda x: F.max_pool2d(x, **options), torch.randint(0, 3, (2, 4, 11, 9)).float())
    agrees_with_all_gradients(lambda x: F.max_pool2d(x, **options), torch.zeros(1, 2, 8, 8))


@pytest.mark.parametrize("value", [float("nan"), -float("inf")])
def test_windows_with_what_is_no_number(value):
    x = torch.where(torch.rand(2, 3, 9, 10) < 0.4, torch.tensor(value), torch.randn(2, 3, 9, 10))
    agrees_with_all_gradients(lambda x: F.max_pool2d(x, 3, 2, 1), x)


def test_indices_of_windows_go_along_with_gradients():
    def function(x):
        return F.max_pool2d(x, 3, 2, 1, return_indices=True)

    agrees_with_all_gradients(function, torch.randn(2, 3, 9, 8))


@pytest.mark.parametrize("options", [{"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": 2}, {"kernel_size": (1, 3, 2), "stride": (1, 2, 2), "ceil_mode": True}],
                         ids=["overlapping", "apart", "uneven"])
def test_max_pool3d(options):
    for x in layouts(torch.randn(2, 2, 5, 6, 7)):
        agrees_with_all_gradients(lambda x: F.max_pool3d(x, **options), x)


def test_images_of_one_channel_and_without_a_batch():
    agrees_with_all_gradients(lambda x: F.max_pool2d(x, 3, 2, 1), torch.randn(2, 1, 8, 9))
    agrees_with_all_gradients(lambda x: F.max_pool2d(x, 2), torch.randn(3, 8, 9))
    agrees_with_all_gradients(lambda x: F.max_pool1d(x, 3, 2, 1), torch.randn(2, 3, 17))
    agrees_with_all_gradients(lambda x: F.avg_pool2d(x, 3, 2, 1), torch.randn(2, 1, 8, 9))


AVERAGE_POOLS = {
    "apart": {"kernel_size": 2},
    "padded": {"kernel_size": 3, "stride": 2, "padding": 1},
    "without_padding": {"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": False},
    "dense": {"kernel_size": 3, "stride": 1, "padding": 1, "count_include_pad": False},
    "divisor": {"kernel_size": 3, "stride": 2, "padding": 1, "divisor_override": 7},
    "ceil": {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True},
    "ceil_without_padding": {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True, "count_include_pad": False},
    "large": {"kernel_size": 7, "stride": 1, "padding": 3},
    "gaps": {"kernel_size": (2, 1), "stride": (3, 2)},
}


@pytest.mark.parametrize("options", AVERAGE_POOLS.values(), ids=AVERAGE_POOLS)
@pytest.mark.parametrize("is_last", [False, True], ids=["planes", "channels_last"])
def test_avg_pool2d(options, is_last):
    x = layouts(torch.randn(2, 3, 10, 13))[is_last]
    agrees_with_all_gradients(lambda x: F.avg_pool2d(x, **options), x)


@pytest.mark.parametrize("options", [{"kernel_size": (7, 1, 3), "stride": 1, "padding": (3, 0, 1)}, {"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": False, "ceil_mode": True}],
                         ids=["long", "ceil"])
def test_avg_pool3d(options):
    for x in layouts(torch.randn(2, 2, 8, 5, 6)):
        agrees_with_all_gradients(lambda x: F.avg_pool3d(x, **options), x)


@pytest.mark.parametrize("size", [1, (3, 4), (5, 6)])
def test_adaptive_avg_pool2d(size):
    for x in layouts(torch.randn(2, 3, 7, 8)):
        agrees_with_all_gradients(lambda x: F.adaptive_avg_pool2d(x, size), x)


RESIZES = {
    "nearest_twice": {"scale_factor": 2, "mode": "nearest"},
    "nearest_by_half_more": {"scale_factor": 1.5, "mode": "nearest"},
    "nearest_smaller": {"size": (3, 5), "mode": "nearest"},
    "bilinear": {"scale_factor": 2, "mode": "bilinear", "align_corners": False},
    "bilinear_corners": {"scale_factor": 2, "mode": "bilinear", "align_corners": True},
    "bilinear_smaller": {"size": (4, 3), "mode": "bilinear", "align_corners": False},
    "bicubic": {"scale_factor": 2, "mode": "bicubic", "align_corners": False},
    "bicubic_corners": {"size": (9, 11), "mode": "bicubic", "align_corners": True},
}


@pytest.mark.parametrize("options", RESIZES.values(), ids=RESIZES)
@pytest.mark.parametrize("is_last", [False, True], ids=["planes", "channels_last"])
def test_interpolate(options, is_last):
    x = layouts(torch.randn(2, 3, 6, 7))[is_last]
    agrees_with_all_gradients(lambda x: F.interpolate(x, **options), x)


def test_interpolate_of_other_ranks():
    agrees_with_all_gradients(lambda x: F.interpolate(x, scale_factor=2, mode="linear"), torch.randn(2, 3, 7))
    agrees_with_all_gradients(lambda x: F.interpolate(x, scale_factor=1.5, mode="nearest"), torch.randn(2, 3, 8))
    agrees_with_all_gradients(lambda x: F.interpolate(x, scale_factor=2, mode="trilinear"), torch.randn(1, 2, 3, 4, 5))


@pytest.mark.parametrize("mode", ["replicate", "reflect", "circular"])
def test_pads_that_repeat_elements(mode):
    for x in layouts(torch.randn(2, 3, 5, 6)):
        agrees_with_all_gradients(lambda x: F.pad(x, (2, 1, 3, 0), mode), x)
    agrees_with_all_gradients(lambda x: F.pad(x, (2, 1), mode), torch.randn(2, 3, 6))


def test_replication_pad_modules():
    pad = torch.nn.ReplicationPad2d((1, 2, 0, 3))
    agrees_with_all_gradients(lambda x: pad(x).sin(), torch.randn(2, 3, 4, 5))
    agrees_with_all_gradients(torch.nn.ReplicationPad3d(2), torch.randn(1, 2, 3, 4, 5))


@pytest.mark.parametrize("options", [{"kernel_size": 3, "stride": 1, "padding": 1}, {"kernel_size": 2, "stride": 2}, {"kernel_size": (3, 2), "stride": (2, 1), "dilation": 2, "padding": (2, 1)}],
                         ids=["overlapping", "apart", "dilated"])
def test_fold_and_unfold(options):
    windows = F.unfold(torch.zeros(1, 3, 8, 10), **options).shape
    agrees_with_all_gradients(lambda x: F.fold(x, (8, 10), **options), torch.randn(2, *windows[1:]))
    agrees_with_all_gradients(lambda x: F.unfold(x, **options), torch.randn(2, 3, 8, 10))


@pytest.mark.parametrize("function", [lambda x: F.max_pool2d(x, 3, 2, 1), lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
                                      lambda x: F.interpolate(x, scale_factor=2), lambda x: F.avg_pool2d(x, 3, 2, 1)],
                         ids=["max_pool", "bilinear", "nearest", "avg_pool"])
def test_gradients_that_others_use(function):
    """The function is one of several that use its input, and its gradients are added."""
    agrees_with_all_gradients(lambda x: function(x.sin()).square().mean() + (x * x).sum(), torch.randn(2, 3, 8, 8))
