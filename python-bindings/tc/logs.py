"""What the environment variable TC_LOGS asks the package to log, and TC_DUMP to write.

TC_LOGS=fusion,kernels logs to the loggers `tc.fusion` and `tc.kernels`, on standard
error, as TORCH_LOGS does for those of PyTorch. TC_DUMP=DIRECTORY writes a folder
for each program that is compiled.
"""

from __future__ import annotations

import difflib
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable

if TYPE_CHECKING:
    from .compiled import Compiled

#: What can be logged.
LOGS = {
    "guards": "what a program assumes of its inputs; with torch.compile Dynamo's guards as well",
    "recompiles": "why torch.compile compiles a function again: the guard that fails",
    "fusion": "what was fused, and why something was not",
    "kernels": "the kernels of a program, with class and schedule",
    "phases": "how long each phase of a compilation took",
    "perf": "seconds of compilation, kernels, and bytes that a call reads and writes before and after fusion",
}
# Loggers of PyTorch's whose messages are logged as well.
_OF_TORCH = {"guards": "torch._dynamo.guards.__guards", "recompiles": "torch._dynamo.guards.__recompiles"}

_handlers: dict[str, logging.Handler] = {}
_followed: dict[str, tuple[logging.Handler, "_Before"]] = {}
_Before = tuple[int, bool, bool]  # level, whether it propagates, whether PyTorch has its artifact among those it logs


