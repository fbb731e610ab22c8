#!/usr/bin/env python3
"""Times torch.compile with TC next to Inductor and eager, in inference and in training.

A training step is forward and backward of the mean of the squared output, in training mode without dropout, and without
an optimizer. All rivals of a row run in one process, alternately, round by round; the result, or every gradient, is
compared with the row in f64 before it is timed. The first call of each rival is timed with nothing in the caches on
disk; next to them stands `aot_eager`, which captures the same graphs and compiles nothing. Every row has a process of
its own. Writes PREFIX.json and PREFIX.md after every row; with --append, rows that are measured replace those of the
files and the others stay.
"""

import copy
import re
import sys
import time
import traceback

import torch_rows  # first, as it finds the package

import torch

import gpu_workloads
import measure
import report
import torch_compile_report
import workloads

WAYS = ("inference", "training")


def rows(device):
    return gpu_workloads.rows() | gpu_workloads.flex_rows() | workloads.branch_rows() if device == "cuda" else workloads.torch_compile_rows()


# Models, parts of them, and what they do element by element and to score tokens; the others are of one kernel.
MODELS = (r"^(relu|LN\+|entropy|query-content|attention scores|block|GPT|BERT|ViT|Llama|ResNet|MobileNet|decode|20 x|MLP|"
          r"branch)")


def parse_options(arguments):
    parser = torch_rows.make_parser(__file__, __doc__)
    parser.add_argument("--rows", metavar="REGEX",
                        help="rows whose name it is found in; default all but single products, folds and transpositions")
    parser.add_argument("--ways", default=",".join(WAYS), metavar="LIST", help="default %(default)s")
    known = [mode for mode in torch_compile_report.INDUCTOR if mode != "a mode each"]
    parser.add_argument("--modes", metavar="LIST", help=f"Inductor's, of {', '.join(known)}; default all but max-autotune")
    options = torch_rows.read_options(parser, arguments)
    options.modes = options.modes.split(",") if options.modes else torch_rows.INDUCTOR[options.device]
    if unknown := set(options.modes) - set(known):
        parser.error(f"--modes names {', '.join(sorted(unknown))}; known are {', '.join(known)}")
    options.rows = options.rows or MODELS
    if unknown := set(options.ways.split(",")) - set(WAYS):
        parser.error(f"--ways names {', '.join(sorted(unknown))}; known are {', '.join(WAYS)}")
    return options


def without_dropout(module):
    for part in module.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    return module


