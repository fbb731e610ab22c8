"""Files that repeat a failure of the compiler."""

from __future__ import annotations

import os
import re
import tempfile

from .errors import Error
from .logs import Dump, source_name


def is_fault(error: Error) -> bool:
    """Whether the compiler failed at a program that it had taken, which is a fault of TC's,
    as opposed to refusing a call as it reads it."""
    failed = re.search(r"phase '(\w+)' failed", str(error))
    return failed is not None and failed[1] not in ("import", "specialize")


def write_reproducer(text: str, device: str) -> str:
    """Writes the text of a graph to a file. Returns the command that compiles it again."""
    directory = os.environ.get("TC_DUMP")
    folder = str(Dump(directory).folder) if directory else tempfile.mkdtemp(prefix="tc-failure-")
    path = os.path.join(folder, source_name(text.encode()))
    with open(path, "w") as file:
        file.write(text)
    options = "" if device == "cpu" else f" --device={device.partition(':')[0]}"
    return f"tc-run {path}{options} --random-inputs=0"
