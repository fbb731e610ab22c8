"""Calls of operators with arguments of unusual kinds, next to PyTorch."""

import pytest
import torch
from torch.nn import functional

pytest.importorskip("tc")

from operator_call import Call, agrees

INFINITY = float("inf")


def is_same(function, *args, **kwargs):
    """Bit by bit, which is more than to be close."""
    call = Call(function, *args, **kwargs)
    for ours, eager in zip(call.compiled(), call.eager(), strict=True):
        torch.testing.assert_close(ours, eager, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("narrow", [torch.bfloat16, torch.float16, torch.float8_e4m3fn, torch.float8_e5m2])
@pytest.mark.parametrize("wide", [torch.float32, torch.float64])
def test_a_cast_rounds(narrow, wide):
    """Also where the result is widened again in the same kernel."""
    x = torch.tensor([1.2345678, -3.3, 100.3, 1e-9, -0.0, 300.1, INFINITY, -17.4] * 5, dtype=wide)
    if narrow == torch.float8_e4m3fn:
        x = x.clamp(-400, 400)
    is_same(lambda x: x.to(narrow).to(wide), x)
    is_same(lambda x: (x + 1).to(narrow).to(wide) * 2, x)
    is_same(lambda x: x.to(narrow).to(wide).sum(), x[:4])


def test_a_cast_overflows():
    x = torch.tensor([70000.0, -70000.0, 65519.0, 65520.0, 1e39, 2e-8])
    is_same(lambda x: x.half().float() / 2, x)
    is_same(lambda x: x.bfloat16().half().float(), x)
    is_same(lambda x: x.to(torch.int32).half().float(), x[:4])


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool])
@pytest.mark.parametrize("function", [torch.fmax, torch.fmin])
def test_extrema_of_integers(function, dtype):
    low, high = (False, True) if dtype == torch.bool else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    x = torch.tensor([low, high, 1, high], dtype=dtype)
    is_same(function, x, x.flip(0))


@pytest.mark.parametrize("start, end, step", [(0.1, -7.9, -4.0), (1.9, 9.9, 2.2), (-2.5, 2.5, 1)])
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int8, torch.float32, torch.float64])
def test_arange_of_fractions(start, end, step, dtype):
    agrees(lambda x: torch.arange(start, end, step, dtype=dtype) + x, torch.tensor(1, dtype=dtype))


def test_diff():
    x, edge = torch.randn(3, 3), torch.randn(3, 1)
    for order in range(4):
        agrees(lambda x, a, b: torch.diff(x, order, 1, a, b), x, edge, edge + 1)
    agrees(lambda x, a: torch.diff(x, 1, 1, None, a), torch.arange(6).reshape(3, 2), edge)


def test_tensordot_of_size_1():
    x, y = torch.randn(1, 1, 3), torch.randn(2, 4, 5)
    agrees(lambda x, y: torch.tensordot(x, y, dims=([0, 1], [1, 0])), x, y)
    agrees(lambda x, y: torch.tensordot(y, x, dims=([0, 1], [1, 0])), x, y)


@pytest.mark.parametrize("divisor", [-2, 1, 7])
def test_divisor_of_an_average(divisor):
    agrees(lambda x: functional.avg_pool2d(x, 2, divisor_override=divisor), torch.randn(1, 2, 5, 6))
    agrees(lambda x: functional.avg_pool3d(x, 2, divisor_override=divisor), torch.randn(1, 2, 4, 5, 6))


@pytest.mark.parametrize("dim", [0, 1])
def test_running_folds_accumulate_as_pytorch_does(dim):
    torch.manual_seed(0)
    agrees(lambda x: x.cumsum(dim), torch.randn(64, 257))
    agrees(lambda x: x.cumprod(dim), 1 + torch.randn(64, 257) / 100)


def test_negative_eps():
    x = torch.randn(2, 6, 3)
    agrees(lambda x: functional.layer_norm(x, (3,), eps=-0.5), x)
    agrees(lambda x: functional.group_norm(x, 2, eps=-0.1), x)
    agrees(lambda x: functional.rms_norm(x, (6, 3), eps=-0.25), x)


def test_lgamma_near_its_zeros():
    offsets = torch.logspace(-15, -1, 60, dtype=torch.float64)
    near = torch.cat([at + side * offsets for at in (1, 2) for side in (-1, 1)])
    x = torch.cat([near, torch.linspace(1e-3, 12, 500, dtype=torch.float64)])
    call = Call(torch.lgamma, x)
    torch.testing.assert_close(call.compiled(), call.eager(), rtol=2e-15, atol=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64])
