"""`torch.compile(model, backend="tc")`.

Dynamo captures a graph, AOTAutograd makes it a graph of ATen calls without
mutation, `split_graph` cuts it into pieces, `write_graph` writes each of them, and
TC compiles it. PyTorch runs the calls that TC refuses, and the log of this module
says which and why.
"""

from __future__ import annotations

import contextlib
import copy
import difflib
import functools
import gc
import logging
import re
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator

import torch
from torch import fx
from torch._dynamo.backends.common import aot_autograd
from torch._functorch import config as functorch_config
from torch._functorch.aot_autograd import make_boxed_func
from torch._guards import TracingContext
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from .compiled import INTERPRETED_PHASES, Compiled, compile as compile_program
from .errors import Error, Unsupported
from .library import native
from .logs import follow_torch
from .reproducer import is_fault, write_reproducer
from .torch_attention import align_masks
from .torch_decompositions import decompositions
from .torch_driver import find_overwrites, plan_driver
from .torch_eager import EagerPiece, calls_of_kernels, read_eager
from .torch_flex_attention import write_out_flex_attention
from .torch_graph import UnsupportedCall, write_graph
from .torch_host_constants import move_constants, write_out_numbers
from .torch_layout import order_strided
from .torch_mutations import Mutations, take_mutations, write
from .torch_numbers import fix_groups, numbers_as_tensors, use_plain_casts
from .torch_partition import Piece, Split, is_device_copy, lower_checks, split_graph, tensors_of
from .torch_packed import PACK, UNPACK
from .torch_refusals import Refusal, blamed, operator_name, user_line, why_refused
from .torch_regions import inline_regions
from .torch_replaced_calls import replace_calls
from .torch_saved import own_results, pack_saved, partition
from .torch_statistics import keep_statistics_wide

log = logging.getLogger("tc.torch")
follow_torch()

_MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")
_OPTIONS = {"strict": False, "interpret": False, "stop_after": "", "eager": False}
# How often a graph is split again without the calls that were refused.
_MOST_SPLITS = 8


@dataclass
class CompiledGraph:
    """What became of one graph of AOTAutograd's."""

    kind: str  # inference, forward or backward
    calls: int
    seconds: float = 0
    programs: list[Compiled] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)


#: The graphs that have been compiled in this process, the last ones last.
compiled_graphs: list[CompiledGraph] = []

#: Called with each graph that is compiled and the pieces that its programs are of.
observers: list[Callable[[CompiledGraph, list[Piece]], None]] = []

#: Each makes, of what calls a program, the program and its piece, what is called in its place.
wrappers: list[Callable[[Callable, Compiled, Piece], Callable]] = []


def _device_of(module: fx.GraphModule) -> torch.device:
    """The device that a graph is for: that of its first tensor in device memory, else the CPU. It may have calls on the
    CPU as well."""
    devices = [tensor.device for node in module.graph.nodes for tensor in tensors_of(node)]
    return next((device for device in devices if device.type != "cpu"), torch.device("cpu"))


def _device_name(device: torch.device) -> str:
    """As tc.compile names it."""
    return device.type if device.index is None else f"{device.type}:{device.index}"


def _is_whole(module: fx.GraphModule) -> bool:
    """Whether nothing is known that would make more than one program of a graph: a call of PyTorch's, or on another
    device than the others."""
    device = _device_of(module)
    return not any(why_refused(node, device) or is_device_copy(node) or any(one.device != device for one in tensors_of(node))
                   for node in module.graph.nodes
                   if node.op == "call_function" and node.target is not torch.ops.aten.copy_.default)


def _partition(joint: fx.GraphModule, inputs: Any, **options: Any) -> tuple[fx.GraphModule, fx.GraphModule]:
    """A forward and a backward graph; what the first one saves for the second is packed where both are TC's."""
    inline_regions(joint)
    use_plain_casts(joint)
    keep_statistics_wide(joint)
    forward, backward = partition(joint, inputs, **options)
    if _is_whole(forward) and _is_whole(backward):
        pack_saved(forward, backward)
    return forward, backward


@dataclass
class _Prepared:
    """A graph without mutation, of which pieces are made."""

    given: fx.GraphModule  # what PyTorch runs where TC does not
    module: fx.GraphModule
    mutations: Mutations
    calls: int
    device: torch.device
    refused: dict[fx.Node, str]  # calls that TC is known to refuse, and why


def _prepare(module: fx.GraphModule) -> _Prepared:
    inline_regions(module)
    use_plain_casts(module)
    given = lower_checks(module)
    module, mutations = take_mutations(given)
    fix_groups(module)
    order_strided(module)
    module = numbers_as_tensors(module)
    calls = sum(node.op == "call_function" and node.target not in (PACK, UNPACK) for node in module.graph.nodes)
    device = _device_of(module)
    write_out_numbers(module)
    move_constants(module, device)
    refused = {node: reason for node in module.graph.nodes
               if node.op == "call_function" and (reason := why_refused(node, device))}
    return _Prepared(given, module, mutations, calls, device, refused)


