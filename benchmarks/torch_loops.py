#!/usr/bin/env python3
"""Times loops of training, and two models on two streams, with torch.compile: TC next to Inductor and eager.

AMP is a step of training of a language model under autocast (bf16 on a CPU, f16 with a scaler of gradients on CUDA), with
AdamW as it is and with AdamW compiled as well. With accumulation, the gradients of four batches are added up before the
compiled AdamW. The optimizer alone is the compiled AdamW. An encoder of images and a decoder of text, in inference,
are compiled with a mode each; on CUDA each runs on a stream of its own, and the caller's stream waits for both.

All rivals of a row run in one process, alternately, round by round. Before that, the results of a few steps are compared
with the same steps in f64 and with eager's. Rows that share a compiled model share a process, which begins with nothing
in the caches on disk. Writes PREFIX.json and PREFIX.md after every process; with --append, rows that are measured
replace those of the files and the others stay.
"""

import copy
import re
import sys
import time
import traceback
from dataclasses import dataclass
from functools import partial
from typing import Callable

import torch_rows  # first, as it finds the package

import torch
import torch.nn.functional as F
from torch import nn

import gpu_workloads
import measure
import report
import torch_compile_report
import torch_loops_report
import workloads
from workloads import BF16, F32

# A smaller eps would make steps of full size from gradients that are rounding errors alone, as those of biases of keys.
ADAMW = {"lr": 3e-4, "eps": 1e-6}
STEPS = 3  # of a row, before its results are compared
BATCHES = 4  # of an accumulation


class Loss(nn.Module):
    """The cross entropy of a language model, computed in f32 or wider."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens, wanted):
        scores = self.model(tokens)
        return F.cross_entropy(scores.to(torch.promote_types(scores.dtype, F32)).flatten(0, 1), wanted.flatten())


class Training:
    """A rival's copy of a model with its optimizer. The gradients are those of some batches, or, without any, as given."""

    def __init__(self, model, compiled, batches=(), gradients=None, autocast=None):
        self.model, self.batches, self.autocast = model, batches, autocast
        first = next(model.parameters())
        self.device = first.device.type
        # A counter of steps on the device is of f32, which is not exact enough for exact results.
        counts_on_device = self.device == "cuda" and first.dtype != torch.float64
        self.optimizer = torch.optim.AdamW(model.parameters(), **ADAMW, capturable=counts_on_device)
        # Gradients of f16 are scaled, lest small ones become zero; bf16 has the exponents of f32.
        self.scaler = torch.amp.GradScaler(self.device) if autocast == torch.float16 else None
        self.plain_step = plain_step = self.optimizer.step
        self.loss_of, self.step = compiled(model), compiled(lambda: plain_step())
        self.begin, self.loss = self.parameters(), None
        self.keeps_gradients = len(batches) != 1
        if self.keeps_gradients:
            self.keep(gradients or map(torch.zeros_like, model.parameters()))

    def keep(self, gradients):
        """Gives the gradients memory that stays theirs, as CUDA graphs need it of sums, and says so, lest graphs copy them."""
        for parameter, gradient in zip(self.model.parameters(), gradients):
            parameter.grad = gradient.to(parameter.dtype, copy=True)
            torch._dynamo.mark_static_address(parameter.grad)

    def parameters(self):
        return torch.cat([one.detach().flatten() for one in self.model.parameters()])

    def gradients(self):
        self.optimizer.zero_grad(set_to_none=not self.keeps_gradients)
        for batch in self.batches:
            if self.device == "cuda":
                torch.compiler.cudagraph_mark_step_begin()
            with torch.autocast(self.device, self.autocast, enabled=self.autocast is not None):
                loss = self.loss_of(*batch) / len(self.batches)
            (self.scaler.scale(loss) if self.scaler else loss).backward()
        self.loss = loss.detach()

    def update(self):
        self.update_by(self.step)

    def update_by_plain_step(self):
        self.update_by(self.plain_step)

    def update_by(self, step):
        if self.scaler is None:
            step()
            return
        self.scaler.unscale_(self.optimizer)
        self.optimizer.step = step  # the scaler calls it unless a gradient is not finite
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def results(self):
        loss = {} if self.loss is None else {"loss": self.loss.clone()}
        return loss | {"parameters": self.parameters() - self.begin}


