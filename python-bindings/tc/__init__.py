"""TC, a tensor compiler.

`tc.compile` compiles a tensor program - MLIR text or bytecode, or a `.pt2` archive
of `torch.export` - into a callable on numpy arrays and torch tensors:

    >>> relu = tc.compile("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { ... }")
    >>> relu(numpy.ones(4, numpy.float32))

Arrays go in and out through DLPack, without a copy.
"""

from .arrays import Array
from .artefacts import load
from .compiled import Compiled, compile, phases
from .description import Function, Kernel, Parameter, Symbol, Tensor
from .errors import Error, GuardFailed, IndexOutOfRange, InvalidArgument, OutOfMemory, RecompileLimit
from .explain import Explanation, explain
from .generated_code import GeneratedCode, generated_code
from .library import get_thread_count, set_thread_count, version
from .logs import read_environment as _read_environment, set_logs
from .streams import synchronize

__version__ = version()


def bisect(function, /, *args, **kwargs):
    """Finds the first phase and kernel of what torch.compile makes of a function whose result differs
    from that of the reference interpreter: see tc.bisection.bisect, which needs PyTorch."""
    from .bisection import bisect as find

    return find(function, *args, **kwargs)


_read_environment()

__all__ = ["Array", "Compiled", "Error", "Explanation", "Function", "GeneratedCode", "GuardFailed", "IndexOutOfRange",
           "InvalidArgument", "Kernel", "OutOfMemory", "Parameter", "RecompileLimit", "Symbol", "Tensor", "bisect", "compile", "explain",
           "generated_code", "get_thread_count", "load", "phases", "set_logs", "set_thread_count", "synchronize", "version"]
