"""TC and its rivals on a CUDA device, each as a callable that computes a row once
on torch's current stream. `make` and `to_torch` are as in rivals.py."""

import copy
import os

import torch

from rivals import Unavailable, export


def _on_cpu(module, inputs):
    """The row as it is exported: for no device in particular, with the strides of its inputs."""
    return copy.deepcopy(module).cpu(), tuple(
        torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="cpu") for value in inputs)


class TC:
    name, mode = "tc", "default"
    target = None  # what code is generated for; by default the device
    libraries = ""  # that its code may call, as `tc.compile` names them

    def __init__(self):
        try:
            import tc
        except ImportError as error:
            raise Unavailable(str(error)) from None
        self.tc, self.version = tc, tc.__version__

    def make(self, row_name, row, module, inputs, directory):
        from tc.arrays import to_array
        self.compiled = self.tc.compile(self.export(module, inputs, directory), device="cuda", mode=self.mode,
                                        target=self.target, libraries=TC.libraries)
        arrays = [to_array(value) for value in inputs]
        return lambda: self.compiled.call_arrays(arrays)

    def export(self, module, inputs, directory):
        return export(*_on_cpu(module, inputs), directory)

    def describe(self):
        return {"kernels": len(self.compiled.kernels), "schedules": [kernel.schedule for kernel in self.compiled.kernels],
                "compile_seconds": sum(self.compiled.timings.values())}

    def to_torch(self, outputs):
        return torch.from_dlpack(outputs[0])


class GraphedTC(TC):
    """Calls that repeat are CUDA graphs."""

    name, mode = "tc-graphs", "reduce-overhead"


class OlderTC(TC):
    """Code for the oldest target, which runs on later ones: warps multiply on tensor cores, and threads start copies."""

    name, target = "tc-sm_80", "cuda:sm_80"


class SymbolicTC(TC):
    """All sizes of inputs that the row lets be symbolic are, but for the dimensions
    `known_dims` of a module that has them."""

    name = "tc-symbolic"

    def make(self, row_name, row, module, inputs, directory):
        if not row.bytes:
            raise Unavailable("measured for rows of memory traffic")
        return super().make(row_name, row, module, inputs, directory)

    def export(self, module, inputs, directory):
        module, inputs = _on_cpu(module, inputs)
        known = getattr(module, "known_dims", ())
        sizes = tuple({index: torch.export.Dim.AUTO for index in range(value.ndim) if index not in known}
                      for value in inputs)
        if hasattr(module, "function"):  # its inputs are one variadic argument
            sizes = (sizes,)
        path = os.path.join(directory, "symbolic.pt2")
        with torch.no_grad():
            torch.export.save(torch.export.export(module, inputs, dynamic_shapes=sizes), path)
        return path


class Eager:
    name = "eager"
    version = torch.__version__

    def make(self, row_name, row, module, inputs, directory):
        return lambda: module(*inputs)

    def to_torch(self, output):
        return output

    def describe(self):
        return {}


class Compile(Eager):
    name = "default"
    mode = None

    def make(self, row_name, row, module, inputs, directory):
        torch._dynamo.reset()
        compiled = torch.compile(module, mode=self.mode)
        return lambda: compiled(*inputs)


class ReduceOverhead(Compile):
    name = mode = "reduce-overhead"

    def to_torch(self, output):
        return output.clone()  # the next call overwrites it


class MaxAutotune(ReduceOverhead):
    """Of a single kernel without CUDA graphs, which would only copy its operands."""

    name = "max-autotune"

    def make(self, row_name, row, module, inputs, directory):
        self.mode = "max-autotune-no-cudagraphs" if row.is_single_kernel else "max-autotune"
        return super().make(row_name, row, module, inputs, directory)


class FlexAttention(Eager):
    """Compiled, with its mask of blocks made ahead of the calls."""

    name = "flex"

    def make(self, row_name, row, module, inputs, directory):
        if not row.flex:
            raise Unavailable("measured for attention with functions of positions")
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention
        score, mask = row.flex
        queries, keys, _ = inputs
        blocks = create_block_mask(mask, None, None, queries.shape[-2], keys.shape[-2], device=queries.device)
        torch._dynamo.reset()
        compiled = torch.compile(flex_attention)
        return lambda: compiled(*inputs, score_mod=score, block_mask=blocks)


class JAX:
    """Its streams are its own: it is made to wait for torch's before a call, and
    torch's for the result."""

    name = "jax"

    def __init__(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        try:
            import jax
        except ImportError as error:
            raise Unavailable(str(error)) from None
        if not any(device.platform in ("gpu", "cuda") for device in jax.devices()):
            raise Unavailable("this JAX has no CUDA device")
        self.jax, self.version = jax, jax.__version__

    def make(self, row_name, row, module, inputs, directory):
        import jax_models
        if row_name not in jax_models.CUDA_FUNCTIONS:
            raise Unavailable("no JAX version of this row")
        parameters = jax_models.parameters(module)
        function = self.jax.jit(lambda parameters, *arrays: jax_models.CUDA_FUNCTIONS[row_name](parameters, *arrays))
        legacy_default_stream = 1  # its number in DLPack

        def call():
            output = function(parameters, *(jax_models.to_jax(value) for value in inputs))
            output.__dlpack__(stream=legacy_default_stream)
            return output
        return call

    def to_torch(self, output):
        return torch.from_dlpack(output)

    def describe(self):
        return {}


ALL = {rival.name: rival for rival in (Eager, Compile, ReduceOverhead, MaxAutotune, FlexAttention, JAX, TC, GraphedTC, SymbolicTC,
                                    OlderTC)}
RIVALS = [name for name in ALL if name not in (TC.name, GraphedTC.name, SymbolicTC.name)]
