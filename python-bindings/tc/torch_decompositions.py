"""Operators of PyTorch in terms of those that TC imports.

Most are PyTorch's own decompositions. Those written here are of operators for which it has
none, or one that ends in operators of the same kind. A function that gives NotImplemented
leaves the call as it is.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any, Callable

import torch
import torch.nn.functional as F
from torch._decomp import core_aten_decompositions, decomposition_table

from .library import native
from .torch_attention_gradients import attention_gradients
from .torch_batch_norm import batch_norms
from .torch_complex import complex_decompositions
from .torch_complex_spectra import complex_spectra
from .torch_composites import composites
from .torch_embedding_bags import embedding_bags
from .torch_gradients import gradients
from .torch_grouped_products import grouped_products
from .torch_integer_arithmetic import checked_integers
from .torch_losses import losses
from .torch_matrices import complex_matrix_functions, matrix_functions
from .torch_matrix_factors import functions_with_factors
from .torch_quantization import fake_quantizations
from .torch_recurrent_cells import recurrent_cells
from .torch_sampling_gradients import sampling_gradients
from .torch_segments import segment_folds
from .torch_special_functions import special_functions
from .torch_tables import registers

aten = torch.ops.aten
_OWN: dict[Any, Callable] = {}
_decomposes = registers(_OWN)


def supports(operator: torch._ops.OpOverload) -> bool:
    """Whether TC imports calls of an operator, as far as its name says."""
    name = operator._schema.name.removeprefix("aten::").replace("::", ".")
    return native.supports_operator(f"{name}.{operator._overloadname}")


def decompositions() -> dict:
    """PyTorch's of the operators that TC does not import, and TC's own."""
    return _decompositions() | grouped_products()


@functools.cache
def _decompositions() -> dict:
    known = {**decomposition_table, **core_aten_decompositions()}
    table = {operator: function for operator, function in known.items()
             if isinstance(operator, torch._ops.OpOverload) and not operator._schema.is_mutable
             and not supports(operator)}
    whole = {operator: function for operator, function in composites().items() if not supports(operator)}
    table = table | whole | _OWN | matrix_functions() | gradients() | batch_norms() | special_functions()
    table |= functions_with_factors() | fake_quantizations() | attention_gradients() | embedding_bags() | recurrent_cells() | sampling_gradients() | segment_folds() | losses()
    table |= complex_decompositions(table, known, complex_matrix_functions() | complex_spectra())
    return table | checked_integers(table)


@_decomposes(aten.uniform.default)
def _uniform(x: torch.Tensor, low: float = 0.0, high: float = 1.0, *, generator: Any = None) -> torch.Tensor:
    torch._check(low <= high, lambda: f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    return NotImplemented


_slice = aten.slice.Tensor


@_decomposes(aten.gelu_backward.default)
def _gelu_backward(gradient: torch.Tensor, x: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    if approximate == "none":
        return NotImplemented
    return decomposition_table[aten.gelu_backward.default](gradient, x, approximate)


# Complex numbers


@_decomposes(aten._to_copy.default)
def _to_copy(x: torch.Tensor, *, dtype: torch.dtype | None = None, **how: Any) -> torch.Tensor:
    if not isinstance(x, torch.Tensor) or dtype is None or not (dtype.is_complex or x.is_complex()) or {x.dtype, dtype} == {torch.complex32, torch.complex64}:
        return NotImplemented
    # What has the type already is a view of x until it is copied.
    if not x.is_complex():
        real = x.to(dtype.to_real())
        result = torch.complex(real, torch.zeros_like(real))
    elif dtype.is_complex:
        result = torch.view_as_complex(aten._to_copy(torch.view_as_real(x), dtype=dtype.to_real()))
    elif dtype == torch.bool:
        result = (torch.view_as_real(x) != 0).any(-1)
    else:
        return aten._to_copy(torch.real(x), dtype=dtype, **how)
    memory_format = how.get("memory_format") or torch.preserve_format
    return result if memory_format == torch.preserve_format else result.clone(memory_format=memory_format)


@_decomposes(torch.ops.prims.convert_element_type.default)
def _convert_element_type(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return aten._to_copy(x, dtype=dtype)


@_decomposes(aten.copysign.Scalar)
def _copysign(x: torch.Tensor, value: float) -> torch.Tensor:
    dtype = x.dtype if x.is_floating_point() else torch.get_default_dtype()
    return torch.copysign(x, torch.full([], value, dtype=dtype, device=x.device))


@_decomposes(aten._conj_physical.default)
def _conj_physical(x: torch.Tensor) -> torch.Tensor:
    parts = torch.view_as_real(x)
    return torch.complex(parts.select(-1, 0), -parts.select(-1, 1))


@_decomposes(aten._neg_view.default)
def _neg_view(x: torch.Tensor) -> torch.Tensor:
    """A graph has no views: this is one where PyTorch negates elements as they are read, such as the imaginary part of a conjugate."""
    return -x


# Integers


@_decomposes(aten.gcd.default)
def _gcd(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    dtype = torch.result_type(x, y)
    if dtype.is_floating_point or dtype.is_complex:
        return NotImplemented
    bits = torch.iinfo(dtype).bits
    x, y = torch.broadcast_tensors(x.to(dtype).abs(), y.to(dtype).abs())
    # Fibonacci's numbers take the most steps. The least integer has no magnitude of the type, and stays negative: it is divided as
    # PyTorch divides it, towards zero.
    for _ in range(math.ceil(1.45 * bits)):
        rest = torch.where(x == 0, 0, y.fmod(torch.where(x == 0, 1, x)))
        x, y = rest, torch.where(x == 0, y, x)
    return y


@_decomposes(aten.bitwise_and.Scalar_Tensor)
def _bitwise_and(value: int, x: torch.Tensor) -> torch.Tensor:
    return torch.bitwise_and(x, value)


@_decomposes(aten.bitwise_or.Scalar_Tensor)
def _bitwise_or(value: int, x: torch.Tensor) -> torch.Tensor:
    return torch.bitwise_or(x, value)


@_decomposes(aten.bitwise_xor.Scalar_Tensor)
def _bitwise_xor(value: int, x: torch.Tensor) -> torch.Tensor:
    return torch.bitwise_xor(x, value)


@_decomposes(aten.lcm.default)
def _lcm(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    divisor = torch.gcd(x, y)
    if (dtype := divisor.dtype).itemsize < 4:  # as C++ computes with them
        x, y, divisor = x.to(torch.int32), y.to(torch.int32), divisor.to(torch.int32)
    return torch.where(divisor == 0, 0, x // torch.where(divisor == 0, 1, divisor) * y).abs().to(dtype)


@_decomposes(aten.convolution.default)
def _convolution(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, stride: list, padding: list,
                 dilation: list, transposed: bool, output_padding: list, groups: int) -> torch.Tensor:
    """Of integers, exactly: the sum over the places of the kernel."""
    if weight.is_floating_point() or weight.is_complex():
        return NotImplemented
    rank = weight.dim() - 2
    kernel = weight.shape[2:]
    stride, padding, dilation, output_padding = (
        list(one) * (rank if len(one) == 1 else 1) for one in (stride, padding, dilation, output_padding))
    batched = x if x.dim() == rank + 2 else x.unsqueeze(0)
    batch, channels = batched.shape[:2]
    grouped = weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:])
    before = after = padding
    if transposed:
        for dim in range(rank):  # zeros between the elements
            size = batched.shape[dim + 2]
            wide = list(batched.shape)
            wide[dim + 2] = (size - 1) * stride[dim] + 1
            batched = batched.new_zeros(wide).slice_scatter(batched, dim + 2, 0, None, stride[dim])
        before = [d * (k - 1) - p for d, k, p in zip(dilation, kernel, padding)]
        after = [one + extra for one, extra in zip(before, output_padding)]
        grouped = grouped.transpose(1, 2).flip(list(range(3, 3 + rank)))
        stride = [1] * rank
    batched = aten.constant_pad_nd(batched, [one for pair in zip(reversed(before), reversed(after)) for one in pair])
    sizes = [(size - d * (k - 1) - 1) // s + 1 for size, d, k, s in zip(batched.shape[2:], dilation, kernel, stride)]
    total = None
    for place in itertools.product(*map(range, kernel)):
        window = batched
        for dim, index in enumerate(place):
            start = index * dilation[dim]
            window = _slice(window, dim + 2, start, start + (sizes[dim] - 1) * stride[dim] + 1, stride[dim])
        window = window.reshape(batch, groups, channels // groups, -1)
        factor = grouped[(slice(None), slice(None), slice(None), *place)]
        term = torch.matmul(factor, window)
        total = term if total is None else total + term
    result = total.reshape(batch, -1, *sizes)
    if bias is not None:
        result = result + bias.reshape(-1, *[1] * rank)
    return result if x.dim() == rank + 2 else result.squeeze(0)


def _average(x: torch.Tensor, kernel: list, stride: list, padding: list, ceil_mode: bool, count_include_pad: bool,
             divisor: int | None, rank: int) -> torch.Tensor:
    """Of integers, which PyTorch divides towards zero."""
    if x.is_floating_point():
        return NotImplemented
    kernel, stride, padding = (list(one) * (rank if len(one) == 1 else 1) for one in (kernel, stride or kernel, padding))
    counts = []
    for size, k, s, p in zip(x.shape[-rank:], kernel, stride, padding):
        count = (size + 2 * p - k + (s - 1 if ceil_mode else 0)) // s + 1
        if ceil_mode and (count - 1) * s >= size + p:
            count -= 1
        counts.append(count)
    ends = [(count - 1) * s + k - size - p for count, s, k, size, p in zip(counts, stride, kernel, x.shape[-rank:], padding)]
    padded = aten.constant_pad_nd(x, [one for pair in zip(reversed(padding), reversed(ends)) for one in pair])
    total = 0
    for place in itertools.product(*map(range, kernel)):
        window = padded
        for dim, index in enumerate(place):
            window = _slice(window, dim - rank, index, index + (counts[dim] - 1) * stride[dim] + 1, stride[dim])
        total = window + total
    divisors = torch.ones([], dtype=torch.int64, device=x.device)
    for dim in range(rank):
        size, p = x.shape[dim - rank], padding[dim]
        first = torch.arange(counts[dim], device=x.device) * stride[dim] - p
        last = first + kernel[dim]
        place = last.clamp(max=size + p) - first if count_include_pad else last.clamp(max=size) - first.clamp(min=0)
        divisors = divisors * place.reshape(-1, *[1] * (rank - 1 - dim))
    return torch.div(total, divisors.to(x.dtype) if divisor is None else divisor, rounding_mode="trunc")


@_decomposes(aten.avg_pool2d.default)
def _avg_pool2d(x: torch.Tensor, kernel_size: list, stride: list = (), padding: list = (0,), ceil_mode: bool = False,
                count_include_pad: bool = True, divisor_override: int | None = None) -> torch.Tensor:
    return _average(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 2)


@_decomposes(aten.avg_pool3d.default)
def _avg_pool3d(x: torch.Tensor, kernel_size: list, stride: list = (), padding: list = (0,), ceil_mode: bool = False,
                count_include_pad: bool = True, divisor_override: int | None = None) -> torch.Tensor:
    return _average(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 3)


def _fractional_max(x: torch.Tensor, kernel: list, counts: list, samples: torch.Tensor) -> tuple:
    """The largest elements of windows whose places are random, "Fractional max-pooling", Graham (2014): x
    [..., channels, sizes...] and samples [batch, channels, rank] to [..., channels, counts...], and their indices."""
    rank = len(kernel)
    sizes = x.shape[-rank:]
    if x.dim() == rank + 1:
        return tuple(one.squeeze(0) for one in _fractional_max(x.unsqueeze(0), kernel, counts, samples))
    places = []
    for dim, (size, count, window) in enumerate(zip(sizes, counts, kernel)):
        # The kernel for images has the sample of the last dimension first.
        sample = samples.select(-1, 1 - dim if rank == 2 else dim).unsqueeze(-1)
        steps = torch.arange(count, device=x.device)
        alpha = (size - window) / max(count - 1, 1)
        first = ((steps + sample) * alpha).long() - (sample * alpha).long()
        first = torch.where(steps == count - 1, size - window, first)
        places.append(first.reshape(*first.shape[:2], *[1] * dim, count, *[1] * (rank - 1 - dim)))
    elements = x.reshape(*x.shape[:2], math.prod(sizes))
    result = None
    for offset in itertools.product(*map(range, kernel)):
        index = functools.reduce(lambda so_far, step: so_far * step[0] + step[1] + step[2], zip(sizes, places, offset), 0)
        index = index.expand(*x.shape[:2], *counts).reshape(*x.shape[:2], math.prod(counts))
        value = elements.gather(2, index)
        if result is not None:
            is_larger = (value > result[0]) | value.isnan()
            value, index = torch.where(is_larger, value, result[0]), torch.where(is_larger, index, result[1])
        result = value, index
    return tuple(one.reshape(*x.shape[:2], *counts) for one in result)


@_decomposes(aten.fractional_max_pool2d.default, aten.fractional_max_pool3d.default)
def _fractional_max_pool(x: torch.Tensor, kernel_size: list, output_size: list, random_samples: torch.Tensor) -> tuple:
    return _fractional_max(x, kernel_size, output_size, random_samples)


# Sequences


@_decomposes(aten.fft_fftfreq.default)
def _fftfreq(n: int, d: float = 1.0, *, dtype: torch.dtype | None = None, device: Any = None, **_: Any) -> torch.Tensor:
    step = torch.arange(n, dtype=dtype or torch.get_default_dtype(), device=device)
    return torch.where(step < (n + 1) // 2, step, step - n) * (1.0 / (n * d))


@_decomposes(aten.fft_rfftfreq.default)
def _rfftfreq(n: int, d: float = 1.0, *, dtype: torch.dtype | None = None, device: Any = None, **_: Any) -> torch.Tensor:
    return torch.arange(n // 2 + 1, dtype=dtype or torch.get_default_dtype(), device=device) * (1.0 / (n * d))


@_decomposes(aten.logcumsumexp.default)
def _logcumsumexp(x: torch.Tensor, dim: int) -> torch.Tensor:
    """By sums of 1, 2, 4, ... elements, "Data Parallel Algorithms", Hillis and Steele (1986)."""
    if x.dim() == 0:
        return x.clone()
    size = x.shape[dim]
    if not isinstance(size, int) or not x.is_floating_point():
        return NotImplemented
    result = x.to(torch.promote_types(x.dtype, torch.float32))
    reach = 1
    while reach < size:
        before = result.narrow(dim, 0, size - reach)
        summed = torch.logaddexp(result.narrow(dim, reach, size - reach), before)
        result = torch.cat([result.narrow(dim, 0, reach), summed], dim)
        reach *= 2
    return result.to(x.dtype) if size > 1 else x.clone()


# Elements and their places


@_decomposes(aten.roll.default)
def _roll(x: torch.Tensor, shifts: list, dims: list = ()) -> torch.Tensor:
    """By numbers that differ from call to call."""
    if all(isinstance(shift, int) for shift in shifts) or x.numel() == 0:
        return NotImplemented
    if not dims:
        return torch.roll(x.reshape(-1), shifts, 0).reshape(x.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        places = torch.arange(x.shape[dim], device=x.device) - shift
        x = x.index_select(dim, places.remainder(x.shape[dim]))
    return x


@_decomposes(aten.put.default)
def _put(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor, accumulate: bool = False) -> torch.Tensor:
    values = source.reshape(-1)
    return x.reshape(-1).index_put([index.reshape(-1)], values, accumulate).reshape(x.shape)


@_decomposes(aten.take.default)
def _take(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """PyTorch's decomposition asks for the value of an index without dimensions."""
    return aten.index.Tensor(x.reshape(-1), [index.reshape(-1)]).reshape(index.shape)


