"""Factors, solutions and functions of matrices in terms of operators that TC imports.

Complex matrices are computed in c128, and, where that gives what is asked for, as real ones of twice the rows and columns.
Loops over columns are written out. A function that gives NotImplemented leaves the call as it is.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import torch
from torch import Tensor

from .torch_complex_functions import parts
from .torch_tables import registers

aten = torch.ops.aten
# Where a loop over columns is written out, at most so many.
_COLUMNS = 64
# Of the exponential of a matrix whose norm is up to 2^16; those beyond overflow in nearly all cases.
_SQUARINGS = 16
_GENERIC: dict[Any, Callable] = {}
_COMPLEX: dict[Any, Callable] = {}
_generic, _complex = registers(_GENERIC), registers(_COMPLEX)


def matrix_functions() -> dict[Any, Callable]:
    """The decompositions for real and complex matrices."""
    return _GENERIC


def complex_matrix_functions() -> dict[Any, Callable]:
    """The decompositions for complex matrices alone."""
    return _COMPLEX


def _transposed(x: Tensor) -> Tensor:
    return x.transpose(-2, -1)


def _adjoint(x: Tensor) -> Tensor:
    return _conjugate(_transposed(x))


def _conjugate(x: Tensor) -> Tensor:
    """Not a view, as x.conj() is."""
    if not x.is_complex():
        return x
    real, imaginary = parts(x)
    return torch.complex(real, -imaginary)


def _hermitian(a: Tensor, upper: bool = False) -> Tensor:
    """The matrix of which one triangle is read."""
    lower = _adjoint(a.triu(1)) if upper else a.tril(-1)
    diagonal = torch.diag_embed(parts(a.diagonal(0, -2, -1))[0])
    return lower + _adjoint(lower) + diagonal


def _wide(x: Tensor) -> Tensor:
    return x.to(torch.complex128) if x.is_complex() else x


def _size(x: Tensor) -> Tensor:
    """What pivots are chosen by, as LAPACK has it."""
    return sum(part.abs() for part in parts(x)) if x.is_complex() else x.abs()


def lu_factors(a: Tensor, pivots: bool) -> tuple | None:
    """The factors in one matrix, the pivots from 1, and the first zero of the diagonal from 1, else 0."""
    rows, columns = a.shape[-2:]
    if min(rows, columns) > _COLUMNS:
        return None
    dtype, a = a.dtype, _wide(a)
    index = torch.arange(rows, device=a.device)
    chosen, info, zero = [], torch.zeros(a.shape[:-2], dtype=torch.int32, device=a.device), a.new_zeros([])
    for step in range(min(rows, columns)):
        column = a[..., step]
        if pivots:
            best = torch.where(index >= step, _size(column), -1.0).argmax(-1, keepdim=True)
        else:
            best = torch.full(a.shape[:-2] + (1,), step, device=a.device)
        chosen.append(best + 1)
        order = torch.where(index == step, best, torch.where(index == best, step, index))
        a = a.gather(-2, order.unsqueeze(-1).expand(a.shape))
        pivot = a[..., step:step + 1, step:step + 1]
        info = torch.where((info == 0) & (pivot[..., 0, 0] == 0), step + 1, info).to(torch.int32)
        below = (index > step).unsqueeze(-1)
        factor = torch.where(below & (pivot != 0), a[..., step:step + 1] / pivot, zero)
        right = torch.arange(columns, device=a.device) > step
        a = torch.where(right, a - factor * a[..., step:step + 1, :], a)
        is_column = torch.arange(columns, device=a.device) == step
        a = torch.where(is_column & below & (pivot != 0), factor, a)
    pivots = torch.cat(chosen, -1) if chosen else a.new_zeros(a.shape[:-2] + (0,))
    return a.to(dtype), pivots.to(torch.int32), info


def column_major(x: Tensor) -> Tensor:
    return _transposed(_transposed(x).contiguous())


def _broadcast(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Two batches of matrices in batches of the same sizes."""
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return a.expand(batch + a.shape[-2:]), b.expand(batch + b.shape[-2:])


def system_of(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, bool]:
    """The matrices and the right-hand sides of linear systems, in batches of the same sizes, and whether `b` has a vector
    for each matrix, which is one column here."""
    is_vector = b.dim() == 1 or b.shape == a.shape[:-1]
    return *_broadcast(a, b.unsqueeze(-1) if is_vector else b), is_vector


@_generic(aten.linalg_lu_factor_ex.default)
def _linalg_lu_factor_ex(a: Tensor, *, pivot: bool = True, check_errors: bool = False) -> tuple:
    found = None if check_errors else lu_factors(a, pivot)
    return NotImplemented if found is None else (column_major(found[0]), *found[1:])


