"""What a sample of PyTorch's table of operators becomes: compiled, compared with eager PyTorch, and judged.

Outcomes of a sample, by the word that the table has for it:
    compiled             results, gradients, element types, sizes and strides are eager's, by the one rule of agreement.py
    as captured          they are those of PyTorch's own capture of the call run without TC, which differs from eager here
    form                 random or unspecified elements: element types, sizes and strides alone were compared
    falls back           TC refuses the call by name
    not captured         PyTorch's capture refuses the call, with TC or without
    refused by PyTorch   eager PyTorch refuses the call
    differs, error       wrong results; an error that is neither a refusal of TC's nor one of PyTorch's capture
"""

import random
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "models"), str(TESTS / "ops")]

import numpy  # noqa: E402
import torch  # noqa: E402
from agreement import difference  # noqa: E402
from compiled_steps import RandomCalls, is_refusal  # noqa: E402
from operator_call import Call, leaves_order_open, select_equal  # noqa: E402
from tc.torch_backend import backend  # noqa: E402
from torch import fx  # noqa: E402


def seed():
    torch.manual_seed(0)
    random.seed(0)
    numpy.random.seed(0)


class Flat(torch.nn.Module):
    """A call as a function of its tensors, and what of the results is a tensor."""

    def __init__(self, call):
        super().__init__()
        self.call = call

    def forward(self, *tensors):
        return self.call(*tensors)


def graph_of(call, inputs, count):
    """What Dynamo would hand over for a call with `count` results: one node for the call."""
    graph = fx.Graph()
    tensors = [graph.placeholder(f"input_{index}") for index in range(len(inputs))]
    node = graph.call_module("call", tuple(tensors))
    graph.output(tuple(graph.call_function(lambda values, i: values[i], (node, index)) for index in range(count)))
    return fx.GraphModule(Flat(call), graph)


def compile_flat(call, inputs, capture, compiler, count):
    """What the backend makes of a call, through Dynamo or without it, which the graph of one call does not need."""
    if capture == "dynamo":
        torch._dynamo.reset()
        return torch.compile(call, backend=compiler, fullgraph=True, dynamic=False)
    return compiler(graph_of(call, inputs, count), list(inputs))


def copy_of(tensor):
    """With the same place in memory of its own: strides, also where elements have others between them or memory in common,
    and the offset."""
    if not is_plain(tensor) or tensor.is_conj() or tensor.is_neg():
        return tensor.detach().clone(memory_format=torch.preserve_format).requires_grad_(tensor.requires_grad)
    memory = torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(tensor.detach().untyped_storage().clone())
    return memory.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).requires_grad_(tensor.requires_grad)


def strict(module, inputs):
    return backend(module, inputs, options={"strict": True})


def as_declared(graph):
    """What runs a graph of operators, with results in the strides that the graph declares: what reads them relies on these."""
    declared = [node.meta.get("val") if isinstance(node, fx.Node) else None
                for node in graph.graph.find_nodes(op="output")[0].args[0]]

    def run_graph(*inputs):
        results = list(graph.forward(*inputs))
        for number, (result, like) in enumerate(zip(results, declared)):
            if isinstance(result, torch.Tensor) and is_plain(result) and strides_of(result) != strides_of(like):
                results[number] = torch.empty_strided(
                    result.shape, like.stride(), dtype=result.dtype, device=result.device).copy_(result)
        return results
    return run_graph


def by_pytorch(module, inputs):
    """The same way without TC."""
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.aot_autograd import make_boxed_func
    compiler = lambda graph, _: make_boxed_func(as_declared(graph))
    return aot_autograd(fw_compiler=compiler, bw_compiler=compiler, inference_compiler=compiler)(module, inputs)


def strides_of(tensor):
    """Of the dimensions where they say where an element is."""
    return [stride for size, stride in zip(tensor.shape, tensor.stride()) if size > 1] if tensor.numel() else []


def is_plain(tensor):
    return tensor.layout == torch.strided and not tensor.is_quantized


def with_gradients(function, inputs):
    """The results of a function, then the gradients of its inputs for cotangents that are the same for everyone."""
    results = function(*inputs)
    wanted = [one for one in inputs if one.requires_grad]
    sources = [one for one in results if one.requires_grad]
    if not sources or not wanted:
        return list(results), []
    generator = torch.Generator().manual_seed(1)
    # From 0.5 to 1.5, in sixteenths, which all types have: those of f64 are the same numbers.
    cotangents = [(torch.randint(8, 25, one.shape, generator=generator) / 16).to(one.device, one.dtype) for one in sources]
    gradients = torch.autograd.grad(sources, wanted, cotangents, allow_unused=True)
    return [one.detach() for one in results], [one for one in gradients if one is not None]


class Results(list):
    """Tensors, and for each the numbers of the inputs whose memory it shares."""

    def __init__(self, tensors, inputs):
        super().__init__(tensors)
        self.shared = [[number for number, one in enumerate(inputs) if share_memory(tensor, one)] for tensor in tensors]


