"""A model through torch.compile(backend="tc"), next to eager PyTorch and to f64: a call in evaluation, or a step of training
(forward, backward of the mean of the squares of its results, AdamW)."""

import contextlib
import copy

import torch
from agreement import differences
from conditioning import chance, in_double, moved, on_device, reference
from reference_modes import FirstOfEqual
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode


class Unfit(Exception):
    """The model is random, has nothing to train, or PyTorch does not compile it."""


class RandomCalls(TorchDispatchMode):
    """Whether a call inside draws random numbers, which are others with TC."""

    found = False

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        self.found |= torch.Tag.nondeterministic_seeded in function.tags and dropout_of(function, args, kwargs) != 0
        return function(*args, **kwargs)


def dropout_of(function, args, kwargs):
    """The probability that an operator of attention drops an element with; None for other operators."""
    for number, argument in enumerate(function._schema.arguments):
        if argument.name == "dropout_p":
            return kwargs.get(argument.name, args[number] if number < len(args) else argument.default_value)
    return None


def copies(arguments):
    return pytree.tree_map(lambda leaf: leaf.clone() if isinstance(leaf, torch.Tensor) else leaf, arguments)


def without_dropout(model):
    """In training mode; dropout, whose numbers are others with TC, is off, whatever the module calls it."""
    for module in model.modules():
        if isinstance(module, torch.nn.modules.dropout._DropoutNd):
            module.p = 0.0
        for name, value in list(vars(module).items()):
            if "drop" in name and isinstance(value, float):
                setattr(module, name, 0.0)
        config = getattr(module, "config", None)
        for name, value in list(vars(config).items()) if config is not None else ():
            if ("drop" in name or name == "mask_time_prob") and isinstance(value, float):
                setattr(config, name, 0.0)
    return model.train()


def call(model, arguments, compiler):
    """The results of a call in evaluation."""
    run = compiler(model) if compiler else model
    with torch.no_grad():
        return list(run(copies(arguments)))


def loss_of(result):
    """The mean squared distance to a wave, but of scores that a mask has put out of reach: gradients of those overflow. The
    squares alone of what a normalization gives have a mean that no parameter changes."""
    wide = result.double()
    wave = torch.arange(wide.numel(), dtype=wide.dtype, device=wide.device).sin().view(wide.shape)
    return torch.where(wide.abs() < 1e15, wide - wave, 0.0).square().mean()


def train(model, arguments, compiler):
    """Results, gradients and parameters after a step of training, of a copy of the model; where it has no parameters, the
    floating-point arguments are trained."""
    own, given = copy.deepcopy(model), copies(arguments)
    trained = list(own.parameters()) or [leaf.requires_grad_() for leaf in pytree.tree_leaves(given)
                                         if isinstance(leaf, torch.Tensor) and leaf.is_floating_point()]
    if not trained:
        raise Unfit("nothing to train")
    run = compiler(own) if compiler else own
    # Where gradients are nothing but rounding errors, a smaller eps would make steps of full size from them.
    optimizer = torch.optim.AdamW(trained, 1e-3, eps=1e-3)
    results = [result for result in run(given) if result.is_floating_point()]
    losses = [loss_of(result) for result in results if result.requires_grad and result.numel()]
    if not losses:
        raise Unfit("no result that depends on what is trained")
    sum(losses).backward()
    gradients = [one.grad.clone() for one in trained if one.grad is not None]
    optimizer.step()
    return [result.detach() for result in results] + gradients + [one.detach() for one in trained]


def graphs_of_training(model, arguments):
    """The kind, forward, backward or inference, and the text of each graph of a step of training that the backend has for the
    compiler. PyTorch runs their calls. Dynamo captures recurrent layers as well, which it leaves to eager PyTorch by default."""
    from tc.explain_torch import observed_graphs
    from tc.torch_backend import backend
    from tc.torch_graph import write_graph

    torch._dynamo.reset()
    with observed_graphs() as found, torch._dynamo.config.patch(allow_rnn=True):
        train(model, arguments, lambda one: torch.compile(one, backend=backend, options={"eager": True, "strict": True}))
    return [(graph.kind, write_graph(piece.module, piece.is_random, piece.overwrites)) for graph, pieces in found for piece in pieces]