@_generic(aten.linalg_lu.default)
def _linalg_lu(a: Tensor, *, pivot: bool = True) -> tuple:
    found = lu_factors(a, pivot)
    if found is None:
        return NotImplemented
    return _unpack(found[0], found[1])


def _rows_of(pivots: Tensor, rows: int) -> Tensor:
    """The row of the product that each row of L U is."""
    order = torch.arange(rows, device=pivots.device).expand(pivots.shape[:-1] + (rows,))
    index = torch.arange(rows, device=pivots.device)
    for step in range(pivots.shape[-1]):
        other = pivots[..., step:step + 1].to(torch.int64) - 1
        swapped = torch.where(index == step, other, torch.where(index == other, step, index))
        order = order.gather(-1, swapped)
    return order


def _unpack(factors: Tensor, pivots: Tensor) -> tuple:
    rows, columns = factors.shape[-2:]
    count = min(rows, columns)
    eye = torch.eye(rows, count, dtype=factors.dtype, device=factors.device)
    lower = factors[..., :, :count].tril(-1) + eye
    order = _rows_of(pivots, rows)
    permutation = (order.unsqueeze(-2) == torch.arange(rows, device=factors.device).unsqueeze(-1)).to(factors.dtype)
    return permutation, lower, factors[..., :count, :].triu()


