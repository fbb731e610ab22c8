"""Modes that eager PyTorch runs a model in for a reference: in f64 throughout, with equal elements in order."""

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

_aten = torch.ops.aten
_WIDE = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
         torch.complex32: torch.complex128, torch.complex64: torch.complex128}


def widened(value):
    """A tensor or an element type in f64 or complex128 where it is of fewer bits; anything else as it is."""
    if isinstance(value, torch.dtype):
        return _WIDE.get(value, value)
    return value.to(_WIDE[value.dtype]) if isinstance(value, torch.Tensor) and value.dtype in _WIDE else value


def grouped_product(a, b, offs=None, bias=None, out_dtype=None):
    """aten._grouped_mm, which PyTorch has of bf16 alone: `offs` are the ends of the groups of rows of `a`, of columns of `b` or,
    where both are matrices, of what is summed up."""
    if offs is None:
        return a @ b
    ends = offs.tolist()
    groups = [slice(start, end) for start, end in zip([0, *ends], ends)]
    if a.dim() == 2 and b.dim() == 2:
        return torch.stack([a[:, group] @ b[group] for group in groups])
    sizes, axis = ((a.shape[0], b.shape[2]), 0) if a.dim() == 2 else ((a.shape[1], b.shape[2 if b.dim() == 3 else 1]), 1)
    result = a.new_zeros(sizes)
    for number, group in enumerate(groups):
        if axis == 0:
            result[group] = a[group] @ b[number]
        else:
            result[:, group] = a[number] @ b[:, group]
    return result


class WideArithmetic(TorchDispatchMode):
    """Inside, all floating-point numbers are of f64: casts to fewer bits round nothing, and new tensors are of f64."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        args, kwargs = pytree.tree_map(widened, (args, kwargs or {}))
        run = grouped_product if function is _aten._grouped_mm.default else function
        return pytree.tree_map(widened, run(*args, **kwargs))


class FirstOfEqual(TorchDispatchMode):
    """Inside, topk() takes equal elements in the order of their positions, as TC does; PyTorch promises no order."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function is not _aten.topk.default:
            return function(*args, **(kwargs or {}))
        x, k, dim, largest = (*args, *(-1, True)[len(args) - 2:])[:4]
        if x.dim() == 0:
            return function(*args, **(kwargs or {}))
        values, indices = torch.sort(x, dim=dim, descending=largest, stable=True)
        return values.narrow(dim, 0, k), indices.narrow(dim, 0, k)
