"""Small modules whose parts meet in one kernel."""

import torch
from torch import nn


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def test_mean_over_rows_that_are_normalised(agree):
    """A reduction over one dimension inside of one over another."""
    class NormThenMean(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.LayerNorm(32)

        def forward(self, x):
            return self.norm(x).mean(1)

    agree(NormThenMean(), (torch.randn(2, 36, 32),))


def test_long_sums(agree):
    """As exact as PyTorch's, which adds up blocks."""
    columns = Function(lambda x: (x.sum(0), x.mean((0, 1)), x.sum(-1), x.sum((0, 2)), x.sum()))
    agree(columns, (torch.randn(4100, 3, 17),))
    agree(Function(lambda x: (x.sum(-1), x.sum(0))), (torch.randn(3, 70001),))
