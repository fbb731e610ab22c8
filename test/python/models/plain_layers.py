"""Layers of plain PyTorch that architectures are made of: recurrent ones, bags
of embeddings, small linear algebra and calls of unusual kinds. See plain_models.py."""

import torch
import torch.nn.functional as F
from torch import nn


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def randn(*sizes):
    """One random tensor of these sizes, after the batch."""
    return lambda batch: (torch.randn(batch, *sizes),)


def lstm():
    return nn.LSTM(6, 8, 2, batch_first=True, bidirectional=True), randn(5, 6)


def gru():
    return nn.GRU(6, 8, batch_first=True), randn(5, 6)


def rnn():
    return nn.RNN(6, 8, nonlinearity="relu", batch_first=True), randn(5, 6)


def recurrent_cells():
    cell, other = nn.LSTMCell(4, 4), nn.GRUCell(4, 4)

    class Cells(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.other = cell, other

        def forward(self, x):
            state = self.cell(x)
            return self.other(self.cell(x, state)[0], x)

    return Cells(), randn(4)


class Bags(nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.bag = nn.EmbeddingBag(30, 5, mode=mode, padding_idx=3)

    def forward(self, words):
        return self.bag(words)


def bag_of_sums():
    return Bags("sum"), lambda batch: (torch.randint(0, 30, (batch, 6)),)


def bag_of_means():
    return Bags("mean"), lambda batch: (torch.randint(0, 30, (batch, 6)),)


def bag_of_maxima():
    return Bags("max"), lambda batch: (torch.randint(0, 30, (batch, 6)),)


def bags_by_offsets():
    bag = nn.EmbeddingBag(30, 5, mode="sum", include_last_offset=True)

    class Weighted(nn.Module):
        def __init__(self):
            super().__init__()
            self.bag = bag

        def forward(self, words, weights):
            return self.bag(words, torch.tensor([0, 2, 2, 7], device=words.device), weights)

    return Weighted(), lambda batch: (torch.randint(0, 30, (7,)), torch.randn(7))


def written_in_place():
    def writes(x):
        y = x.clone()
        y.floor_divide_(2).clamp_(-3, 3)
        y[:, 1:3].remainder_(2.5)
        y.index_fill_(1, torch.tensor([0], device=x.device), 7).masked_fill_(x > 1, -1.0)
        z = torch.empty_like(x)
        torch.atan2(x, y, out=z)
        torch.add(z, y, alpha=2, out=z)
        return y, z, z.logical_not_()

    return Function(writes), randn(5)


def triangles():
    def pick(x):
        lower, upper = torch.tril_indices(5, 6, -1), torch.triu_indices(5, 6, 2)
        return x[:, lower[0], lower[1]], x[:, upper[0], upper[1]], torch.tril_indices(3, 4, 1)

    return Function(pick), randn(5, 6)


def pooled_unequally():
    def pools(x):
        return F.adaptive_max_pool2d(x, (3, 4), return_indices=True) + (F.adaptive_avg_pool2d(x, (3, 4)), F.lp_pool2d(x, 2, 3))

    return Function(pools), randn(2, 7, 9)


def reduced_by_index():
    def reduces(x, source):
        index = torch.tensor([0, 3, 0, 1], device=x.device)
        return tuple(x.index_reduce(1, index, source, kind, include_self=own)
                     for kind in ("prod", "mean", "amax", "amin") for own in (True, False))

    return Function(reduces), lambda batch: (torch.randn(batch, 5), torch.randn(batch, 4))


def quantiles():
    def order(x):
        q = torch.tensor([0.1, 0.5, 0.9], device=x.device)
        return (torch.quantile(x, q, dim=1), torch.quantile(x, 0.3, dim=1, keepdim=True),
                torch.quantile(x, q, dim=1, interpolation="nearest"), x.median(1)[0], x.kthvalue(3, 1)[0])

    return Function(order), randn(11)


def special_functions():
    def functions(x):
        positive = x.abs() + 0.1
        return torch.digamma(positive), torch.digamma(x), torch.lgamma(positive), torch.erfinv(x.tanh()), torch.special.entr(positive)

    return Function(functions), randn(9)


def histograms():
    return Function(lambda x: torch.histc(x, 8, -2, 2)), randn(40)


def small_inverses():
    def solve(a, b):
        spd = a @ a.mT + 4 * torch.eye(4, device=a.device)
        return torch.linalg.solve(spd, b), torch.linalg.inv(spd), torch.linalg.det(spd), torch.linalg.cholesky(spd)

    return Function(solve), lambda batch: (torch.randn(batch, 4, 4), torch.randn(batch, 4, 2))


def triangular_systems():
    def solve(a, b):
        return torch.linalg.solve_triangular(a.tril() + 4 * torch.eye(4, device=a.device), b, upper=False)

    return Function(solve), lambda batch: (torch.randn(batch, 4, 4), torch.randn(batch, 4, 2))


def loops():
    def run(x):
        def advance(carry, step):
            carry = carry * 0.5 + step
            return carry, carry.clone()

        from torch._higher_order_ops.scan import scan

        return scan(advance, torch.zeros(x.shape[0], x.shape[2], device=x.device), x.transpose(0, 1))

    return Function(run), randn(5, 3)


def loops_until_near():
    """As often as the rows need: how often, only the call knows."""
    from torch._higher_order_ops.while_loop import while_loop

    def roots(x):
        squares = x.abs() + 1
        (found,) = while_loop(lambda found: ((found * found - squares).abs() > 1e-3).any(),
                              lambda found: ((found + squares / found) * 0.5,), (squares,))
        return found.sum(1)

    return Function(roots), randn(6)


def complex_numbers():
    def rotate(x):
        z = torch.view_as_complex(x.reshape(x.shape[0], -1, 2))
        angle = torch.polar(torch.ones(4, device=x.device), torch.arange(4.0, device=x.device))
        return torch.view_as_real(z * angle).flatten(1)

    return Function(rotate), randn(8)


def masked_by_where():
    return Function(lambda x: (torch.where(x > 0, x, 0.0).sum(1), x.masked_fill(x < 0, -1).cumsum(1))), randn(7)


KINDS = [lstm, gru, rnn, recurrent_cells, bag_of_sums, bag_of_means, bag_of_maxima, bags_by_offsets, written_in_place, triangles,
         pooled_unequally, reduced_by_index, quantiles, special_functions, histograms, small_inverses, triangular_systems, loops,
         loops_until_near, complex_numbers, masked_by_where]
