"""CUDA devices and streams of the libraries whose arrays TC takes.

A stream is the driver's handle as an int, 0 for the default stream. DLPack has
numbers of its own: 1 for the default stream, 2 for that of a thread.
"""

from __future__ import annotations

import sys
from typing import Any, Iterable

from .library import native

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


def synchronize(device: str = "cuda", stream: int | None = None) -> None:
    """Waits until a CUDA device has done all work of a stream, the driver's handle; by
    default torch's current one where torch uses CUDA, else the default stream. Raises
    what kernels of calls on the device have reported since, such as tc.IndexOutOfRange."""
    index = device_index(device)
    if index is None:
        raise ValueError(f"the device is '{device}', expected cuda or cuda:N")
    if stream is None:
        torch = sys.modules.get("torch")
        stream = torch.cuda.current_stream(index).cuda_stream if torch and torch.cuda.is_initialized() else 0
    native.synchronize(index, stream)
