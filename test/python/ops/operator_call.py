"""One call of an operator, compiled by TC and compared with PyTorch."""

import copy
import os
import tempfile

import tc
import torch
from agreement import REFUSED, difference
from exported_model import in_dtype
from torch.utils import _pytree as pytree

# Their order of equal elements is not defined.
ANY_ORDER = ("argsort", "kthvalue", "median", "mode", "sort", "topk")


def leaves_order_open(name, x):
    """Whether TC's positions of equal elements may be others than PyTorch's: those of topk on a CPU are the same."""
    if name.split(".")[0] == "topk" and x.device.type == "cpu" and x.dtype != torch.int64:
        return False
    return any(part in name for part in ANY_ORDER)


class Refused(Exception):
    """TC refuses the call by name."""


class NotExported(Exception):
    """PyTorch does not run or export the call."""


class Call(torch.nn.Module):
    """`function` on a tree of arguments: its tensors are the module's inputs."""

    def __init__(self, function, *args, **kwargs):
        super().__init__()
        leaves, self.spec = pytree.tree_flatten((args, kwargs))
        self.function = function
        self.is_tensor = [isinstance(leaf, torch.Tensor) for leaf in leaves]
        self.constants = [leaf for leaf, isTensor in zip(leaves, self.is_tensor) if not isTensor]
        self.inputs = tuple(leaf.detach() for leaf, isTensor in zip(leaves, self.is_tensor) if isTensor)

    def forward(self, *tensors):
        tensors, constants = iter(tensors), iter(self.constants)
        leaves = [next(tensors) if isTensor else next(constants) for isTensor in self.is_tensor]
        args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        result = self.function(*args, **kwargs)
        return tuple(leaf for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor))

    def in_f64(self):
        """The same call, with f64 where an argument is a floating-point type."""
        call = copy.copy(self)
        call.constants = [torch.float64 if isinstance(one, torch.dtype) and one.is_floating_point else one
                          for one in self.constants]
        return call

    def copies(self):
        return tuple(tensor.clone(memory_format=torch.preserve_format) for tensor in self.inputs)

    def eager(self):
        with torch.no_grad():
            return self(*self.copies())

    def exact(self, count):
        """The results in f64 of the same inputs, None where there are none."""
        try:
            with torch.no_grad():
                return self(*in_dtype(self.copies(), torch.float64))
        except RuntimeError:
            return [None] * count

    def is_random(self):
        """Whether the call draws random numbers, which TC's are not the same as."""
        try:
            program = torch.export.export(self, self.inputs)
        except Exception:  # of many kinds; compiled() says which
            return False
        return any(torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
                   for node in program.graph.nodes)

    def compiled(self):
        """TC's results."""
        try:
            program = torch.export.export(self, self.inputs)
            handle, path = tempfile.mkstemp(suffix=".pt2")
            os.close(handle)
            torch.export.save(program, path)
        except Exception as error:  # of many kinds
            raise NotExported(str(error)) from error
        try:
            compiled = tc.compile(path, returns="torch")
        except tc.Error as error:
            if REFUSED.search(str(error)):
                raise Refused(str(error)) from error
            raise
        finally:
            os.unlink(path)
        results = compiled(*self.copies())
        return results if isinstance(results, tuple) else () if results is None else (results,)


def plain(tensor):
    return torch.nan_to_num(tensor.contiguous().double())


def select_equal(x, ours, eager):
    """Whether two tensors of indices select equal elements along some dimension of x."""
    for dim in range(max(x.dim(), 1)):
        for pair in ((ours, eager), (ours.unsqueeze(dim), eager.unsqueeze(dim))):
            try:
                first, second = (plain(x.gather(dim, indices)) for indices in pair)
            except RuntimeError:  # of other sizes
                continue
            if torch.equal(first, second):
                return True
    return False


def differences(call, name=""):
    """The error of each of TC's results that has one."""
    ours, eager = call.compiled(), call.eager()
    if len(ours) != len(eager):
        return [f"{len(ours)} results, expected {len(eager)}"]
    found = []
    for index, (mine, theirs, exact) in enumerate(zip(ours, eager, call.exact(len(eager)))):
        if exact is not None and exact.shape != theirs.shape:
            exact = None
        wrong = difference(mine.contiguous(), theirs.contiguous(), exact)
        if wrong and theirs.dtype == torch.int64 and leaves_order_open(name, call.inputs[0]):
            wrong = None if mine.shape == theirs.shape and select_equal(call.inputs[0], mine, theirs) else wrong
        if wrong:
            found.append(f"result {index}: {wrong}")
    return found


def agrees(function, *args, **kwargs):
    """Fails where a result of the call differs from PyTorch's."""
    found = differences(Call(function, *args, **kwargs))
    assert not found, "\n".join(found)