@contextlib.contextmanager
def _without_collections() -> Iterator[None]:
    """Python's collector of reference cycles walks over all objects of the process, again and again while the many
    small ones of a graph are made."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Compiler:
    """Compiles the graphs of one call of torch.compile."""

    def __init__(self, options: dict, targets: dict[int, int] | None = None):
        self.options, self.targets = options, targets or {}
        self.only_program: Compiled | None = None
        self.ahead: tuple[str, Future] | None = None  # the text of a program, and the program

    def partition(self, joint: fx.GraphModule, inputs: Any, **options: Any) -> tuple[fx.GraphModule, fx.GraphModule]:
        """As `_partition`; a thread begins to compile the backward, while its forward is compiled."""
        forward, backward = _partition(joint, inputs, **options)
        has_program = not self.options["interpret"] and self.options["eager"] is not True
        if has_program and not any(node.op == "get_attr" for node in backward.graph.nodes):
            try:
                self.compile_ahead(backward)
            except Exception:  # compiling it again says what is wrong
                log.debug("a backward is not compiled ahead", exc_info=True)
        return forward, backward

    @unset_fake_temporarily()
    def compile_ahead(self, module: fx.GraphModule) -> None:
        """Begins to compile a graph that is one program; others are left alone, and `module` is as before."""
        prepared = _prepare(copy.deepcopy(module))
        if prepared.refused or prepared.mutations.inputs:
            return
        pieces = split_graph(prepared.module, {}, prepared.device).pieces
        if len(pieces) != 1:
            return
        text = write_graph(pieces[0].module, pieces[0].is_random, pieces[0].overwrites)
        executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="tc-ahead")
        self.ahead = text, executor.submit(self.compile_text, text, pieces[0].device)
        executor.shutdown(wait=False)

    @_without_collections()
    @unset_fake_temporarily()  # PyTorch calls some compilers in that mode
    def __call__(self, kind: str, module: fx.GraphModule, example_inputs: list) -> Callable:
        start = time.perf_counter()
        self.pieces: list[Piece] = []
        self.own_results = own_results(module)
        prepared = _prepare(module)
        given, module, device, refused = prepared.given, prepared.module, prepared.device, prepared.refused
        self.mutations = prepared.mutations
        made = CompiledGraph(kind, prepared.calls)
        try:
            runner = self.compile_pieces(module, device, refused, made)
        except Exception as error:
            if self.options["strict"]:
                raise
            if not isinstance(error, Error):  # a fault of TC's, which must not stop the user
                log.exception("TC failed at a graph of %d calls, which PyTorch runs", made.calls)
            reason = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
            refused = {node: reason for node in module.graph.nodes if node.op == "call_function"}
            runner = None
        made.refusals = [Refusal(operator_name(node), reason, user_line(node)) for node, reason in refused.items()]
        if runner is None:
            align_masks(given.graph)
            given.recompile()
            runner = make_boxed_func(given.forward)
        made.seconds = time.perf_counter() - start
        compiled_graphs.append(made)
        for observe in observers:
            observe(made, self.pieces)
        self.report(made)
        return runner

    def compile_pieces(self, module: fx.GraphModule, device: torch.device, refused: dict[fx.Node, str],
                       made: CompiledGraph) -> Callable:
        """Adds the calls that TC turns out to refuse to `refused`."""
        programs: dict[tuple, Compiled | EagerPiece] = {}
        eager: set[fx.Node] = set()
        for _ in range(_MOST_SPLITS):
            split = split_graph(module, refused.keys() | eager, device)
            failures: dict[fx.Node, str] = {}
            targets = self.targets | self.mutations.targets(len(split.graph.output_node().args[0]))
            if targets and len(split.pieces) == 1:
                split.pieces[0].overwrites = find_overwrites(split, module, targets)
            for piece in split.pieces:
                if piece.key in programs:
                    continue
                try:
                    programs[piece.key] = self.compile_piece(piece)
                except Error as error:
                    failures |= self.explain_failure(piece, error)
            refused.update(failures)
            if self.options["strict"] and refused:
                node, reason = next(iter(refused.items()))
                raise Error(f"{operator_name(node)}: {reason}", location=user_line(node))
            callables = [] if failures else [programs[piece.key] for piece in split.pieces]
            if not failures and not eager and (eager := self.calls_that_are_eager(split.pieces, callables)):
                continue
            if not failures:
                made.programs = [one for one in callables if isinstance(one, Compiled)]
                self.pieces = split.pieces
                is_only = split.is_direct and not split.pieces[0].is_random and not _runs_in_python(callables)
                self.only_program = callables[0] if is_only else None
                return self.drive(made.kind, module, split, callables)
        raise Unsupported(f"TC refuses calls in each of {_MOST_SPLITS} ways to split the graph")

    def calls_that_are_eager(self, pieces: list[Piece], programs: list[Compiled]) -> set[fx.Node]:
        """The calls of the kernels that the option `eager` names."""
        if not isinstance(names := self.options["eager"], frozenset):
            return set()
        calls = calls_of_kernels(names, pieces, programs)
        if not calls:
            log.warning("no kernel of a graph has calls and one of the names %s; its kernels are %s", ", ".join(sorted(names)),
                        ", ".join(kernel.name for program in programs for kernel in program.kernels))
        return calls

    def is_joint(self, kind: str, split: Split) -> bool:
        """Whether all results of a graph have memory in common, so that their addresses are seldom new to a CUDA graph:
        gradients, which live and die together."""
        on_cuda = all(piece.device.type == "cuda" for piece in split.pieces)
        return kind == "backward" and on_cuda and self.options["mode"] == "reduce-overhead"

    def drive(self, kind: str, module: fx.GraphModule, split: Split, programs: list[Compiled | EagerPiece]) -> Callable:
        """What runs a graph that is split, with a list of inputs."""
        if not wrappers and not _runs_in_python(programs):
            if plan := plan_driver(split, module, self.own_results, self.is_joint(kind, split)):
                inputs, results, joint = plan
                seeds = [("function", _seed_of(split.pieces[0].device), [])] if split.pieces[0].is_random else []
                results, values = self.mutations.apart(results)
                writes = [(write, [("input", number) for number in targets], given)
                          for targets, given in self.mutations.writes(values)]
                return _BoxedProgram(programs[0], inputs + seeds, results, writes, joint.parts)
        calls = [_callable(program, piece) for piece, program in zip(split.pieces, programs)]
        return self.mutations.add_to(_boxed(split.link(module, calls)))

    def compile_piece(self, piece: Piece) -> Compiled | EagerPiece:
        if self.options["eager"] is True:
            return EagerPiece(piece)
        text = write_graph(piece.module, piece.is_random, piece.overwrites)
        if not self.options["interpret"]:
            if not self.ahead or self.ahead[0] != text:
                return self.compile_text(text, piece.device)
            (_, program), self.ahead = self.ahead, None
            return program.result()
        if phase := self.options["stop_after"]:
            text = compile_program(text, compile_to=phase).ir(phase)
        return compile_program(text, device="reference", returns="torch")

    def compile_text(self, text: str, device: torch.device) -> Compiled:
        return compile_program(text, device=_device_name(device), returns="torch", mode=self.options["mode"])

    def explain_failure(self, piece: Piece, error: Error) -> dict[fx.Node, str]:
        """The calls that an error is about, with the reason; where that is a fault of TC's, or an
        error for the user, with the command that repeats it."""
        reasons = blamed(piece, error)
        if isinstance(error, UnsupportedCall) or not (self.options["strict"] or is_fault(error)):
            return reasons
        command = write_reproducer(write_graph(piece.module, piece.is_random, piece.overwrites), _device_name(piece.device))
        return {node: f"{reason}\nThe graph is in a file; this repeats the failure: {command}" for node, reason in reasons.items()}

    def report(self, made: CompiledGraph) -> None:
        if not made.refusals:
            log.debug("compiled a graph of %d calls as %d programs", made.calls, len(made.programs))
            return
        by_operator = {refusal.operator: refusal for refusal in reversed(made.refusals)}
        log.warning("PyTorch runs %d of the %d calls of a graph, which TC refuses: %s", len(made.refusals), made.calls,
                    "; ".join(map(str, reversed(by_operator.values()))))


def _runs_in_python(programs: list[Compiled | EagerPiece]) -> bool:
    """Whether any of what a driver calls is no code of TC's."""
    return any(isinstance(program, EagerPiece) or program.is_interpreted for program in programs)


