"""Cells that PyTorch has kernels of its own for on a GPU: what TC takes in their place, next to the cells of a CPU."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from tc.torch_decompositions import decompositions  # noqa: E402

aten = torch.ops.aten
ROWS, INPUTS, HIDDEN = 5, 3, 4
CLOSE = {"rtol": 1e-5, "atol": 1e-6}


def gates(cell, x, h):
    """The products of a cell, without its biases, and these, where it has some."""
    return x @ cell.weight_ih.mT, h @ cell.weight_hh.mT, *((cell.bias_ih, cell.bias_hh) if cell.bias else (None, None))


@pytest.mark.parametrize("bias", [True, False])
def test_lstm(bias):
    table, cell = decompositions(), torch.nn.LSTMCell(INPUTS, HIDDEN, bias)
    x, h, c = torch.randn(ROWS, INPUTS), torch.randn(ROWS, HIDDEN, requires_grad=True), torch.randn(ROWS, HIDDEN, requires_grad=True)
    wanted = cell(x, (h, c))
    of_input, of_hidden, *biases = gates(cell, x, h)
    hy, cy, workspace = table[aten._thnn_fused_lstm_cell.default](of_input, of_hidden, c, *biases)
    torch.testing.assert_close((hy, cy), wanted, **CLOSE)
    to_h, to_c = torch.randn(ROWS, HIDDEN), torch.randn(ROWS, HIDDEN)
    for given in ((to_h, to_c), (to_h, None), (None, to_c)):
        of = [one for one, grad in zip(wanted, given) if grad is not None]
        exact = torch.autograd.grad(of, [h, c, *cell.parameters()], [one for one in given if one is not None], retain_graph=True)
        to_gates, to_cx, to_bias = table[aten._thnn_fused_lstm_cell_backward_impl.default](*given, c, cy, workspace, bias)
        torch.testing.assert_close((to_gates @ cell.weight_hh, to_cx, to_gates.mT @ x), (exact[0], exact[1], exact[2]), **CLOSE)
        assert (to_bias is None) == (not bias)
        if bias:
            torch.testing.assert_close(to_bias, exact[4], **CLOSE)


@pytest.mark.parametrize("bias", [True, False])
def test_gru(bias):
    table, cell = decompositions(), torch.nn.GRUCell(INPUTS, HIDDEN, bias)
    x, h = torch.randn(ROWS, INPUTS), torch.randn(ROWS, HIDDEN, requires_grad=True)
    wanted, grad = cell(x, h), torch.randn(ROWS, HIDDEN)
    of_input, of_hidden, *biases = gates(cell, x, h)
    hy, workspace = table[aten._thnn_fused_gru_cell.default](of_input, of_hidden, h, *biases)
    torch.testing.assert_close(hy, wanted, **CLOSE)
    exact = torch.autograd.grad(wanted, [h, *cell.parameters()], grad)
    to_input, to_hidden, to_h, *to_biases = table[aten._thnn_fused_gru_cell_backward.default](grad, workspace, bias)
    torch.testing.assert_close((to_hidden @ cell.weight_hh + to_h, to_input.mT @ x, to_hidden.mT @ h), exact[:3], **CLOSE)
    if bias:
        torch.testing.assert_close(tuple(to_biases), exact[3:], **CLOSE)
    else:
        assert to_biases == [None, None]