def test_special_functions(dtype):
    x = torch.tensor([-3, -1, 0, 1, 2, 5, 7], dtype=dtype)
    y = torch.tensor([2, 0, -1, 3, 1, 2, 0], dtype=dtype)
    if dtype.is_floating_point:
        edges = torch.tensor([INFINITY, -INFINITY, float("nan"), -0.0, 0.3, -2.7], dtype=dtype)
        x, y = torch.cat([x, edges, edges + 1]), torch.cat([y, edges.flip(0), edges])
    special = torch.special

    def functions(x, y):
        return (torch.isposinf(x), torch.isneginf(x), torch.heaviside(x, y), torch.angle(x), torch.sgn(x),
                torch.real(x), torch.isreal(x), torch.conj_physical(x), torch.float_power(x.abs(), 1.5),
                special.xlog1py(x, y.abs()), torch.sinc(x), special.ndtr(x), special.entr(x))

    agrees(functions, x, y)
    agrees(lambda x, y: (torch.ldexp(x, y.int()), torch.logaddexp2(x, y)), x.clamp(-20, 20).float(), y.clamp(-9, 9).float())


def test_searches():
    edges = torch.tensor([-1.0, 0.0, 0.0, 2.5, INFINITY])
    x = torch.tensor([[-2.0, -1.0, 0.0], [2.5, INFINITY, float("nan")]])
    rows = torch.stack([edges, edges + 1])
    agrees(lambda x, e, r: (torch.bucketize(x, e), torch.bucketize(x, e, right=True, out_int32=True),
                            torch.bucketize(1.5, e), torch.searchsorted(r, x, side="right"), torch.searchsorted(r, x),
                            torch.isin(x, e), torch.isin(x, e, invert=True), torch.isin(2.5, e), torch.isin(x, 0)),
           x, edges, rows)
    agrees(lambda x, e: (torch.bucketize(x, e), torch.isin(x, e)), torch.arange(10).reshape(2, 5), torch.tensor([1, 4, 4]))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64])
def test_small_products(dtype):
    def make(*sizes):
        return torch.randn(sizes).to(dtype) if dtype.is_floating_point else torch.randint(-9, 9, sizes)

    torch.manual_seed(0)
    agrees(lambda c, x, y, v, w: (torch.addbmm(c, x, y, beta=2, alpha=3), torch.addr(c, v, w, beta=0),
                                  torch.addr(c, v, w, alpha=2), torch.vdot(w, w)),
           make(5, 3), make(4, 5, 7), make(4, 7, 3), make(5), make(3))
    agrees(lambda x, y, v, w: (torch.inner(x, y), torch.linalg.vecdot(x.float(), w.float()), torch.cross(v, v.flip(0), dim=1),
                               torch.linalg.cross(v, w[None]), torch.kron(v, x), torch.trace(v)),
           make(2, 3), make(4, 5, 3), make(4, 3), make(3))


def test_integrals():
    y, x = torch.randn(3, 6), torch.randn(6).sort().values
    agrees(lambda y, x: (torch.trapezoid(y, x), torch.trapezoid(y, dx=0.5, dim=0), torch.cumulative_trapezoid(y, x),
                         torch.cumulative_trapezoid(y, dx=2, dim=0), torch.trapezoid(y, y + 1, dim=0)), y, x)


def test_joins_and_rolls():
    x, v = torch.randn(4, 5), torch.randn(5)
    agrees(lambda x, v: (torch.dstack([v, v + 1]), torch.dstack([x, x]), torch.column_stack([v, v[:, None] + x.T]),
                         torch.atleast_3d(v), torch.atleast_3d(x), x.mH, torch.fft.fftshift(x), torch.fft.ifftshift(x, 1),
                         *torch.unsafe_split(x, 2), *torch.unsafe_chunk(v, 2), x.sum_to_size(1, 5), x.sum_to_size(5),
                         x.nanmean(), torch.where(x > 0, x, float("nan")).nanmean(1, keepdim=True)), x, v)


def test_losses():
    torch.manual_seed(0)
    x, y, sign = torch.randn(3, 5), torch.rand(3, 5) * 4, torch.randn(3, 5).sign()

    def losses(x, y, sign):
        results = []
        for reduction in ("none", "mean", "sum"):
            results += [functional.soft_margin_loss(x, sign, reduction=reduction),
                        functional.hinge_embedding_loss(x, sign, margin=0.5, reduction=reduction),
                        functional.margin_ranking_loss(x, y, sign, margin=0.1, reduction=reduction),
                        functional.poisson_nll_loss(x, y, full=True, reduction=reduction),
                        functional.poisson_nll_loss(x.abs(), y, log_input=False, reduction=reduction)]
        return tuple(results)

    agrees(losses, x, y, sign)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_constants_of_formulas_are_not_rounded(dtype):
    x, y = (torch.linspace(0.01, 0.99, 200) + offset for offset in (0, 1))
    agrees(lambda x, y: (torch.logit(x, 0.2), torch.deg2rad(x), torch.addcmul(x, x, y, value=0.3), torch.round(x, decimals=2),
                         torch.addcdiv(x, x, y, value=0.3), torch.lerp(x, y, 0.3)), x.to(dtype), y.to(dtype))


