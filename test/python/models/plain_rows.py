"""Architectures of plain PyTorch that pick and add up rows: mixtures of experts
and graphs. See plain_models.py."""

import torch
import torch.nn.functional as F
from plain_layers import randn
from torch import nn


class Experts(nn.Module):
    """The two best of four experts, all of them computed."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4)
        self.first, self.second = nn.Parameter(torch.randn(4, 8, 16)), nn.Parameter(torch.randn(4, 16, 8))

    def forward(self, x):
        weight, choice = self.gate(x).softmax(-1).topk(2)
        weights = torch.zeros(x.shape[0], 4, device=x.device).scatter(1, choice, weight / weight.sum(-1, keepdim=True))
        every = torch.einsum("neh,ehd->ned", F.silu(torch.einsum("nd,edh->neh", x, self.first)), self.second)
        return torch.einsum("ne,ned->nd", weights, every)


def experts():
    return Experts(), randn(8)


class SortedExperts(nn.Module):
    """Rows sorted by expert, one grouped product."""

    def __init__(self):
        super().__init__()
        self.gate, self.weight = nn.Linear(8, 4), nn.Parameter(torch.randn(4, 8, 16))

    def forward(self, x):
        x = x.bfloat16()
        choice = self.gate(x.to(self.gate.weight.dtype)).argmax(-1)
        order = choice.argsort(stable=True)
        counts = torch.histc(choice.float(), 4, 0, 3)
        product = torch._grouped_mm(x[order], self.weight.bfloat16(), offs=counts.cumsum(0).int())
        return torch.empty_like(product).index_copy(0, order, product)


def sorted_experts():
    return SortedExperts(), lambda batch: (torch.randn(16, 8),)


class GraphConvolution(nn.Module):
    """Messages along edges, added up at their ends."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Linear(6, 4)

    def forward(self, nodes, edges):
        messages = self.weight(nodes)[edges[0]]
        degree = nodes.new_zeros(nodes.shape[0]).index_add(0, edges[1], nodes.new_ones(edges.shape[1]))
        return nodes.new_zeros(nodes.shape[0], 4).index_add(0, edges[1], messages) / degree.clamp(min=1).unsqueeze(1)


def graph_convolution():
    return GraphConvolution(), lambda batch: (torch.randn(7, 6), torch.randint(0, 5, (2, 12)))


class GraphAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.score = nn.Linear(6, 4), nn.Linear(8, 1)

    def forward(self, nodes, edges):
        h = self.weight(nodes)
        score = F.leaky_relu(self.score(torch.cat([h[edges[0]], h[edges[1]]], 1))).squeeze(1)
        highest = nodes.new_full((nodes.shape[0],), float("-inf")).scatter_reduce(0, edges[1], score, "amax")
        weight = (score - highest[edges[1]]).exp()
        total = nodes.new_zeros(nodes.shape[0]).scatter_add(0, edges[1], weight)
        return torch.zeros_like(h).index_add(0, edges[1], h[edges[0]] * (weight / total[edges[1]]).unsqueeze(1))


def graph_attention():
    return GraphAttention(), lambda batch: (torch.randn(5, 6), torch.randint(0, 5, (2, 12)))


class DeepFactorisation(nn.Module):
    def __init__(self):
        super().__init__()
        self.factors, self.linear, self.deep = nn.Embedding(40, 4), nn.Embedding(40, 1), nn.Linear(20, 1)

    def forward(self, fields):
        v = self.factors(fields)
        pairs = 0.5 * (v.sum(1).square() - v.square().sum(1)).sum(1, keepdim=True)
        return (self.linear(fields).sum(1) + pairs + self.deep(v.flatten(1))).sigmoid()


def deep_factorisation():
    return DeepFactorisation(), lambda batch: (torch.randint(0, 40, (batch, 5)),)


KINDS = [experts, sorted_experts, graph_convolution, graph_attention, deep_factorisation]
