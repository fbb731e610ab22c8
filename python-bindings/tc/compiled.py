"""Compiling programs and calling them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping

from . import cache, logs, streams
from .arrays import Array, check_writable, converter_for, to_array, to_numpy, to_torch
from .description import Function, Kernel, Parameter, read_function, read_tensor
from .library import check_thread_count, native

if TYPE_CHECKING:
    from .function import CompiledFunction

_FILE_ENDINGS = (".mlir", ".mlirbc", ".pt2")
_CONVERTERS = {"torch": to_torch, "numpy": to_numpy, "tc": lambda array: array}


class _Program:
    """A program of the extension module; every Compiled of it holds it."""

    def __init__(self, handle: Any, device: int | None, is_interpreted: bool):
        self.handle = handle
        self.is_interpreted = is_interpreted
        self.cuda_device = device  # None for a program of the host
        self.functions = {function.name: function for function in map(read_function, handle.functions())}


class Compiled(native.Callable):
    """A compiled function: call it with arrays, by position. Returns the output, a
    tuple of several, or None.

    Tensors of torch's go to the program without a function of Python's between. A new
    value of an input is written to it, that of a parameter becomes its value. An input
    that is mutated must be writable, and no two of its elements one place in memory,
    as in torch.
    """

    def __init__(self, program: _Program, name: str | None, returns: str | None):
        self._program = program
        self._returns = returns
        self._index = program.handle.find_function(name or "")
        self._function = list(program.functions.values())[self._index]
        self._mutating = [(i, output.mutates) for i, output in enumerate(self._function.outputs)
                          if output.mutates is not None]
        self._user_count = len(self._function.outputs) - len(self._mutating)
        self.device_number = -1 if program.cuda_device is None else program.cuda_device
        # Tensors of torch then need nothing but a call.
        super().__init__(program.handle, self._index, self.device_number,
                         not self._mutating and returns in (None, "torch"))
        self._strided = [i for i, value in enumerate(self._function.inputs) if value.strides is not None]

    @property
    def signature(self) -> Function:
        """Names, element types and sizes of inputs and outputs."""
        return self._function

    @property
    def functions(self) -> Mapping[str, Function]:
        """All public functions of the program, by name."""
        return dict(self._program.functions)

    def add_to(self, entry: Any, tensors: list[int]) -> None:
        """Makes this what an entry of a tc.CompiledFunction runs, with tensors by number."""
        entry.run_program(self._program.handle, self._index, self.device_number, tensors, self)

    def function(self, name: str) -> Compiled:
        """Another function of the same program."""
        return Compiled(self._program, name, self._returns)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Weights, buffers and constants."""
        return tuple(read_tensor(parameter, Parameter) for parameter in self._program.handle.parameters())

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels of the program, one for each launch."""
        return tuple(Kernel(*kernel) for kernel in self._program.handle.kernels())

    @property
    def timings(self) -> dict[str, float]:
        """Seconds that each step of the compilation took."""
        return self._program.handle.timings()

    @property
    def is_interpreted(self) -> bool:
        """Whether calls run in the reference interpreter, whose arrays are in host memory."""
        return self._program.is_interpreted

    def ir(self, phase: str | None = None) -> str:
        """The module after a phase (see `tc.phases`), or as it was read."""
        return self._program.handle.ir(phase or None)

    def code(self, kind: str) -> str:
        """What code generation makes of the program: "llvm", the optimised LLVM IR, or
        "assembly", that of the target; of a GPU its kernels' PTX."""
        return self._program.handle.code(kind)

    def report(self) -> dict:
        """What became of the program, as tc_program_report describes it: lists of
        graphs, kernels, remarks, memory_plans and guards."""
        return json.loads(self._program.handle.report())

    def explain(self, *inputs: Any) -> str:
        """Which version of the function a call with these inputs runs and, for each
        version before it, the guard that misses: expected and actual value, and
        where the guard comes from; nothing without versions. Then, in mode
        reduce-overhead on a CUDA device, the graphs that calls have made so far."""
        return self._program.handle.explain(self._index, _native_arrays(map(to_array, inputs)))

    def save(self, path: str | os.PathLike, targets: str | Iterable[str] = (), *,
             prepared: str | os.PathLike | None = None) -> None:
        """Writes the program, compiled for each of the targets, to a file that `tc.load`,
        tc-run and libTCRuntime load: cpu:NAME or cuda:CHIP; by default its own. Parameters
        stay in their files, which the artefact names.

        prepared   a file to write what is computed from the parameters, as they are in
                   their files, so that the first call need not; it belongs beside the
                   artefact. Of the targets that this machine's CPU runs: for those after
                   the first with their number behind the name
        """
        self._program.handle.save(os.fspath(path), "" if prepared is None else os.fspath(prepared),
                                  [targets] if isinstance(targets, str) else list(targets))

    def save_versions(self, path: str, targets: list[str], versions: str) -> None:
        """Writes the program as `save` does, with the JSON of tc.function_artefact beside it."""
        self._program.handle.set_versions(versions)
        self.save(path, targets)

    def set_parameter(self, name: str, value: Any) -> None:
        """Puts a new value in the place of a parameter, for calls from now on."""
        self._program.handle.set_parameter(name, to_array(value)._native)

    def call_general(self, *inputs: Any) -> Any:
        """Calls the function with arrays of any kind."""
        device = self._program.cuda_device
        stream = 0 if device is None else streams.current_stream(inputs, device)
        mutated = [target for _, target in self._mutating]
        if device is not None:
            inputs = tuple(_row_major(value, stays=index in mutated or index in self._strided)
                           for index, value in enumerate(inputs))
        arrays = [to_array(value, stream) for value in inputs]
        if device is not None:
            for index in self._strided:
                if index < len(inputs) and index not in mutated:
                    arrays[index] = self._with_expected_strides(inputs[index], arrays, index, stream)
        for target in mutated:
            if isinstance(target, int) and target < len(arrays):
                check_writable(inputs[target], arrays[target])
        outputs = self.call_arrays(arrays, stream)
        for index, target in self._mutating:
            if not isinstance(target, int):
                self.set_parameter(target, outputs[index])
            elif device is None:
                arrays[target]._native.assign(outputs[index]._native)
            else:
                arrays[target]._native.assign_on_stream(outputs[index]._native, stream)
        convert = _CONVERTERS[self._returns] if self._returns else converter_for(inputs, device is not None)
        results = [convert(array) for array in outputs[:self._user_count]]
        if len(results) == 1:
            return results[0]
        return tuple(results) if results else None

    def _with_expected_strides(self, value: Any, arrays: list[Array], index: int, stream: int) -> Array:
        """The array of input `index`, of a copy where it is a tensor of torch's with other strides
        than the function reads where they are."""
        if not streams.is_torch(value) or not value.is_cuda:
            return arrays[index]
        expected = self._program.handle.expected_strides(self._index, _native_arrays(arrays), index)
        if value.stride() == expected or all(
                size == 1 or has == wanted for size, has, wanted in zip(value.shape, value.stride(), expected)):
            return arrays[index]
        return to_array(value.new_empty_strided(value.shape, expected).copy_(value), stream)

    def call_arrays(self, inputs: list[Array], stream: int = 0) -> list[Array]:
        """Calls the function with arrays of TC's, and gives all its outputs: the
        user's, then the new values of what it mutates. On a CUDA device everything
        is done in the order of `stream`, a handle of the driver's."""
        return [Array(output) for output in
                self._program.handle.call(self._index, _native_arrays(inputs), stream)]

    def __repr__(self) -> str:
        return f"<tc.Compiled {self._function}>"


