"""Where compiled programs are kept between processes."""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Iterator

_LIMIT = "TC_CACHE_LIMIT"
_is_disabled: ContextVar[bool] = ContextVar("is_disabled", default=False)


@contextmanager
def disabled() -> Iterator[None]:
    """Compiles without the cache, as where the time of compilation is told."""
    token = _is_disabled.set(True)
    try:
        yield
    finally:
        _is_disabled.reset(token)


def directory() -> str:
    """The folder of the cache: what TC_CACHE_DIR names, where "" means none; else tc in
    XDG_CACHE_HOME or in .cache of the home directory, or none where that cannot be written."""
    if _is_disabled.get():
        return ""
    own = os.environ.get("TC_CACHE_DIR")
    if own is not None:
        return own
    caches = os.environ.get("XDG_CACHE_HOME")
    try:
        folder = (Path(caches) if caches else Path.home() / ".cache") / "tc"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return ""
    return str(folder) if os.access(folder, os.W_OK) else ""


def limit() -> int:
    """Bytes that the cache may take, which TC_CACHE_LIMIT says; 0 for the default, 1 GiB."""
    text = os.environ.get(_LIMIT) or "0"
    if not text.isdecimal():
        raise ValueError(f"the environment variable {_LIMIT} is '{text}', expected a number of bytes")
    return int(text)
