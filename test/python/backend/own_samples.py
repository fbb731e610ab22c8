"""Inputs of our own for the entries of PyTorch's table of operators whose samples are left out (is_used() in
opinfo_worker.py), written from the documentation of each function.

OwnEntry stands for an entry of PyTorch's, so that opinfo_worker.py and opinfo_check.py run and judge its samples
as they do PyTorch's. The tables of calls are in the files own_samples_of_*.py.
"""

import itertools
import math
from types import SimpleNamespace

import torch
from torch.testing._internal.opinfo.core import SampleInput
from torch.utils import _pytree as pytree

# Of each view: the sizes of the tensor that it is of, and the view.
VIEWS = {
    "transposed": (lambda sizes: sizes[::-1], lambda base, sizes: base.permute(*reversed(range(base.dim())))),
    "strided": (lambda sizes: (*sizes[:-1], 2 * sizes[-1]), lambda base, sizes: base[..., 1::2]),
    "expanded": (lambda sizes: (1, *sizes[1:]), lambda base, sizes: base.expand(sizes)),
    "offset": (lambda sizes: (math.prod(sizes) + 3,), lambda base, sizes: base[3:].view(sizes)),
    "channels last": (lambda sizes: sizes, lambda base, sizes: base.to(memory_format=torch.channels_last)),
    "positive definite": (lambda sizes: sizes, lambda base, sizes: base @ base.mH + torch.eye(sizes[-1]).to(base.dtype)),
}


class T:
    """A tensor that make() makes: of uniform random numbers from `low` to `high`, of the values `fill`, again and again,
    or with `special` of values at the ends of the type and those that are no numbers.

    One with an element type of its own has it in all rows and no gradient.
    """

    def __init__(self, *sizes, low=-3, high=3, view=None, special=False, fill=None, dtype=None, grad=True):
        self.sizes, self.low, self.high, self.view = sizes, low, high, view
        self.special, self.fill, self.dtype, self.grad = special, fill, dtype, grad

    def make(self, dtype, requires_grad):
        own = self.dtype or dtype
        sizes, view = VIEWS[self.view] if self.view else (lambda sizes: sizes, lambda base, sizes: base)
        tensor = view(self.values(own, sizes(self.sizes)), self.sizes).detach()
        has_gradient = self.grad and not self.dtype and (own.is_floating_point or own.is_complex)
        return tensor.requires_grad_(requires_grad and has_gradient)

    def values(self, dtype, sizes):
        fill = special_values(dtype) if self.special else self.fill
        if fill is not None:
            values = torch.tensor(fill).to(dtype) if not isinstance(fill, torch.Tensor) else fill
            count = math.prod(sizes)
            return values.repeat(count // values.numel() + 1)[:count].reshape(sizes).clone()
        if dtype == torch.bool:
            return torch.randint(0, 2, sizes).to(dtype)
        if dtype.is_floating_point:
            return (torch.rand(sizes, dtype=torch.float64) * (self.high - self.low) + self.low).to(dtype)
        if dtype.is_complex:
            parts = [torch.rand(sizes, dtype=torch.float64) * (self.high - self.low) + self.low for _ in range(2)]
            return torch.complex(*parts).to(dtype)
        low = max(math.floor(self.low), torch.iinfo(dtype).min)
        high = min(math.ceil(self.high), torch.iinfo(dtype).max)
        low = max(low, 0) if dtype == torch.uint8 else low
        return torch.randint(low, max(low, high) + 1, sizes).to(dtype)


def special_values(dtype):
    if dtype == torch.bool:
        return torch.tensor([True, False])
    if not dtype.is_floating_point and not dtype.is_complex:
        info = torch.iinfo(dtype)
        return torch.tensor([info.min, info.max, 0, 1, 2, info.max - 1, info.min + 1, 7, 100], dtype=dtype)
    info = torch.finfo(dtype)
    values = [math.nan, math.inf, -math.inf, -0.0, 0.0, info.tiny, info.max, -info.max, 1, -1, info.eps, 0.5, -2.5, 1.5,
              -7, 30]
    if not dtype.is_complex:
        return torch.tensor(values, dtype=torch.float64).to(dtype)
    values = [math.inf, -math.inf, -0.0, 0.0, 1, -2.5]
    return torch.tensor([complex(*pair) for pair in itertools.product(values, values)], dtype=torch.complex128).to(dtype)


class C:
    """A call: its arguments, with T for tensors, and what of the results is defined, a function of them."""

    def __init__(self, *args, defined=lambda results: results, **kwargs):
        self.args, self.kwargs, self.defined = args, kwargs, defined

    def sample(self, dtype, requires_grad):
        def make(leaf):
            if isinstance(leaf, T):
                return leaf.make(dtype, requires_grad)
            return dtype if leaf is OWN else leaf

        args, kwargs = pytree.tree_map(make, (self.args, self.kwargs))
        return SampleInput(args[0] if args else None, args=args[1:], kwargs=kwargs, output_process_fn_grad=self.defined)


# As an argument of a call, the element type of the row.
OWN = object()


class Entry:
    """The calls of an entry; `errors` are those that eager PyTorch refuses, of f32 where nothing else is said."""

    def __init__(self, calls, errors=(), function=None):
        self.calls, self.errors, self.function = list(calls), list(errors), function


class OwnEntry:
    """What opinfo_worker.py reads of an entry of PyTorch's table, with samples of our own."""

    def __init__(self, op, entry):
        self.entry, self.op = entry, entry.function or op.op
        self.name, self.variant_test_name = op.name, op.variant_test_name
        self.dtypes, self.dtypesIfCUDA = op.dtypes, op.dtypesIfCUDA
        self.supports_autograd, self.supported_backward_dtypes = op.supports_autograd, op.supported_backward_dtypes
        self.error_inputs_func = bool(entry.errors)

    def sample_inputs(self, device, dtype, requires_grad=False):
        for call in self.entry.calls:
            sample = call.sample(dtype, requires_grad)
            sample.input, sample.args, sample.kwargs = pytree.tree_map(
                lambda leaf: to_device(leaf, device), (sample.input, sample.args, sample.kwargs))
            yield sample

    def error_inputs(self, device):
        """On the host: what eager PyTorch refuses on a GPU by an assertion there ends the process."""
        for call in self.entry.errors:
            yield SimpleNamespace(sample_input=call.sample(torch.float32, False))


def to_device(leaf, device):
    if not isinstance(leaf, torch.Tensor) or leaf.device.type == torch.device(device).type:
        return leaf
    return leaf.detach().to(device).requires_grad_(leaf.requires_grad)


def own_entries(ops, name_of):
    """The entries of our own among PyTorch's, by name."""
    import own_samples_of_elements
    import own_samples_of_layers
    import own_samples_of_matrices
    import own_samples_of_tensors

    modules = own_samples_of_elements, own_samples_of_layers, own_samples_of_matrices, own_samples_of_tensors
    table = {name: entry for module in modules for name, entry in module.ENTRIES.items()}
    return {name_of(op): OwnEntry(op, table[name_of(op)]) for op in ops if name_of(op) in table}