WAYS = {"eval": call, "train": train}


def is_random(function, model, arguments, eager):
    """Whether the results are others in a call again, by more than the order in which a GPU adds up."""
    with RandomCalls() if eager[0].is_cuda else contextlib.nullcontext() as calls:
        again = function(model, arguments, None)
    if all(a.shape == b.shape and torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(eager, again)):
        return False
    return calls is None or calls.found


def expected(function, model, arguments):
    """What eager PyTorch gives, and what it gives in f64."""
    eager = function(model, arguments, None)
    if not eager:
        raise Unfit("without a result")
    if is_random(function, model, arguments, eager):
        raise Unfit("random, or not the same twice")
    return eager, reference(function, model, arguments, len(eager))


def expected_repeatably(function, model, arguments, device):
    """As expected(). PyTorch's kernels for a GPU add up in any order by default; some models run with that alone."""
    if device == "cpu":
        return expected(function, model, arguments)
    try:
        torch.use_deterministic_algorithms(True, warn_only=True)
        return expected(function, model, arguments)
    except RuntimeError:
        torch.use_deterministic_algorithms(False)
        return expected(function, model, arguments)


def differences_in_order(function, model, arguments, results):
    """As differences(), where eager PyTorch takes equal elements in order."""
    with FirstOfEqual():
        return differences(results, *map(on_cpu, expected(function, model, arguments)))


def is_refusal(error):
    """Whether TC refuses a call; PyTorch may wrap its error in one of its own."""
    import tc

    return any(isinstance(one, tc.Error) for one in (error, error.__cause__, getattr(error, "inner_exception", None)))


def on_cpu(tensors):
    return [tensor if tensor is None else tensor.cpu() for tensor in tensors]


def check(model, make, way, device="cpu"):
    """The outcome, and a text: "right", whichever of equal elements topk takes, without a call that PyTorch runs, "falls back"
    where there are some, "as captured" where the results are not eager PyTorch's and are those of its own capture, in its
    decompositions, "ill-conditioned" where chance decides which are nearer to f64 (see conditioning.py), and "wrong"."""
    from tc.torch_backend import backend

    function = WAYS[way]
    model = moved(without_dropout(model) if way == "train" else model.eval(), "cpu")  # where make() runs parts of some
    torch.manual_seed(1)
    arguments = on_device(make(2), device)
    model = moved(model, device)
    eager, exact = expected_repeatably(function, model, arguments, device)

    def by(compiler, **options):
        return lambda one: torch.compile(one, backend=compiler, options=options or None)

    def compiled(compiler, **options):
        torch._dynamo.reset()
        return function(model, arguments, by(compiler, **options))

    def is_as_captured(results):
        try:
            captured = function(model, arguments, by("aot_eager"))  # next to what Dynamo has for the neighbours of conditioning.py
        except Exception:  # of many kinds: PyTorch captures it, and does not run what it captures
            return False
        exact = in_double(function, model, arguments, len(captured), by("aot_eager"))
        return not differences(on_cpu(results), on_cpu(captured), on_cpu(exact))

    outcome, text, options = "right", "", {"strict": True}
    try:
        results = compiled(backend, **options)
    except Exception as error:  # of many kinds
        if not is_refusal(error):
            try:
                compiled("aot_eager")
            except Exception as theirs:  # of many kinds
                raise Unfit(f"torch.compile without TC fails: {theirs!r}") from theirs
            return "error", repr(error)
        outcome, text, options = "falls back", str(error), {}
        results = compiled(backend)
    found = on_cpu(results), on_cpu(eager), on_cpu(exact)
    wrong = differences(*found)
    if wrong and differences_in_order(function, model, arguments, found[0]):
        text = "\n".join(wrong)
        if is_as_captured(results):
            return "as captured", text
        is_chance, control = chance(function, model, arguments, by(backend, **options), *found)
        return ("ill-conditioned", control) if is_chance else ("wrong", f"{control}\n{text}".strip())
    return outcome, text