def _boxed(module: fx.GraphModule) -> Callable:
    run = functools.partial(module.forward)
    run._boxed_call = True
    return run


class _BoxedProgram(native.BoxedCallable):
    """A graph of one program, as AOTAutograd calls it: the inputs are in a list, which the call empties."""

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self._boxed_call = True  # of the object, as wrappers of PyTorch's copy what that has


def _seed_of(device: torch.device) -> Callable:
    """What draws a seed of PyTorch's generator."""
    return functools.partial(torch.randint, -2**63, 2**63 - 1, (), dtype=torch.int64, device=device)


def _on_host(call: Callable, device: torch.device) -> Callable:
    """What the interpreter runs, for tensors of a device."""
    def run(*inputs: torch.Tensor) -> Any:
        result = call(*(one.cpu() for one in inputs))
        return tuple(one.to(device) for one in result) if isinstance(result, tuple) else result if result is None else result.to(device)

    return run


def _callable(program: Compiled | EagerPiece, piece: Piece) -> Callable:
    """A program as the driver calls it: with the seed of its random numbers, drawn of PyTorch's generator."""
    if isinstance(program, EagerPiece):
        return program
    call = program
    for wrap in wrappers:
        call = wrap(call, program, piece)
    if program.is_interpreted and piece.device.type != "cpu":
        call = _on_host(call, piece.device)
    if not piece.is_random:
        return call

    draw = _seed_of(piece.device)

    def run(*inputs: torch.Tensor) -> Any:
        return call(*inputs, draw())

    return run


