"""Dropout: of elements, of channels and in attention, whose gradients have the weights that its results have."""

import math

import numpy
import pytest
import torch

pytest.importorskip("tc")

from operator_call import Call, Refused

ATEN = torch.ops.aten


def philox(seed, offset, block):
    """The four words of Philox 4x32-10 of an array of blocks."""
    words = [block & 0xFFFFFFFF, block >> 32, numpy.full_like(block, offset & 0xFFFFFFFF), numpy.full_like(block, offset >> 32)]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        first, second = words[0] * 0xD2511F53, words[2] * 0xCD9E8D57
        words = [(second >> 32) ^ words[1] ^ key[0], second & 0xFFFFFFFF, (first >> 32) ^ words[3] ^ key[1], first & 0xFFFFFFFF]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return numpy.stack(words)


def kept_weights(p, seed, offset, batch, queries, keys):
    """Which weights TC's definition keeps, as [*batch, queries, keys]."""
    points = math.prod(batch)
    row = numpy.arange(points)[:, None] * (-(-queries // 16) * 16) + numpy.arange(queries)
    row, column = (x.astype(numpy.uint64) for x in (row.reshape(-1, 1), numpy.arange(keys).reshape(1, -1)))
    words = philox(int(seed), int(offset), ((row // 16 * 8 + row % 8) << 32) | (column // 32 * 8 + column % 8))
    lane = (row // 8 % 2 * 2 + column // 8 % 2).astype(numpy.int64)
    word = numpy.take_along_axis(words, lane[None], 0)[0]
    bits = (word >> (column // 16 % 2 * 16)) & 0xFFFF
    return torch.from_numpy(bits.astype(numpy.int64) < round((1 - p) * 65536)).reshape(*batch, queries, keys)


def efficient(q, k, v, grad, p, is_causal):
    out, sums, seed, offset = ATEN._scaled_dot_product_efficient_attention(q, k, v, None, True, p, is_causal)
    grads = ATEN._scaled_dot_product_efficient_attention_backward(grad, q, k, v, None, out, sums, seed, offset, p, [True, True, True, False], is_causal)
    return seed, offset, out, *grads[:3]


def cudnn(q, k, v, grad, p, is_causal):
    out, sums, all_queries, all_keys, queries, keys, seed, offset, _ = ATEN._scaled_dot_product_cudnn_attention(q, k, v, None, True, p, is_causal)
    grads = ATEN._scaled_dot_product_cudnn_attention_backward(grad, q, k, v, out, sums, seed, offset, None, all_queries, all_keys, queries, keys, p, is_causal)
    return seed, offset, out, *grads


def flash(q, k, v, grad, p, is_causal):
    out, sums, all_queries, all_keys, queries, keys, state, unused, _ = ATEN._scaled_dot_product_flash_attention(q, k, v, p, is_causal)
    grads = ATEN._scaled_dot_product_flash_attention_backward(grad, q, k, v, out, sums, all_queries, all_keys, queries, keys, p, is_causal, state, unused)
    return state, unused, out, *grads


def written_out(q, k, v, grad, kept, p, is_causal):
    q, k, v = (x.detach().double().requires_grad_() for x in (q, k, v))
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if is_causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).tril().logical_not(), float("-inf"))
    out = (scores.softmax(-1) * kept * (0 if p == 1 else 1 / (1 - p))) @ v
    out.backward(grad.double())
    return out, q.grad, k.grad, v.grad


def operands(queries, keys, depth=16):
    torch.manual_seed(0)
    return [torch.randn(2, 3, rows, depth) for rows in (queries, keys, keys, queries)]


@pytest.mark.parametrize("function", [efficient, cudnn, flash])
@pytest.mark.parametrize("p, queries, keys, is_causal", [(0.1, 33, 40, False), (0.5, 64, 64, True), (1.0, 17, 5, False), (0.0, 9, 9, True)])
def test_results_and_gradients_of_attention_keep_the_same_weights(function, p, queries, keys, is_causal):
    inputs = operands(queries, keys)
    seed, offset, *ours = Call(function, *inputs, p, is_causal).compiled()
    if function is flash:
        seed, offset = seed.tolist()
    kept = kept_weights(p, seed, offset, (2, 3), queries, keys)
    for mine, right in zip(ours, written_out(*inputs, kept, p, is_causal), strict=True):
        torch.testing.assert_close(mine.double(), right.detach(), rtol=1e-5, atol=1e-5)


def test_a_backward_graph_of_its_own_keeps_the_weights_of_the_saved_state():
    """Whatever the state is: graphs of both directions that are compiled apart agree."""
    def backward(q, k, v, grad, out, sums, seed, offset):
        return ATEN._scaled_dot_product_efficient_attention_backward(grad, q, k, v, None, out, sums, seed, offset, 0.3, [True, True, True, False])[:3]

    q, k, v, grad = operands(20, 31)
    seed, offset = torch.tensor(-123456789012345), torch.tensor(2**40 + 7)
    kept = kept_weights(0.3, int(seed) % 2**64, offset, (2, 3), 20, 31)
    out, *right = written_out(q, k, v, grad, kept, 0.3, False)
    sums = torch.zeros(2, 3, 32)
    sums[..., :20] = (q @ k.mT / 4).logsumexp(-1)
    for mine, expected in zip(Call(backward, q, k, v, grad, out.detach().float(), sums, seed, offset).compiled(), right, strict=True):
        torch.testing.assert_close(mine.double(), expected, rtol=1e-4, atol=1e-4)


def test_attention_keeps_weights_of_the_probability_that_is_asked_for():
    """Values of an identity give the weights: equal ones, of queries and keys of zeros. Each call has others, each run the same."""
    def attend(q, v):
        return tuple(torch.nn.functional.scaled_dot_product_attention(q, q, v, dropout_p=p) for p in (0.1, 0.1, 0.75))

    size = 96
    call = Call(attend, torch.zeros(4, size, 8), torch.eye(size).repeat(4, 1, 1))
    first, second, few = results = call.compiled()
    for mine, again in zip(results, call.compiled()):
        torch.testing.assert_close(mine, again, rtol=0, atol=0)
    for weights, p in ((first, 0.1), (second, 0.1), (few, 0.75)):
        kept = weights != 0
        torch.testing.assert_close(weights[kept], torch.full_like(weights[kept], 1 / (size * (1 - p))))
        deviation = math.sqrt(p * (1 - p) / kept.numel())
        assert abs(kept.double().mean() - (1 - p)) < 4 * deviation
        for dim in (0, 1, 2):  # no row, column or batch point stands out
            means = kept.double().mean([d for d in range(3) if d != dim])
            assert (means - (1 - p)).abs().max() < 5 * deviation * math.sqrt(kept.shape[dim])
    assert not torch.equal(first, second)


def test_gradients_of_attention_are_those_of_finite_differences():
    def both(q, k, v, grad):
        return efficient(q, k, v, grad, 0.25, False)[2:]

    inputs = operands(6, 7, depth=4)
    out, *grads = Call(both, *inputs).compiled()
    for index, ours in enumerate(grads):
        step = torch.randn_like(inputs[index]) * 1e-2
        ends = []
        for sign in (1, -1):
            moved = list(inputs)
            moved[index] = inputs[index] + sign * step
            ends.append((Call(both, *moved).compiled()[0].double() * inputs[3]).sum())
        torch.testing.assert_close((ours * step).sum().double(), (ends[0] - ends[1]) / 2, rtol=1e-2, atol=1e-5)


def test_attention_without_a_saved_state_is_refused():
    def attend(q, k, v):
        return ATEN._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.5)

    with pytest.raises(Refused, match="dropout, of which this operator saves no state"):
        Call(attend, *operands(4, 4)[:3]).compiled()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("p", [0.0, 0.1, 0.8, 1.0])
def test_dropout_and_its_gradients(p, dtype):
    def drop(x, grad):
        result, mask = ATEN.native_dropout(x, p, True)
        return result, mask, ATEN.native_dropout_backward(grad, mask, 0 if p == 1 else 1 / (1 - p)), ATEN.dropout(x, p, True)

    torch.manual_seed(0)
    x, grad = torch.randn(50, 80).to(dtype), torch.randn(50, 80).to(dtype)
    result, mask, ofInput, other = Call(drop, x, grad).compiled()
    scale = 0 if p == 1 else 1 / (1 - p)
    assert result.dtype == ofInput.dtype == dtype and mask.dtype == torch.bool
    torch.testing.assert_close(result, (x.double() * mask * scale).to(dtype))
    torch.testing.assert_close(ofInput, (grad.double() * mask * scale).to(dtype))
    assert abs(mask.double().mean() - (1 - p)) <= 4 * math.sqrt(p * (1 - p) / mask.numel())
    assert torch.equal(result, other) == (p in (0.0, 1.0))


def test_dropout_of_channels_and_of_selu():
    def drop(x):
        return ATEN.feature_dropout(x, 0.4, True), ATEN.alpha_dropout(x, 0.4, True), ATEN.feature_alpha_dropout(x, 0.4, True)

    x = torch.ones(20, 30, 5)
    features, alpha, both = Call(drop, x).compiled()
    assert set(features.unique().tolist()) == {0.0, (torch.ones(()) / torch.tensor(0.6)).item()} or len(features.unique()) == 2
    torch.testing.assert_close(features, features[:, :, :1].expand_as(x))
    torch.testing.assert_close(both, both[:, :, :1].expand_as(x))
    assert not torch.equal(alpha, alpha[:, :, :1].expand_as(x))
    factor = 1.7580993408473766
    a = 1 / math.sqrt((factor**2 * 0.4 + 1) * 0.6)
    expected = torch.tensor(sorted([a + factor * a * 0.4, -factor * a + factor * a * 0.4]))
    torch.testing.assert_close(alpha.unique(), expected)
    torch.testing.assert_close(both.unique(), expected)
