"""Attention with its log-sum-exp, and its gradients, next to the CPU operators of PyTorch."""

import pytest
import torch

pytest.importorskip("tc")

from operator_call import agrees

FORWARD = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
BACKWARD = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward
# Heads, queries, keys, depth: more queries than keys, fewer, and one of each.
SIZES = [(4, 33, 33, 16), (2, 5, 40, 8), (3, 40, 7, 64), (1, 1, 1, 1)]


def operands(sizes, dtype):
    torch.manual_seed(0)
    heads, queries, keys, depth = sizes
    return [torch.randn(2, heads, rows, depth).to(dtype) for rows in (queries, keys, keys, queries)]


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_attention_and_gradients(sizes, dtype, is_causal):
    q, k, v, grad = operands(sizes, dtype)
    if is_causal and q.shape[2] > k.shape[2]:
        q, grad = q[:, :, :k.shape[2]], grad[:, :, :k.shape[2]]

    def both(q, k, v, grad):
        out, sums = FORWARD(q, k, v, 0.0, is_causal)
        return out, sums, *BACKWARD(grad, q, k, v, out, sums, 0.0, is_causal)

    agrees(both, q, k, v, grad)


@pytest.mark.parametrize("scale", [None, 0.5])
@pytest.mark.parametrize("mask_batch, mask_heads", [(1, 1), (2, 1), (2, 4)])
def test_gradients_under_masks(scale, mask_batch, mask_heads):
    q, k, v, grad = operands((4, 9, 12, 8), torch.float32)
    mask = torch.randn(mask_batch, mask_heads, 9, 12)
    mask[:, :, 3, 2:] = float("-inf")

    def both(q, k, v, grad, mask):
        out, sums = FORWARD(q, k, v, 0.0, False, attn_mask=mask, scale=scale)
        return BACKWARD(grad, q, k, v, out, sums, 0.0, False, attn_mask=mask, scale=scale)

    agrees(both, q, k, v, grad, mask)


@pytest.mark.parametrize("is_causal", [False, True])
def test_heads_that_share_keys(is_causal):
    q, _, _, grad = operands((4, 9, 9, 8), torch.float32)
    k, v = (torch.randn(2, 2, 9, 8) for _ in range(2))

    def both(q, k, v, grad):
        out, sums = FORWARD(q, k, v, 0.0, is_causal)
        return out, sums, *BACKWARD(grad, q, k, v, out, sums, 0.0, is_causal)

    agrees(both, q, k, v, grad)
