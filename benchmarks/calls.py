"""What a call takes beside its kernels: functions of one small tensor, without gradients.

Prints microseconds of the host for a call, medians of batches in which all ways alternate in one process.
"""

from __future__ import annotations

import argparse
import gc
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


def ways(name: str, device: str) -> dict[str, Callable]:
    """The ways to call a function."""
    function = _FUNCTIONS[name]
    return {"empty function": _empty, "eager": function, "tc.compile of a program": tc.compile(_PROGRAMS[name], device=device),
            "tc.compile of a function": tc.compile(function), "torch.compile, tc": torch.compile(function, backend=backend),
            "torch.compile, inductor": torch.compile(function, backend="inductor")}


def seconds(function: Callable, argument: torch.Tensor, count: int) -> float:
    """Of one call in a batch."""
    start = time.perf_counter()
    for _ in range(count):
        function(argument)
    return (time.perf_counter() - start) / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--batch", type=int, default=1000)
    options = parser.parse_args()
    argument = torch.randn(16, device=options.device)
    with torch.no_grad():
        for name in _FUNCTIONS:
            torch._dynamo.reset()
            candidates = ways(name, options.device)
            for function in candidates.values():
                seconds(function, argument, 100)
            gc.collect()
            gc.disable()
            times: dict[str, list[float]] = {way: [] for way in candidates}
            for _ in range(options.rounds):
                for way, function in candidates.items():
                    times[way].append(seconds(function, argument, options.batch))
                if options.device != "cpu":
                    torch.cuda.synchronize()
            gc.enable()
            for way, measured in times.items():
                print(f"{name}: {way}: {statistics.median(measured) * 1e6:.2f} us (least {min(measured) * 1e6:.2f})")


if __name__ == "__main__":
    main()