def is_floating(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


class Step:
    """What is timed: a call of the module, or forward and backward of its loss. Returns the tensors that are compared."""

    def __init__(self, module, inputs, way):
        self.module, self.way, self.wave = module, way, None
        self.inputs = inputs
        self.leaves = list(module.parameters())
        if way == "training" and not self.leaves:
            self.inputs = [value.detach().clone().requires_grad_(value.is_floating_point()) for value in inputs]
            self.leaves = [value for value in self.inputs if value.requires_grad]

    def __call__(self):
        if self.way == "inference":
            with torch.no_grad():
                return [self.module(*self.inputs)]
        for leaf in self.leaves:
            leaf.grad = None
        self.loss_of(self.module(*self.inputs).float()).backward()
        return [leaf.grad for leaf in self.leaves if leaf.grad is not None]

    def loss_of(self, result):
        """The mean squared distance to a wave: the squares alone of what a normalization gives have a mean that no parameter
        changes, and gradients that are rounding errors."""
        if self.wave is None:
            self.wave = torch.arange(result.numel(), dtype=result.dtype, device=result.device).sin().view(result.shape)
        return torch.nn.functional.mse_loss(result, self.wave)


class ExactStep(Step):
    """The same in f64, without a cast to f32."""

    def __call__(self):
        if self.way == "inference":
            return super().__call__()
        self.loss_of(self.module(*self.inputs)).backward()
        return [leaf.grad for leaf in self.leaves if leaf.grad is not None]


def exact_results(module, inputs, way):
    wide = copy.deepcopy(module).double()
    return [value.detach() for value in ExactStep(wide, [x.double() if is_floating(x) else x for x in inputs], way)()]


def judge(results, eager, exact, limit):
    """How the results disagree with eager's and the exact ones, empty where they do not."""
    if len(results) != len(eager):
        return f"{len(results)} results, expected {len(eager)}"
    wrong = [text for one in zip(results, eager, exact) if (text := measure.disagreement(*one, limit))]
    return f"{len(wrong)} of {len(results)}: {wrong[0]}" if wrong else ""


def captured_seconds(name):
    """What PyTorch has taken of this process so far for tracing, autograd and partition in front of TC or of Inductor."""
    from tc.torch_backend import compiled_graphs
    timed = {key: sum(seconds) for key, seconds in torch._dynamo.utils.compilation_time_metrics.items()}
    whole = timed.get("_compile.compile_inner", 0.0) + timed.get("backward._backward_impl", 0.0)
    return whole - (sum(graph.seconds for graph in compiled_graphs) if name.startswith("tc") else timed.get("compile_fx_inner", 0.0))


def first_call(options, module, inputs, way, name, given):
    """A rival's step, with its results and the seconds of its first call, and of that without PyTorch's capture: its compiler,
    assembler and first run. One that records graphs does so in later ones."""
    torch._dynamo.reset()
    own = copy.deepcopy(module)
    torch_rows.synchronize(options.device)
    before, begin = captured_seconds(name), time.perf_counter()
    step = Step(own if given is None else torch.compile(own, **given), inputs, way)
    results = [value.detach().clone() for value in step()]
    torch_rows.synchronize(options.device)
    seconds = {"first_seconds": time.perf_counter() - begin}
    if name in torch_compile_report.TC + torch_compile_report.INDUCTOR:
        seconds["compiler_seconds"] = seconds["first_seconds"] - (captured_seconds(name) - before)
    return step, results, seconds


def peak_memory(step):
    """Bytes on the device that a call has at its peak, beyond those before it."""
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    step()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def measure_row(options):
    """The entries of one row and way, one a rival."""
    way, row = options.ways, rows(options.device)[options.row]
    torch.manual_seed(options.seed)
    with torch.device(options.device):
        module, inputs = row.module(), row.inputs()
        module = without_dropout(module.train()) if way == "training" else module.requires_grad_(False)
    exact = exact_results(module, inputs, way)
    steps, extras, eager = {}, {}, None
    name_of_row = f"{options.row}, {way}"
    entries = []
    for name, given in torch_rows.rivals(options.device, options.modes).items():
        try:
            step, results, extras[name] = first_call(options, module, inputs, way, name, given)
            eager = eager or results
            limit = measure.TC_LIMIT if name.startswith("tc") else measure.RIVAL_LIMIT
            if wrong := judge(results, eager, exact, limit):
                extras[name]["disagrees"] = wrong
            if name != "aot_eager":
                steps[name] = step
        except Exception as error:  # one rival's failure is a cell of the table
            traceback.print_exc()
            entries.append(report.missing(name_of_row, name, torch_rows.why_failed(error)))
    seconds = torch_rows.interleave(steps, options)
    if options.device == "cuda":
        for name, step in steps.items():
            extras[name]["peak_bytes"] = peak_memory(step)
    return entries + [torch_compile_report.entry(name_of_row, name, seconds, extras[name]) for name in extras]


def main(arguments):
    options = parse_options(arguments)
    if options.row:
        return torch_rows.run_measurement(options, measure_row)
    table = list(rows(options.device))
    names = [name for name in table if re.search(options.rows, name)]
    if not names:
        print(f"no row matches {options.rows}; rows are\n" + "\n".join(table))
        return 1
    measurements = [torch_rows.Measurement([f"{name}, {way}"], [f"--row={name}", f"--ways={way}", f"--modes={','.join(options.modes)}"])
                    for name in names for way in options.ways.split(",") if not (way == "training" and name.startswith("decode"))]
    order = [f"{name}, {way}" for way in WAYS for name in table]
    failed = torch_rows.run_all(__file__, measurements, options, arguments, lambda results: torch_compile_report.write(
        results, options.out, torch_compile_report.markdown(results, order)))
    print(f"{len(names)} rows, TC failed or disagreed in {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