def share_memory(one, other):
    if not is_plain(one) or not is_plain(other) or not one.numel() or not other.numel():
        return False
    return one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()


def run(function, inputs, requires_grad):
    """The results of a function on copies of inputs, then the gradients."""
    seed()
    copies = [copy_of(tensor) for tensor in inputs]
    if requires_grad:
        results, gradients = with_gradients(function, copies)
        return Results(results + gradients, copies)
    with torch.no_grad():
        return Results(function(*copies), copies)


def wide(tensor):
    """In f64 or complex numbers of two f64, where it has a narrower type of that kind."""
    if not tensor.is_floating_point() and not tensor.is_complex():
        return tensor
    dtype = torch.complex128 if tensor.is_complex() else torch.float64
    return tensor.detach().to(dtype).requires_grad_(tensor.requires_grad)


def exact_of(function, inputs, requires_grad, expected):
    """The results in f64 of the same inputs, None where there are none."""
    try:
        exact = run(function([wide(tensor) for tensor in inputs]), [wide(tensor) for tensor in inputs], requires_grad)
    except Exception:  # of many kinds
        return [None] * len(expected)
    if len(exact) != len(expected):
        return [None] * len(expected)
    return [one if one.shape == theirs.shape else None for one, theirs in zip(exact, expected)]


def as_real(tensor):
    """Without the bits of lazy conjugation and negation; complex numbers as pairs of real ones."""
    tensor = tensor.resolve_conj().resolve_neg()
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


def sums_of_equal(values, gradient):
    """The sum of a gradient over all elements of the same value: what is known of it where any of them may be selected."""
    _, places = torch.unique(values.detach().cpu(), return_inverse=True)
    sums = torch.zeros(values.numel(), dtype=torch.float64)
    return sums.index_add(0, places.flatten(), gradient.double().cpu().flatten()).to(values.device)


# Quotients and remainders of integers, and which operand divides.
DIVISORS = {"floor_divide": 1, "div": 1, "remainder": 1, "fmod": 1, "__rmod__": 0}


def without_zero_divisors(name, inputs, mine, theirs):
    """Our result with eager's elements where a GPU divides an integer by zero, which "may return any value" (torch.fmod)."""
    divides = name in DIVISORS and not theirs.is_floating_point() and not theirs.is_complex() and theirs.device.type != "cpu"
    if not divides or len(inputs) <= DIVISORS[name] or wrong_type(mine, theirs):
        return mine
    return torch.where(inputs[DIVISORS[name]] == 0, theirs, mine)


def compare(name, inputs, ours, expected, exact):
    """The error of each result that has one."""
    if len(ours) != len(expected):
        return [f"{len(ours)} results, expected {len(expected)}"]
    found = []
    # Of msort() nobody sees which of equal elements are where.
    selects_others = name == "msort"
    for index, (mine, theirs, double) in enumerate(zip(ours, expected, exact)):
        wrong = wrong_type(mine, theirs)
        if not wrong:
            double = as_real(double) if double is not None and double.is_complex() == theirs.is_complex() else None
            defined = without_zero_divisors(name, inputs, mine, theirs)
            wrong = difference(as_real(defined).contiguous(), as_real(theirs).contiguous(), double)
        if wrong and theirs.dtype == torch.int64 and leaves_order_open(name, inputs[0]):
            selects_others = mine.shape == theirs.shape and select_equal(inputs[0], mine, theirs)
            wrong = None if selects_others else wrong
        elif wrong and selects_others and mine.shape == theirs.shape == inputs[0].shape and theirs.is_floating_point():
            wrong = difference(*(sums_of_equal(inputs[0], one).to(theirs.dtype) for one in (mine, theirs)), None)
            wrong = wrong and f"the gradients of equal elements: {wrong}"
        if wrong := wrong or wrong_memory(mine, theirs, ours.shared[index], expected.shared[index]):
            found.append(f"result {index}: {wrong}")
    return found


def wrong_type(mine, theirs):
    if mine.shape == theirs.shape and mine.dtype == theirs.dtype:
        return None
    return f"is {tuple(mine.shape)} {mine.dtype}, expected {tuple(theirs.shape)} {theirs.dtype}"


def wrong_memory(mine, theirs, shared, expected):
    if strides_of(mine) != strides_of(theirs):
        return f"strides {mine.stride()}, expected {theirs.stride()} for {tuple(mine.shape)}"
    # A copy where eager PyTorch has a view is no error of the backend: what has to be one is made from the result later.
    return None if set(shared) <= set(expected) else f"shares memory with inputs {shared}, expected {expected}"


def compare_forms(ours, expected):
    """As compare(), without the values of elements."""
    if len(ours) != len(expected):
        return [f"{len(ours)} results, expected {len(expected)}"]
    found = []
    for index, (mine, theirs) in enumerate(zip(ours, expected)):
        if wrong := wrong_type(mine, theirs) or wrong_memory(mine, theirs, ours.shared[index], expected.shared[index]):
            found.append(f"result {index}: {wrong}")
    return found


