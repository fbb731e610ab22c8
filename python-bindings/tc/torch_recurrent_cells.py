"""Recurrent cells that PyTorch has one kernel for on a GPU, and their gradients, as calls of elements."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch import Tensor

from .torch_tables import widened

_aten = torch.ops.aten


def _sum(gates: Tensor, bias: Tensor | None) -> Tensor:
    return widened(gates) if bias is None else widened(gates) + widened(bias)


def _lstm(input_gates: Tensor, hidden_gates: Tensor, cx: Tensor, input_bias: Tensor | None = None,
          hidden_bias: Tensor | None = None) -> tuple:
    """Of gates [B, 4 H] and a cell [B, H] the hidden state and the cell [B, H], and the gates' values [B, 4 H]."""
    kind = cx.dtype
    i, f, g, o = (_sum(input_gates, input_bias) + _sum(hidden_gates, hidden_bias)).chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * widened(cx) + i * g
    return (o * cy.tanh()).to(kind), cy.to(kind), torch.cat([i, f, g, o], 1).to(kind)


def _lstm_backward(grad_hy: Tensor | None, grad_cy: Tensor | None, cx: Tensor, cy: Tensor, workspace: Tensor,
                   has_bias: bool) -> tuple:
    """The gradients of the gates [B, 4 H], of the cell [B, H] and of the bias [4 H]."""
    if grad_hy is None and grad_cy is None:
        return NotImplemented
    kind = workspace.dtype
    i, f, g, o = widened(workspace).chunk(4, 1)
    tanh = widened(cy).tanh()
    to_h = 0.0 if grad_hy is None else widened(grad_hy)
    to_c = to_h * o * (1 - tanh * tanh) + (0.0 if grad_cy is None else widened(grad_cy))
    gates = torch.cat([to_c * g * (i * (1 - i)), to_c * widened(cx) * (f * (1 - f)), to_c * i * (1 - g * g),
                       to_h * tanh * (o * (1 - o))], 1).to(kind)
    return gates, (to_c * f).to(kind), gates.sum(0) if has_bias else None


def _gru(input_gates: Tensor, hidden_gates: Tensor, hx: Tensor, input_bias: Tensor | None = None,
         hidden_bias: Tensor | None = None) -> tuple:
    """Of gates [B, 3 H] and a state [B, H] the next state [B, H], and what gradients need [B, 5 H]."""
    kind = hx.dtype
    of_input = _sum(input_gates, input_bias).chunk(3, 1)
    of_hidden = _sum(hidden_gates, hidden_bias).chunk(3, 1)
    r, z = (of_input[0] + of_hidden[0]).sigmoid(), (of_input[1] + of_hidden[1]).sigmoid()
    n = (of_input[2] + r * of_hidden[2]).tanh()
    wide = widened(hx)
    return (n + z * (wide - n)).to(kind), torch.cat([r, z, n, wide, of_hidden[2]], 1).to(kind)


def _gru_backward(grad_hy: Tensor, workspace: Tensor, has_bias: bool) -> tuple:
    """The gradients of both gates [B, 3 H], of the state [B, H] and of both biases [3 H]."""
    kind, grad = workspace.dtype, widened(grad_hy)
    r, z, n, hx, hidden = widened(workspace).chunk(5, 1)
    to_n = grad * (1 - z) * (1 - n * n)
    to_z = grad * (hx - n) * (z * (1 - z))
    to_r = to_n * hidden * (r * (1 - r))
    of_input = torch.cat([to_r, to_z, to_n], 1).to(kind)
    of_hidden = torch.cat([to_r, to_z, to_n * r], 1).to(kind)
    biases = (of_input.sum(0), of_hidden.sum(0)) if has_bias else (None, None)
    return of_input, of_hidden, (grad * z).to(kind), *biases


def recurrent_cells() -> dict[Any, Callable]:
    """The decompositions of this file."""
    return {_aten._thnn_fused_lstm_cell.default: _lstm, _aten._thnn_fused_lstm_cell_backward_impl.default: _lstm_backward,
            _aten._thnn_fused_gru_cell.default: _gru, _aten._thnn_fused_gru_cell_backward.default: _gru_backward}
