"""Negative indices, which some calls count from the end and others refuse, as eager PyTorch does."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import agrees, compiled  # noqa: E402

pytestmark = pytest.mark.host  # of a GPU eager PyTorch's error ends the process
REFUSED = {
    "embedding": lambda x, i: F.embedding(i, x),
    "embedding_bag": lambda x, i: F.embedding_bag(i[None], x),
    "index_select": lambda x, i: x.index_select(0, i),
    "index_add": lambda x, i: x.index_add(0, i, x[:2]),
    "index_copy": lambda x, i: x.index_copy(0, i, x[:2]),
    "gather": lambda x, i: x.gather(0, i[:, None]),
    "scatter": lambda x, i: x.scatter(0, i[:, None], 1.0),
}
COUNTED = {
    "index": lambda x, i: x[i],
    "index_put": lambda x, i: x.index_put((i,), x[:2]),
    "index_fill": lambda x, i: x.index_fill(0, i, 2.0),
    "take": torch.take,
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_an_index_below_zero_is_refused(name, dtype):
    if name in ("gather", "index_copy", "scatter") and dtype == torch.int32:
        pytest.skip("PyTorch takes indices of 64 bits alone")
    x = torch.randn(4, 3)
    run = agrees(REFUSED[name], x, torch.tensor([3, 0], dtype=dtype))
    for call in (REFUSED[name], run):
        with pytest.raises((IndexError, RuntimeError)):
            call(x, torch.tensor([2, -1], dtype=dtype))
    agrees(REFUSED[name], x, torch.tensor([1, 2], dtype=dtype))


@pytest.mark.parametrize("name", COUNTED)
def test_an_index_below_zero_counts_from_the_end(name):
    x = torch.randn(4, 3)
    run = agrees(COUNTED[name], x, torch.tensor([3, -1]))
    with pytest.raises(IndexError):
        run(x, torch.tensor([0, -13]))


def test_a_refused_index_is_named():
    with pytest.raises(IndexError, match="an index is out of the range of the tensor it selects from"):
        compiled(lambda x, i: F.embedding(i, x))(torch.randn(4, 3), torch.tensor([-1]))