@_decomposes(aten.nonzero_static.default)
def _nonzero_static(x: torch.Tensor, *, size: int, fill_value: int = -1) -> torch.Tensor:
    """The number of elements that are not zero before one is the row that its place is in."""
    torch._check(size >= 0, lambda: f"nonzero_static: 'size' must be an non-negative integer, but got {size}")
    if x.dim() == 0 or x.numel() == 0:
        return torch.full((size, x.dim()), fill_value, dtype=torch.int64, device=x.device)
    found = x.reshape(-1) != 0
    row = torch.where(found, found.cumsum(0) - 1, size).clamp(max=size)
    places = torch.arange(x.numel(), device=x.device)
    place = torch.full((size + 1,), -1, dtype=torch.int64, device=x.device).scatter(0, row, places)[:size]
    rows = []
    for extent in reversed(x.shape):
        rows.insert(0, torch.where(place < 0, fill_value, place % extent))
        place = torch.where(place < 0, place, place // extent)
    return torch.stack(rows, 1) if x.device.type == "cpu" else torch.stack(rows).t()  # in the strides of eager PyTorch's


@_decomposes(aten.mode.default)
def _mode(x: torch.Tensor, dim: int = -1, keepdim: bool = False) -> tuple:
    """The least of the values whose runs are the longest, when all are sorted."""
    if x.dim() == 0:
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    size = x.shape[dim]
    torch._check_index(size != 0, lambda: f"mode(): Expected reduction dim {dim} to have non-zero size.")
    values, places = torch.sort(x, stable=True, dim=dim)
    place = torch.arange(size, device=x.device).reshape([-1] + [1] * (x.dim() - 1 - dim % x.dim()))
    is_same = values.narrow(dim, 1, size - 1) == values.narrow(dim, 0, size - 1)
    is_start = torch.cat([torch.ones_like(values.narrow(dim, 0, 1), dtype=torch.bool), ~is_same], dim)
    lengths = place - torch.where(is_start, place, 0).cummax(dim).values
    last = lengths.argmax(dim, keepdim=True)
    found = values.gather(dim, last), places.gather(dim, last)
    return found if keepdim else tuple(one.squeeze(dim) for one in found)


@_decomposes(aten.as_strided_scatter.default)
def _as_strided_scatter(x: torch.Tensor, source: torch.Tensor, size: list, stride: list,
                        storage_offset: int | None = None) -> torch.Tensor:
    if not x.is_contiguous() or x.storage_offset() != 0:
        return NotImplemented
    places = torch.arange(x.numel(), device=x.device).as_strided(size, stride, storage_offset or 0)
    return x.reshape(-1).index_put([places.reshape(-1)], source.reshape(-1)).reshape(x.shape)


@_decomposes(aten.unfold.default)
def _unfold(x: torch.Tensor, dimension: int, size: int, step: int) -> torch.Tensor:
    if x.dim() == 0:
        return _slice(x.reshape(1), 0, 0, size)
    if size > 0:
        return NotImplemented
    sizes = list(x.shape)
    sizes[dimension] = sizes[dimension] // step + 1
    return x.new_zeros([*sizes, 0])


@_decomposes(aten.unfold_copy.default)
def _unfold_copy(x: torch.Tensor, dimension: int, size: int, step: int) -> torch.Tensor:
    windows = _unfold(x, dimension, size, step)
    return windows if windows is NotImplemented else windows.clone()


@_decomposes(aten.resize.default)
def _resize(x: torch.Tensor, size: list, *, memory_format: Any = None) -> torch.Tensor:
    if not x.is_contiguous() or memory_format not in (None, torch.contiguous_format, torch.preserve_format):
        return NotImplemented
    flat, count = x.reshape(-1), math.prod(size)
    if count > x.numel():  # what is beyond is not defined
        flat = torch.cat([flat, flat.new_zeros(count - x.numel())])
    return _slice(flat, 0, 0, count).reshape(size)


@_decomposes(aten.index_select.default)
def _index_select(x: torch.Tensor, dim: int, index: torch.Tensor) -> torch.Tensor:
    torch._check(index.dtype in (torch.int32, torch.int64), lambda: "index_select(): Expected dtype int32 or int64 for index")
    if x.dim() > 0:
        return NotImplemented
    return x.reshape(1).index_select(0, index.reshape(1)).reshape([])


def _nanmedian_of(x: torch.Tensor, dim: int, keepdim: bool) -> tuple:
    if x.dim() == 0:
        return x.clone(), torch.zeros([], dtype=torch.int64, device=x.device)
    values, places = torch.sort(x, dim=dim)
    middle = (((~torch.isnan(x)).sum(dim, keepdim=True) - 1) // 2).clamp(min=0)
    values, places = values.gather(dim, middle), places.gather(dim, middle)
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))