def compile_graph(module: fx.GraphModule, settings: dict,
                  targets: dict[int, int]) -> tuple[Callable, Compiled | None]:
    """Compiles a graph of ATen calls for inference. Returns what runs it with the list of its
    inputs and, where that is one program with these inputs and results alone, the program.
    The caller writes the results at the places of `targets` to the inputs of these numbers,
    unless they are in the inputs' memory."""
    compiler = _Compiler(settings, targets)
    return compiler("inference", module, []), None if wrappers else compiler.only_program


def read_settings(mode: str | None, options: dict | None) -> dict:
    """What a mode and options of torch.compile's mean. Raises ValueError for an unknown one."""
    chosen = mode or "default"
    if chosen not in _MODES:
        raise ValueError(f"the mode is '{chosen}', expected one of {', '.join(_MODES)}")
    for name in options or {}:
        if name not in _OPTIONS:
            near = difflib.get_close_matches(name, _OPTIONS, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise ValueError(f"there is no option '{name}', expected one of {', '.join(_OPTIONS)}{hint}")
    keeps_graphs = chosen in ("reduce-overhead", "max-autotune")
    settings = _OPTIONS | dict(options or {}) | {"mode": "reduce-overhead" if keeps_graphs else "default"}
    phase = settings["stop_after"]
    if phase and phase not in INTERPRETED_PHASES:
        raise ValueError(f"the option stop_after is '{phase}', expected a phase that the interpreter runs: "
                         f"{', '.join(INTERPRETED_PHASES)}")
    interpret = settings["interpret"] or bool(phase)
    return settings | {"interpret": interpret, "eager": read_eager(settings["eager"], interpret)}


def _assembles_meanwhile(example_inputs: list) -> bool:
    """Whether kernels of a forward are still being assembled when it has been compiled."""
    tensors = [value for value in example_inputs if isinstance(value, torch.Tensor)]
    return any(value.is_cuda for value in tensors) and not any(map(is_traceable_wrapper_subclass, tensors))


def _backward_at_once(example_inputs: list) -> contextlib.AbstractContextManager:
    """Compiles a backward with its forward where that takes no time of its own, instead of at the first backward call."""
    if _assembles_meanwhile(example_inputs):
        return functorch_config.patch(force_non_lazy_backward_lowering=True)
    return contextlib.nullcontext()


def _compile_backward(compiler: _Compiler, module: fx.GraphModule, example_inputs: list) -> Callable:
    """Tells AOTAutograd that no saved tensor is donated, so that calls which retain the graph are right."""
    context = TracingContext.try_get()
    if context and context.fw_metadata:
        context.fw_metadata.bw_donated_idxs = []
    return compiler("backward", module, example_inputs)


@_without_collections()
def backend(module: fx.GraphModule, example_inputs: list, *, mode: str | None = None,
            options: dict | None = None) -> Callable:
    """The backend that torch.compile calls with a graph of Dynamo's.

    mode     default, reduce-overhead, max-autotune or max-autotune-no-cudagraphs
    options  strict: raise tc.Error where TC refuses a call, instead of letting
             PyTorch run it; interpret: run programs in the reference
             interpreter; stop_after: do that after this phase, import to
             bufferize; eager: let PyTorch run the calls of every program one by
             one, or those of the kernels that are named

    Raises ValueError for another mode or option.
    """
    compiler = _Compiler(read_settings(mode, options))
    replace_calls(module)
    write_out_flex_attention(module)
    split = compiler.partition if _assembles_meanwhile(example_inputs) else _partition
    with _backward_at_once(example_inputs):
        return aot_autograd(fw_compiler=functools.partial(compiler, "forward"),
                            bw_compiler=functools.partial(_compile_backward, compiler),
                            inference_compiler=functools.partial(compiler, "inference"),
                            decompositions=decompositions(),
                            keep_inference_input_mutations=True,
                            partition_fn=split)(module, example_inputs)
