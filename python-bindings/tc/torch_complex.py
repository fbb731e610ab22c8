"""Operators on complex numbers in terms of those that TC imports.

They are for calls with a complex operand, a complex number or a complex result alone; other calls are what they were.
A function that gives NotImplemented leaves the call as it is. Numbers of type complex32 are computed with in complex64.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Iterable, Iterator

import torch
from torch import Tensor
from torch.utils._pytree import tree_any, tree_map

from .torch_complex_folds import complex_folds
from .torch_complex_functions import complex_functions, divided_in_halves, joined, parts, power, wide
from .torch_complex_halves import in_wide_numbers
from .torch_complex_tensors import new_complex_tensors
from .torch_tables import registers

aten = torch.ops.aten
_OWN: dict[Any, Callable] = {}
# PyTorch's decompositions, which these operators have for complex operands alone.
_AS_PYTORCH = (aten.linalg_cross.default, aten.dist.default, aten.ldexp.Tensor,
               aten.sigmoid_backward.default, aten.tanh_backward.default, aten.silu_backward.default)
_complex = registers(_OWN)


def complex_decompositions(before: dict, of_pytorch: dict, of_matrices: dict) -> dict:
    """The decompositions of operators for complex operands, which give NotImplemented or what the operator had before for others.

    Args:
        before: The decomposition of each operator for operands of all types.
        of_pytorch: PyTorch's decompositions.
        of_matrices: The decompositions of operators on complex matrices.
    """
    halves = {aten.div.Tensor: divided_in_halves}
    own = {**{operator: of_pytorch[operator] for operator in _AS_PYTORCH}, **complex_functions(), **complex_folds(), **of_matrices,
           **new_complex_tensors(), **_OWN}
    return {operator: _where_complex(function, before.get(operator), halves.get(operator, function)) for operator, function in own.items()}


def _where_complex(function: Callable, otherwise: Callable | None, of_halves: Callable) -> Callable:
    @functools.wraps(function)
    def run(*args: Any, **how: Any) -> Any:
        types = set(_types((*args, *how.values())))
        result = NotImplemented
        if torch.complex32 in types:
            result = in_wide_numbers(of_halves, args, how)
        elif any(dtype is not None and dtype.is_complex for dtype in types):
            result = function(*args, **how)
        if result is NotImplemented and otherwise is not None:
            return otherwise(*args, **how)
        return result

    return run


def _types(values: Iterable) -> Iterator[torch.dtype | None]:
    # Asked of every call that is captured.
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _types(value)
        else:
            yield type_of(value)


def type_of(value: Any) -> torch.dtype | None:
    """The element type that an argument stands for, if any."""
    if isinstance(value, Tensor):
        return value.dtype
    if isinstance(value, complex):
        return torch.complex64
    return value if isinstance(value, torch.dtype) else None


def _number(value: complex, like: Tensor) -> Tensor:
    """A number as a tensor without dimensions, of the type that it has together with a tensor."""
    dtype = torch.result_type(like, value)
    return torch.complex(*(torch.full([], part, dtype=dtype.to_real(), device=like.device) for part in (value.real, value.imag)))


def _tensor(value: Any, like: Tensor) -> Any:
    return _number(value, like) if isinstance(value, complex) else value


# Arithmetic


def _promoted(operator: Any) -> Callable:
    """A call with a complex number, which becomes a tensor."""
    def run(x: Any, y: Any, **how: Any) -> Tensor:
        if not isinstance(x, complex) and not isinstance(y, complex):
            return NotImplemented
        like = x if isinstance(x, Tensor) else y
        return operator(_tensor(x, like), _tensor(y, like), **how)

    return run


_complex(aten.mul.Scalar, aten.mul.Tensor)(_promoted(aten.mul.Tensor))
_complex(aten.div.Scalar, aten.div.Tensor)(_promoted(aten.div.Tensor))


def _scaled(x: Tensor, factor: Any) -> Tensor:
    if isinstance(factor, (int, float)) and factor == 1:
        return x
    return x * _tensor(factor, x)


@_complex(aten.add.Tensor, aten.add.Scalar)
def _add(x: Tensor, y: Any, alpha: Any = 1) -> Tensor:
    if not isinstance(y, complex) and not isinstance(alpha, complex):
        return NotImplemented
    return aten.add.Tensor(x, _scaled(_tensor(y, x), alpha))


@_complex(aten.sub.Tensor, aten.sub.Scalar)
def _sub(x: Tensor, y: Any, alpha: Any = 1) -> Tensor:
    if not isinstance(y, complex) and not isinstance(alpha, complex):
        return NotImplemented
    return aten.sub.Tensor(x, _scaled(_tensor(y, x), alpha))


@_complex(aten.rsub.Tensor, aten.rsub.Scalar)
def _rsub(x: Tensor, y: Any, alpha: Any = 1) -> Tensor:
    return _scaled(x, alpha).neg() + _tensor(y, x)


@_complex(aten.addcdiv.default)
def _addcdiv(x: Tensor, above: Tensor, below: Tensor, *, value: Any = 1) -> Tensor:
    return x + _scaled(above / below, value)


@_complex(aten.addcmul.default)
def _addcmul(x: Tensor, y: Tensor, z: Tensor, *, value: Any = 1) -> Tensor:
    return x + _scaled(y * z, value)


@_complex(aten.lerp.Scalar, aten.lerp.Tensor)
def _lerp(start: Tensor, end: Tensor, weight: Any) -> Tensor:
    return start + _scaled(end - start, weight)


@_complex(aten.reciprocal.default)
def _reciprocal(x: Tensor) -> Tensor:
    return aten.div.Tensor(torch.ones([], dtype=x.dtype.to_real(), device=x.device), x)


_complex(aten.square.default)(lambda x: x * x)


@_complex(aten.pow.Tensor_Tensor)
def _pow(x: Tensor, y: Tensor) -> Tensor:
    return joined(power(*wide(x), *wide(y)), torch.result_type(x, y))


@_complex(aten.pow.Tensor_Scalar)
def _pow_of_tensor(x: Tensor, y: Any) -> Tensor:
    dtype = torch.result_type(x, y)
    if y in (2, 3):
        x = x.to(dtype)
        return x * x if y == 2 else x * x * x
    if y == 0.5:
        return torch.sqrt(x.to(dtype))
    return joined(power(*wide(x), *_wide_number(y, x)), dtype)


@_complex(aten.pow.Scalar)
def _pow_of_number(x: Any, y: Tensor) -> Tensor:
    return joined(power(*_wide_number(x, y), *wide(y)), torch.result_type(x, y))


def _wide_number(value: Any, like: Tensor) -> tuple[Tensor, Tensor]:
    value = complex(value)
    real, imaginary = (torch.full([], part, dtype=torch.float64, device=like.device) for part in (value.real, value.imag))
    return real, imaginary


# Comparisons


def _truth(x: Tensor) -> Tensor:
    if not x.is_complex():
        return x != 0
    real, imaginary = parts(x)
    return (real != 0) | (imaginary != 0)


def _of_truth(operator: Any) -> Callable:
    """A call on what is not 0 in its tensors."""
    def run(*args: Any, **how: Any) -> Tensor:
        return operator(*(_truth(one) if isinstance(one, Tensor) else one for one in args), **how)

    return run


for _name in ("logical_not.default", "logical_and.default", "logical_or.default", "logical_xor.default",
              "all.default", "all.dim", "all.dims", "any.default", "any.dim", "any.dims", "count_nonzero.default",
              "count_nonzero.dim_IntList"):
    _base, _, _overload = _name.partition(".")
    _operator = getattr(getattr(aten, _base), _overload)
    _complex(_operator)(_of_truth(_operator))


def _are_equal(x: Tensor, y: Any) -> Tensor:
    y = y if isinstance(y, Tensor) else _number(complex(y), x)
    dtype = torch.result_type(x, y)
    (a, b), (c, d) = parts(x.to(dtype)), parts(y.to(dtype))
    return (a == c) & (b == d)


_complex(aten.eq.Tensor, aten.eq.Scalar)(_are_equal)


@_complex(aten.ne.Tensor, aten.ne.Scalar)
def _differ(x: Tensor, y: Any) -> Tensor:
    return _are_equal(x, y).logical_not()


@_complex(aten.isnan.default)
def _isnan(x: Tensor) -> Tensor:
    real, imaginary = parts(x)
    return real.isnan() | imaginary.isnan()


@_complex(aten.isinf.default)
def _isinf(x: Tensor) -> Tensor:
    real, imaginary = parts(x)
    return real.isinf() | imaginary.isinf()


# Operators that are linear in their tensors


def by_parts(operator: Any) -> Callable:
    """A call on the real parts, and one on the imaginary parts."""
    def run(*args: Any, **how: Any) -> Tensor:
        if (dtype := how.get("dtype")) is not None:
            args = (args[0].to(dtype), *args[1:])
            how.pop("dtype")
            if not dtype.is_complex:
                return operator(*args, **how)
        return torch.complex(*(operator(*_part_of(args, which), **_part_of(how, which)) for which in (0, 1)))

    return run


def _part_of(values: Any, which: int) -> Any:
    def of_one(value: Any) -> Any:
        if isinstance(value, Tensor) and (value.is_complex() or value.is_floating_point()):
            return parts(value)[which]
        return (value.real, value.imag)[which] if isinstance(value, complex) else value

    return tree_map(of_one, values)


for _operator in (aten.cumsum.default, aten.trace.default, aten.index_put.default, aten._unsafe_index_put.default, aten.scatter_add.default,
                  aten.scatter_reduce.two):
    _complex(_operator)(by_parts(_operator))


@_complex(aten.index_add.default)
def _index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    return by_parts(aten.index_add.default)(x, dim, index, _scaled(source, alpha))


@_complex(aten.constant_pad_nd.default)
def _constant_pad(x: Tensor, pad: list, value: Any = 0) -> Tensor:
    if not isinstance(value, complex):
        return NotImplemented
    return torch.complex(*(aten.constant_pad_nd(part, pad, number) for part, number in zip(parts(x), (value.real, value.imag))))


@_complex(aten.scatter.reduce)
def _scatter_reduce(x: Tensor, dim: int, index: Tensor, source: Tensor, *, reduce: str) -> Tensor:
    return x.scatter_add(dim, index, source) if reduce == "add" else NotImplemented


@_complex(aten.scatter.value)
def _scatter_value(x: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    if not isinstance(value, complex):
        return NotImplemented
    return x.scatter(dim, index, _number(value, x).expand(index.shape))


# Contractions


@_complex(aten.dot.default)
def _dot(x: Tensor, y: Tensor) -> Tensor:
    return torch.mm(x.unsqueeze(0), y.unsqueeze(1)).reshape([])


@_complex(aten.vdot.default)
def _vdot(x: Tensor, y: Tensor) -> Tensor:
    return _dot(x.conj(), y)


@_complex(aten.mv.default)
def _mv(x: Tensor, vector: Tensor) -> Tensor:
    return torch.mm(x, vector.unsqueeze(1)).squeeze(1)


def _added(x: Tensor, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    product = _scaled(product, alpha)
    return product.expand(torch.broadcast_shapes(x.shape, product.shape)) if beta == 0 else _scaled(x, beta) + product


@_complex(aten.addmm.default)
def _addmm(x: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _added(x, torch.mm(mat1, mat2), beta, alpha)


@_complex(aten.addmv.default)
def _addmv(x: Tensor, mat: Tensor, vector: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _added(x, torch.mv(mat, vector), beta, alpha)


@_complex(aten.addr.default)
def _addr(x: Tensor, vector1: Tensor, vector2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _added(x, vector1.unsqueeze(1) * vector2, beta, alpha)


@_complex(aten.baddbmm.default)
def _baddbmm(x: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _added(x, torch.bmm(batch1, batch2), beta, alpha)


@_complex(aten.addbmm.default)
def _addbmm(x: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _added(x, torch.bmm(batch1, batch2).sum(0), beta, alpha)


@_complex(aten.convolution.default)
def _convolution(x: Tensor, weight: Tensor, bias: Tensor | None, *how: Any) -> Tensor:
    (a, b), (c, d) = parts(x), parts(weight)
    product = lambda one, other: aten.convolution(one, other, None, *how)
    result = torch.complex(product(a, c) - product(b, d), product(a, d) + product(b, c))
    return result if bias is None else result + bias.reshape(-1, *[1] * (weight.dim() - 2))


# What moves elements, of tensors of several types


@_complex(aten.where.self)
def _where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    dtype = torch.result_type(x, y)
    return NotImplemented if x.dtype == y.dtype else aten.where.self(condition, x.to(dtype), y.to(dtype))


@_complex(aten.cat.default)
def _cat(tensors: list, dim: int = 0) -> Tensor:
    dtype = functools.reduce(torch.promote_types, (one.dtype for one in tensors))
    if all(one.dtype == dtype for one in tensors):
        return NotImplemented
    return aten.cat.default([one.to(dtype) for one in tensors], dim)


def _cast_to_first(operator: Any) -> Callable:
    """A call that writes elements into places of its first operand."""
    def run(x: Tensor, source: Tensor, *args: Any, **how: Any) -> Tensor:
        return NotImplemented if x.dtype == source.dtype else operator(x, source.to(x.dtype), *args, **how)

    return run


for _operator in (aten.diagonal_scatter.default, aten.select_scatter.default, aten.slice_scatter.default):
    _complex(_operator)(_cast_to_first(_operator))


@_complex(aten.masked_fill.Scalar)
def _masked_fill(x: Tensor, mask: Tensor, value: Any) -> Tensor:
    return torch.where(mask, _number(complex(value), x), x) if isinstance(value, complex) else NotImplemented


@_complex(aten.index_fill.int_Scalar)
def _index_fill(x: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    return aten.index_fill.int_Tensor(x, dim, index, _number(value, x)) if isinstance(value, complex) else NotImplemented
