"""Gradients that have the same bits each time, whatever PyTorch is told about deterministic algorithms."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import torch.nn.functional as F  # noqa: E402
from agreement_with_eager import compiled  # noqa: E402

from tc import torch_backend  # noqa: E402

DTYPES = [torch.float32, torch.bfloat16]


def random(*sizes, dtype, scale=1.0):
    return (torch.randn(sizes) * scale).to(dtype).requires_grad_()


def check_bits(function, *inputs, rounds=3):
    """Each round runs forward and backward anew; all results and gradients have the same bits."""
    run, cotangent, first = compiled(function), None, None
    for _ in range(rounds):
        result = run(*inputs)
        cotangent = torch.randn_like(result) if cotangent is None else cotangent
        found = [result.detach(), *torch.autograd.grad(result, [one for one in inputs if one.requires_grad], cotangent)]
        first = first or found
        for one, other in zip(found, first, strict=True):
            assert not one.isnan().any() and torch.equal(one, other)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_attention(dtype, is_causal):
    """More keys and queries than a block has; two heads of queries to one of keys."""
    q, k, v = random(2, 4, 160, 64, dtype=dtype), random(2, 2, 160, 64, dtype=dtype), random(2, 2, 160, 64, dtype=dtype)
    check_bits(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=is_causal, enable_gqa=True), q, k, v)


@pytest.mark.parametrize("dtype", DTYPES)
def test_convolutions(dtype):
    x, weight, bias = random(8, 16, 20, 20, dtype=dtype), random(32, 8, 3, 3, dtype=dtype), random(32, dtype=dtype)
    check_bits(lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1, groups=2), x, weight, bias)


@pytest.mark.parametrize("dtype", DTYPES)
def test_embeddings(dtype):
    """Many rows to one: the order of a sum shows in its bits."""
    places = torch.randint(0, 5, (64, 32))
    check_bits(lambda w: F.embedding(places, w), random(7, 48, dtype=dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_at_indices(dtype):
    places = torch.randint(0, 5, (2048,))
    check_bits(lambda x, y: x.index_add(0, places, y, alpha=0.5), random(7, 24, dtype=dtype), random(2048, 24, dtype=dtype))
    check_bits(lambda x: x.index_select(0, places) * 2, random(7, 24, dtype=dtype))


@pytest.fixture
def deterministic_algorithms():
    yield torch.use_deterministic_algorithms
    torch.use_deterministic_algorithms(False)


def test_deterministic_algorithms_change_nothing(deterministic_algorithms):
    """A graph is compiled again where the setting has changed, to the same."""
    places, x, y = torch.randint(0, 5, (2048,)), random(7, 24, dtype=torch.float32), random(2048, 24, dtype=torch.float32)
    run, found = compiled(lambda x, y: x.index_add(0, places, y).cumsum(0)), []
    for is_set, graphs in ((False, 2), (True, 4), (False, 4)):
        deterministic_algorithms(is_set)
        found.append(torch.autograd.grad(run(x, y).sum(), (x, y)))
        assert len(torch_backend.compiled_graphs) == graphs
    assert all(torch.equal(*gradients) for other in found[1:] for gradients in zip(found[0], other, strict=True))


def test_gradients_of_graphs_from_before_the_setting_are_errors(deterministic_algorithms):
    x = random(3, 4, dtype=torch.float32)
    result = compiled(torch.sin)(x).sum()
    deterministic_algorithms(True)
    with pytest.raises(RuntimeError, match="previously generated during the forward function"):
        result.backward()
