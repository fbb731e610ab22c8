"""Calls in Dynamo's graphs in whose place TC has its own, before PyTorch writes them out or differentiates them."""

from __future__ import annotations

from typing import Callable

import torch
import torch.nn.functional as F
from torch import fx

from .torch_attention import scaled_dot_product_attention
from .torch_losses import multilabel_margin_loss
from .torch_matrices import householder_product

_OWN: dict[Callable, Callable] = {
    F.scaled_dot_product_attention: scaled_dot_product_attention,
    torch.linalg.householder_product: householder_product,
    torch.orgqr: householder_product,
    F.multilabel_margin_loss: multilabel_margin_loss,
}


def replace_calls(module: fx.GraphModule) -> None:
    """In a graph of Dynamo's, and in those inside of it."""
    for part in module.modules():
        if not isinstance(part, fx.GraphModule):
            continue
        nodes = [node for target in _OWN for node in part.graph.find_nodes(op="call_function", target=target)]
        for node in nodes:
            node.target = _OWN[node.target]
        if nodes:
            part.recompile()
