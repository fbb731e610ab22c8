"""Quantiles, areas, histograms, places of what is not zero, and images by other images."""

import itertools
import math

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import agrees, agrees_with_gradients, compiled  # noqa: E402

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_quantiles_without_nan(dtype, interpolation):
    """Of rows with some NaN, of NaN alone, with infinities; of numbers and by several shares."""
    x = torch.tensor([[3.0, NAN, 1.0, 2.0, 7.0], [NAN] * 5, [INF, -1.0, NAN, -INF, 0.5], [4.0, 4.0, -0.0, 0.0, 9.0]], dtype=dtype)
    shares = torch.tensor([0.0, 0.3, 0.5, 1.0], dtype=dtype)
    agrees(lambda x, q: (
        torch.nanquantile(x, q, interpolation=interpolation), torch.nanquantile(x, q, 1, interpolation=interpolation),
        torch.nanquantile(x, 0.6, 0, True, interpolation=interpolation), torch.nanquantile(x.t(), q[1], -1, interpolation=interpolation),
        torch.nanquantile(x, q[:0], 1, interpolation=interpolation), torch.nanquantile(x[0, 0], 0.25, interpolation=interpolation),
        torch.nanquantile(x, q, 1, True, interpolation=interpolation)), x, shares)


def test_gradients_of_quantiles():
    x = torch.tensor([[3.0, NAN, 1.0, 2.0, 7.0], [5.0, 6.0, 8.0, -1.0, NAN]], requires_grad=True)
    agrees_with_gradients(lambda x: (torch.nanquantile(x, torch.tensor([0.2, 0.5]), 1), torch.nanquantile(x, 0.7)), x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64, torch.complex64])
def test_areas(dtype):
    """By a step, by places, which may be of one dimension or of all; gradients of both."""
    y, x = torch.randn(3, 4, 5).to(dtype), torch.rand(5).cumsum(0).to(dtype)
    agrees_with_gradients(lambda y, x: (torch.trapz(y), torch.trapz(y, dx=0.5), torch.trapz(y, dim=0), torch.trapz(y, x),
                                        torch.trapz(y.mT, x, dim=1), torch.trapz(y[0], y[1], dim=0)),
                          y.requires_grad_(), x.requires_grad_(), **({"rtol": 2e-2, "atol": 2e-2} if dtype == torch.bfloat16 else {}))


def test_areas_of_integers_and_of_nothing():
    agrees(lambda y, x: (torch.trapz(y), torch.trapz(y, dx=2), torch.trapz(y, x), torch.trapz(y[:, :1]), torch.trapz(y[:, :0]),
                         torch.trapz(y[:0], dim=1), torch.trapz(y[:0], dim=0)), torch.arange(12).reshape(3, 4), torch.tensor([1, 2, 4, 8]))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64])
def test_a_known_number_of_places(dtype):
    """Fewer and more than there are, none at all; -0.0 is zero and NaN is not."""
    x = torch.tensor([[0, 1, 0], [2, 0, 3]]).to(dtype)
    agrees(lambda x: (torch.nonzero_static(x, size=2), torch.nonzero_static(x, size=6), torch.nonzero_static(x.t(), size=5, fill_value=9),
                      torch.nonzero_static(x, size=0), torch.nonzero_static(x[:0], size=2), torch.nonzero_static(x[0, 1], size=3)), x)
    agrees(lambda x: torch.nonzero_static(x, size=4), torch.tensor([-0.0, NAN, INF, 0.0, 1e-45]))


@pytest.mark.host
@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_histograms(dtype, density):
    """By a number of bins, also with a range and weights; by the ends of bins. PyTorch runs these calls."""
    x, weight = torch.tensor([[-1.0, 0.0, 0.5, 2.0], [2.0, 3.5, 4.0, 9.0]], dtype=dtype), torch.rand(2, 4, dtype=dtype)
    ends = torch.tensor([0.0, 0.5, 2.0, 4.0], dtype=dtype)
    agrees(lambda x, w, ends: (torch.histogram(x, 4, density=density), torch.histogram(x, 5, range=(0.0, 4.0), weight=w, density=density),
                               torch.histogram(x, ends, density=density), torch.histogram(x.t(), ends, weight=w.t(), density=density)),
           x, weight, ends, options={})


@pytest.mark.parametrize("classes", [4, 7])
@pytest.mark.parametrize("sizes", [(), (5,), (2, 3), (0,), (0, 2)])
def test_classes_as_rows(sizes, classes):
    index = torch.randint(0, 4, sizes)
    agrees(lambda i: (F.one_hot(i, classes), F.one_hot(i, classes).float() * 2), index)


@pytest.mark.host  # a GPU says so in a later call
@pytest.mark.parametrize("wrong", [-1, 4])
def test_classes_out_of_range_are_errors(wrong):
    run = compiled(lambda i: F.one_hot(i, 4) + 1)
    run(torch.tensor([0, 3]))
    with pytest.raises(Exception, match="range|smaller than num_classes|non-negative"):
        run(torch.tensor([0, wrong]))


@pytest.mark.parametrize("how", [{}, {"sym": False}, {"tau": 2.5}, {"center": 1.0, "sym": False, "tau": 0.5}, {"dtype": torch.float64}])
def test_exponential_windows(how):
    agrees(lambda x: tuple(torch.signal.windows.exponential(size, **how) * x for size in (0, 1, 2, 7)), torch.tensor(2.0))


@pytest.mark.parametrize("align,sizes", list(itertools.product([False, True], [(3, 2), (9, 11), (5, 3), (1, 1)])))
def test_images_of_other_sizes_without_aliases(align, sizes):
    """Smaller, larger, smaller in one dimension alone, and of one point."""
    x = torch.randn(2, 3, 6, 5)
    agrees_with_gradients(lambda x: torch.ops.aten._upsample_bilinear2d_aa(x, sizes, align), x.requires_grad_())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_images_without_aliases_of_other_types_and_forms(dtype):
    """PyTorch runs the gradient where scales are given."""
    x, y = torch.randn(2, 3, 8, 6, dtype=dtype).to(memory_format=torch.channels_last), torch.randn(1, 2, 7, 5, dtype=dtype)

    def resized(x, y):
        return (F.interpolate(x, size=(5, 9), mode="bilinear", antialias=True),
                F.interpolate(y, scale_factor=(0.5, 1.5), mode="bilinear", antialias=True),
                torch.ops.aten._upsample_bilinear2d_aa(y, (4, 3), False, 0.5, 0.45))

    agrees(resized, x, y)
    agrees_with_gradients(resized, x.clone().requires_grad_(), y.clone().requires_grad_(), options={})