def _row_major(value: Any, stays: bool) -> Any:
    """A tensor of torch's on a CUDA device in row-major order, unless it stays as it is."""
    if stays or not streams.is_torch(value) or not value.is_cuda:
        return value
    return value.contiguous()


def _native_arrays(arrays: Iterable[Array]) -> list:
    return [array._native for array in arrays]


def _threads_of_environment() -> int:
    text = os.environ.get("TC_THREADS") or "0"
    if not text.isdecimal():
        raise ValueError(f"the environment variable TC_THREADS is '{text}', expected a number of threads")
    return int(text)


def _start_dump(source: str | bytes, target: str, device: str) -> Any:
    """The folder that TC_DUMP asks for, with the program as it is given; None where it asks for none."""
    dump = logs.start_dump()
    if dump:
        target_option = f" --target={target}" if target != "cpu" else ""
        dump.add_source(source, target_option + (f" --device={device}" if device != "cpu" else ""))
    return dump


def _compile_callable(function: Callable, mode: str, options: dict, of_programs: dict) -> CompiledFunction:
    if refused := [name for name, value in of_programs.items() if value]:
        raise ValueError(f"'{refused[0]}' is an option of programs, and what is compiled is a function")
    from .function import compile_function

    return compile_function(function, mode=mode, **options)


