"""iLPC: propagate labels, balance them, keep the cleanest as labels, and again (Lazarou 2021)."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from diffresnet._support.settings import (
    Count,
    CountOrZero,
    NonNegative,
    Positive,
    Probability,
    check_settings,
)
from diffresnet.fewshot.episodes import Episodes
from diffresnet.graph.normalization import balance_dense
from diffresnet.learning.propagation import resolvent
from diffresnet.learning.proportions import Balance, class_biases

SMALLEST = 1e-10
SURE = 30.0
MOMENTUM = 0.9
WEIGHT_DECAY = 5e-4


@dataclass(frozen=True)
class Ilpc:
    """Label spreading on cosines cubed, transport, and a small classifier that finds wrong labels.

    In each round the labels there are spread, F = (I - alpha S)^-1 Y, its rows to the power
    `sharpness` are balanced by transport, and every query gets its likeliest class. A linear
    classifier learns all these labels; those with the smallest mean loss, `n_kept` a class, are
    kept as labels. Queries that are left in the end have the class of the last round. The
    classifier starts without a bias, where the authors draw one.

    Attributes:
        n_neighbors: links of a point; at most all others.
        alpha: what a point takes from its neighbors.
        sharpness: of the memberships before transport.
        n_kept: labels of each class that a round adds.
        n_epochs: of the classifier; 1,000 in the authors' code, which ranks losses much the same.
        learning_rate: of the classifier.
        balance: see `SoftKMeans`; infinity, as published, for even classes.
    """

    n_neighbors: Count = 15
    alpha: Probability = 0.8
    sharpness: Positive = 3.0
    n_kept: Count = 3
    n_epochs: CountOrZero = 200
    learning_rate: NonNegative = 0.1
    balance: Balance = math.inf

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes), log-memberships of the round that decided."""
        points = functional.normalize(episodes.points, dim=-1)
        gram = points @ points.mT
        spread = resolvent(balance_dense(self._links(gram)), self.alpha)
        n_support, n_query = episodes.n_support, episodes.query.shape[1]
        labels = functional.pad(episodes.members, (0, n_query))
        open_ = torch.ones_like(labels[:, :1, n_support:], dtype=torch.bool)
        decided = labels.new_zeros(labels[..., n_support:].shape)
        for _ in range(-(-n_query // (self.n_kept * episodes.n_classes))):
            found = (labels @ spread)[..., n_support:].clamp(min=SMALLEST)
            logs = self.sharpness * (found / found.sum(dim=1, keepdim=True)).log()
            # What is decided counts as it is, so that the others have what is left of each class.
            logs = torch.where(open_, logs, SURE * labels[..., n_support:])
            scores = (logs + class_biases(logs, self.balance)).log_softmax(dim=1)
            decided = torch.where(open_, scores, decided)
            best = functional.one_hot(decided.argmax(dim=1), labels.shape[1]).to(labels).mT
            losses = self._losses(gram, torch.cat([episodes.members, best], -1), episodes)
            kept = self._cleanest(losses[:, n_support:], best * open_)
            labels = torch.cat([labels[..., :n_support], labels[..., n_support:] + best * kept], -1)
            open_ = open_ & ~kept
        return decided.mT

    def _links(self, gram: Tensor) -> Tensor:
        """Return symmetric weights: cosines cubed, to the nearest."""
        others = gram.clone()
        others.diagonal(dim1=-2, dim2=-1).fill_(-torch.inf)
        n_neighbors = min(self.n_neighbors, gram.shape[-1] - 1)
        nearest = others.topk(n_neighbors, dim=-1)
        weights = nearest.values.clamp(min=0) ** 3
        directed = torch.zeros_like(gram).scatter_(-1, nearest.indices, weights)
        return directed + directed.mT

    def _losses(self, gram: Tensor, targets: Tensor, episodes: Episodes) -> Tensor:
        """Return the mean loss (T, N) of each label while a linear classifier learns them all.

        Its weights are sums of points, of which the coefficients are kept.
        """
        members = episodes.members
        start = members / members.sum(dim=-1, keepdim=True)
        start = functional.pad(start, (0, gram.shape[-1] - start.shape[-1]))
        lengths = ((start @ gram) * start).sum(dim=-1, keepdim=True).clamp(min=SMALLEST).sqrt()
        weights, biases = start / lengths, torch.zeros_like(start[..., :1])
        speed, bias_speed = torch.zeros_like(weights), torch.zeros_like(biases)
        losses = torch.zeros_like(targets[:, 0])
        for _ in range(self.n_epochs):
            logs = (weights @ gram + biases).log_softmax(dim=1)
            losses -= (logs * targets).sum(dim=1)
            errors = (logs.exp() - targets) / targets.shape[-1]
            speed = MOMENTUM * speed + errors + WEIGHT_DECAY * weights
            slopes = errors.sum(dim=-1, keepdim=True)
            bias_speed = MOMENTUM * bias_speed + slopes + WEIGHT_DECAY * biases
            weights = weights - self.learning_rate * speed
            biases = biases - self.learning_rate * bias_speed
        return losses / max(self.n_epochs, 1)

    def _cleanest(self, losses: Tensor, best: Tensor) -> Tensor:
        """Return which queries (T, 1, n) have one of the smallest losses of their class."""
        own = torch.where(best > 0, losses.unsqueeze(1), torch.inf)
        n_kept = min(self.n_kept, own.shape[-1])
        limits = own.topk(n_kept, dim=-1, largest=False).values[..., -1:]
        return ((own <= limits) & own.isfinite()).any(dim=1, keepdim=True)
