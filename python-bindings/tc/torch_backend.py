"""`torch.compile(model, backend="tc")`.

Dynamo captures a graph, AOTAutograd makes it a graph of ATen calls without
mutation, `write_graph` writes it, and TC compiles it. Where TC refuses a graph,
PyTorch runs it, and the log of this module says why.
"""

from __future__ import annotations

import logging
from typing import Any, Callable

import torch
from torch import fx
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._functorch.partitioners import min_cut_rematerialization_partition

from .compiled import compile as compile_program
from .errors import Error
from .torch_decompositions import decompositions
from .torch_graph import RESULT, write_graph
from .torch_results import arrange_results

log = logging.getLogger("tc.torch")

_MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")
_OPTIONS = {"strict": False}


def _device_of(module: fx.GraphModule) -> str:
    """The device of all tensors of a graph, as tc.compile names it."""
    devices = {value.device for node in module.graph.nodes
               if isinstance(value := node.meta.get("val"), torch.Tensor)}
    if len(devices) > 1:
        raise Error(f"the graph has tensors on {', '.join(sorted(map(str, devices)))}, expected one device")
    device = devices.pop() if devices else torch.device("cpu")
    return device.type if device.index is None else f"{device.type}:{device.index}"


def _compile_graph(module: fx.GraphModule, options: dict) -> Callable:
    device = _device_of(module)
    arranged, finish = arrange_results(module)
    text, inputs, outputs = write_graph(arranged)
    compiled = compile_program(text, device="cpu" if device.startswith("cpu") else device, returns="torch",
                               mode=options["mode"])
    log.debug("compiled a graph of %d nodes: %s", len(module.graph.nodes), compiled.signature)

    def run(*arguments: Any) -> list:
        results = compiled(*(arguments[one] if isinstance(one, int) else one for one in inputs))
        values = iter(results if isinstance(results, tuple) else () if results is None else (results,))
        return finish([next(values) if one is RESULT else one.evaluate(arguments) for one in outputs])

    return run


def _make_compiler(options: dict) -> Callable:
    def compiler(module: fx.GraphModule, example_inputs: list) -> Callable:
        try:
            return make_boxed_func(_compile_graph(module, options))
        except Error as error:
            if options["strict"]:
                raise
            log.warning("PyTorch runs a graph of %d nodes that TC does not compile: %s", len(module.graph.nodes),
                        error)
            return make_boxed_func(module.forward)

    return compiler


def backend(module: fx.GraphModule, example_inputs: list, *, mode: str | None = None,
            options: dict | None = None) -> Callable:
    """The backend that torch.compile calls with a graph of Dynamo's.

    mode     default, reduce-overhead, max-autotune or max-autotune-no-cudagraphs
    options  strict: raise tc.Error where TC refuses a graph, instead of letting
             PyTorch run it
    """
    chosen = mode or "default"
    if chosen not in _MODES:
        raise ValueError(f"the mode is '{chosen}', expected one of {', '.join(_MODES)}")
    given = dict(options or {})
    for name in given:
        if name not in _OPTIONS:
            raise ValueError(f"there is no option '{name}', expected one of {', '.join(_OPTIONS)}")
    settings = _OPTIONS | given | {"mode": "reduce-overhead" if chosen in ("reduce-overhead", "max-autotune") else "default"}
    compiler = _make_compiler(settings)
    return aot_autograd(fw_compiler=compiler, bw_compiler=compiler, inference_compiler=compiler,
                        decompositions=decompositions(),
                        partition_fn=min_cut_rematerialization_partition)(module, example_inputs)
