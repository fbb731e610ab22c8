"""Operators on element types that they rarely meet, next to PyTorch."""

import pytest
import torch
from torch.nn import functional

tc = pytest.importorskip("tc")

from operator_call import Call, Refused

SMALL_FLOATS = [torch.float8_e4m3fn, torch.float8_e5m2]
MOVED = [torch.complex64, torch.complex128, *SMALL_FLOATS]
INFINITY = float("inf")


def bits(tensor):
    tensor = tensor.contiguous()
    return tensor.view(torch.uint8) if tensor.dtype in SMALL_FLOATS else tensor


def is_same(function, *args):
    call = Call(function, *args)
    for ours, eager in zip(call.compiled(), call.eager(), strict=True):
        assert ours.dtype == eager.dtype
        torch.testing.assert_close(bits(ours), bits(eager), rtol=0, atol=0, equal_nan=True)


def is_close(function, *args):
    call = Call(function, *args)
    for ours, eager in zip(call.compiled(), call.eager(), strict=True):
        torch.testing.assert_close(ours, eager, equal_nan=True)


def make(dtype, *sizes):
    if dtype in SMALL_FLOATS:
        return torch.randn(sizes).to(dtype)
    return torch.randn(sizes, dtype=dtype)


@pytest.fixture
def bools():
    torch.manual_seed(0)
    return torch.rand(4, 5) > 0.5, torch.rand(4, 5) > 0.3, torch.randint(0, 4, (4, 5))


def test_sums_of_bools(bools):
    def sums(x, y, index):
        return (x.sum(1, dtype=torch.bool), x.prod(0, dtype=torch.bool), x.sum(dtype=torch.bool), x.sum(0), x.prod(1),
                x.cumsum(0), x.cumprod(1), torch.scatter_add(x, 0, index, y), torch.index_add(x, 0, index[:, 0], y),
                torch.index_put(x, (index[:, 0],), y, accumulate=True), torch.outer(x[0], y[1]))

    is_same(sums, *bools)


@pytest.mark.parametrize("reduce", ["sum", "prod", "amax", "amin"])
@pytest.mark.parametrize("includes", [True, False])
def test_scatter_reduce_of_bools(bools, reduce, includes):
    is_same(lambda x, y, i: torch.scatter_reduce(x, 0, i, y, reduce, include_self=includes), *bools)


def test_product_of_bools(bools):
    x, y, _ = bools
    for beta in (True, False):
        for alpha in (True, False):
            is_same(lambda x, v, w: torch.addr(x, v, w, beta=beta, alpha=alpha), x, x[:, 0], y[0])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("correction", [-3, -0.5, 0, 0.5, 4.5, 5, 6.25, 15, 100])
def test_correction_of_a_variance(dtype, correction):
    torch.manual_seed(0)
    is_close(lambda x: (torch.var(x, 1, correction=correction), torch.std(x, correction=correction),
                        *torch.var_mean(x, (0, 1), correction=correction), *torch.std_mean(x, 0, correction=correction)),
             torch.randn(3, 5).to(dtype))


def test_variance_of_few():
    for sizes in ((1,), (0,), (3, 0), (0, 3), ()):
        is_close(lambda x: (torch.var(x, -1), torch.std(x, -1, correction=0)), torch.randn(sizes))


@pytest.mark.parametrize("dtype", MOVED)
def test_moves(dtype):
    torch.manual_seed(0)
    condition, rows = torch.rand(4, 5) > 0.5, torch.tensor([2, 0, 3])

    def moves(x, y, c, rows):
        return (torch.cat([x, y, x], 1), torch.stack([x, y], 1), x.t().contiguous(), x[1:3, ::2].clone(), x[2].clone(),
                x[:1].expand(4, 5).clone(), x.reshape(2, 10), x.clone(), x.repeat(2, 3), torch.index_select(x, 1, rows),
                x[rows], x[rows, rows], torch.where(c, x, y), torch.where(c, x, x[0, 0]), torch.diagonal(x).clone(),
                torch.index_put(x, (rows,), y[:3]), torch.slice_scatter(x, y[:2], 0, 1, 3),
                torch.select_scatter(x, y[0], 0, 1), torch.roll(x, (1, 2), (0, 1)), x.unfold(1, 2, 1).clone(),
                *torch.unbind(x), functional.pad(x, (1, 2)), torch.zeros_like(x), x[:0].clone(), x[0, 0].clone(),
                torch.cat([x, torch.zeros(1, 5, dtype=x.dtype)]), functional.embedding(rows, x), x)

    is_same(moves, make(dtype, 4, 5), make(dtype, 4, 5), condition, rows)
    is_same(lambda x: (x.permute(2, 0, 1).contiguous(), x.transpose(0, 1).contiguous()), make(dtype, 33, 17, 40))


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_moves_of_complex_numbers(dtype):
    torch.manual_seed(0)
    index = torch.tensor([[0, 1, 2, 0, 3], [3, 2, 1, 0, 0]])
    is_same(lambda x, y, i: (x.flip(1), torch.gather(x, 0, i), torch.take_along_dim(x, i, 0), torch.tril(x),
                             torch.scatter(x, 0, i[:1], y), functional.pad(x, (1, 2), mode="reflect"), torch.rot90(x),
                             torch.full((3,), 2.0, dtype=x.dtype), torch.ones_like(x)),
            make(dtype, 4, 5), make(dtype, 4, 5), index)


