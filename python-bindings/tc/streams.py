"""CUDA devices and streams of the libraries whose arrays TC takes.

A stream is the driver's handle as an int, 0 for the default stream. DLPack has
numbers of its own: 1 for the default stream, 2 for that of a thread.
"""

from __future__ import annotations

import sys
from typing import Any, Iterable

_DLPACK_CUDA, _DLPACK_CUDA_MANAGED = 2, 13


def is_on_cuda(value: Any) -> bool:
    """Whether an array is in the memory of a CUDA device."""
    device = getattr(value, "__dlpack_device__", None)
    return device is not None and device()[0] in (_DLPACK_CUDA, _DLPACK_CUDA_MANAGED)


def is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_jax(value: Any) -> bool:
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.Array)


def device_index(device: str) -> int | None:
    """The number of the CUDA device that a program was compiled for."""
    if device == "cuda":
        return 0
    return int(device[5:]) if device.startswith("cuda:") else None


def current_stream(inputs: Iterable[Any], device: int) -> int:
    """The stream that a call on a device uses: torch's current one where an input is
    a tensor of torch's, else the default stream."""
    if any(is_torch(value) for value in inputs):
        return sys.modules["torch"].cuda.current_stream(device).cuda_stream
    return 0


def to_dlpack(stream: int) -> int:
    """DLPack's number of a stream."""
    return stream or 1


def from_dlpack(stream: int | None) -> int | None:
    """The stream that DLPack's number means; None where nobody is to wait."""
    if stream == -1:
        return None
    return 0 if stream in (None, 1) else stream
