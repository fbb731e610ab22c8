"""Operators that the backend compiles by decomposition, on inputs beside those of PyTorch's table."""

import functools

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import agreement_with_eager  # noqa: E402
import torch.nn.functional as F  # noqa: E402

WHOLE = {"fullgraph": True, "dynamic": False}
compiled = functools.partial(agreement_with_eager.compiled, **WHOLE)
gradients_agree = functools.partial(agreement_with_eager.agrees_with_all_gradients, rtol=1e-4, atol=1e-5, **WHOLE)


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)


def agrees(function, *inputs, **tolerances):
    torch.testing.assert_close(compiled(function)(*inputs), function(*inputs), equal_nan=True, **tolerances)


@pytest.mark.parametrize("name", [
    "i0", "i0e", "i1", "i1e", "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1",
    "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1",
    "erfcx", "log_ndtr", "spherical_bessel_j0"])
def test_special_functions_near_and_far(name):
    function = getattr(torch.special, name)
    for x in (torch.linspace(-6, 6, 101, dtype=torch.float64), torch.linspace(0, 60, 97), torch.arange(-3, 9)):
        agrees(function, x, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
def test_polygamma_on_both_sides_of_zero(n):
    x = torch.linspace(-4.3, 9.1, 57, dtype=torch.float64)
    agrees(lambda x: torch.polygamma(n, x), x, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int32, torch.int64])
def test_greatest_common_divisors(dtype):
    x, y = (torch.randint(0, 120, (64,), dtype=dtype) for _ in range(2))
    x[0] = y[0] = y[1] = 0
    agrees(lambda x, y: (torch.gcd(x, y), torch.lcm(x // 8, y // 8)), x, y)


def test_greatest_common_divisor_of_fibonacci_numbers():
    agrees(torch.gcd, torch.tensor([7540113804746346429]), torch.tensor([4660046610375530309]))


@pytest.mark.host  # PyTorch's divisors on a GPU differ where the magnitude of an integer overflows
@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64])
def test_greatest_common_divisors_of_the_least_integer(dtype):
    least = torch.iinfo(dtype).min
    x = torch.tensor([64, 127, 3, 0, least], dtype=dtype)
    agrees(torch.gcd, x, torch.full((5,), least, dtype=dtype))
    agrees(torch.gcd, torch.full((5,), least, dtype=dtype), x)


@pytest.mark.host
def test_convolutions_of_integers():
    x, weight = torch.randint(-9, 9, (2, 6, 11, 9)), torch.randint(-9, 9, (4, 3, 3, 2))
    agrees(lambda x, w: F.conv2d(x, w, stride=(2, 1), padding=(1, 2), dilation=(2, 1), groups=2), x, weight)
    turned = torch.randint(-9, 9, (6, 2, 3, 2))
    agrees(lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1, groups=3, dilation=2), x, turned)
    agrees(lambda x, w: F.conv1d(x, w, torch.tensor([3, 4])), torch.randint(-9, 9, (3, 8)), torch.randint(-9, 9, (2, 3, 4)))


@pytest.mark.host
def test_averages_of_integers():
    x = torch.randint(-99, 99, (2, 3, 11, 9))
    for how in ({}, {"ceil_mode": True}, {"count_include_pad": False}, {"divisor_override": 5}):
        agrees(lambda x: F.avg_pool2d(x, 3, 2, 1, **how), x)


@pytest.mark.parametrize("shape", [(5, 5), (2, 4, 6), (3, 7, 3)])
def test_factors_of_matrices(shape):
    a = torch.randn(shape, dtype=torch.float64)
    agrees(lambda a: torch.linalg.lu_factor_ex(a), a)
    agrees(lambda a: torch.linalg.lu(a), a)
    agrees(lambda a: torch.lu_unpack(*torch.linalg.lu_factor_ex(a)[:2]), a)
    agrees(torch.linalg.householder_product, *torch.geqrf(a.mT if shape[-1] > shape[-2] else a))


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_solutions_by_factors(left, adjoint):
    a, b = torch.randn(3, 5, 5, dtype=torch.float64), torch.randn(3, 5, 5, dtype=torch.float64)
    agrees(lambda lu, pivots, b: torch.linalg.lu_solve(lu, pivots, b, left=left, adjoint=adjoint),
           *torch.linalg.lu_factor(a), b)
    agrees(lambda a, tau, b: torch.ormqr(a, tau, b, left, adjoint), *torch.geqrf(a), b)


