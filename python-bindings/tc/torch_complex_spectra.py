"""Eigenvalues of Hermitian matrices and singular values of complex ones, by real matrices of twice the size.

There values come in pairs, with vectors that span what one complex vector does.
"""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch import Tensor

from .torch_complex_functions import parts
from .torch_matrices import _COLUMNS, _adjoint, _as_real, column_major, _conjugate, _hermitian, _transposed

aten = torch.ops.aten


def _chosen(vectors: Tensor, images: Tensor) -> tuple[Tensor, Tensor]:
    """Of 2n columns that span n dimensions, n orthonormal combinations, in the order of the columns that they are of;
    and the same combinations of other columns."""
    order, chosen, along = [], [], []
    for _ in range(vectors.shape[-2]):
        size = torch.linalg.vector_norm(vectors, dim=-2, keepdim=True)
        best = size.argmax(-1, keepdim=True)
        pick = lambda of, best=best: of.gather(-1, best.expand(of.shape[:-1] + (1,)))
        length = pick(size)
        vector, image = pick(vectors) / length, pick(images) / length
        factors = (_conjugate(vector) * vectors).sum(-2, keepdim=True)
        vectors, images = vectors - vector * factors, images - image * factors
        order.append(best.squeeze(-1))
        chosen.append(vector)
        along.append(image)
    place = torch.cat(order, -1).argsort(-1).unsqueeze(-2)
    return tuple(torch.cat(found, -1).gather(-1, place.expand(found[0].shape[:-1] + (len(found),))) for found in (chosen, along))


def _distinct(values: Tensor, like: Tensor) -> Tensor:
    """Of values that a matrix as a real one has twice, each once."""
    return values[..., ::2].to(like.dtype.to_real()).contiguous()


def _linalg_eigh(a: Tensor, UPLO: str = "L", compute_v: bool = True) -> tuple:
    if compute_v and a.shape[-1] > _COLUMNS:
        return NotImplemented
    if a.numel() == 0:
        return a.new_zeros(a.shape[:-1], dtype=a.dtype.to_real()), a.new_zeros(a.shape if compute_v else [0])
    matrix = _as_real(_hermitian(a, UPLO.upper() == "U"))
    values, vectors = torch.linalg.eigh(matrix)
    real = _distinct(values, a)
    if not compute_v:
        return real, a.new_zeros([0])
    vectors = torch.complex(vectors[..., ::2, :], vectors[..., 1::2, :])
    return real, column_major(_chosen(vectors, vectors)[0].to(a.dtype))


def _svd_of_nothing(a: Tensor, full_matrices: bool, compute_uv: bool) -> tuple:
    rows, columns = a.shape[-2:]
    count = min(rows, columns)
    values = a.new_zeros(a.shape[:-2] + (count,), dtype=a.dtype.to_real())
    if not compute_uv:
        return a.new_zeros([0]), values, a.new_zeros([0])
    first, last = (rows, columns) if full_matrices else (count, count)
    u, vh = (torch.eye(*sizes, dtype=a.dtype, device=a.device).expand(a.shape[:-2] + sizes) for sizes in ((rows, first), (last, columns)))
    return column_major(u), values, column_major(vh)


def _linalg_svd(a: Tensor, full_matrices: bool = False, compute_uv: bool = True, *, driver: str | None = None) -> tuple:
    rows, columns = a.shape[-2:]
    if driver is not None or (compute_uv and min(rows, columns) > _COLUMNS):
        return NotImplemented
    if a.numel() == 0:
        return _svd_of_nothing(a, full_matrices, compute_uv)
    if not compute_uv:
        return a.new_zeros([0]), _distinct(torch.linalg.svdvals(_as_real(a)), a), a.new_zeros([0])
    if rows < columns:
        u, values, vh = _linalg_svd(_adjoint(a), full_matrices)
        return column_major(_adjoint(vh)), values, column_major(_adjoint(u))
    u, values, vh = torch.linalg.svd(_as_real(a), full_matrices=False)
    v = _transposed(vh)
    v, u = _chosen(torch.complex(v[..., ::2, :], v[..., 1::2, :]), torch.complex(u[..., ::2, :], u[..., 1::2, :]))
    # What belongs to values of 0 is completed to an orthonormal basis.
    q, r = torch.linalg.qr(u, mode="complete" if full_matrices else "reduced")
    sign = torch.where(parts(r.diagonal(0, -2, -1))[0] < 0, -1.0, 1.0)
    if full_matrices:
        sign = torch.cat([sign, sign.new_ones(sign.shape[:-1] + (rows - columns,))], -1)
    return (column_major((q * sign.unsqueeze(-2)).to(a.dtype)), _distinct(values, a),
            column_major(_adjoint(v).to(a.dtype)))


def complex_spectra() -> dict[Any, Callable]:
    """The decomposition of each operator."""
    return {aten._linalg_eigh.default: _linalg_eigh, aten._linalg_svd.default: _linalg_svd}
