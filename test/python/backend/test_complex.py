"""Operators on complex numbers, which the backend compiles by decomposition, on inputs beside those of PyTorch's table."""

import math

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import agrees_with_gradients, check_agreement, compiled  # noqa: E402

DTYPES = [torch.complex64, torch.complex128]
FUNCTIONS = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "exp2", "expm1", "log", "log10", "log1p", "log2",
             "reciprocal", "rsqrt", "sgn", "sigmoid", "sin", "sinc", "sinh", "sqrt", "square", "tan", "tanh"]
ZERO, INF, NAN = 0.0, math.inf, math.nan


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)


def numbers(*sizes, dtype=torch.complex64, requires_grad=False):
    return torch.randn(sizes, dtype=dtype).mul(2).requires_grad_(requires_grad)


def agrees(function, *inputs, **tolerances):
    check_agreement(compiled(function)(*inputs), function(*inputs), **tolerances)


def has_values(function, *inputs, **tolerances):  # as agrees(), without strides
    torch.testing.assert_close(compiled(function)(*inputs), function(*inputs), check_stride=False, **tolerances)


# Functions of elements


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_pytorchs_in_all_quadrants(name):
    x = numbers(3, 1, 5)
    agrees(getattr(torch, name), torch.cat([x, x * 1e-3, x.conj() * 4, x.real + 0j * x, x.imag * 1j], 1), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", ["sqrt", "sinh"])
def test_functions_take_all_forms(name):
    function = getattr(torch, name)
    x = numbers(4, 6)
    for form in (x.t(), x[::2, 1::2], x.new_zeros(0, 3), x[1, 2], x.conj()):
        agrees(function, form, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", ["acosh", "atan", "log1p", "sigmoid", "sqrt", "tanh"])
def test_gradients_of_functions(name):
    agrees_with_gradients(getattr(torch, name), numbers(4, 3, dtype=torch.complex128, requires_grad=True), rtol=1e-6, atol=1e-8)


def grid(*values):
    return torch.tensor([complex(a, b) for a in values for b in values], dtype=torch.complex128)


@pytest.mark.parametrize("name", ["acos", "acosh", "asin", "asinh", "atan", "atanh", "log", "sqrt"])
def test_branch_cuts_and_signed_zeros(name):
    """Each side of a cut has the value of its side, and zeros have the sign that PyTorch's have."""
    x = grid(-3.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 3.0)
    if name in ("atan", "atanh"):  # poles
        x = x[(x.real.abs() != 1) | (x.imag != 0)]
        x = x[(x.imag.abs() != 1) | (x.real != 0)]
    own, wanted = compiled(getattr(torch, name))(x), getattr(torch, name)(x)
    torch.testing.assert_close(own, wanted, rtol=1e-12, atol=1e-12)
    if name not in ("acos", "log"):
        for one, other in zip((own.real, own.imag), (wanted.real, wanted.imag)):
            assert torch.equal(one.signbit()[other == 0], other.signbit()[other == 0])


@pytest.mark.parametrize("name", ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "exp2", "log", "sin", "sinh", "sqrt", "tan", "tanh"])
def test_infinities_and_nan(name):
    agrees(getattr(torch, name), grid(-INF, -1.0, ZERO, 2.0, INF, NAN))


@pytest.mark.parametrize("name", ["acos", "acosh", "asin", "asinh", "atanh", "log", "sqrt"])
def test_numbers_whose_squares_overflow(name):
    agrees(getattr(torch, name), grid(-1e200, 1e160, 3e307), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype", DTYPES)
def test_silu_and_its_like(dtype):
    x = numbers(3, 4, dtype=dtype)
    agrees(lambda x: (F.silu(x), F.tanhshrink(x), torch.sigmoid(x)), x, rtol=2e-5, atol=2e-6)


def test_powers():
    x, y = numbers(3, 4), numbers(4)
    x[0, 0] = 0
    agrees(lambda x, y: (torch.pow(x, y.abs() + 1j), torch.pow(x, 2), torch.pow(x, 0.5), x ** (1 - 2j), 2.5 ** y, torch.pow(1j, y)), x, y,
           rtol=5e-5, atol=5e-6)
    agrees(lambda x, y: (torch.float_power(x + 1, y), x ** 0, x ** 3, x.real.abs() ** y), x, y, rtol=5e-5, atol=5e-6)
    agrees_with_gradients(torch.pow, numbers(3, dtype=torch.complex128, requires_grad=True),
                          numbers(3, dtype=torch.complex128, requires_grad=True))


# Arithmetic, comparisons


def test_complex_factors():
    x, y, z = numbers(3, 4), numbers(4), numbers(3, 1)
    agrees(lambda x, y, z: (torch.add(x, y, alpha=1 - 2j), torch.sub(x, y, alpha=3j), torch.rsub(x, y, alpha=2), x * 2j, x.real * (1 + 2j),
                            1j - x, x / (1 - 1j)), x, y, z)
    agrees(lambda x, y, z: (torch.addcmul(x, y, z, value=1j), torch.addcdiv(x, y, z, value=2 - 1j), torch.lerp(x, y, 0.3 + 1j),
                            torch.lerp(x, y, z)), x, y, z)
    agrees(lambda x, y, z: (torch.ldexp(x, torch.arange(4)), torch.logaddexp(x, y)), x, y, z)


@pytest.mark.parametrize("dtype", DTYPES)
def test_gradients_of_arithmetic_keep_conjugates(dtype):
    inputs = [numbers(*sizes, dtype=dtype, requires_grad=True) for sizes in ((3, 4), (4,), (3, 1))]
    agrees_with_gradients(lambda x, y, z: torch.addcmul(x, y, z, value=2 - 1j), *inputs)
    agrees_with_gradients(lambda x, y, z: torch.addcdiv(x, y, z, value=2 - 1j), *inputs, rtol=2e-5, atol=2e-5)


def test_comparisons():
    x = torch.tensor([0, 1j, 1, complex(INF, 0), complex(0, NAN), 2 - 1j])
    agrees(lambda x: (x == x.flip(0), x != 1j, x == 1, x.isnan(), x.isinf(), x.isfinite(), torch.isreal(x)), x)
    agrees(lambda x: (x.logical_not(), torch.logical_and(x, x.real), torch.logical_or(x, x[0]), torch.logical_xor(x, x[1])), x)
    agrees(lambda x: (x.all(), x.any(), x.reshape(2, 3).all(1), x.reshape(2, 3).any(0, keepdim=True), torch.count_nonzero(x)), x)
    agrees(lambda x: torch.isclose(x, x + 1e-9, equal_nan=True), x)


# Folds


@pytest.mark.parametrize("dtype", DTYPES)
def test_folds(dtype):
    x = numbers(4, 1, 7, dtype=dtype)
    agrees(lambda x: (x.var(), x.std(1, correction=0), x.var(2, keepdim=True), *torch.var_mean(x, (0, 2)), *torch.std_mean(x, 0)), x)
    agrees(lambda x: (x.prod(), x.prod(2), x.prod(0, keepdim=True), x.cumprod(2), x.cumsum(0), x.cumsum(2)), x, rtol=1e-5, atol=1e-4)
    agrees(lambda x: (torch.logsumexp(x, 2), torch.logsumexp(x, (0, 2), keepdim=True), torch.logcumsumexp(x, 2)), x, rtol=1e-5, atol=1e-5)


def test_folds_of_nothing_and_of_one():
    empty = numbers(0, 3)
    agrees(lambda x: (x.prod(), x.prod(0), x.prod(1), x.cumprod(0), x.cumsum(1)), empty)
    agrees(lambda x: (x.prod(), x.prod(0), x.cumprod(0), x.cumsum(0), torch.logcumsumexp(x, 0)), numbers(), rtol=1e-5, atol=1e-5)
    agrees(lambda x: (x.prod(dtype=torch.complex64), x.cumprod(0, dtype=torch.complex128), x.cumsum(0, dtype=torch.complex64)), torch.randn(5))


@pytest.mark.parametrize("order", [0, 1, 2, 3.5, INF, -INF])
def test_norms(order):
    x = numbers(3, 5)
    agrees(lambda x: (torch.linalg.vector_norm(x, order), torch.linalg.vector_norm(x, order, 1, keepdim=True), torch.norm(x, order)), x)


def test_gradients_of_folds():
    x = numbers(3, 4, dtype=torch.complex128, requires_grad=True)
    agrees_with_gradients(lambda x: (x.var(1), x.std(), x.prod(1), x.cumsum(0), x.cumprod(1), torch.linalg.vector_norm(x, 2, 1)), x)
    agrees_with_gradients(lambda x: (torch.logsumexp(x, 1), x.logcumsumexp(1)), x)


# Moves


def test_writes_of_elements():
    x, index, values = numbers(5, 3), torch.tensor([0, 2, 0]), numbers(3, 3)
    agrees(lambda x, i, v: (x.index_put((i,), v, True), x.index_add(0, i, v, alpha=2 - 1j), x.put(i, v[0], True)), x, index, values)
    agrees(lambda x, i, v: (x.scatter_add(0, i.expand(3, 3), v), x.scatter(0, i.expand(1, 3), 1j), x.index_fill(0, i, 2j)), x, index, values)
    agrees(lambda x: (x.masked_fill(x.real > 0, 1 - 1j), torch.where(x.real > 0, x, 0.0), torch.constant_pad_nd(x, (1, 2), 3j), torch.trace(x)), x)
    agrees(lambda x: (torch.cat([x, x.real]), torch.diagonal_scatter(x, x.real[0]), torch.select_scatter(x, x.imag[1], 0, 2)), x)


def test_new_tensors():
    agrees(lambda x: (torch.full((2, 3), 1 - 2j), x.new_full((2,), 3j), torch.full_like(x, 2), torch.full_like(x.real, 1j, dtype=torch.complex64),
                      torch.eye(3, 2, dtype=x.dtype), torch.linspace(1j, 2, 5, dtype=x.dtype), torch.fill(x, 1j)), numbers(2, 2))
    agrees(lambda x: torch.logspace(0, 1 + 1j, 4, dtype=x.dtype), numbers(2), rtol=1e-5, atol=1e-5)


def test_random_numbers_have_pytorchs_variance():
    made = compiled(lambda x: (torch.randn(4000, dtype=x.dtype), torch.randn_like(x), torch.rand(4000, dtype=x.dtype)))(numbers(4000))
    assert all(abs(one.var().item() - 1) < 0.1 for one in made[:2])
    assert 0 <= made[2].real.min() and made[2].imag.max() < 1 and made[2].imag.std() > 0.2


# Contractions


@pytest.mark.parametrize("dtype", DTYPES)
def test_contractions(dtype):
    a, b, v, w = numbers(3, 4, dtype=dtype), numbers(4, 5, dtype=dtype), numbers(4, dtype=dtype), numbers(5, dtype=dtype)
    agrees(lambda a, b, v, w: (torch.dot(v, v), torch.vdot(v, v), torch.mv(a, v), a @ v, v @ b, torch.inner(a, b.t()), torch.outer(v, w)),
           a, b, v, w, rtol=1e-5, atol=1e-5)
    agrees(lambda a, b, v, w: (torch.addmm(w, a, b, beta=1j, alpha=2 - 1j), torch.addmv(w, b.t(), v, beta=2), torch.addr(b, v, w, alpha=3j)),
           a, b, v, w, rtol=1e-5, atol=1e-5)
    x, y = numbers(2, 3, 4, dtype=dtype), numbers(2, 4, 5, dtype=dtype)
    agrees(lambda w, x, y: (torch.baddbmm(w, x, y, beta=0), torch.baddbmm(w, x, y, alpha=1j), torch.addbmm(w, x, y, beta=1 - 1j)), w, x, y,
           rtol=1e-5, atol=1e-5)
    agrees(lambda a, b: (torch.linalg.cross(a[:, :3], b[:3, :3]), F.linear(a, b.t()), torch.linalg.vecdot(a, a)), a, b, rtol=1e-5, atol=1e-5)


def test_gradients_of_contractions():
    a, b, v = (numbers(*sizes, requires_grad=True) for sizes in ((3, 4), (4, 4), (4,)))
    agrees_with_gradients(lambda a, b, v: (torch.addmm(v, a, b, alpha=1j), torch.mv(a, v), torch.vdot(v, v)), a, b, v, rtol=1e-4, atol=1e-4)


def test_convolutions():
    agrees(lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1, groups=2), numbers(2, 4, 7, 6), numbers(6, 2, 3, 2), numbers(6), rtol=1e-5, atol=1e-4)
    agrees(lambda x, w: F.conv_transpose1d(x, w, stride=2), numbers(1, 3, 5), numbers(3, 2, 3), rtol=1e-5, atol=1e-4)


# Matrices


@pytest.mark.parametrize("dtype", DTYPES)
def test_solutions(dtype):
    a, b = numbers(2, 4, 4, dtype=dtype) + 3 * torch.eye(4), numbers(2, 4, 3, dtype=dtype)
    how = {"rtol": 1e-4, "atol": 1e-4}
    has_values(lambda a, b: (torch.linalg.solve(a, b), torch.linalg.solve(a, b[0]), torch.linalg.solve(a, b.mT, left=False)), a, b, **how)
    has_values(lambda a, b: (torch.linalg.inv(a), torch.linalg.det(a), *torch.linalg.slogdet(a)), a, b, **how)
    has_values(lambda a, b: (torch.linalg.solve_triangular(a, b, upper=True), torch.linalg.solve_triangular(a, b, upper=False, unitriangular=True)),
           a, b, **how)
    has_values(lambda a, b: (torch.linalg.matrix_exp(a), torch.linalg.matrix_power(a, -2), torch.linalg.pinv(b)), a, b, **how)


@pytest.mark.parametrize("sizes", [(4, 4), (5, 3), (2, 4), (2, 3, 5)])
def test_factors(sizes):
    a = numbers(*sizes, dtype=torch.complex128)
    has_values(lambda a: (*torch.linalg.qr(a), *torch.linalg.qr(a, mode="complete"), *torch.geqrf(a)), a)
    has_values(lambda a: (*torch.linalg.lu(a), *torch.linalg.lu_factor(a)), a)
    has_values(lambda a: (torch.linalg.svdvals(a), torch.linalg.pinv(a), torch.linalg.matrix_rank(a)), a)


def test_factors_of_hermitian_matrices():
    a = numbers(2, 5, 5, dtype=torch.complex128)
    a = a @ a.mH + torch.eye(5)
    has_values(lambda a: (torch.linalg.cholesky(a), torch.linalg.cholesky(a, upper=True), torch.linalg.eigvalsh(a), torch.linalg.pinv(a, hermitian=True)), a)
    has_values(lambda a: (torch.cholesky_inverse(torch.linalg.cholesky(a)), torch.cholesky_solve(a, torch.linalg.cholesky(a))), a)


def test_lu_solutions_of_all_sides():
    a, b = numbers(4, 4, dtype=torch.complex128), numbers(4, 4, dtype=torch.complex128)
    for left in (True, False):
        for adjoint in (True, False):
            agrees(lambda a, b: torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b, left=left, adjoint=adjoint), a, b)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("rank", [1, 3])