@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.uint8])
def test_scatter_reduce(reduce, dtype):
    torch.manual_seed(0)
    x, values = torch.randint(0, 9, (4, 5)).to(dtype), torch.randint(0, 9, (4, 7)).to(dtype)
    index = torch.randint(0, 4, (4, 7))
    agrees(lambda x, index, values: tuple(
        torch.scatter_reduce(x, 1, index, values, reduce, include_self=own) for own in (True, False)), x, index, values)


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_cross_entropy(smoothing):
    torch.manual_seed(0)
    x, weight = torch.randn(4, 3, 5), torch.rand(3)
    classes, likely = torch.randint(0, 3, (4, 5)), torch.randn(4, 3, 5).softmax(1)

    def losses(x, classes, likely, weight):
        return tuple(functional.cross_entropy(x, target, by, reduction=reduction, label_smoothing=smoothing,
                                              **({} if target.is_floating_point() else {"ignore_index": 1}))
                     for reduction in ("none", "mean", "sum") for by in (None, weight) for target in (classes, likely))

    agrees(losses, x, classes, likely, weight)


def test_other_names():
    x, y = torch.rand(3, 4), torch.rand(4)
    special = torch.special
    agrees(lambda x, y: (torch.absolute(x), torch.arccos(x), torch.arctan2(x, y), torch.fix(x * 3), torch.ger(y, y),
                         torch.greater(x, y), torch.less_equal(x, 0.5), torch.not_equal(x, y), torch.negative(x),
                         torch.moveaxis(x, 0, 1), special.expit(x), special.erfinv(x), special.gammaln(x),
                         special.logsumexp(x, 1), special.xlogy(x, y), special.xlogy(x, 2.0), special.round(x, decimals=1),
                         special.logit(x, 0.1), torch.linalg.matmul(x, y)), x, y)


@pytest.mark.parametrize("shape, masked", [((3, 5, 4), (3, 5, 1)), ((2, 7), (2, 7)), ((6,), (6,)), ((4, 3, 5), (1, 3, 5))])
def test_masked_scatter(shape, masked):
    """The running sum of the flattened mask says which element goes where."""
    x, mask = torch.randn(shape), torch.rand(masked) > 0.4
    source = torch.randn(x.numel())
    is_same(lambda x, mask, source: x.masked_scatter(mask, source) * 2, x, mask, source)
    is_same(lambda x, mask, source: x.masked_scatter(mask.expand_as(x), source.view(x.shape)), x, mask, source)


def test_a_statistic_of_rows_before_one_over_all():
    x = torch.randn(17, 9)
    agrees(lambda x: functional.layer_norm(x.softmax(-1), x.shape), x)
    agrees(lambda x: functional.rms_norm(x.softmax(-1), x.shape), x)
    agrees(lambda x: x.softmax(-1) / x.softmax(-1).norm(), x)
    weight, bias = torch.randn(24), torch.randn(24)
    agrees(
        lambda x, weight, bias: functional.group_norm(functional.gelu(functional.layer_norm(x, x.shape[2:])), 1, weight, bias),
        torch.randn(1, 24, 9, 5), weight, bias)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("beta, alpha", [(1, 1), (1, 0.7), (0.3, 1), (0.3, 0.7), (0, 0.7)])
def test_factors_of_a_summed_product_are_not_rounded(dtype, beta, alpha):
    torch.manual_seed(0)
    c, x, y = (torch.randn(size).to(dtype) for size in ((2, 40, 50), (2, 40, 24), (2, 24, 50)))
    call = Call(lambda c, x, y: (torch.baddbmm(c, x, y, beta=beta, alpha=alpha), torch.addmm(c[0], x[0], y[0], beta=beta, alpha=alpha),
                                 torch.addmv(c[0, :, 0], x[0], y[0, :, 0], beta=beta, alpha=alpha)), c, x, y)

    def error(result, exact):
        return (result.double() - exact).square().mean().sqrt()

    for ours, eager, exact in zip(call.compiled(), call.eager(), call.exact(3), strict=True):
        ulp = torch.finfo(dtype).eps * exact.abs().log2().floor().exp2().mean()
        assert error(ours, exact) <= 1.1 * error(eager, exact) + 0.1 * ulp


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("length", [1, 2, 9])
@pytest.mark.parametrize("periodic", [True, False])
def test_windows_of_signals(length, periodic, dtype):
    agrees(lambda x: [x + window(length, periodic, dtype=dtype) for window in (
        torch.hann_window, torch.hamming_window, torch.blackman_window, torch.bartlett_window)]
        + [torch.hamming_window(length, periodic, 0.6, 0.3, dtype=dtype)], torch.zeros(length, dtype=dtype))
