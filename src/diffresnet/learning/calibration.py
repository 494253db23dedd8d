"""Probabilities whose mean is what the proportions of the classes should be."""

import torch
from torch import Tensor

N_ROUNDS = 100


def match_prior(scores: Tensor, prior: Tensor) -> Tensor:
    """Return what to add to the scores of each class, (K,), so that its mean probability fits.

    Args:
        scores: (N, K) logarithms of probabilities, but for a constant a row.
        prior: (K,) positive proportions that sum to 1.
    """
    bias = torch.zeros_like(prior)
    scores = scores.to(prior)
    for _ in range(N_ROUNDS):
        means = (scores + bias).softmax(dim=1).mean(dim=0)
        bias = bias + (prior / means.clamp(min=1e-12)).log()
    return bias