def test_singular_vectors_are_orthonormal_where_values_are_zero_or_equal(rank, full):
    a = numbers(5, rank, dtype=torch.complex128) @ numbers(rank, 3, dtype=torch.complex128)
    u, s, vh = compiled(lambda a: torch.linalg.svd(a, full_matrices=full))(a)
    torch.testing.assert_close((u[:, :3] * s) @ vh, a)
    for one in (u.mH @ u, vh @ vh.mH):
        torch.testing.assert_close(one, torch.eye(len(one), dtype=one.dtype))


def test_eigenvectors_of_equal_eigenvalues_are_orthonormal():
    q = torch.linalg.qr(numbers(5, 5, dtype=torch.complex128))[0]
    a = (q * torch.tensor([1.0, 1.0, 1.0, 2.0, 5.0])) @ q.mH
    values, vectors = compiled(torch.linalg.eigh)(a)
    torch.testing.assert_close((vectors * values) @ vectors.mH, a)
    torch.testing.assert_close(vectors.mH @ vectors, torch.eye(5, dtype=a.dtype))


def test_gradients_of_matrices():
    a = (numbers(3, 3, dtype=torch.complex128) + 3 * torch.eye(3)).requires_grad_()
    b = numbers(3, 2, dtype=torch.complex128, requires_grad=True)
    agrees_with_gradients(lambda a, b: (torch.linalg.solve(a, b), torch.linalg.det(a), torch.linalg.inv(a)), a, b)
    agrees_with_gradients(lambda a: (*torch.linalg.qr(a), torch.linalg.matrix_exp(a)), a)


