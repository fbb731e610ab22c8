"""Factorisations, inverses and linear systems, next to PyTorch.

What a factorisation leaves open (signs of singular vectors and eigenvectors) is
compared after multiplying the factors together again.
"""

import pytest
import torch

pytest.importorskip("tc")

from operator_call import Call, Refused, agrees

linalg = torch.linalg
DTYPES = [torch.float32, torch.float64]


def matrices(*sizes, dtype=torch.float32):
    """Well conditioned where they are square."""
    x = torch.randn(*sizes, dtype=dtype)
    if sizes[-1] == sizes[-2]:
        x = x / sizes[-1] + 2 * torch.eye(sizes[-1], dtype=dtype)
    return x


def symmetric(*sizes, dtype=torch.float32):
    """Positive definite."""
    x = matrices(*sizes, dtype=dtype)
    return x @ x.mT + torch.eye(sizes[-1], dtype=dtype)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(1, 1), (3, 5, 5), (2, 3, 17, 17)])
@pytest.mark.parametrize("function", [
    linalg.inv, torch.inverse, linalg.det, torch.logdet, linalg.slogdet, lambda a: linalg.inv_ex(a),
    lambda a: linalg.matrix_power(a, 5), lambda a: linalg.matrix_power(a, -2), lambda a: linalg.matrix_power(a, 0)])
def test_of_square_matrices(function, sizes, dtype):
    agrees(function, matrices(*sizes, dtype=dtype))


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("function", [
    lambda a, upper: linalg.cholesky(a, upper=upper), lambda a, upper: linalg.cholesky_ex(a, upper=upper),
    lambda a, upper: torch.cholesky_inverse(linalg.cholesky(a, upper=upper), upper=upper),
    lambda a, upper: torch.cholesky_solve(a[..., :2], linalg.cholesky(a, upper=upper), upper=upper)])
def test_of_positive_definite_matrices(function, upper):
    agrees(lambda a: function(a, upper), symmetric(4, 6, 6))


@pytest.mark.parametrize("left", [True, False])
def test_linear_systems(left):
    a, b = matrices(3, 5, 5), matrices(3, 5, 2) if left else matrices(3, 2, 5)
    agrees(lambda a, b: linalg.solve(a, b, left=left), a, b)
    agrees(lambda a, b: linalg.solve(a, b, left=left), a, b[:1])
    for upper in (False, True):
        for units in (False, True):
            agrees(lambda a, b: linalg.solve_triangular(a, b, upper=upper, left=left, unitriangular=units), a, b)


def test_systems_of_vectors():
    agrees(linalg.solve, matrices(3, 5, 5), torch.randn(3, 5))
    agrees(linalg.solve, matrices(5, 5), torch.randn(5))


@pytest.mark.parametrize("transpose", [True, False])
def test_old_triangular_solve(transpose):
    agrees(lambda b, a: torch.triangular_solve(b, a, upper=False, transpose=transpose)[0],
           matrices(3, 5, 2), matrices(3, 5, 5))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(7, 3), (2, 3, 7), (4, 4)])
def test_orthogonal_factors(sizes, dtype):
    x = torch.randn(*sizes, dtype=dtype)
    agrees(linalg.qr, x)
    agrees(linalg.svdvals, x)
    agrees(lambda x: linalg.svd(x)[1], x)

    def product(x):
        u, s, v = linalg.svd(x, full_matrices=False)
        return (u * s.unsqueeze(-2)) @ v, u.mT @ u, v @ v.mT

    def old_product(x):
        u, s, v = torch.svd(x)
        return (u * s.unsqueeze(-2)) @ v.mT

    agrees(product, x)
    agrees(old_product, x)


def test_pseudo_inverse_and_rank():
    x = torch.randn(2, 6, 4)
    agrees(linalg.pinv, x)
    agrees(torch.pinverse, x)
    agrees(lambda x: linalg.matrix_rank(torch.cat([x, x], -1)), x)


@pytest.mark.parametrize("function", [linalg.pinv, linalg.matrix_rank])
def test_one_triangle_is_refused(function):
    with pytest.raises(Refused, match="hermitian=True, which reads one triangle"):
        Call(lambda x: function(x, hermitian=True), torch.randn(4, 4)).compiled()


@pytest.mark.parametrize("dtype", DTYPES)
def test_eigenvalues(dtype):
    a = symmetric(3, 6, 6, dtype=dtype)
    agrees(linalg.eigvalsh, a)

    def product(a):
        w, v = linalg.eigh(a)
        return w, (v * w.unsqueeze(-2)) @ v.mT

    agrees(product, a)
    agrees(lambda a: linalg.eigh(a, UPLO="U")[0], a)


def test_batches_of_any_size(tmp_path):
    """A dynamic batch, also of no matrices."""
    import tc
    batch = torch.export.Dim("batch", min=0, max=64)

    class Inverse(torch.nn.Module):
        def forward(self, a):
            return linalg.inv(a)

    program = torch.export.export(Inverse(), (matrices(4, 3, 3),), dynamic_shapes=({0: batch},))
    torch.export.save(program, tmp_path / "inverse.pt2")
    compiled = tc.compile(tmp_path / "inverse.pt2", returns="torch")
    for count in (0, 1, 2, 9):
        a = matrices(count, 3, 3)
        torch.testing.assert_close(compiled(a), linalg.inv(a))


def test_singular_matrices_are_errors():
    call = Call(linalg.inv, torch.ones(2, 3, 3))
    with pytest.raises(Exception, match="a matrix is singular, or not positive definite"):
        call.compiled()
    agrees(lambda a: linalg.inv_ex(a)[1], torch.ones(2, 3, 3))


def test_norms():
    x = torch.randn(3, 4, 5)
    norm, matrix_norm, infinity = torch.linalg.norm, torch.linalg.matrix_norm, float("inf")
    agrees(lambda x: [norm(x), norm(x[0]), norm(x, dim=1, keepdim=True), norm(x, dim=(0, 2)), norm(x[0, 0], 3), norm(x, 0, dim=-1)]
           + [norm(x[0], order) for order in (1, -1, infinity, -infinity, "fro")]
           + [matrix_norm(x, order, dim) for order in (1, -infinity, "fro") for dim in ((-2, -1), (2, 0))]
           + [matrix_norm(x, infinity, keepdim=True)], x)