@_decomposes(aten.nanmedian.default)
def _nanmedian(x: torch.Tensor) -> torch.Tensor:
    return _nanmedian_of(x.reshape(-1), 0, False)[0] if x.numel() else NotImplemented


@_decomposes(aten.nanmedian.dim)
def _nanmedian_dim(x: torch.Tensor, dim: int, keepdim: bool = False) -> tuple:
    return _nanmedian_of(x, dim, keepdim)


@_decomposes(aten.embedding_renorm.default)
def _embedding_renorm(weight: torch.Tensor, indices: torch.Tensor, max_norm: float, norm_type: float) -> torch.Tensor:
    read = torch.zeros(weight.shape[0], dtype=torch.bool, device=weight.device)
    read = read.index_fill(0, indices.reshape(-1), True)
    norm = torch.linalg.vector_norm(weight, norm_type, 1)
    scale = torch.where(read & (norm > max_norm), max_norm / (norm + 1e-7), 1.0).to(weight.dtype)
    return weight * scale.unsqueeze(1)


@_decomposes(aten._trilinear.default)
def _trilinear(i1: torch.Tensor, i2: torch.Tensor, i3: torch.Tensor, expand1: list, expand2: list, expand3: list,
               sumdim: list, unroll_dim: int = 1) -> torch.Tensor:
    factors = []
    for tensor, dims in ((i1, expand1), (i2, expand2), (i3, expand3)):
        for dim in sorted(dims):
            tensor = tensor.unsqueeze(dim)
        factors.append(tensor)
    product = factors[0] * factors[1] * factors[2]
    return product.sum(sumdim, dtype=product.dtype) if sumdim else product


