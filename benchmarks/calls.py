"""What a call takes beside its kernels: functions of one small tensor without gradients, and training steps of small layers.

Prints microseconds of the host for a call, medians of batches in which all ways alternate in one process.
"""

from __future__ import annotations

import argparse
import functools
import gc
import re
import statistics
import time
from typing import Callable

import tc
import torch
from tc.torch_backend import backend

_PROGRAMS = {
    "x": "func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {\n  return %x : tensor<16xf32>\n}",
    "x + 1": """func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %one = tc.full 1.0 : f32 -> tensor<16xf32>
  %y = tc.add %x, %one : tensor<16xf32>
  return %y : tensor<16xf32>
}"""}
_FUNCTIONS = {"x": lambda x: x, "x + 1": lambda x: x + 1}


def _empty(x: torch.Tensor) -> None:
    pass


def _function_ways(name: str, device: str) -> dict[str, Callable]:
    """The ways to call a function."""
    function = _FUNCTIONS[name]
    argument = torch.randn(16, device=device)
    ways = {"empty function": _empty, "eager": function, "tc.compile of a program": tc.compile(_PROGRAMS[name], device=device),
            "tc.compile of a function": tc.compile(function), "torch.compile, tc": torch.compile(function, backend=backend),
            "torch.compile, inductor": torch.compile(function, backend="inductor")}
    return {way: functools.partial(call, argument) for way, call in ways.items()}


def _training_step(run: Callable, parameters: list, argument: torch.Tensor) -> None:
    for parameter in parameters:
        parameter.grad = None
    run(argument).square().mean().backward()


def _training_ways(layers: int, device: str) -> dict[str, Callable]:
    """Forward and backward of linear layers; aot_eager captures what the compilers are given, and PyTorch runs it."""
    argument = torch.randn(4, 8, device=device)
    found: dict[str, Callable] = {}
    compilers: dict[str, dict | None] = {"eager": None, "aot_eager": {"backend": "aot_eager"}, "tc": {"backend": backend},
                                         "inductor": {}}
    if device != "cpu":
        compilers |= {"tc, reduce-overhead": {"backend": backend, "mode": "reduce-overhead"},
                      "inductor, reduce-overhead": {"mode": "reduce-overhead"}}
    for name, how in compilers.items():
        torch.manual_seed(0)
        model = torch.nn.Sequential(*(torch.nn.Linear(8, 8) for _ in range(layers))).to(device)
        run = model if how is None else torch.compile(model, **how)
        found[name] = functools.partial(_training_step, run, list(model.parameters()), argument)
    return found


#: The ways of a row, how many calls are a batch, and whether they have gradients.
ROWS: dict[str, tuple[Callable[[str], dict[str, Callable]], int, bool]] = {
    "x": (functools.partial(_function_ways, "x"), 1000, False),
    "x + 1": (functools.partial(_function_ways, "x + 1"), 1000, False),
    "training of 20 x linear 8": (functools.partial(_training_ways, 20), 10, True)}


def seconds(function: Callable, count: int) -> float:
    """Of one call in a batch."""
    start = time.perf_counter()
    for _ in range(count):
        function()
    return (time.perf_counter() - start) / count


def measure(candidates: dict[str, Callable], rounds: int, batch: int, device: str) -> dict[str, list[float]]:
    """Seconds of a call in each round."""
    for function in candidates.values():
        seconds(function, max(10, batch // 10))
    gc.collect()
    gc.disable()
    times: dict[str, list[float]] = {way: [] for way in candidates}
    for _ in range(rounds):
        for way, function in candidates.items():
            times[way].append(seconds(function, batch))
            if device != "cpu":
                torch.cuda.synchronize()
    gc.enable()
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--rows", default="", metavar="REGEX", help="rows whose name it is found in; default all")
    options = parser.parse_args()
    torch.set_num_threads(1)
    tc.set_thread_count(1)
    for name, (make, batch, has_gradients) in ROWS.items():
        if not re.search(options.rows, name):
            continue
        torch._dynamo.reset()
        with torch.set_grad_enabled(has_gradients):
            times = measure(make(options.device), options.rounds, batch, options.device)
        for way, measured in times.items():
            print(f"{name}: {way}: {statistics.median(measured) * 1e6:.2f} us (least {min(measured) * 1e6:.2f})")


if __name__ == "__main__":
    main()
