"""torch.vmap, which an export keeps as levels of calls, as masks are made."""

import pytest
import torch
from torch.export import Dim

from exported_model import ExportedModel
from plain_layers import Function


def test_masks(agree):
    """Four levels of scalars, with another tensor read by index."""
    index = torch.ops.aten.index.Tensor

    def masks(x, padding):
        def is_seen(batch, head, query, key):
            causal = (query >= key) & (torch.abs(query - key) < head + head + head)
            return causal & index(padding, [batch, key]) | (index(x, [batch, query, head]) > 1)

        for dims in [(None, None, None, 0), (None, None, 0, None), (None, 0, None, None), (0, None, None, None)]:
            is_seen = torch.vmap(is_seen, in_dims=dims, out_dims=0)
        batches, words = torch.arange(x.shape[0]), torch.arange(x.shape[1])
        return is_seen(batches, torch.arange(2), words, words)

    example = lambda batch: (torch.randn(batch, 6, 2), torch.rand(batch, 6) > 0.3)
    dim = {0: Dim("batch", min=1, max=64)}
    agree(Function(masks), example(2), [example(1), example(5)], ((dim, dim),))


def test_others_are_refused(tmp_path, tc_run):
    function = Function(lambda x: torch.vmap(lambda row: row.softmax(0))(x))
    exported = ExportedModel.save(function, (torch.randn(3, 4),), tmp_path / "m.pt2")
    with pytest.raises(AssertionError, match="'aten.softmax.int' inside of torch.vmap is not supported; write the batch as a dimension"):
        exported.run((torch.randn(3, 4),))