def test_fractions_and_exponents():
    x = torch.tensor([0.0, -0.0, 1.0, -0.75, 3e38, 1e-45, -1e-39, float("inf"), float("nan"), 2.0 ** -126])
    agrees(torch.frexp, x)
    agrees(torch.frexp, torch.tensor([5e-324, -1e308, 0.1, 2.0 ** -1022], dtype=torch.float64))


def test_medians_without_nan():
    x = torch.randn(5, 8)
    x[1, 2:] = x[2] = float("nan")
    agrees(lambda x: (torch.nanmedian(x), torch.nanmedian(x, 0).values, torch.nanmedian(x, 1, True).values), x)


def test_numbers_with_an_index():
    index = torch.tensor([0])
    agrees(lambda x, i, y: (x.index_add(0, i, y), x.index_copy(0, i, y), x.index_fill(0, i, 3.0)),
           torch.tensor(2.0), index, torch.tensor(5.0))


def test_casts_to_and_from_complex_numbers():
    x = torch.randn(3, 4)
    agrees(lambda x: (x.to(torch.complex64), x.to(torch.complex128), torch.fft.fft2(x), torch.fft.irfft2(torch.fft.rfft2(x))), x)


def test_rows_of_an_embedding_are_made_shorter():
    weight = torch.randn(6, 4) * 3
    eager = weight.clone()
    index = torch.tensor([1, 1, 4])
    result = compiled(lambda i, w: F.embedding(i, w, max_norm=1.0))(index, weight)
    torch.testing.assert_close(result, F.embedding(index, eager, max_norm=1.0))
    torch.testing.assert_close(weight, eager)


def test_strides_of_results():
    x = torch.randn(4, 6)
    for function in (lambda x: (x + 1).t(), lambda x: (x + 1)[:, ::2], lambda x: (x + 1)[:, :1].expand(4, 5),
                     lambda x: (x + 1).reshape(2, 2, 6).permute(2, 0, 1)):
        result, expected = compiled(function)(x), function(x)
        torch.testing.assert_close(result, expected)
        assert result.stride() == expected.stride()


def test_strides_of_memory():
    def chunks(x):
        """Half of each overlaps the next, as in Longformer: what is viewed has its elements in another order of memory."""
        rows = x.transpose(1, 2).reshape(8, 16, 8).view(8, 4, 4, 8)
        size, step, *rest = rows.stride()
        return rows.as_strided([8, 7, 4, 8], [size, step // 2, *rest]) * 2

    agrees(chunks, torch.randn(1, 16, 8, 8))
    agrees(lambda x: torch.as_strided_copy(x.t().relu().t(), (3, 2), (1, 3), 2), torch.randn(4, 5))


def test_images_with_channels_last():
    x = torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last)
    result = compiled(lambda x: F.max_pool2d(x, 2))(x)
    assert result.is_contiguous(memory_format=torch.channels_last)


def test_a_singular_matrix_is_an_error():
    function = compiled(lambda a, b: torch.linalg.solve(torch.linalg.inv(a), b))
    a, b = torch.randn(4, 4), torch.randn(4, 2)
    torch.testing.assert_close(function(a, b), torch.linalg.solve(torch.linalg.inv(a), b), rtol=1e-3, atol=1e-4)
    with pytest.raises(torch.linalg.LinAlgError, match="singular"):
        function(torch.zeros(4, 4), b)


def test_gradients_of_transposed_convolutions():
    gradients_agree(lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1, groups=2),
                    torch.randn(2, 4, 5, 6), torch.randn(4, 3, 3, 3), torch.randn(6))
    gradients_agree(lambda x, w: F.conv_transpose1d(x, w, dilation=2), torch.randn(4, 7), torch.randn(4, 2, 3))
    gradients_agree(F.conv2d, torch.randn(3, 6, 7), torch.randn(2, 3, 3, 3))
    # Results are padded by a stride or more.
    gradients_agree(lambda x, w: F.conv_transpose2d(x, w, stride=(3, 2), padding=(1, 2), output_padding=(2, 3), dilation=4),
                    torch.randn(2, 4, 4, 4), torch.randn(4, 2, 4, 5))


def test_transposed_convolutions_with_a_phase_of_one_index():
    agrees(lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=(1, 1), output_padding=1, dilation=(3, 2)),
           torch.randn(1, 1, 5, 2), torch.randn(1, 1, 3, 1), torch.randn(1))


