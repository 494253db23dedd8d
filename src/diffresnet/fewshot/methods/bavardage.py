"""BAVARDAGE: variational Bayes in the space between the prototypes (Hu 2023)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet._support.settings import CountOrZero, NonNegative, Positive, check_settings
from diffresnet.fewshot.episodes import Episodes
from diffresnet.fewshot.methods.soft_kmeans import SoftKMeans
from diffresnet.learning.prototypes import affinities

START = SoftKMeans(10.0, 5)
"""Gives the first memberships, as in the authors' code."""


@dataclass(frozen=True)
class Bavardage:
    """Fit a Gaussian mixture by variational Bayes, on the span of differences of prototypes.

    In each round, with memberships r (those of the support known) and n_k = sum_i r_ik, points are
    projected on the span of p_k - p_1, p_k = sum r x / (mean_prior + n_k), and with mu_k the same
    means of projected points

        log r_ik = -sharpness/2 |x_i - mu_k|^2 - (K - 1) / (2 (mean_prior + n_k)) + E log pi_k

    where E log pi_k = digamma(a_k) - digamma(sum a) and a_k is `dirichlet` plus the sum over the
    queries. The authors first whiten features by the covariance within base classes; tasks have
    none here, so `sharpness` is to be chosen.

    Attributes:
        sharpness: 1 / sigma^2; 4 for the authors' whitened features.
        n_rounds: of both steps.
        mean_prior: how many points at 0 each mean has besides its own.
        dirichlet: of the prior of the proportions.
    """

    sharpness: Positive = 40.0
    n_rounds: CountOrZero = 5
    mean_prior: NonNegative = 10.0
    dirichlet: Positive = 2.0

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes)."""
        points, members, n_support = episodes.points, episodes.members, episodes.n_support
        scores = START(episodes).mT
        for _ in range(self.n_rounds):
            query = scores.softmax(dim=1)
            memberships = torch.cat([members, query], dim=-1)
            counts = memberships.sum(dim=-1, keepdim=True) + self.mean_prior
            means = memberships @ points / counts
            directions = torch.linalg.qr((means[:, 1:] - means[:, :1]).mT).Q
            projected = points @ directions
            near = affinities(projected[:, n_support:], memberships @ projected / counts)
            totals = query.sum(dim=-1, keepdim=True) + self.dirichlet
            logs = totals.digamma() - totals.sum(dim=1, keepdim=True).digamma()
            uncertain = (episodes.n_classes - 1) / (2 * counts)
            scores = self.sharpness / 2 * near - uncertain + logs
        return scores.mT
