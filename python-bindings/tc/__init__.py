"""TC, a tensor compiler.

`tc.compile` compiles a tensor program - MLIR text or bytecode, or a `.pt2` archive
of `torch.export` - into a callable on numpy arrays and torch tensors:

    >>> relu = tc.compile("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { ... }")
    >>> relu(numpy.ones(4, numpy.float32))

Arrays go in and out through DLPack, without a copy.
"""

from .arrays import Array
from .compiled import Compiled, compile, phases
from .description import Function, Kernel, Parameter, Symbol, Tensor
from .errors import Error, GuardFailed, IndexOutOfRange, InvalidArgument, OutOfMemory
from .library import get_thread_count, set_thread_count, version
from .streams import synchronize

__version__ = version()

__all__ = ["Array", "Compiled", "Error", "Function", "GuardFailed", "IndexOutOfRange", "InvalidArgument",
           "Kernel", "OutOfMemory", "Parameter", "Symbol", "Tensor", "compile", "get_thread_count",
           "phases", "set_thread_count", "synchronize", "version"]
