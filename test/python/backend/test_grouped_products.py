"""Products of rows in groups, each with a matrix of its own, as mixtures of experts have them."""

import pytest

torch = pytest.importorskip("torch")
moe = pytest.importorskip("transformers.integrations.moe")
from agreement_with_eager import agrees_with_all_gradients  # noqa: E402

from tc.torch_backend import backend  # noqa: E402
from tc.torch_decompositions import decompositions  # noqa: E402


@pytest.mark.parametrize("ends", [[3, 3, 7, 8], [0, 8, 8, 8], [2, 4, 6, 8]])
def test_the_operator_of_transformers(ends):
    torch.manual_seed(0)
    rows, matrices, offsets = torch.randn(8, 6), torch.randn(4, 6, 5), torch.tensor(ends, dtype=torch.int32)
    function = lambda x, w, ends: torch.relu(torch.ops.transformers.grouped_mm_fallback(x, w, ends))  # noqa: E731
    torch._dynamo.reset()
    compiled = torch.compile(function, backend=backend, fullgraph=True, options={"strict": True})
    torch.testing.assert_close(compiled(rows, matrices, offsets), function(rows, matrices, offsets))


@pytest.mark.parametrize("ends", [[3, 3, 7, 8], [0, 4, 6, 6]])
def test_gradients_of_the_operator_of_transformers(ends):
    rows, matrices, offsets = torch.randn(8, 6), torch.randn(4, 6, 5), torch.tensor(ends, dtype=torch.int32)
    agrees_with_all_gradients(lambda x, w, ends: torch.tanh(torch.ops.transformers.grouped_mm_fallback(x, w, ends)), rows, matrices,
                              offsets)


@pytest.mark.parametrize("sizes", [(16, 24), (24, 16)])
def test_gradients_of_the_operator_of_pytorch(sizes):
    offsets = torch.tensor([8, 8, 24, 32], dtype=torch.int32)
    rows, matrices = (torch.randn(shape).bfloat16() for shape in ((32, sizes[0]), (4, *sizes)))
    agrees_with_all_gradients(torch._grouped_mm, rows, matrices, offsets, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("sizes", [(3, 5), (5, 3)])
def test_groups_that_are_summed_over(sizes):
    """Rows after the last group have no value."""
    x, y, ends = torch.randn(8, sizes[0]), torch.randn(8, sizes[1]), [2, 2, 7]
    x[7], y[7] = float("nan"), float("inf")
    wanted = torch.stack([x[first:last].mT @ y[first:last] for first, last in zip([0, *ends], ends)])
    given = x.mT, y, torch.tensor(ends, dtype=torch.int32)
    torch.testing.assert_close(decompositions()[torch.ops.aten._grouped_mm.default](*given), wanted)


def test_long_sums_by_group_are_left_to_pytorch():
    product = decompositions()[torch.ops.aten._grouped_mm.default]
    ends = torch.tensor([1000, 4096], dtype=torch.int32)
    assert product(torch.empty(64, 4096), torch.empty(4096, 64), ends) is NotImplemented
    assert product(torch.empty(8, 64), torch.empty(64, 8), ends // 64).shape == (2, 8, 8)
