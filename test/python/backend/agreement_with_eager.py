"""What a compiled function gives, next to eager PyTorch."""

import copy

import torch
from agreement import difference
from torch.utils._pytree import tree_leaves

from tc.torch_backend import backend


def compiled(function, *, options=None, **how):
    """Compiled by TC, with an error where PyTorch would have to run a call."""
    return torch.compile(function, backend=backend, options={"strict": True} if options is None else options, **how)


def tensors(values):
    return [value for value in tree_leaves(values) if isinstance(value, torch.Tensor)]


def check_agreement(result, wanted, **tolerances):
    """Structure, values, element types, strides and whether gradients are needed."""
    torch.testing.assert_close(result, wanted, equal_nan=True, **tolerances)
    for one, other in zip(tensors(result), tensors(wanted), strict=True):
        assert one.dtype == other.dtype and one.requires_grad == other.requires_grad
        assert one.stride() == other.stride()


def copies(values):
    """Copies of tensors, with their strides, their need of gradients and nothing shared with these."""
    return [copy.deepcopy(value.detach()).requires_grad_(value.requires_grad) if isinstance(value, torch.Tensor)
            else value for value in values]


def agrees(function, *inputs, rtol=None, atol=None, **how):
    """Compares results, and what the inputs hold afterwards; gives the compiled function."""
    run = compiled(function, **how)
    own, others = copies(inputs), copies(inputs)
    check_agreement(run(*own), function(*others), rtol=rtol, atol=atol)
    check_agreement(own, others)
    return run


def results_and_gradients(call, given, cotangents=torch.randn):
    """What a call gives, and the gradients of each input that needs one, for random cotangents that are the same for everyone.
    Those of torch.rand have one sign, so that they do not cancel."""
    result = call(*given)
    sources = [one for one in tensors(result) if one.requires_grad]
    assert sources, "no result needs a gradient"
    generator = torch.Generator("cpu").manual_seed(1)
    given_to = [cotangents(one.shape, generator=generator, device="cpu",
                           dtype=torch.complex128 if one.is_complex() else torch.float64).to(one) for one in sources]
    torch.autograd.backward(sources, given_to)
    return result, [one.grad for one in tensors(given)]


def agrees_with_gradients(function, *inputs, rtol=None, atol=None, cotangents=torch.randn, **how):
    """Compares results, gradients of the inputs that need them, and what the inputs hold afterwards."""
    own, others = copies(inputs), copies(inputs)
    found = results_and_gradients(compiled(function, **how), own, cotangents)
    check_agreement(found, results_and_gradients(function, others, cotangents), rtol=rtol, atol=atol)
    check_agreement(own, others)


def agrees_with_all_gradients(function, *inputs, **how):
    """As agrees_with_gradients(), where every input of floating-point numbers needs a gradient."""
    agrees_with_gradients(function, *[one.detach().requires_grad_() if one.is_floating_point() else one for one in inputs], **how)


def agrees_or_is_as_exact(function, *inputs, **how):
    """As agrees_with_gradients(), by the rule of the tests of models: a result or gradient that differs from eager's may be
    as near to that in f64 as eager's is."""
    exact = [one.detach().double().requires_grad_(one.requires_grad) for one in copies(inputs)]
    found, wanted, exact = (tensors(results_and_gradients(call, given)) for call, given in (
        (compiled(function, **how), copies(inputs)), (function, copies(inputs)), (function, exact)))
    for one, other, precise in zip(found, wanted, exact, strict=True):
        assert difference(one.detach(), other.detach(), precise.detach()) is None
        assert one.stride() == other.stride() and one.requires_grad == other.requires_grad


def tensors_saved(function, *inputs):
    """Those that autograd keeps for the gradient of what `function` gives, and that."""
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda one: saved.append(one) or one, lambda one: one):
        result = function(*inputs)
    return saved, result


def needing(*shape):
    return torch.randn(shape, requires_grad=True)
