"""Losses of plain PyTorch after a linear layer. See plain_models.py."""

import torch
import torch.nn.functional as F
from torch import nn


class Loss(nn.Module):
    def __init__(self, function, width=5):
        super().__init__()
        self.layer, self.function = nn.Linear(6, width), function

    def forward(self, x, *targets):
        return tuple(self.function(self.layer(x), *targets, reduction=reduction) for reduction in ("none", "mean", "sum"))


def of(function, *makers, width=5):
    return Loss(function, width), lambda batch: (torch.randn(batch, 6), *(make(batch) for make in makers))


def floats(batch):
    return torch.randn(batch, 5)


def classes(batch):
    return torch.randint(0, 5, (batch,))


def signs(batch):
    return torch.randn(batch).sign()


def cross_entropy_loss():
    return of(lambda x, y, reduction: F.cross_entropy(x, y, label_smoothing=0.1, reduction=reduction), classes)


def loss_of_many_classes():
    return of(F.cross_entropy, lambda batch: torch.randint(0, 50, (batch,)), width=50)


def triplet_loss():
    return of(lambda x, p, n, reduction: F.triplet_margin_loss(x, p, n, swap=True, reduction=reduction), floats, floats)


def cosine_loss():
    return of(lambda x, y, s, reduction: F.cosine_embedding_loss(x, y, s, 0.2, reduction=reduction), floats, signs)


def ranking_loss():
    return of(lambda x, y, s, reduction: F.margin_ranking_loss(x, y, s[:, None], 0.1, reduction=reduction), floats, signs)


def margin_loss():
    return of(lambda x, y, reduction: F.multi_margin_loss(x, y, p=2, margin=0.7, reduction=reduction), classes)


def several_labels_margin_loss():
    def labels(batch):
        return torch.tensor([[3, 0, -1, 1, 2], [4, -1, 0, 0, 0]]).repeat(batch, 1)[:batch]

    return of(F.multilabel_margin_loss, labels)


def several_labels_loss():
    return of(F.multilabel_soft_margin_loss, lambda batch: (torch.rand(batch, 5) > 0.5).float())


def gaussian_loss():
    return of(lambda x, y, v, reduction: F.gaussian_nll_loss(x, y, v.abs() + 0.1, reduction=reduction), floats, floats)


def divergence_loss():
    return of(lambda x, y, reduction: F.kl_div(x.log_softmax(1), y.softmax(1), reduction=reduction), floats)


def distances():
    def measure(x, y, reduction):
        return F.pairwise_distance(x, y, p=3), torch.cdist(x, y, 1.0), F.cosine_similarity(x, y)

    class Distances(Loss):
        def forward(self, x, y):
            return measure(self.layer(x), y, "none")

    return Distances(None), lambda batch: (torch.randn(batch, 6), torch.randn(batch, 5))


def distances_of_pairs():
    class Pairs(Loss):
        def forward(self, x):
            return F.pdist(self.layer(x)), F.pdist(x, 1.0)

    return Pairs(None), lambda batch: (torch.randn(7, 6),)


KINDS = [cross_entropy_loss, loss_of_many_classes, triplet_loss, cosine_loss, ranking_loss, margin_loss, several_labels_margin_loss,
         several_labels_loss, gaussian_loss, divergence_loss, distances, distances_of_pairs]