class _CurrentStandardError(logging.StreamHandler):
    """Writes to what sys.stderr is at the time."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("[%(name)s] %(message)s"))

    @property
    def stream(self) -> Any:
        return sys.stderr

    @stream.setter
    def stream(self, value: Any) -> None:
        pass


class Forward(logging.Handler):
    """Hands the messages of a logger to a function while it is followed."""

    def __init__(self, take: Callable[[str], None]):
        super().__init__()
        self.take = take

    def emit(self, record: logging.LogRecord) -> None:
        self.take(record.getMessage())


def _artifacts() -> set[str]:
    """The artifacts that PyTorch makes messages for."""
    import torch._logging._internal

    return torch._logging._internal.log_state.artifact_names


def follow(name: str, handler: logging.Handler) -> _Before:
    """Adds a handler for all messages of an artifact logger of PyTorch's, which go
    to its own handlers only if TORCH_LOGS asks for them. Returns what `unfollow` takes."""
    logger, artifact = logging.getLogger(name), name.rpartition("__")[2]
    before = logger.level, logger.propagate, artifact in _artifacts()
    logger.propagate = logger.propagate and logger.isEnabledFor(logging.DEBUG)
    logger.setLevel(logging.DEBUG)
    logger.addHandler(handler)
    _artifacts().add(artifact)
    return before


def unfollow(name: str, handler: logging.Handler, before: _Before) -> None:
    """Removes the handler."""
    logger = logging.getLogger(name)
    logger.removeHandler(handler)
    level, logger.propagate, was_made = before
    logger.setLevel(level)
    if not was_made:
        _artifacts().discard(name.rpartition("__")[2])


def set_logs(names: str | Iterable[str]) -> None:
    """Logs what `names` says, and nothing else: some of guards, recompiles, fusion,
    kernels, phases and perf, as a list or with commas between, as in TC_LOGS.

    Raises ValueError for another name.
    """
    wanted = [name.strip() for name in (names.split(",") if isinstance(names, str) else names)]
    wanted = [name for name in wanted if name]
    for name in wanted:
        if name not in LOGS:
            near = difflib.get_close_matches(name, LOGS, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise ValueError(f"there is no log '{name}', expected some of {', '.join(LOGS)}{hint}")
    for name in LOGS:
        logger = logging.getLogger(f"tc.{name}")
        if name in _handlers:
            logger.removeHandler(_handlers.pop(name))
            logger.setLevel(logging.NOTSET)
            logger.propagate = True
        if name in _followed:
            handler, before = _followed.pop(name)
            unfollow(_OF_TORCH[name], handler, before)
        if name in wanted:
            _handlers[name] = _CurrentStandardError()
            logger.addHandler(_handlers[name])
            logger.setLevel(logging.INFO)
            logger.propagate = False
    if "tc.torch_backend" in sys.modules:
        follow_torch()


def follow_torch() -> None:
    """Logs what PyTorch says of what is asked for. The backend calls it when PyTorch is there."""
    for name, of_torch in _OF_TORCH.items():
        if is_logged(name) and name not in _followed:
            handler = Forward(logging.getLogger(f"tc.{name}").info)
            _followed[name] = handler, follow(of_torch, handler)


def is_logged(name: str) -> bool:
    """Whether a log is asked for."""
    return name in _handlers


def read_environment() -> None:
    """Logs what TC_LOGS says. Raises ValueError for a name that is no log."""
    try:
        set_logs(os.environ.get("TC_LOGS", ""))
    except ValueError as error:
        raise ValueError(f"the environment variable TC_LOGS: {error}") from None


def log_program(compiled: Compiled) -> None:
    """Logs what is asked for of a program that was just compiled."""
    if not _handlers:
        return
    title = str(compiled.signature)

    def write(name: str, lines: Iterable[str]) -> None:
        if is_logged(name):
            logging.getLogger(f"tc.{name}").info("\n  ".join([title, *lines]))

    timings, kernels = compiled.timings, compiled.kernels
    write("kernels", (f"{kernel.name}: {kernel.kernel_class} {kernel.schedule}".rstrip() for kernel in kernels))
    write("phases", (f"{name}: {seconds * 1e3:.2f} ms" for name, seconds in timings.items()))
    if not any(map(is_logged, ("fusion", "guards", "perf"))):
        return
    report = compiled.report()
    write("fusion", (f"{one['text']} ({one['file']}:{one['line']})" for one in report["remarks"] if is_about_fusion(one)))
    write("guards", report["guards"])
    write("perf", [f"compiled in {sum(timings.values()) * 1e3:.1f} ms to {len(kernels)} kernels",
                   *(f"'{graph['function']}' reads {graph['bytes_read']} bytes and writes {graph['bytes_written']} in "
                     f"{graph['calls']} calls; its kernels:" for graph in report["graphs"]),
                   *(f"  {kernel['name']}: reads {kernel['bytes_read']} bytes, writes {kernel['bytes_written']}, "
                     f"{kernel['operations']} operations" for kernel in report["kernels"])])


def is_about_fusion(remark: dict) -> bool:
    """Whether a remark of a report says that something was fused, or was not."""
    return remark["pass"].startswith("tc-fuse") and remark["kind"] in ("passed", "missed")


class Dump:
    """A folder of TC_DUMP's for one program: what is compiled, the module after each
    phase, the code that is generated, and the commands that repeat it."""

    def __init__(self, directory: str):
        parent = Path(directory)
        parent.mkdir(parents=True, exist_ok=True)
        number = sum(1 for one in parent.iterdir() if one.name.isdecimal())
        while True:  # other processes may take numbers meanwhile
            self.folder = parent / f"{number:04d}"
            try:
                self.folder.mkdir()
                return
            except FileExistsError:
                number += 1

    def write(self, name: str, text: str | bytes) -> None:
        path = self.folder / name
        path.write_bytes(text) if isinstance(text, bytes) else path.write_text(text)

    def add_source(self, program: bytes | os.PathLike | str, options: str) -> None:
        """Notes what is compiled, a file or a text, before the compiler runs."""
        if isinstance(program, bytes):
            self.source = source_name(program)
            self.write(self.source, program)
        else:
            self.source = os.path.abspath(program)
        self.options = options
        self.write("replay.txt", f"tc-run {self.source}{options} --random-inputs=0\n")

    def add_program(self, compiled: Compiled, phases: Iterable[str], is_code: bool, is_for_gpu: bool) -> None:
        """Writes what the phases and code generation make of it."""
        commands = [(self.folder / "replay.txt").read_text()]
        for number, phase in enumerate(phases):
            name = f"{number}_{phase}.mlir"
            try:
                self.write(name, compiled.ir(phase))
            except RuntimeError as error:  # the module was read after this phase
                self.write(name + ".error", str(error))
                continue
            commands.append(f"tc-run {name}{self.options} --random-inputs=0\n")
        if is_code:
            self.write("code.ll", compiled.code("llvm"))
            self.write("code.ptx" if is_for_gpu else "code.s", compiled.code("assembly"))
        self.write("replay.txt", "".join(commands))


def source_name(program: bytes) -> str:
    """The name of a file that tc-run takes what `program` is for."""
    if program.startswith(b"ML\xefR"):
        return "module.mlirbc"
    text = program.lstrip()
    return "graph.json" if text.startswith(b"{") and not text.startswith(b"{-#") else "module.mlir"


def start_dump() -> Dump | None:
    """A folder for the next program, if TC_DUMP names a directory."""
    directory = os.environ.get("TC_DUMP")
    return Dump(directory) if directory else None