@pytest.mark.parametrize("groups", [1, 8])
@pytest.mark.parametrize("size", [2, 3, 5])
def test_gradients_of_convolutions_with_phases_of_one_index(size, groups):
    gradients_agree(lambda x, w: F.conv2d(x.tanh(), w, None, 2, 1, 1, groups).tanh(), torch.randn(2, 8, size, size),
                    0.3 * torch.randn(8, 8 // groups, 3, 3))


def test_gradients_of_pooling():
    x = torch.randn(2, 3, 7, 9, 8)
    gradients_agree(lambda x: F.adaptive_avg_pool3d(x, (3, 4, 5)), x)
    gradients_agree(lambda x: F.adaptive_avg_pool2d(x, (3, 4)), x[0])
    gradients_agree(lambda x: F.adaptive_max_pool2d(x, (3, 4)), x[0])
    gradients_agree(lambda x: F.max_pool3d(x, 3, 2, 1), x)


def test_gradients_of_pooling_of_nothing():
    gradients_agree(lambda x: F.adaptive_avg_pool2d(x, (3, 4)), torch.randn(0, 3, 5, 6))
    gradients_agree(lambda x: F.adaptive_avg_pool3d(x, (3, 4, 2)), torch.randn(0, 3, 5, 6, 4))
    gradients_agree(lambda x: F.adaptive_avg_pool1d(x, 3), torch.randn(0, 3, 5))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("padding", [None, 2])
def test_gradients_of_embeddings_divided_by_frequencies(dtype, padding):
    places = torch.tensor([[1, 2, 1, 0], [2, 1, 4, 2]])
    weight, other = (torch.randn(6, 5).to(dtype) for _ in range(2))
    def scaled(weight):
        return F.embedding(places, weight, padding, scale_grad_by_freq=True)

    # PyTorch rounds each term of a sum of bf16: f64 is what to compare with.
    found = []
    for function, wide in ((compiled(scaled), dtype), (scaled, torch.float64)):
        leaf = weight.to(wide).requires_grad_()
        found.append(torch.autograd.grad(function(leaf), leaf, other.to(wide)[:2, :4].unsqueeze(-1).expand(2, 4, 5))[0].to(dtype))
    torch.testing.assert_close(*found)


def test_gradients_of_padding_by_the_edge():
    gradients_agree(lambda x: F.pad(x, (1, 2), mode="replicate"), torch.randn(2, 3, 4))
    gradients_agree(lambda x: F.pad(x, (1, 2, -1, 3), mode="replicate"), torch.randn(2, 3, 4, 5))


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0, 3.0, float("inf")])
def test_gradients_of_distances(p):
    x, y = torch.randn(2, 4, 3), torch.randn(2, 5, 3)
    y[0, 0] = x[0, 0]
    gradients_agree(lambda x, y: torch.cdist(x, y, p), x, y)
    gradients_agree(lambda x, y: torch.cdist(x, y, p), x, torch.randn(5, 3))
    gradients_agree(lambda x, y: torch.cdist(x, y, p), torch.randn(0, 4, 3), torch.randn(5, 3))


def test_signs_of_numbers():
    x = torch.tensor([1.5, -2, 0.0, -0.0, float("nan")])
    agrees(lambda x: (torch.copysign(x, -2.0), torch.copysign(x, 3), torch.copysign(x, x.flip(0))), x)


@pytest.mark.host  # which of equal elements is the mode's place is a device's own
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.uint8])
def test_modes_are_the_least_of_the_most_frequent(dtype):
    x = torch.tensor([[3, 1, 1, 3], [2, 2, 2, 0], [5, 4, 7, 6]], dtype=dtype)
    agrees(lambda x: (x.mode(1).values, x.mode(0, keepdim=True).values, x.t().mode(-2).values, x[:, :1].mode(1), x[0, 0].mode()), x)
    values, places = compiled(lambda x: torch.mode(x, 1))(x)
    assert torch.equal(x.gather(1, places[:, None])[:, 0], values)


def test_nan_equals_nothing_in_a_mode():
    nan = float("nan")
    agrees(lambda x: torch.mode(x, 0), torch.tensor([nan, nan, nan, 3.0, 3.0]))


@pytest.mark.parametrize("size", [0, 1, 5])
def test_logcumsumexp_is_no_alias_of_its_input(size):
    x = torch.ones(4, size)
    compiled(lambda x: torch.logcumsumexp(x, 1))(x).add_(1)
    assert torch.equal(x, torch.ones(4, size))


@pytest.mark.parametrize("dtype", [torch.int16, torch.bool, torch.float32])
def test_selections_by_an_index_of_another_type_are_refused(dtype):
    with pytest.raises(Exception, match="Expected dtype int32 or int64 for index"):
        compiled(lambda x, index: x.index_select(0, index))(torch.randn(3), torch.zeros(1, dtype=dtype))
