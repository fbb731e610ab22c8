"""A model through torch.compile(backend="tc"), next to eager PyTorch and to f64: a call in evaluation, or a step of training
(forward, backward of the mean of the squares of its results, AdamW)."""

import copy

import torch
from agreement import differences
from exported_model import double_model, in_dtype
from torch.utils import _pytree as pytree


class Unfit(Exception):
    """The model is random, has nothing to train, or PyTorch does not compile it."""


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
    torch.manual_seed(1)
    run = compiler(model) if compiler else model
    with torch.no_grad():
        return list(run(copies(arguments)))


def train(model, arguments, compiler):
    """Results, gradients and parameters after a step of training, of a copy of the model."""
    torch.manual_seed(1)
    own = copy.deepcopy(model)
    run = compiler(own) if compiler else own
    # Where gradients are nothing but rounding errors, a smaller eps would make steps of full size from them.
    optimizer = torch.optim.AdamW(own.parameters(), 1e-3, eps=1e-3)
    results = [result for result in run(copies(arguments)) if result.is_floating_point()]
    losses = [result.double().square().mean() for result in results if result.requires_grad and result.numel()]
    if not losses:
        raise Unfit("no result that depends on a parameter")
    sum(losses).backward()
    gradients = [one.grad.clone() for one in own.parameters() if one.grad is not None]
    optimizer.step()
    return [result.detach() for result in results] + gradients + [one.detach() for one in own.parameters()]


WAYS = {"eval": call, "train": train}


def expected(function, model, arguments):
    """What eager PyTorch gives, and what it gives in f64: None for each where the model itself fixes element types."""
    eager, again = function(model, arguments, None), function(model, arguments, None)
    if not eager or not all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(eager, again)):
        raise Unfit("random, or without a result")
    try:
        exact = function(double_model(model), in_dtype(arguments, torch.float64), None)
    except Exception:  # of many kinds
        exact = []
    return eager, exact if len(exact) == len(eager) else [None] * len(eager)


def check(model, make, way, device="cpu"):
    """The outcome, and a text: "right" without a call that PyTorch runs, "falls back" where there are some, "wrong"."""
    import tc
    from tc.torch_backend import backend

    function = WAYS[way]
    model = (without_dropout(model) if way == "train" else model.eval()).to(device)
    torch.manual_seed(1)
    arguments = pytree.tree_map(lambda leaf: leaf.to(device) if isinstance(leaf, torch.Tensor) else leaf, make(2))
    eager, exact = expected(function, model, arguments)

    def compiled(compiler, **options):
        torch._dynamo.reset()
        return function(model, arguments, lambda one: torch.compile(one, backend=compiler, options=options or None))

    outcome, text = "right", ""
    try:
        results = compiled(backend, strict=True)
    except Exception as error:  # of many kinds
        if not isinstance(error, tc.Error) and not isinstance(error.__cause__, tc.Error):
            try:
                compiled("aot_eager")
            except Exception as theirs:  # of many kinds
                raise Unfit(f"torch.compile without TC fails: {theirs!r}") from theirs
            return "error", repr(error)
        outcome, text = "falls back", str(error)
        results = compiled(backend)
    found = differences([one.cpu() for one in results], [one.cpu() for one in eager], [one if one is None else one.cpu() for one in exact])
    return ("wrong", "\n".join(found)) if found else (outcome, text)
