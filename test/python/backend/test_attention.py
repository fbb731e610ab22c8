"""Attention that PyTorch would capture as products and a softmax is one operator of TC's."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import agrees, check_agreement, compiled  # noqa: E402

from tc import torch_attention, torch_backend  # noqa: E402

MASKS = {
    "one number a row": lambda: (torch.arange(10) != 3)[:, None].expand(2, 1, 10, 10),
    "one number a row that is added": lambda: torch.randn(10, 1).expand(3, 10, 10),
    "without keys": lambda: torch.zeros(2, 3, 1, 1, dtype=torch.bool).expand(2, 3, 10, 10),
}


def heads(*shape, needs_grad=False):
    return [torch.randn(*shape, requires_grad=needs_grad) for _ in range(3)]


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("needs_grad", [False, True])
def test_a_mask_of_equal_keys_does_not_write_attention_out(mask, needs_grad):
    mask = mask()
    agrees(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=mask), *heads(2, 3, 10, 16, needs_grad=needs_grad))
    assert all("tc.attention" in program.ir("import") for graph in torch_backend.compiled_graphs for program in graph.programs)


@pytest.mark.parametrize("mask", [None, *MASKS.values()], ids=["none", *MASKS])
def test_gradients_of_attention_that_pytorch_writes_out(mask):
    mask = mask and mask()

    def function(q, k, v):
        return F.scaled_dot_product_attention(q.mT.contiguous().mT, k, v, attn_mask=mask, scale=0.3)  # of columns

    inputs = heads(2, 3, 10, 16, needs_grad=True)
    wanted = torch.autograd.grad(function(*inputs).square().sum(), inputs)
    torch.testing.assert_close(torch.autograd.grad(compiled(function)(*inputs).square().sum(), inputs), wanted)
    backward, = (graph for graph in torch_backend.compiled_graphs if graph.kind == "backward")
    assert "tc.attention_backward" in backward.programs[0].ir("import")


def test_heads_without_a_batch():
    agrees(lambda q, k, v: F.scaled_dot_product_attention(q, k, v), *heads(3, 10, 16))
    assert "tc.attention" in torch_backend.compiled_graphs[0].programs[0].ir("import")


def test_heads_that_share_keys_under_a_mask():
    mask = MASKS["one number a row"]()
    agrees(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True),
           torch.randn(2, 4, 10, 16), torch.randn(2, 2, 10, 16), torch.randn(2, 2, 10, 16))


def test_one_program_serves_masks_of_many_lengths():
    function = compiled(lambda q, k, v, mask: F.scaled_dot_product_attention(q, k, v, attn_mask=mask), dynamic=True)
    for length in (5, 16, 33):
        q, k, v = heads(2, 3, length, 16)
        mask = (torch.arange(length) > 1)[:, None].expand(2, 1, length, length)
        check_agreement(function(q, k, v, mask), F.scaled_dot_product_attention(q, k, v, attn_mask=mask))


def test_a_mask_with_a_gradient_is_written_out():
    def function(q, k, v, mask):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    inputs = [*heads(2, 3, 10, 16, needs_grad=True), torch.randn(10, 10, requires_grad=True)]
    wanted = torch.autograd.grad(function(*inputs).square().sum(), inputs)
    check_agreement(torch.autograd.grad(compiled(function)(*inputs).square().sum(), inputs), wanted)


def test_pytorch_runs_attention_of_any_mask_where_tc_cannot(monkeypatch):
    def fail(*_):
        raise RuntimeError("as if TC had a fault")

    monkeypatch.setattr(torch_backend, "write_graph", fail)
    mask = MASKS["one number a row"]()

    def function(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    inputs = heads(2, 3, 10, 16, needs_grad=True)
    wanted = torch.autograd.grad(function(*inputs).square().sum(), inputs)
    run = compiled(function, options={})
    check_agreement(torch.autograd.grad(run(*inputs).square().sum(), inputs), wanted)
    assert all(graph.refusals and not graph.programs for graph in torch_backend.compiled_graphs)


def test_masks_of_any_length_fit_the_kernels_of_pytorch():
    lengths = []
    run = torch_attention._with_aligned_mask(lambda q, mask: lengths.append((mask.shape[-1], mask.stride(-2))), 1)
    for length in (5, 16, 33):
        run(None, torch.zeros(2, 1, 4, length))
    run(None, torch.zeros(4, 1).expand(4, 7))
    assert lengths == [(5, 16), (16, 16), (33, 48), (7, 16)]