# complex32, of which programs have pairs of f16


def halves(*sizes, requires_grad=False):
    return numbers(*sizes, dtype=torch.complex32, requires_grad=requires_grad)


def is_wide_and_rounded_once(function, *inputs, **tolerances):
    """Compares with the same call on complex64, of which PyTorch has all kernels, rounded."""
    narrow = {torch.complex64: torch.complex32, torch.float32: torch.float16}
    wanted = [one.to(narrow.get(one.dtype, one.dtype)) for one in function(*(one.to(torch.complex64) for one in inputs))]
    torch.testing.assert_close(list(compiled(function)(*inputs)), wanted, **tolerances)


def test_moves_of_halves():
    x, y = halves(3, 4), halves(3, 4)
    agrees(lambda x, y: (torch.cat([x, y.flip(0)]), torch.where(x.real > 0, x, y), x.t().clone(), x.roll(1, 0), x.triu(), torch.diag_embed(x),
                         torch.stack([x, y], 1), x.repeat(2, 1), x[torch.tensor([2, 0])], x.clone().unfold(1, 2, 1)), x, y, rtol=0, atol=0)
    agrees(lambda x, y: (x.index_put((torch.tensor([1]),), y[:1]), x.index_fill(0, torch.tensor([1]), 2j), torch.constant_pad_nd(x, (1, 0), 0.1),
                         x.masked_fill(y.imag > 0, 1 - 1j), torch.select_scatter(x, y[0], 0, 1), x.conj().resolve_conj()), x, y, rtol=0, atol=0)