def compile(program: str | bytes | os.PathLike | Callable, *, function: str | None = None, target: str | None = None,
            device: str = "cpu", threads: int | None = None, schedules: str | os.PathLike = "",
            specialize: str | Iterable[str] = (), compile_to: str = "", parameters: str | Iterable[str] = (),
            directory: str | os.PathLike = "", returns: str | None = None, mode: str = "default",
            libraries: str = "", launch_blocking: bool = False, **of_function: Any) -> Compiled | CompiledFunction:
    """Compiles a tensor program, or a function of PyTorch's: see tc.function.compile_function for that.

    program     MLIR text, bytes of bytecode that tc-opt --emit-bytecode has written, or
                the path of a file; a str that ends in .mlir, .mlirbc or .pt2 is a path
    function    the function to call; needed only when there are several and
                none is main
    target      what code is generated for: cpu, cpu:NAME or cpu:NAME:+feature; by
                default what the environment variable TC_TARGET says, else cpu
    device      cpu, cuda, cuda:N, or reference to run in the interpreter; on cuda,
                calls take and give arrays in the memory of that device, without
                copies, in the order of torch's current stream where an input is a
                tensor of torch's, else of the default stream
    threads     threads of all calls of this process; 0 leaves them as they are;
                by default what TC_THREADS says, else 0
    schedules   a file of a module with schedules of kernels
    specialize  versions to make for sizes that are known, each as
                FUNCTION:SYMBOL=VALUE (or =MIN..MAX, or %DIVISOR); a call runs
                the first whose guards hold, else the general version
    compile_to  the last phase to run; such a program can be read, not called
    parameters  files to take parameters from, each as [SCOPE=]FILE
    directory   where relative names of parameter files are looked for
    returns     numpy, torch or tc: the kind of the results; by default torch
                tensors if an input is one, else numpy arrays; on cuda else arrays
                of JAX's if an input is one, else tc.Array
    mode        default, or reduce-overhead as in torch.compile: on cuda, calls
                whose inputs have the sizes of an earlier call, on the same stream,
                launch their kernels as CUDA graphs. Inputs are not copied and no
                result is overwritten by a later call; what is kept between the
                kernels of a call stays allocated. Nothing changes on a CPU
    libraries   libraries that code for a CUDA device may call: none, host for
                those of this machine, or cublaslt, cudnn or cublaslt,cudnn for
                code that runs where these are; by default those that it lists
    launch_blocking
                on cuda, calls whose kernels may find an index out of range wait for
                them and raise tc.IndexOutOfRange, as with CUDA_LAUNCH_BLOCKING=1;
                otherwise the next call on the device or tc.synchronize does

    Code is kept in the cache on disk (docs/artefact.md), which TC_CACHE_DIR names, and
    loaded from there where the same program has been compiled before.

    Raises tc.Error, whose text has the diagnostics.
    """
    if callable(program):
        return _compile_callable(program, mode, of_function, {
            "function": function, "target": target, "device": device if device != "cpu" else "", "threads": threads,
            "schedules": schedules, "specialize": specialize, "compile_to": compile_to, "parameters": parameters,
            "directory": directory, "returns": returns, "libraries": libraries, "launch_blocking": launch_blocking})
    if of_function:
        raise TypeError(f"'{next(iter(of_function))}' is no option of programs; functions have mode, dynamic, recompile_limit, "
                        "on_recompile_limit and strict")
    if returns is not None and returns not in _CONVERTERS:
        raise ValueError(f"returns is '{returns}', expected {', '.join(_CONVERTERS)} or None")
    if not isinstance(program, (str, bytes, bytearray, memoryview, os.PathLike)):
        raise TypeError(f"the program is of type {type(program).__name__}, expected str, bytes or a path")
    if target is None:
        target = os.environ.get("TC_TARGET") or "cpu"
    if threads is None:
        threads = _threads_of_environment()
    files = [parameters] if isinstance(parameters, str) else [os.fspath(file) for file in parameters]
    versions = [specialize] if isinstance(specialize, str) else list(specialize)
    is_path = isinstance(program, os.PathLike) or (
        isinstance(program, str) and program.endswith(_FILE_ENDINGS))
    data = None if is_path else program.encode() if isinstance(program, str) else bytes(program)
    source = os.fspath(program) if is_path else data
    dump = _start_dump(source, target, device)
    handle = native.compile(os.fspath(program) if is_path else "", data, target, device, os.fspath(schedules),
                            compile_to, files, os.fspath(directory), check_thread_count(threads), versions, mode,
                            libraries, bool(launch_blocking), cache.directory(), cache.limit())
    compiled = Compiled(_Program(handle, streams.device_index(device), device == "reference"), function, returns)
    logs.log_program(compiled)
    if dump:
        last = phases.index(compile_to) if compile_to else len(phases) - 1
        is_code = device != "reference" and last == len(phases) - 1
        dump.add_program(compiled, phases[:last + 1], is_code, "cuda" in (target[:4], device[:4]))
    return compiled


#: The phases of compilation, in order.
phases: tuple[str, ...] = native.phases()

#: Those after which the interpreter still runs a module.
INTERPRETED_PHASES = phases[:phases.index("bufferize") + 1]
