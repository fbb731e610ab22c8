"""Arithmetic of integers that eager PyTorch refuses, which is an error of the call as there."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from agreement_with_eager import agrees, compiled  # noqa: E402

FUNCTIONS = {
    "floor": lambda x, y: x // y,
    "truncated": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "remainder": lambda x, y: x % y,
    "fmod": torch.fmod,
    "of a number": lambda x, y: (7 % y, 7 // y),
    "in place": lambda x, y: x.clone().floor_divide_(y).remainder_(y),
    "where it is not used": lambda x, y: torch.where(y != 0, x // y, 0),
}
pytestmark = pytest.mark.host  # of a GPU any value is right


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int8, torch.uint8])
def test_a_divisor_of_zero_is_an_error(name, dtype):
    x = torch.tensor([5, 7, 9], dtype=dtype)
    run = agrees(FUNCTIONS[name], x, torch.tensor([1, 2, 3], dtype=dtype))
    for call in (FUNCTIONS[name], run):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            call(x, torch.tensor([1, 0, 3], dtype=dtype))
    agrees(FUNCTIONS[name], x, torch.tensor([4, 5, 120], dtype=dtype))


def test_nothing_is_divided_where_there_are_no_elements():
    agrees(lambda x, y: (x // y, x % y), torch.zeros(0, 3, dtype=torch.int64), torch.tensor([1, 0, 2]))


def test_floats_and_true_quotients_have_no_check():
    x, y = torch.tensor([1, -2, 0]), torch.tensor([0, 0, 0])
    agrees(lambda x, y: (x / y, x.float() % y, torch.div(x, y.float(), rounding_mode="trunc"), x % 3), x, y)


@pytest.mark.parametrize("divide", [lambda x, n: x // n, lambda x, n: x % n, lambda x, n: n % x], ids=["floor", "remainder", "divisors"])
def test_integers_that_vary(divide):
    run = compiled(divide, fullgraph=True)
    x = torch.tensor([5, -7, 9])
    for n in (3, 4, -2, 7):
        torch.testing.assert_close(run(x, n), divide(x, n))
    for call in (divide, run):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            call(torch.zeros_like(x), 0)


def test_sizes_that_vary():
    run = compiled(lambda x, y: (x // y).sum(), dynamic=True)
    for count in (3, 5, 9):
        x, y = torch.arange(count), torch.arange(count) + 1
        assert run(x, y) == (x // y).sum()
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            run(x, y - 1)


def test_a_check_within_a_step_of_training():
    def step(x, weight, y):
        return (x * weight[x.long() // y]).sum()

    run = compiled(step)
    for y in (torch.tensor([1, 2, 3]), torch.tensor([1, 0, 3])):
        x, weight = torch.arange(3.0), torch.randn(4, requires_grad=True)
        if y.min() == 0:
            with pytest.raises(RuntimeError, match="ZeroDivisionError"):
                run(x, weight, y)
            continue
        run(x, weight, y).backward()
        expected = weight.detach().requires_grad_()
        step(x, expected, y).backward()
        torch.testing.assert_close(weight.grad, expected.grad)


@pytest.mark.parametrize("exponent", [-1, -2])
@pytest.mark.parametrize("dtype", [torch.int64, torch.int8])
def test_integers_have_no_powers_below_zero(dtype, exponent):
    x = torch.tensor([1, 2, -3], dtype=dtype)
    for call in (lambda x: x ** exponent, compiled(lambda x: x ** exponent)):
        with pytest.raises(RuntimeError, match="Integers to negative integer powers are not allowed"):
            call(x)
    agrees(lambda x: (x ** 2, x.float() ** exponent), x)