@pytest.mark.parametrize("dtype", MOVED)
def test_arithmetic_of_what_is_only_moved_is_refused(dtype):
    x = make(dtype, 4, 5)
    functions = (torch.tanh, torch.eq) if dtype.is_complex else (torch.abs, torch.mul, torch.eq)
    for function in functions:
        arguments = (x,) if function in (torch.abs, torch.tanh) else (x, x)
        with pytest.raises(Refused, match=r"'aten\.\w+\.\w+' is not supported with"):
            Call(function, *arguments).compiled()


@pytest.mark.parametrize("padding", [(-1, 2), (-2, 2), (2, -1), (-3, 1), (4, 4), (0, 4), (-2, -1)])
@pytest.mark.parametrize("mode", ["circular", "replicate", "reflect"])
def test_pads(padding, mode):
    if mode == "reflect" and max(padding) > 3:
        pytest.skip("PyTorch refuses it")
    is_same(lambda x: functional.pad(x, padding, mode=mode), torch.randn(1, 2, 4))
    is_same(lambda x: functional.pad(x, (*padding, 1, 1), mode=mode), torch.randn(1, 2, 3, 4))


@pytest.mark.parametrize("dtype", [torch.uint64, torch.uint32, torch.uint16, torch.uint8, torch.int8, torch.bool])
def test_positions_in_other_types(dtype):
    is_same(lambda x: (torch.arange(-2, 5).to(dtype), torch.arange(5).to(dtype).to(torch.float64), (x > 0).to(dtype)),
            torch.ones(2))


def test_an_index_into_a_dimension_of_size_one():
    x, zeros = torch.randn(1, 5), torch.zeros(3, dtype=torch.int64)
    is_same(lambda x, i: (x[i], x[i, i], torch.index_select(x, 0, i), torch.gather(x, 0, i[None, :]),
                          torch.scatter(x, 0, i[None, :], 2.0), torch.index_put(x, (i[:1],), x[0] + 1),
                          functional.embedding(i, x)), x, zeros)
    is_same(lambda x, i: x[i], x, zeros - 1)


@pytest.mark.parametrize("index", [1, 4, 12])
def test_an_index_is_checked_behind_a_reshape(index):
    """A dimension of size one has a range, and so has one that a reshape joins to others."""
    x, row, indices = torch.arange(12.0), torch.randn(1, 5), torch.tensor([0, index])
    functions = [(lambda x, i: x.reshape(3, 4)[i * 0, i], x, 4), (lambda x, i: (x * 2).reshape(3, 2, 2)[:, i, i * 0], x, 2),
                 (lambda x, i: x.reshape(3, 4).reshape(12)[i], x, 12), (lambda x, i: torch.index_select(x, 0, i), row, 1),
                 (lambda x, i: (x[:, :, None] * 2)[:, :, i], row, 1), (lambda x, i: x.sum(1, keepdim=True)[:, i], row, 1),
                 (lambda x, i: (x[:, None] + 1)[i, i], row, 1), (lambda x, i: x.t().unsqueeze(0)[i * 0, :, i], row, 1)]
    for function, tensor, size in functions:
        if index < size:
            is_same(function, tensor, indices)
        else:
            with pytest.raises(tc.Error, match="an index is out of the range"):
                Call(function, tensor, indices).compiled()


def test_angles_of_all_sizes():
    x = torch.cat([torch.logspace(-5, 308, 400, dtype=torch.float64), torch.tensor([1e18, 6381956970095103.0 * 2.0**797])])
    is_close(lambda x: (torch.sin(x), torch.cos(x), torch.tan(x), torch.sin(-x)), x)
    is_close(lambda x: (torch.sin(x), torch.cos(x), torch.tan(x), torch.cos(-x)), x[x < 3e38].float())


@pytest.mark.parametrize("left", SMALL_FLOATS)
@pytest.mark.parametrize("right", SMALL_FLOATS)
def test_scaled_products(left, right):
    torch.manual_seed(0)
    x, y, bias = make(left, 33, 64), make(right, 48, 64), torch.randn(48).bfloat16()
    one, rows, columns = torch.tensor(0.5), torch.rand(33, 1), torch.rand(1, 48)
    is_close(lambda x, y, s: torch._scaled_mm(x, y.t(), s, s, out_dtype=torch.bfloat16), x, y, one)
    is_close(lambda x, y, s, b: torch._scaled_mm(x, y.t(), s, s, bias=b, out_dtype=torch.bfloat16, use_fast_accum=True), x, y,
             one, bias)
    is_close(lambda x, y, s, t: torch._scaled_mm(x, y.t(), s, t, out_dtype=torch.float32), x, y, rows, columns)
    with pytest.raises(Refused, match="'scale_result'"):
        Call(lambda x, y, s: torch._scaled_mm(x, y.t(), s, s, scale_result=s), x, y, one).compiled()


def test_products_of_bytes():
    torch.manual_seed(0)
    x, y = (torch.randint(-128, 128, size, dtype=torch.int8) for size in ((32, 64), (64, 48)))
    is_same(lambda x, y: (torch._int_mm(x, y), torch._int_mm(x, y.t().contiguous().t())), x, y)


@pytest.mark.parametrize("dtype", SMALL_FLOATS)
def test_numbers_that_are_too_large(dtype):
    x = torch.tensor([447.0, 448, 464, 464.1, 480, 1e4, -1e4, 57344, 61439, 61440, 1e30, INFINITY, -INFINITY, float("nan")])
    call = Call(lambda x: (x.to(dtype), x.bfloat16().to(dtype), x.double().to(dtype)), x)
    for ours, eager in zip(call.compiled(), call.eager(), strict=True):  # which NaN it is is not said
        torch.testing.assert_close(ours.float(), eager.float(), rtol=0, atol=0, equal_nan=True)
