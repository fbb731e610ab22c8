"""Attention and its gradients by the operators that an export for a GPU has, which PyTorch has no code for on a CPU: next to attention written out."""

import math

import pytest
import torch

pytest.importorskip("tc")

from operator_call import Call, Refused

ATEN = torch.ops.aten


def efficient(q, k, v, grad, bias, is_causal):
    """Its log-sum-exp has a multiple of 32 rows."""
    out, sums, seed, offset = ATEN._scaled_dot_product_efficient_attention(q, k, v, bias, True, 0.0, is_causal)
    grads = ATEN._scaled_dot_product_efficient_attention_backward(grad, q, k, v, bias, out, sums, seed, offset, 0.0, [True, True, True, False], is_causal)
    return out, *grads[:3]


def cudnn(q, k, v, grad, bias, is_causal):
    """Its log-sum-exp has a dimension of one behind."""
    out, sums, all_queries, all_keys, queries, keys, seed, offset, _ = ATEN._scaled_dot_product_cudnn_attention(q, k, v, bias, True, 0.0, is_causal)
    return out, *ATEN._scaled_dot_product_cudnn_attention_backward(grad, q, k, v, out, sums, seed, offset, bias, all_queries, all_keys, queries, keys, 0.0, is_causal)


def flash(q, k, v, grad, bias, is_causal):
    out, sums, all_queries, all_keys, queries, keys, state, unused, _ = ATEN._scaled_dot_product_flash_attention(q, k, v, 0.0, is_causal)
    return out, *ATEN._scaled_dot_product_flash_attention_backward(grad, q, k, v, out, sums, all_queries, all_keys, queries, keys, 0.0, is_causal, state, unused)


def written_out(q, k, v, grad, bias, is_causal):
    q, k, v = (x.detach().double().requires_grad_() for x in (q, k, v))
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if bias is not None:
        scores = scores + bias
    if is_causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).tril().logical_not(), float("-inf"))
    out = scores.softmax(-1) @ v
    out.backward(grad.double())
    return out, q.grad, k.grad, v.grad


@pytest.mark.parametrize("queries", [33, 64])
@pytest.mark.parametrize("form", ["plain", "causal", "bias"])
@pytest.mark.parametrize("function", [efficient, cudnn, flash])
def test_gradients(function, form, queries):
    if function is flash and form == "bias":
        pytest.skip("it has no bias")
    torch.manual_seed(0)
    keys = queries if form == "causal" else 40
    inputs = [torch.randn(2, 4, rows, 16) for rows in (queries, keys, keys, queries)]
    inputs += [torch.randn(2, 4, queries, keys) if form == "bias" else None, form == "causal"]
    for ours, right in zip(Call(function, *inputs).compiled(), written_out(*inputs), strict=True):
        torch.testing.assert_close(ours.double(), right.detach(), rtol=1e-5, atol=1e-5)


def test_gradients_of_a_bias_are_refused():
    def with_bias(q, k, v, grad, bias):
        out, sums, seed, offset = ATEN._scaled_dot_product_efficient_attention(q, k, v, bias, True)
        return ATEN._scaled_dot_product_efficient_attention_backward(grad, q, k, v, bias, out, sums, seed, offset, 0.0, [True, True, True, True])

    inputs = [torch.randn(1, 2, 32, 8) for _ in range(4)] + [torch.randn(1, 2, 32, 32)]
    with pytest.raises(Refused, match="gradients of a bias"):
        Call(with_bias, *inputs).compiled()


class Efficient(torch.nn.Module):
    def forward(self, q, k, v, grad):
        return efficient(q, k, v, grad, None, False)


def test_gradients_of_any_number_of_queries(tmp_path):
    """Between forward and backward the log-sum-exp has as many rows as the next multiple of 32."""
    import tc

    rows = torch.export.Dim("rows", min=2, max=100)
    torch.manual_seed(0)
    first, *others = ([torch.randn(2, 4, count, 16) for count in (queries, 40, 40, queries)] for queries in (33, 64, 5))
    program = torch.export.export(Efficient(), tuple(first), dynamic_shapes=({2: rows}, None, None, {2: rows}))
    torch.export.save(program, tmp_path / "efficient.pt2")
    compiled = tc.compile(tmp_path / "efficient.pt2", returns="torch")
    for inputs in (first, *others):
        for ours, right in zip(compiled(*inputs), written_out(*inputs, None, False), strict=True):
            torch.testing.assert_close(ours.double(), right.detach(), rtol=1e-5, atol=1e-5)