@pytest.mark.parametrize("form", [lambda x: x.t(), lambda x: x[1:, 1::2], lambda x: x[:0], lambda x: x[1, 2], lambda x: x.conj(),
                                  lambda x: x[:1].expand(3, 6), lambda x: x.t().conj()[2:]],
                         ids=["transposed", "strided", "empty", "number", "conjugate", "expanded", "conjugate part"])
def test_halves_of_all_forms(form):
    agrees(lambda x: (x + x, -x, x.t() if x.dim() == 2 else x, x.abs()), form(halves(4, 6)), rtol=0, atol=0)


def test_each_call_on_halves_is_rounded_once():
    """Eager PyTorch rounds some of these on the way, a product before it is added say."""
    x, y, z = halves(50, 40), halves(50, 40), halves(40)
    is_wide_and_rounded_once(lambda x, y, z: (torch.add(x, y, alpha=2 - 1j), torch.sub(x, y, alpha=0.3), x * y, x * (0.1 + 3j), 1j - x, x / y,
                                              torch.rsub(x, y), torch.addcmul(x, y, z, value=1j), torch.lerp(x, y, 0.3)), x, y, z)
    is_wide_and_rounded_once(lambda x: (x.sum(), x.mean(), x.sum(0)), torch.full((3, 5000), 1 + 0.5j, dtype=torch.complex32), rtol=0, atol=0)


