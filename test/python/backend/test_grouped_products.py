"""Products of rows in groups, each with a matrix of its own, as mixtures of experts have them."""

import pytest

torch = pytest.importorskip("torch")
moe = pytest.importorskip("transformers.integrations.moe")
from tc.torch_backend import backend  # noqa: E402


@pytest.mark.parametrize("ends", [[3, 3, 7, 8], [0, 8, 8, 8], [2, 4, 6, 8]])
def test_the_operator_of_transformers(ends):
    torch.manual_seed(0)
    rows, matrices, offsets = torch.randn(8, 6), torch.randn(4, 6, 5), torch.tensor(ends, dtype=torch.int32)
    function = lambda x, w, ends: torch.relu(torch.ops.transformers.grouped_mm_fallback(x, w, ends))  # noqa: E731
    torch._dynamo.reset()
    compiled = torch.compile(function, backend=backend, fullgraph=True, options={"strict": True})
    torch.testing.assert_close(compiled(rows, matrices, offsets), function(rows, matrices, offsets))
