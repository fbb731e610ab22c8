"""tc.compile with torch tensors."""

import gc

import numpy as np
import pytest

torch = pytest.importorskip("torch")
tc = pytest.importorskip("tc")

from programs import MUTATES, PT2, SCALE, unary


def test_values():
    scale = tc.compile(SCALE)
    x, y = torch.randn(7, 8), torch.randn(8)
    result = scale(x, y)
    assert isinstance(result, torch.Tensor)
    torch.testing.assert_close(result, x * y)
    torch.testing.assert_close(scale(torch.randn(8, 7).t(), y).shape, torch.Size([7, 8]))


@pytest.mark.parametrize("dtype, type_text", [
    (torch.bfloat16, "bf16"), (torch.float16, "f16"), (torch.float32, "f32"), (torch.float64, "f64"),
    (torch.int64, "i64"), (torch.int32, "i32")])
def test_element_types(dtype, type_text):
    absolute = tc.compile(unary("abs", f"2x3x{type_text}"))
    x = torch.arange(-3, 3).reshape(2, 3).to(dtype)
    result = absolute(x)
    assert result.dtype == dtype
    torch.testing.assert_close(result, x.abs(), rtol=0, atol=0)


def test_bool():
    negate = tc.compile(unary("bitwise_not", "3xi1"))
    x = torch.tensor([True, False, True])
    assert torch.equal(negate(x), ~x)


def test_zero_copy():
    """The memory that TC sees is torch's, and the result's is TC's."""
    x = torch.randn(4, 8)
    array = tc.arrays.to_array(x)
    assert array._native.data_address == x.data_ptr()
    back = torch.from_dlpack(array)
    assert back.data_ptr() == x.data_ptr()
    del x, array
    gc.collect()
    back.add_(1)


def test_gradients_are_not_asked_for():
    scale = tc.compile(SCALE)
    x = torch.randn(2, 8, requires_grad=True)
    y = torch.randn(8)
    result = scale(x, y)
    assert not result.requires_grad
    torch.testing.assert_close(result, (x * y).detach())


def test_mixed_inputs_and_returns():
    x, y = torch.randn(2, 8), np.ones(8, np.float32)
    assert isinstance(tc.compile(SCALE)(x, y), torch.Tensor)
    assert isinstance(tc.compile(SCALE, returns="numpy")(x, y), np.ndarray)
    array = tc.compile(SCALE, returns="tc")(x, y)
    assert isinstance(array, tc.Array) and array.shape == (2, 8) and array.dtype == "f32"
    assert repr(array) == "tc.Array(2x8xf32)"


def test_views_of_conjugates_and_negations():
    """Their memory holds other numbers than they have."""
    z = torch.randn(2, 8, dtype=torch.complex64)
    negated = z.conj().imag
    assert negated.is_neg() and z.conj().is_conj()
    y = torch.ones(8)
    assert torch.equal(tc.compile(SCALE)(negated, y), negated.resolve_neg())
    same = tc.compile("func.func @main(%x: tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>> {"
                      "  return %x : tensor<2x8xcomplex<f32>> }")
    assert torch.equal(same(z.conj()), z.conj().resolve_conj())
    with pytest.raises(tc.InvalidArgument, match="resolve_neg"):
        tc.compile(MUTATES)(torch._neg_view(torch.ones(4)))


def test_mutated_input():
    compiled = tc.compile(MUTATES)
    x = torch.tensor([1.0, 2, 3, 4])
    torch.testing.assert_close(compiled(x), torch.tensor([-1.0, -2, -3, -4]))
    torch.testing.assert_close(x, torch.tensor([2.0, 4, 6, 8]))


def test_exported_program(tmp_path):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(8, 4)

        def forward(self, x):
            return torch.softmax(torch.relu(self.linear(x)), dim=-1)

    model = Model()
    path = tmp_path / "model.pt2"
    x = torch.randn(3, 8)
    torch.export.save(torch.export.export(model, (x,)), path)
    compiled = tc.compile(path)
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), model(x))
        model.linear.weight.mul_(2)
        compiled.set_parameter("linear.weight", model.linear.weight)
        torch.testing.assert_close(compiled(x), model(x))


def test_views_of_a_mutated_input():
    compiled = tc.compile(PT2 / "views.pt2")
    x = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    expected_input = x.clone()
    turned = expected_input.t()
    expected_input[:, 2].mul_(2)
    expected_input[1:3].fill_(1)
    result = compiled(x)
    torch.testing.assert_close(result, turned + 1)
    torch.testing.assert_close(x, expected_input)


def test_complex_goes_through():
    for dtype in (torch.complex64, torch.complex128):
        array = tc.arrays.to_array(torch.ones(2, dtype=dtype))
        assert torch.from_dlpack(array).dtype == dtype