def test_calls_on_halves_one_after_the_other_are_each_rounded():
    x, y = torch.tensor([2048 + 1j, 4096 - 3j], dtype=torch.complex32), torch.tensor([1 + 0j, 1 + 2j], dtype=torch.complex32)
    agrees(lambda x, y: (x + y - x, x + y + y, (x + y).clone().reshape(2, 1) - 2048), x, y, rtol=0, atol=0)


def test_quotients_of_halves_and_infinities():  # which PyTorch has for complex32, on a GPU alone, and C has in Annex G
    x = torch.tensor([1 - 2j, 1 - 2j, 3 + 1j, complex(INF, 1), complex(NAN, 1)], dtype=torch.complex32)
    y = torch.tensor([complex(INF, INF), complex(-INF, NAN), complex(2, -INF), 2 + 3j, complex(INF, 1)], dtype=torch.complex32)
    expected = torch.tensor([complex(-0.0, -0.0), complex(-0.0, 0.0), complex(0.0, 0.0), complex(INF, -INF), complex(NAN, NAN)], dtype=torch.complex32)
    quotient = torch.view_as_real(compiled(torch.div)(x, y))
    torch.testing.assert_close(quotient, torch.view_as_real(expected), rtol=0, atol=0, equal_nan=True)


def test_types_that_halves_have_together_with_others():
    x = halves(3, 4)
    agrees(lambda x, y: (x * y.half(), x + y, x + y.double(), x + y.to(torch.complex64), x + 1, x * torch.tensor(2.0), x + y.long()), x, torch.randn(4))
    agrees(lambda x: (x.to(torch.complex64), x.to(torch.complex128), x.bool(), x.real, x.imag.float(), torch.view_as_real(x) + 1), x)
    agrees(lambda x, i: (x.to(torch.complex32), i.to(torch.complex32), (x * 3.001).to(torch.complex64).to(torch.complex32),
                         torch.view_as_complex(torch.stack([x, x], -1).half())), torch.randn(5), torch.arange(-2, 3))


def test_real_results_of_halves_are_of_f16():
    x, y = halves(4, 5), halves(4, 5)
    agrees(lambda x, y: (x.abs(), x.var(), x.std(1), torch.linalg.vector_norm(x, 2, 1), torch.dist(x, y), torch.norm(x, INF)), x, y)
    is_wide_and_rounded_once(lambda x: (x.angle(),), x)
    agrees(lambda x, y: (x == y, x != 1j, x.isnan(), x.isfinite(), x.any(), torch.isclose(x, x), torch.count_nonzero(x)), x, y)