@_generic(aten.lu_unpack.default)
def _lu_unpack(factors: Tensor, pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> tuple:
    if pivots.shape[-1] > _COLUMNS:
        return NotImplemented
    permutation, lower, upper = _unpack(factors, pivots)
    empty = factors.new_zeros([0])
    return (permutation if unpack_pivots else empty, *((lower, upper) if unpack_data else (empty, empty)))


@_generic(aten.linalg_lu_solve.default)
def _linalg_lu_solve(factors: Tensor, pivots: Tensor, b: Tensor, *, left: bool = True,
                     adjoint: bool = False) -> Tensor:
    if pivots.shape[-1] > _COLUMNS:
        return NotImplemented
    if not left:  # X A = B is A^H X^H = B^H
        return _adjoint(_linalg_lu_solve(factors, pivots, _adjoint(b), adjoint=not adjoint))
    factors, b = _broadcast(factors, b)
    order = _rows_of(pivots, factors.shape[-1]).expand(factors.shape[:-1])
    solve = torch.linalg.solve_triangular
    if not adjoint:
        y = solve(factors, b.gather(-2, order.unsqueeze(-1).expand(b.shape)), upper=False, unitriangular=True)
        return column_major(solve(factors, y, upper=True))
    y = solve(_adjoint(factors), b, upper=False)
    y = solve(_adjoint(factors), y, upper=True, unitriangular=True)
    return column_major(y.gather(-2, order.argsort(-1).unsqueeze(-1).expand(b.shape)))


def _reflected(q: Tensor, reflectors: Tensor, tau: Tensor, left: bool = True, adjoint: bool = False) -> Tensor:
    """Q q or q Q of the product Q of the reflections I - tau v v^H, which is I - V T V^H with the inverse
    1 / tau + V^H V, above the diagonal, of T (Schreiber and Van Loan, A storage-efficient WY representation, 1989)."""
    dtype = q.dtype
    q, reflectors, tau = (_wide(one) if one.is_complex() else one.double() for one in (q, reflectors, tau))
    rows, count = reflectors.shape[-2], tau.shape[-1]
    v = reflectors[..., :count].tril(-1) + torch.eye(rows, count, dtype=q.dtype, device=q.device)
    scale, turned = tau.unsqueeze(-1), _adjoint(v)
    eye = torch.eye(count, dtype=q.dtype, device=q.device)
    factor = torch.linalg.solve_triangular(eye + scale * (turned @ v).triu(1), scale * eye, upper=True)
    factor = _adjoint(factor) if adjoint else factor
    return (q - v @ (factor @ (turned @ q)) if left else q - ((q @ v) @ factor) @ turned).to(dtype)


@_generic(aten.linalg_householder_product.default)
def _householder_product(a: Tensor, tau: Tensor) -> Tensor:
    eye = torch.eye(a.shape[-2], a.shape[-1], dtype=a.dtype, device=a.device).expand(a.shape)
    return column_major(_reflected(eye, a, tau))


def householder_product(a: Tensor, tau: Tensor) -> Tensor:
    """`torch.linalg.householder_product`, whose gradients are those of a calculation in f64: PyTorch's, of the same numbers in f32,
    multiply errors by the sizes of the reflections."""
    is_plain = (a.dtype in (torch.float32, torch.complex64) and tau.dtype == a.dtype and a.dim() >= 2 and a.shape[-2] >= a.shape[-1]
                and tau.shape[-1] <= a.shape[-1] and tau.shape[:-1] == a.shape[:-2] and a.device == tau.device
                and a.numel() != 0 and tau.numel() != 0)
    if not is_plain or not (torch.is_grad_enabled() and (a.requires_grad or tau.requires_grad)):
        return torch.linalg.householder_product(a, tau)
    return _householder_product(a, tau)


@_generic(aten.ormqr.default)
def _ormqr(a: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    return column_major(_reflected(other, a, tau, left, transpose))


def _householder(a: Tensor) -> tuple[Tensor, Tensor] | None:
    """LAPACK's geqrf: R, with the reflections below it, and their factors."""
    rows, columns = a.shape[-2:]
    if min(rows, columns) > _COLUMNS:
        return None
    dtype, a, factors = a.dtype, _wide(a), []
    row, place = torch.arange(rows, device=a.device), torch.arange(columns, device=a.device)
    zero, one = a.new_zeros([]), a.new_ones([])
    for step in range(min(rows, columns)):
        column, alpha = a[..., step], a[..., step, step:step + 1]
        below = torch.where(row > step, column, zero)
        real, imaginary = parts(alpha)
        size = torch.linalg.vector_norm(below, dim=-1, keepdim=True)
        is_kept = (size == 0) & (imaginary == 0)
        beta = torch.where(is_kept, real, -torch.copysign(torch.hypot(torch.hypot(real, imaginary), size), real))
        tau = torch.where(is_kept, zero, (beta - alpha) / torch.where(is_kept, 1.0, beta))
        v = torch.where(is_kept, zero, below / torch.where(is_kept, one, alpha - beta))
        whole = torch.where(row == step, one, v).unsqueeze(-1)
        rest = a - _conjugate(tau).unsqueeze(-1) * whole * (_conjugate(whole) * a).sum(-2, keepdim=True)
        done = torch.where(row == step, beta.to(a.dtype), torch.where(row > step, v, column))
        a = torch.where(place > step, rest, torch.where(place == step, done.unsqueeze(-1), a))
        factors.append(tau)
    tau = torch.cat(factors, -1) if factors else a.new_zeros(a.shape[:-2] + (0,))
    return a.to(dtype), tau.to(dtype)


@_generic(aten.geqrf.default)
def _geqrf(a: Tensor) -> tuple:
    found = _householder(a)
    return NotImplemented if found is None else (column_major(found[0]), found[1])


@_complex(aten.linalg_qr.default)
def _linalg_qr(a: Tensor, mode: str = "reduced") -> tuple:
    found = _householder(_wide(a))
    if found is None:
        return NotImplemented
    rows, columns = a.shape[-2:]
    count = rows if mode == "complete" else min(rows, columns)
    upper = found[0][..., :count, :].triu().to(a.dtype)
    if mode == "r":
        return a.new_zeros([0]), column_major(upper)
    eye = torch.eye(rows, count, dtype=torch.complex128, device=a.device).expand(a.shape[:-2] + (rows, count))
    q = _reflected(eye, *found)
    return column_major(q.to(a.dtype)), column_major(upper)


@_generic(aten.linalg_pinv.atol_rtol_tensor)
def _linalg_pinv(a: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None,
                 hermitian: bool = False) -> Tensor:
    if 0 in a.shape:
        return a.new_zeros(_transposed(a).shape)
    if atol is None and rtol is None and not hermitian and not a.is_complex():
        return NotImplemented
    if a.is_complex():
        return _complex_pinv(a, atol, rtol, hermitian)
    if hermitian:
        values, u = torch.linalg.eigh(a)
        sizes, v = values.abs(), u
        largest = sizes.amax(-1, keepdim=True)
    else:
        u, values, vh = torch.linalg.svd(a, full_matrices=False)
        sizes, v = values, _transposed(vh)
        largest = values[..., :1]
    if rtol is None:
        # PyTorch's default is 0 where an absolute tolerance above 0 is given.
        default = max(a.shape[-2:]) * torch.finfo(a.dtype).eps
        rtol = default if atol is None else torch.where(atol > 0, 0.0, default)
    relative = rtol.unsqueeze(-1) if isinstance(rtol, Tensor) else rtol
    cutoff = largest * relative
    if atol is not None:
        cutoff = torch.maximum(cutoff, atol.unsqueeze(-1))
    inverse = torch.where(sizes > cutoff, values.reciprocal(), 0.0).to(a.dtype)
    return (v * inverse.unsqueeze(-2)) @ _transposed(u)


# Complex matrices as real ones: each element is a block ((re, -im), (im, re))


def _as_real(a: Tensor) -> Tensor:
    real, imaginary = parts(_wide(a))
    blocks = torch.stack([torch.stack([real, -imaginary], -1), torch.stack([imaginary, real], -1)], -2)
    rows, columns = a.shape[-2:]
    return blocks.transpose(-3, -2).reshape(*a.shape[:-2], 2 * rows, 2 * columns)


def _as_complex(a: Tensor, dtype: torch.dtype) -> Tensor:
    """What _as_real() made a real matrix of."""
    return torch.complex(a[..., ::2, ::2], a[..., 1::2, ::2]).to(dtype)


def _columns_as_real(b: Tensor) -> Tensor:
    """The first of each two columns of _as_real()."""
    pair = torch.stack(parts(_wide(b)), -2)
    return pair.reshape(*b.shape[:-2], 2 * b.shape[-2], b.shape[-1])


def _columns_as_complex(b: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.complex(b[..., ::2, :], b[..., 1::2, :]).to(dtype)


def _first_of_pairs(info: Tensor) -> Tensor:
    """The column, from 1, of what is said of a column of the real matrix."""
    return ((info + 1) // 2).to(torch.int32)


def _solve(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    result, info = torch.linalg.solve_ex(_as_real(a), _columns_as_real(b))
    return _columns_as_complex(result, b.dtype), info


@_complex(aten.linalg_inv_ex.default)
def _inverse(a: Tensor, *, check_errors: bool = False) -> tuple:
    if check_errors:
        return NotImplemented
    inverse, info = torch.linalg.inv_ex(_as_real(a))
    return column_major(_as_complex(inverse, a.dtype)), _first_of_pairs(info)


@_complex(aten._linalg_solve_ex.default)
def _linalg_solve_ex(a: Tensor, b: Tensor, *, left: bool = True, check_errors: bool = False) -> tuple:
    found = None if check_errors else lu_factors(a, True)
    if found is None:
        return NotImplemented
    matrix, right, is_vector = system_of(a, b)
    if left or is_vector:
        result = _solve(matrix, right)[0]
    else:
        result = _transposed(_solve(_transposed(matrix), _transposed(right))[0])
    if is_vector:
        result = result.squeeze(-1)
    # So PyTorch lays out a batch of vectors, too.
    result = column_major(result) if left and result.dim() > 1 else result.contiguous()
    return result, column_major(found[0]), found[1], found[2]


@_complex(aten.linalg_solve_triangular.default)
def _solve_triangular(a: Tensor, b: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    below = int(unitriangular)
    matrix = a.triu(below) if upper else a.tril(-below)
    if unitriangular:
        matrix = matrix + torch.eye(a.shape[-1], dtype=a.dtype, device=a.device)
    matrix, b = _broadcast(matrix, b)
    # X A = B is A^T X^T = B^T.
    result = _solve(matrix, b)[0] if left else _transposed(_solve(_transposed(matrix), _transposed(b))[0])
    # So PyTorch lays out what it solves without a copy of the matrix.
    is_like_b = a.is_conj() and _transposed(a).is_contiguous() and b.is_contiguous()
    return result.contiguous() if is_like_b else column_major(result)


@_complex(aten.triangular_solve.default)
def _triangular_solve(b: Tensor, a: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> tuple:
    matrix = _transposed(a) if transpose else a
    return (_solve_triangular(matrix, b, upper=upper != transpose, unitriangular=unitriangular),
            column_major(_broadcast(a, b)[0]))


@_complex(aten._linalg_det.default)
def _linalg_det(a: Tensor) -> tuple:
    found = lu_factors(_wide(a), True)
    if found is None:
        return NotImplemented
    result = torch.prod(found[0].diagonal(0, -2, -1), -1) * _parity(found[1])
    return result.to(a.dtype), column_major(found[0].to(a.dtype)), found[1]


@_complex(aten._linalg_slogdet.default)
def _linalg_slogdet(a: Tensor) -> tuple:
    found = lu_factors(_wide(a), True)
    if found is None:
        return NotImplemented
    diagonal = found[0].diagonal(0, -2, -1)
    sign = torch.prod(torch.sgn(diagonal), -1) * _parity(found[1])
    return sign.to(a.dtype), diagonal.abs().log().sum(-1).to(a.dtype.to_real()), column_major(found[0].to(a.dtype)), found[1]


def _parity(pivots: Tensor) -> Tensor:
    """1 or -1, by how many rows were exchanged."""
    rows = torch.arange(1, pivots.shape[-1] + 1, device=pivots.device)
    return 1.0 - 2.0 * ((pivots != rows).sum(-1) % 2)


@_complex(aten.linalg_cholesky_ex.default)
def _cholesky_ex(a: Tensor, *, upper: bool = False, check_errors: bool = False) -> tuple:
    size = a.shape[-1]
    if check_errors or size > _COLUMNS:
        return NotImplemented
    rest = _wide(_adjoint(a) if upper else a)
    index, columns, zero = torch.arange(size, device=a.device), [], rest.new_zeros([])
    info = torch.zeros(a.shape[:-2], dtype=torch.int32, device=a.device)
    for step in range(size):
        pivot = parts(rest[..., step, step])[0]
        info = torch.where((info == 0) & ~(pivot > 0), step + 1, info).to(torch.int32)
        column = torch.where(index > step, rest[..., step], pivot.unsqueeze(-1).to(rest.dtype))
        column = torch.where(index >= step, column / pivot.unsqueeze(-1).sqrt(), zero).unsqueeze(-1)
        rest = rest - column * _adjoint(column)
        columns.append(column)
    lower = torch.cat(columns, -1) if columns else rest
    return column_major((_adjoint(lower) if upper else lower).to(a.dtype)), info


@_generic(aten.cholesky.default)
def _cholesky(a: Tensor, upper: bool = False) -> Tensor:
    if a.is_complex() and a.shape[-1] > _COLUMNS:
        return NotImplemented
    factor, info = torch.linalg.cholesky_ex(a, upper=upper)
    torch._linalg_check_errors(info, "cholesky", is_matrix=a.dim() == 2)
    return factor


def _lower_of(factor: Tensor, upper: bool) -> Tensor:
    return _adjoint(factor).tril() if upper else factor.tril()


@_complex(aten.cholesky_inverse.default)
def _cholesky_inverse(factor: Tensor, upper: bool = False) -> Tensor:
    inverse = _as_complex(torch.linalg.inv_ex(_as_real(_lower_of(factor, upper)))[0], torch.complex128)
    return column_major((_adjoint(inverse) @ inverse).to(factor.dtype))


@_complex(aten.cholesky_solve.default)
def _cholesky_solve(b: Tensor, factor: Tensor, upper: bool = False) -> Tensor:
    lower = _wide(_lower_of(factor, upper))
    return _solve_triangular(_adjoint(lower), _solve_triangular(lower, _wide(b), upper=False), upper=True).to(b.dtype)


def _complex_pinv(a: Tensor, atol: Tensor | None, rtol: Tensor | None, hermitian: bool) -> Tensor:
    a = _hermitian(a) if hermitian else a
    default = torch.full([], max(a.shape[-2:]) * torch.finfo(a.dtype).eps, dtype=torch.float64, device=a.device)
    if rtol is None:
        rtol = default if atol is None else torch.where(atol > 0, 0.0, default)
    atol = torch.zeros([], dtype=torch.float64, device=a.device) if atol is None else atol.double()
    return _as_complex(torch.linalg.pinv(_as_real(a), atol=atol, rtol=rtol.double()), a.dtype)


@_generic(aten.linalg_matrix_exp.default)
def _matrix_exp(a: Tensor) -> Tensor:
    """Taylor's polynomial of degree 16 of the matrix divided by a power of 2, squared so often (Paterson and
    Stockmeyer, On the number of nonscalar multiplications necessary to evaluate polynomials, 1973). NaN where the norm
    is above 2^16, with which rounding errors in f32 are as large as what they are errors of."""
    if a.dtype.itemsize < 4:  # PyTorch's powers of these overflow
        return NotImplemented
    if a.numel() == 0:
        return a.clone()
    x = _as_real(a) if a.is_complex() else a.double()
    norm = x.abs().sum(-2, keepdim=True).amax(-1, keepdim=True)
    times = torch.ceil(torch.log2(norm.clamp(min=1.0)))
    x = x * torch.exp2(-times)
    powers = [torch.eye(x.shape[-1], dtype=x.dtype, device=a.device), x, x @ x]
    powers += [powers[2] @ x, powers[2] @ powers[2]]
    result = powers[0] / math.factorial(16)
    for first in (12, 8, 4, 0):
        result = powers[4] @ result + sum(powers[place] / math.factorial(first + place) for place in range(4))
    for step in range(_SQUARINGS):
        result = torch.where(times > step, result @ result, result)
    result = torch.where(times > _SQUARINGS, math.nan, result)
    return _as_complex(result, a.dtype) if a.is_complex() else result.to(a.dtype)