class TwoStreams:
    """An encoder and a decoder, of {name: (module, inputs)}. On a CPU, one after the other."""

    MODES = {"encoder": "default", "decoder": "reduce-overhead"}

    def __init__(self, models, compiled):
        self.calls = {name: partial(compiled(module, mode=self.MODES[name]), *inputs) for name, (module, inputs) in models.items()}
        on_cuda = next(models["encoder"][0].parameters()).is_cuda
        self.streams = {name: torch.cuda.Stream() for name in models} if on_cuda else {}

    @torch.no_grad()
    def call(self):
        if not self.streams:
            return {name: call() for name, call in self.calls.items()}
        torch.compiler.cudagraph_mark_step_begin()
        results, caller = {}, torch.cuda.current_stream()
        for name, stream in self.streams.items():
            stream.wait_stream(caller)
            with torch.cuda.stream(stream):
                results[name] = self.calls[name]()
        for stream in self.streams.values():
            caller.wait_stream(stream)  # by an event
        return results

    def results(self):
        return {name: value.clone() for name, value in self.call().items()}


@dataclass(frozen=True)
class Workload:
    """What a process measures. `make` gives, on a device, a function that makes a rival's loop of what compiles and of
    whether it is to be exact, in f64. `rows` are the parts of that loop that a row runs, by its name."""

    make: Callable
    rows: dict[str, tuple[str, ...]]
    dtype: torch.dtype  # the narrowest one
    has_mode_each: bool = False  # instead of a rival for every mode


def own_copy(value, is_exact):
    """Of a module or a tensor; an exact one is in f64."""
    own = copy.deepcopy(value)
    return own.double() if is_exact and (isinstance(own, nn.Module) or own.is_floating_point()) else own


def text_model(device):
    """The row of the language model, without its loss."""
    return (gpu_workloads.rows()["GPT-2 small b8 t1024 bf16"] if device == "cuda"
            else workloads.rows()["GPT 4 layers x 768 t128 f32"])


def image_model(device):
    if device == "cuda":
        return gpu_workloads.rows()["ViT-B/16 b32 bf16"]
    return workloads.Row(lambda: gpu_workloads.vit().eval(), lambda: (torch.randn(1, 3, 224, 224),))


def training(batches, dtype, autocast=None):
    def make(device):
        model = Loss(text_model(device).module()).to(dtype).train()
        tokens = [text_model(device).inputs()[0] for _ in range(batches)]
        given = [(one, one.roll(-1, 1)) for one in tokens]
        return lambda compiled, is_exact: Training(own_copy(model, is_exact), compiled, given,
                                                   autocast=None if is_exact else autocast)
    return make


def optimizer_alone(device):
    model = text_model(device).module().to(F32)
    gradients = [1e-3 * torch.randn_like(one) for one in model.parameters()]
    return lambda compiled, is_exact: Training(own_copy(model, is_exact), compiled, gradients=gradients)


def two_streams(device):
    models = {name: (row.module().requires_grad_(False), row.inputs())
              for name, row in (("encoder", image_model(device)), ("decoder", text_model(device)))}
    return lambda compiled, is_exact: TwoStreams({name: (own_copy(module, is_exact), [own_copy(one, is_exact) for one in inputs])
                                                  for name, (module, inputs) in models.items()}, compiled)


def workloads_of(device):
    """By the name of their first row."""
    half, accumulated = (torch.float16, BF16) if device == "cuda" else (BF16, F32)
    step, both = ("gradients", "update"), "encoder and decoder on two streams"
    return {
        "AMP": Workload(training(1, F32, half), {"AMP": ("gradients", "update_by_plain_step"),
                                                 "AMP, compiled optimizer": step}, half),
        f"accumulation of {BATCHES}": Workload(training(BATCHES, accumulated), {f"accumulation of {BATCHES}": step}, accumulated),
        "optimizer alone": Workload(optimizer_alone, {"optimizer alone": ("update",)}, F32),
        both: Workload(two_streams, {both: ("call",)}, BF16 if device == "cuda" else F32, has_mode_each=True)}


def rivals(workload, device):
    """What torch.compile is given besides, by the name in the table; None for eager."""
    table = torch_rows.rivals(device)
    if workload.has_mode_each:
        return {"eager": None, "a mode each": table["default"], "tc a mode each": table["tc"]}
    return {name: given for name, given in table.items() if name != "aot_eager"}


def compiler_of(given):
    def compiled(function, **how):
        return function if given is None else torch.compile(function, **given | how)
    return compiled


def run(loop, parts):
    for part in parts:
        getattr(loop, part)()


def first_steps(loop, parts, seconds, device):
    """The results of some steps; adds the seconds of the first call of each part that has not been called before."""
    for part in parts:
        torch_rows.synchronize(device)
        begin = time.perf_counter()
        getattr(loop, part)()
        torch_rows.synchronize(device)
        seconds.setdefault(part, time.perf_counter() - begin)
    for _ in range(STEPS - 1):
        run(loop, parts)
    return loop.results()


def distance(one, other, right):
    """In root mean square, relative to the right values."""
    return ((one.double() - other.double()).square().mean() / right.square().mean()).sqrt().item()


