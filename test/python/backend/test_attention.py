"""Attention that PyTorch would capture as products and a softmax is one operator of TC's."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import agrees, agrees_with_gradients, check_agreement, compiled, needing  # noqa: E402

from tc import torch_attention, torch_backend  # noqa: E402
from tc.torch_decompositions import decompositions  # noqa: E402

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

    agrees_with_gradients(function, *heads(2, 3, 10, 16, needs_grad=True))
    backward, = (graph for graph in torch_backend.compiled_graphs if graph.kind == "backward")
    assert "tc.attention_backward" in backward.programs[0].ir("import")


@pytest.mark.parametrize("width", [8, 24])
@pytest.mark.parametrize("needs_grad", [False, True])
def test_values_of_another_width_than_queries(width, needs_grad):
    """As multi-head latent attention has them."""
    query, key, _ = heads(2, 3, 10, 16, needs_grad=needs_grad)
    given = query, key, torch.randn(2, 3, 10, width, requires_grad=needs_grad)
    check = agrees_with_gradients if needs_grad else agrees
    check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True).mT.reshape(2, 3 * width, 10), *given)
    mask = MASKS["one number a row"]()
    check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=mask), *given)


CALLS = {
    "causal": lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    "a mask": lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(7, 7).tril()),
    "a mask for each batch": lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(2, 1, 7, 7).tril() > 0),
    "a mask of three dimensions": lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(1, 7, 7).tril()),
    "shared keys": lambda q, k, v: F.scaled_dot_product_attention(q, k[:, :2], v[:, :2], enable_gqa=True),
    "one batch of keys": lambda q, k, v: F.scaled_dot_product_attention(q, k[:1], v[:1]),
    "columns": lambda q, k, v: F.scaled_dot_product_attention(q, k.mT.contiguous().mT, v),
    "heads alone": lambda q, k, v: F.scaled_dot_product_attention(q[0], k[0], v[0]),
    "a view of the result": lambda q, k, v: F.scaled_dot_product_attention(q, k, v).transpose(1, 2).view(2, 7, 16),
    "a view of shared keys": lambda q, k, v: F.scaled_dot_product_attention(
        q, k[:, :2], v[:, :2], enable_gqa=True).transpose(1, 2).view(2, 7, 16),
}


@pytest.mark.host
@pytest.mark.parametrize("needs_grad", [False, True])
@pytest.mark.parametrize("function", CALLS.values(), ids=CALLS)
def test_results_are_laid_out_as_those_of_eager_pytorch(function, needs_grad):
    given = [torch.randn(2, 7, 4, 4).transpose(1, 2).requires_grad_(needs_grad) for _ in range(3)]
    run = compiled(function, fullgraph=True)
    assert run(*given).stride() == function(*given).stride()
    (agrees_with_gradients if needs_grad else agrees)(function, *given)


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

    agrees_with_gradients(function, *heads(2, 3, 10, 16, needs_grad=True), needing(10, 10))


def test_pytorch_runs_attention_of_any_mask_where_tc_cannot(monkeypatch):
    def fail(*_):
        raise RuntimeError("as if TC had a fault")

    monkeypatch.setattr(torch_backend, "write_graph", fail)
    mask = MASKS["one number a row"]()

    def function(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    agrees_with_gradients(function, *heads(2, 3, 10, 16, needs_grad=True), options={})
    assert all(graph.refusals and not graph.programs for graph in torch_backend.compiled_graphs)


def test_masks_of_any_length_fit_the_kernels_of_pytorch():
    lengths, types = [], set()

    def note(q, mask):
        lengths.append((mask.shape[-1], mask.stride(-2)))
        types.add(mask.dtype)

    run, q = torch_attention._with_aligned_mask(note, 1), torch.zeros(1, dtype=torch.bfloat16)
    for length in (5, 16, 33):
        run(q, torch.zeros(2, 1, 4, length))
    run(q, torch.zeros(4, 1).expand(4, 7))
    assert lengths == [(5, 16), (16, 16), (33, 48), (7, 16)]
    assert types == {torch.bfloat16}


@pytest.mark.parametrize("shape", [(2, 3, 5, 7), (2, 3, 1, 7), (1, 1, 5, 7), (5, 7), (2, 1, 1, 1)])
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_gradients_of_a_bias(shape, is_causal, dtype):
    """The operator that PyTorch captures on CUDA devices, next to attention that is written out in f64."""
    q, k, v = (torch.randn(2, 3, *sizes, dtype=dtype, requires_grad=True) for sizes in ((5, 8), (7, 8), (7, 4)))
    bias = torch.randn(shape, dtype=dtype)
    if shape[-2:] == (5, 7):
        bias[..., 2] = float("-inf")
    bias.requires_grad_()
    scores = q.double() @ k.double().mT * 0.3 + bias.double()
    if is_causal:
        scores = scores.masked_fill(~torch.ones(5, 7, dtype=torch.bool).tril(), float("-inf"))
    out = (scores.softmax(-1) @ v.double()).to(dtype)
    grad = torch.randn_like(out)
    wanted = torch.autograd.grad(out, (q, k, v, bias), grad)
    saved = F.pad(scores.logsumexp(-1), (0, 27)).to(torch.promote_types(dtype, torch.float32)).detach()
    seed = torch.zeros([], dtype=torch.int64)
    found = decompositions()[torch_attention._efficient_backward](
        grad, q, k, v, bias, out.detach(), saved, seed, seed, 0.0, [True] * 4, is_causal, scale=0.3)
    torch.testing.assert_close(found, wanted, **({"rtol": 2e-2, "atol": 6e-2} if dtype == torch.bfloat16 else {}))


def test_rows_without_keys_have_no_gradient_of_a_bias():
    q, k, v, grad, out = (torch.randn(1, 2, 4, 8) for _ in range(5))
    bias = torch.zeros(1, 2, 4, 4)
    bias[:, :, 1] = float("-inf")
    sums = (q @ k.mT / 8 ** 0.5 + bias).logsumexp(-1)
    seed = torch.zeros([], dtype=torch.int64)
    for sum_of_none in (float("inf"), float("-inf")):
        sums[:, :, 1] = sum_of_none
        found = decompositions()[torch_attention._efficient_backward](grad, q, k, v, bias, out, sums, seed, seed, 0.0, [True] * 4)
        assert found[3].isfinite().all() and not found[3][:, :, 1].any() and not found[0][:, :, 1].any()


def test_only_gradients_of_a_bias_are_written_out():
    decompose = decompositions()[torch_attention._efficient_backward]
    q, sums, seed = torch.randn(1, 2, 4, 8), torch.zeros(1, 2, 4), torch.zeros([], dtype=torch.int64)
    for bias, dropout, needs in ((None, 0.0, True), (q[..., :4], 0.1, True), (q[..., :4], 0.0, False)):
        given = (q, q, q, q, bias, q, sums, seed, seed, dropout, [True, True, True, needs])
        assert decompose(*given) is NotImplemented
