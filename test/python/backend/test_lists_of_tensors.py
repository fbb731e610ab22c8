"""Decompositions of operators on lists of tensors, next to PyTorch's kernels."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")

from tc.torch_composites import composites  # noqa: E402

OPERATORS = {str(operator): operator for operator in composites() if "_foreach_" in str(operator)}


def argument_for(parameter):
    """Two tensors or numbers for a list."""
    kind = str(parameter.type)
    if "Tensor" in kind:
        tensors = [torch.rand(3, 3) + 0.1, torch.rand(3, 3) + 0.1]
        return tensors if "List" in kind else torch.tensor(1.5)
    return [2.0, 3.0] if "List" in kind else 2.0


@pytest.mark.parametrize("name", OPERATORS)
def test_each_element_is_that_of_pytorchs_kernel(name):
    operator = OPERATORS[name]
    arguments = [argument_for(one) for one in operator._schema.arguments if not one.has_default_value()]
    torch.testing.assert_close(composites()[operator](*arguments), list(operator(*arguments)), equal_nan=True)