def agreement(found, eager, exact, limit, dtype):
    """Of each result, the distance from eager's and the errors of both; and how they disagree, or an empty text."""
    distances, wrong = {}, []
    for name, right in exact.items():
        one, other = found[name], eager[name]
        away = distance(one, other, right)
        distances[name] = {"from_eager": away, "error": distance(one, right, right),
                           "error_of_eager": distance(other, right, right)}
        if right.numel() == 1:  # whose error is nearer to zero is luck, of one number
            is_near = away <= torch.finfo(dtype).eps ** 0.5
            how = "" if is_near else f"{one.item():.6g}, eager's is {other.item():.6g}"
        else:
            how = measure.disagreement(one, other, right, limit)
        wrong += [f"{name}: {how}"] if how else []
    return distances, "; ".join(wrong)


class Measured:
    """Of the rows of a workload: results, steps and figures of the rivals, as they come."""

    def __init__(self, workload, device):
        self.workload, self.device = workload, device
        self.exact, self.eager, self.steps, self.extras, self.failures = {}, {}, {}, {}, []

    def add_exact(self, loop):
        self.exact = {row: first_steps(loop, parts, {}, self.device) for row, parts in self.workload.rows.items()}

    def add(self, name, loop):
        seconds = {}
        for row, parts in self.workload.rows.items():
            try:
                results = first_steps(loop, parts, seconds, self.device)
            except Exception as error:  # one rival's failure is a cell of the table
                traceback.print_exc()
                self.failures.append(report.missing(row, name, torch_rows.why_failed(error)))
                continue
            self.steps.setdefault(row, {})[name] = partial(run, loop, parts)
            figures = {"first_seconds": sum(seconds[part] for part in parts)} | self.judge(row, name, results)
            self.extras.setdefault(row, {})[name] = figures

    def judge(self, row, name, results):
        eager = self.eager.setdefault(row, results)
        limit = measure.TC_LIMIT if name.startswith("tc") else measure.RIVAL_LIMIT
        distances, wrong = agreement(results, eager, self.exact[row], limit, self.workload.dtype)
        return {"agreement": distances} | ({"disagrees": wrong} if wrong else {})

    def add_refused(self, name, operators):
        """Calls of TC's graphs that PyTorch runs."""
        for figures in self.extras.values():
            if operators and name in figures:
                figures[name]["refused"] = operators

    def entries(self, options):
        table = list(self.failures)
        for row, steps in self.steps.items():
            seconds = torch_rows.interleave(steps, options)
            table += [torch_compile_report.entry(row, name, seconds, extra) for name, extra in self.extras[row].items()]
        return table


def import_capture():
    """So that no rival's first call has the imports of PyTorch's capture."""
    x = torch.ones(2, requires_grad=True)
    torch.compile(lambda x: x.sin(), backend="aot_eager")(x).sum().backward()
    torch._dynamo.reset()


def measure_workload(options):
    """The entries of the rows of a workload."""
    from tc.torch_backend import compiled_graphs
    workload = workloads_of(options.device)[options.row]
    torch.manual_seed(options.seed)
    with torch.device(options.device):
        make = workload.make(options.device)
    import_capture()
    torch._dynamo.config.recompile_limit = 64  # of the same code, which all rivals compile
    measured = Measured(workload, options.device)
    measured.add_exact(make(compiler_of(None), True))
    for name, given in rivals(workload, options.device).items():
        compiled_graphs.clear()
        measured.add(name, make(compiler_of(given), False))
        measured.add_refused(name, sorted({refusal.operator for graph in compiled_graphs for refusal in graph.refusals}))
    return measured.entries(options)


def main(arguments):
    parser = torch_rows.make_parser(__file__, __doc__, row_limit=1800)
    parser.add_argument("--rows", metavar="REGEX", default="",
                        help="rows whose name it is found in, and those of their processes; default all")
    options = torch_rows.read_options(parser, arguments)
    if options.row:
        return torch_rows.run_measurement(options, measure_workload)
    table = workloads_of(options.device)
    order = [row for workload in table.values() for row in workload.rows]
    measurements = [torch_rows.Measurement(list(workload.rows), [f"--row={name}"]) for name, workload in table.items()
                    if any(re.search(options.rows, row) for row in workload.rows)]
    if not measurements:
        print(f"no row matches {options.rows}; rows are\n" + "\n".join(order))
        return 1
    failed = torch_rows.run_all(__file__, measurements, options, arguments, lambda results: torch_compile_report.write(
        results, options.out, torch_loops_report.markdown(results, order, STEPS, measure.TC_LIMIT)))
    print(f"{sum(len(one.rows) for one in measurements)} rows, TC failed or disagreed in {failed} of {len(measurements)} processes")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
