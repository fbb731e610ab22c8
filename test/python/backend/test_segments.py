"""Folds of segments and their gradients, against eager PyTorch."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from tc.torch_backend import backend  # noqa: E402

NAN = float("nan")
# Extremes that are there twice, one zero, two, a NaN, nothing, a zero next to a NaN, and two NaN.
VALUES = torch.tensor([2., 2, 1, 0, 3, 0, 4, 0, NAN, 5, 0, NAN, 1, NAN, NAN])
LENGTHS = torch.tensor([3, 2, 3, 2, 0, 3, 2])


def compiled(function, dynamic=False):
    return torch.compile(function, backend=backend, fullgraph=True, dynamic=dynamic, options={"strict": True})


def check(function, data, dynamic=False):
    """Compares results, and gradients of other weight for each result."""
    found = []
    for one in (compiled(function, dynamic), function):
        leaf = data.clone().requires_grad_()
        result = one(leaf)
        weights = torch.arange(1, result.numel() + 1, device=result.device, dtype=result.dtype).reshape(result.shape)
        found.append((result, *torch.autograd.grad(result, leaf, weights)))
    torch.testing.assert_close(*found, equal_nan=True, check_stride=True)


@pytest.mark.parametrize("initial", [None, 1.5])
@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min", "prod"])
@pytest.mark.parametrize("by_offsets", [False, True])
def test_segments_of_special_numbers(reduce, initial, by_offsets):
    lengths = LENGTHS.to(torch.get_default_device())
    offsets = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
    how = {"offsets": offsets} if by_offsets else {"lengths": lengths}
    check(lambda data: torch.segment_reduce(data, reduce, initial=initial, **how), VALUES.to(lengths.device))


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "prod"])
def test_segments_along_a_later_dimension(reduce):
    data, lengths = torch.randn(2, 6, 3), torch.tensor([[2, 4, 0], [3, 1, 2]])
    check(lambda data: torch.segment_reduce(data, reduce, lengths=lengths, axis=1, unsafe=True), data)


def test_segments_of_data_of_any_size():
    run = compiled(lambda data, lengths: torch.segment_reduce(data, "mean", lengths=lengths), dynamic=True)
    for lengths in ([2, 3], [1, 4, 2, 5], [7, 0, 1]):
        data = torch.randn(sum(lengths), 4)
        torch.testing.assert_close(run(data, torch.tensor(lengths)),
                                   torch.segment_reduce(data, "mean", lengths=torch.tensor(lengths)), equal_nan=True)


def test_lengths_of_other_sum_are_an_error():
    run = compiled(lambda data, lengths: torch.segment_reduce(data, "sum", lengths=lengths))
    torch.testing.assert_close(run(torch.arange(6.), torch.tensor([2, 4])), torch.tensor([1., 14.]))
    if torch.get_default_device().type == "cpu":  # on a GPU it is one of the device, which no call survives
        with pytest.raises(RuntimeError, match="to sum to data.size"):
            run(torch.arange(6.), torch.tensor([2, 2]))
