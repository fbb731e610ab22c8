"""Calls of what tc.compile makes of functions."""

import torch


def agrees(compiled, function, *arguments, **keywords):
    """Compares a call with one of the function itself, in values, strides and types."""
    result, wanted = compiled(*arguments, **keywords), function(*arguments, **keywords)
    (leaves, structure), (wanted_leaves, wanted_structure) = map(torch.utils._pytree.tree_flatten, (result, wanted))
    assert structure == wanted_structure
    for one, other in zip(leaves, wanted_leaves, strict=True):
        assert type(one) is type(other)
        if not isinstance(one, torch.Tensor):
            assert one == other
        else:
            torch.testing.assert_close(one, other)
            assert one.stride() == other.stride() and one.requires_grad == other.requires_grad
    return result


def misses(compiled, *arguments, **keywords):
    """The reason why the only entry does not take a call."""
    line, = compiled.explain_miss(*arguments, **keywords).splitlines()
    return line.removeprefix("entry 0: ")