@pytest.mark.parametrize("name", ["exp", "log", "reciprocal", "sgn", "sqrt", "tanh"])
def test_functions_of_halves(name):
    is_wide_and_rounded_once(lambda x: (getattr(torch, name)(x),), halves(5, 7))


def test_contractions_of_halves():
    a, b = halves(3, 40), halves(40, 5)
    is_wide_and_rounded_once(lambda a, b: (a @ b, torch.mv(a, b[:, 0]), torch.addmm(b[0], a, b, alpha=1j), torch.vdot(a[0], b[:, 1])), a, b)
    agrees(lambda x, w: F.conv1d(x, w, padding=1), halves(2, 3, 9), halves(4, 3, 2), rtol=5e-3, atol=2e-2)


def test_folds_and_writes_of_halves():
    x, index, values = halves(5, 3), torch.tensor([0, 2, 0]), halves(3, 3)
    is_wide_and_rounded_once(lambda x: (x.prod(1), x.cumsum(0), x.cumprod(1), x.logsumexp(1)), x, rtol=2e-3, atol=1e-3)
    agrees(lambda x, i, v: (x.index_add(0, i, v, alpha=2 - 1j), x.index_put((i,), v, True)), x, index, values, rtol=2e-3, atol=2e-3)


def test_writes_to_halves_are_seen_in_the_inputs():
    def write(x, y):
        x[1:].mul_(2j)
        y.copy_(x[0])
        return x + 1

    own, others = ([halves(3, 4), halves(4)] for _ in range(2))
    for one, other in zip(own, others):
        other.copy_(one)
    check_agreement(compiled(write)(*own), write(*others))
    check_agreement(own, others)


def test_new_halves():
    agrees(lambda x: (torch.full((2, 3), 1 - 2j, dtype=x.dtype), x.new_full((2,), 0.1), torch.full_like(x, 2), torch.zeros(3, dtype=x.dtype),
                      x.new_ones(2), torch.ones_like(x), torch.fill(x, 0.1j), torch.scalar_tensor(1j, dtype=x.dtype)), halves(2, 2), rtol=0, atol=0)
    made = compiled(lambda x: (torch.randn(4000, dtype=x.dtype), torch.randn_like(x), torch.rand(4000, dtype=x.dtype)))(halves(4000))
    assert all(one.dtype == torch.complex32 and abs(one.to(torch.complex64).var().item() - 1) < 0.1 for one in made[:2])
    assert 0 <= made[2].real.min() and made[2].imag.max() <= 1 and made[2].imag.float().std() > 0.2


def test_gradients_of_halves():
    x, y = halves(3, 4, requires_grad=True), halves(3, 4, requires_grad=True)
    agrees_with_gradients(lambda x, y: (x * y.conj(), torch.cat([x, y]), x.t().clone(), x.real), x, y, rtol=2e-3, atol=2e-3)
    agrees_with_gradients(lambda x, y: (x[:, :2] * 2j, torch.stack([x, y]), torch.norm(x, INF)), x, y, rtol=2e-3, atol=2e-3)


def test_halves_between_programs_and_calls_of_pytorchs():
    """TC has no eigenvalues of general matrices; what comes before and behind them is its own."""
    def function(x):
        y = x * 2
        return torch.linalg.eigvals(y.to(torch.complex64)).to(torch.complex32) + y[0], y

    x = halves(4, 4)
    check_agreement(compiled(function, options={})(x), function(x))


def test_halves_of_sizes_that_vary():
    run = compiled(lambda x: (x[1:] * 2 - 1j, x.t().abs()), dynamic=True)
    for rows in (3, 4, 7):
        x = halves(rows, 5)
        check_agreement(run(x), (x[1:] * 2 - 1j, x.t().abs()))
    run = compiled(lambda x, count: x.new_full((count,), 2j) * x[0, 0], dynamic=True)
    for count in (3, 4, 7):
        check_agreement(run(halves(2, 2).fill_(1j), count), torch.full((count,), -2, dtype=torch.complex32))


def test_views_that_negate_elements():
    x = torch.randn(3, 4, dtype=torch.complex64)
    agrees(lambda x: (x.conj().imag * 2, x.conj().imag.sin(), x.conj().t().imag + x.real.t()), x)