@_decomposes(aten.rrelu_with_noise_functional.default)
def _rrelu(x: torch.Tensor, noise: torch.Tensor, lower: float = 0.125, upper: float = 1 / 3, training: bool = False,
           generator: Any = None) -> tuple:
    if generator is not None:
        return NotImplemented
    if not training:
        return F.leaky_relu(x, (lower + upper) / 2), noise.clone()
    slope = torch.where(x <= 0, torch.rand_like(x) * (upper - lower) + lower, 1.0)
    return x * slope, slope


@_decomposes(aten._new_zeros_with_same_feature_meta.default)
def _zeros_of_tangent(tangent: torch.Tensor, x: torch.Tensor, *, self_num_batch_dims: int = 0) -> torch.Tensor:
    """The zeros that a derivative of a part of x starts with."""
    return x.new_zeros([*tangent.shape[:self_num_batch_dims], *x.shape]) if x.is_contiguous() else NotImplemented


# Parts of floating-point numbers


@_decomposes(aten.frexp.Tensor)
def _frexp(x: torch.Tensor) -> tuple:
    mantissa, exponent = x.double().abs(), torch.zeros_like(x, dtype=torch.int32)
    powers = [512, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1]
    for power in powers[1:]:
        is_large = mantissa >= 2.0 ** power
        mantissa = torch.where(is_large, mantissa * 2.0 ** -power, mantissa)
        exponent = torch.where(is_large, exponent + power, exponent)
    for power in powers:
        is_small = mantissa < 2.0 ** (1 - power)
        mantissa = torch.where(is_small, mantissa * 2.0 ** power, mantissa)
        exponent = torch.where(is_small, exponent - power, exponent)
    is_kept = (x == 0) | ~torch.isfinite(x)
    mantissa = torch.where(x < 0, -mantissa, mantissa) / 2
    return (torch.where(is_kept, x, mantissa.to(x.dtype)),
            torch.where(is_kept, 0, exponent + 1).to(torch.int32))
