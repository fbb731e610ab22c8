"""Folds of segments and their gradients, against eager PyTorch."""

import functools

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import agreement_with_eager  # noqa: E402

NAN = float("nan")
# Extremes that are there twice, one zero, two, a NaN, nothing, a zero next to a NaN, and two NaN.
VALUES = torch.tensor([2., 2, 1, 0, 3, 0, 4, 0, NAN, 5, 0, NAN, 1, NAN, NAN])
LENGTHS = torch.tensor([3, 2, 3, 2, 0, 3, 2])

compiled = functools.partial(agreement_with_eager.compiled, fullgraph=True)
gradients_agree = functools.partial(agreement_with_eager.agrees_with_all_gradients, fullgraph=True, dynamic=False)


@pytest.mark.parametrize("initial", [None, 1.5])
@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min", "prod"])
@pytest.mark.parametrize("by_offsets", [False, True])
def test_segments_of_special_numbers(reduce, initial, by_offsets):
    lengths = LENGTHS.to(torch.get_default_device())
    offsets = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
    how = {"offsets": offsets} if by_offsets else {"lengths": lengths}
    # Eager PyTorch divides the gradients of equal extremes only where they are above zero.
    gradients_agree(lambda data: torch.segment_reduce(data, reduce, initial=initial, **how), VALUES.to(lengths.device),
                    cotangents=torch.rand)


@pytest.mark.parametrize("reduce", ["max", "min"])
def test_equal_extremes_share_gradients_below_zero(reduce):
    data = torch.tensor([2.0, 2.0, 1.0, 1.0], requires_grad=True)
    run = compiled(lambda data: torch.segment_reduce(data, reduce, lengths=torch.tensor([4])))
    run(data).backward(torch.tensor([-1.0]))
    extreme = getattr(data.detach(), reduce)()
    assert torch.equal(data.grad, torch.where(data.detach() == extreme, -0.5, 0.0))


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "prod"])
def test_segments_along_a_later_dimension(reduce):
    data, lengths = torch.randn(2, 6, 3), torch.tensor([[2, 4, 0], [3, 1, 2]])
    gradients_agree(lambda data: torch.segment_reduce(data, reduce, lengths=lengths, axis=1, unsafe=True), data)


def test_segments_of_data_of_any_size():
    run = compiled(lambda data, lengths: torch.segment_reduce(data, "mean", lengths=lengths), dynamic=True)
    for lengths in ([2, 3], [1, 4, 2, 5], [7, 0, 1]):
        data = torch.randn(sum(lengths), 4)
        torch.testing.assert_close(run(data, torch.tensor(lengths)),
                                   torch.segment_reduce(data, "mean", lengths=torch.tensor(lengths)), equal_nan=True)


def test_lengths_of_other_sum_are_an_error():
    run = compiled(lambda data, lengths: torch.segment_reduce(data, "sum", lengths=lengths), dynamic=False)
    torch.testing.assert_close(run(torch.arange(6.), torch.tensor([2, 4])), torch.tensor([1., 14.]))
    if torch.get_default_device().type == "cpu":  # on a GPU it is one of the device, which no call survives
        with pytest.raises(RuntimeError, match="to sum to data.size"):
            run(torch.arange(6.), torch.tensor([2, 2]))