def equal(first, second):
    """Whether results are the same bit by bit, but for the bits of NaN."""
    def plain(tensor):
        tensor = as_real(tensor)
        tensor = tensor.float() if tensor.is_floating_point() and tensor.itemsize == 1 else tensor
        return tensor.nan_to_num()
    return len(first) == len(second) and all(
        a.shape == b.shape and a.dtype == b.dtype and torch.equal(plain(a), plain(b)) for a, b in zip(first, second))


def reason_of(error):
    """The first line of a refusal that says what is refused."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if "not supported" in line or "error:" in line), lines[0] if lines else "")


def describe(error):
    return f"{type(error).__name__}: {error}"[:600]


class Sample:
    """A sample of an operator, called by `function`."""

    def __init__(self, name, function, sample, capture, requires_grad):
        self.name, self.capture, self.requires_grad = name, capture, requires_grad
        # Eigenvectors have any sign: the sample says what of the results is defined.
        self.call = Call(lambda *args, **how: sample.output_process_fn_grad(function(*args, **how)),
                         sample.input, *sample.args, **sample.kwargs)
        leaves = [leaf for leaf in torch.utils._pytree.tree_leaves((sample.input, sample.args, sample.kwargs))
                  if isinstance(leaf, torch.Tensor)]
        self.inputs = self.call.inputs = tuple(
            inner.requires_grad_(leaf.requires_grad) for inner, leaf in zip(self.call.inputs, leaves))

    def eager(self):
        return run(self.call, self.inputs, self.requires_grad)

    def compiled(self, compiler):
        """A function that compiles the call for some inputs; and its results."""
        return lambda inputs: compile_flat(self.call, inputs, self.capture, compiler, self.count)

    def results(self, compiler):
        return run(self.compiled(compiler)(self.inputs), self.inputs, self.requires_grad)

    def outcome(self):
        """The outcome, and a text."""
        try:
            with RandomCalls() as random_calls:
                self.count = len(run(self.call, self.inputs, False))
            # Nothing is known of the elements of empty(), either.
            self.is_unknown = random_calls.found or "empty" in self.name
            expected = self.eager()
        except Exception as error:  # of many kinds
            return "refused by PyTorch", describe(error)
        if not all(map(is_plain, (*self.inputs, *expected))):
            return "falls back", "sparse tensors"
        try:
            ours = self.results(strict)
        except Exception as error:  # of many kinds
            if is_refusal(error):
                return "falls back", reason_of(error)
            try:
                self.results(by_pytorch)
            except Exception as theirs:  # of many kinds
                return "not captured", describe(theirs)
            return "error", describe(error)
        return self.judge(ours, expected)

    def judge(self, ours, expected):
        if self.is_unknown or not equal(expected, self.eager()):
            return self.judge_forms(ours, expected)
        exact = exact_of(lambda inputs: self.call.in_f64(), self.inputs, self.requires_grad, expected)
        found = compare(self.name, self.inputs, ours, expected, exact)
        if not found:
            return "compiled", ""
        captured = self.results(by_pytorch)
        exact = exact_of(self.compiled(by_pytorch), self.inputs, self.requires_grad, captured)
        if not compare(self.name, self.inputs, ours, captured, exact):
            return "as captured", found[0]
        return "differs", "\n".join(found)

    def judge_forms(self, ours, expected):
        found = compare_forms(ours, expected)
        if found and not compare_forms(ours, self.results(by_pytorch)):
            return "as captured", found[0]
        return ("differs", "\n".join(found)) if found else ("form", "")


class ErrorSample(Sample):
    """A call that eager PyTorch refuses."""

    def __init__(self, name, function, error_input):
        super().__init__(name, function, error_input.sample_input, "aot", requires_grad=False)
        self.count = 1

    def error(self, compiler=None):
        """What the call raises, and whether that is while it is compiled; None for nothing."""
        function = self.call
        try:
            if compiler:
                function = self.compiled(compiler)(self.inputs)
        except Exception as error:  # of many kinds
            return error, True
        try:
            run(function, self.inputs, False)
        except Exception as error:  # of many kinds
            return error, False
        return None, False

    def outcome(self):
        """None where eager PyTorch raises nothing: an error of another device, or of an argument that the call copies."""
        wanted, _ = self.error()
        if wanted is None:
            return None
        ours, is_compiling = self.error(strict)
        theirs, _ = self.error(by_pytorch)
        if ours is None:
            return "no error", f"no error, expected {describe(wanted)}; PyTorch's capture has {theirs and describe(theirs)}"
        if is_compiling and is_refusal(ours):
            return "falls back", reason_of(ours)
        if isinstance(ours, type(wanted)) or isinstance(wanted, type(ours)):
            return "compiled", ""
        if theirs is not None and type(theirs) is type(ours):
            return "as captured", f"{describe(ours)}, expected {describe(wanted)}"
        return "error", f"{describe(ours)}, expected {describe(wanted)}"
