"""Which class proportions to presume of the points without a label.

Expectation maximization finds the proportions that explain predictions best. Where classes overlap,
a small error of the bias of a class makes a large error of its proportion, and few held-out labels
tell little of biases. So the variance of the estimate is found, and the proportions expected
beforehand move toward the estimate as the positive-part estimator of James and Stein has it: not at
all if chance explains their distance, all the way if it explains nothing of it. The variance is the
one it would have if the expected proportions were right: an estimate that gave a class up varies
little, however wrong it is. Distances are those of square roots of proportions, whose variance is
nearly the same for rare and for common classes.
"""

import torch
from torch import Tensor

from diffresnet.learning.calibration import estimate_proportions
from diffresnet.learning.labels import Labels
from diffresnet.learning.sampling import Beforehand

RELATIVE_DOUBT = 0.25
"""The deviation of a bias before any label is held out, in units of the deviation of the scores."""


def shift_of_classes(logs: Tensor, held_out: Tensor, labels: Labels, before: Beforehand) -> Tensor:
    """Return what to add to the scores of each class, (K,), for the proportions to presume.

    Args:
        logs: (n, K) log-probabilities of points without a label.
        held_out: (L, K) of labels, each learned without it.
        labels: all of them.
        before: what they say of the proportions.
    """
    shift = (presume_proportions(logs, held_out, before) / before.of_labels).log()
    # One label beside many: that its class is rare is not for the other classes to say.
    is_new = (labels.counts == 1) & (labels.counts.max() > 1)
    return torch.where(is_new, shift.clamp(min=0), shift)


def presume_proportions(logs: Tensor, held_out: Tensor, before: Beforehand) -> Tensor:
    """Return the class proportions (K,) to presume of points without a label.

    Labels that were drawn at random are taken for that as long as chance explains how far their
    proportions are from the estimate; beyond that the estimate counts.

    Args:
        logs: (n, K) log-probabilities of these points, of double precision.
        held_out: (L, K) log-probabilities of labels, each learned without it; if there are none,
            the expected proportions are returned.
        before: the proportions expected beforehand.

    Examples:
        Three of four points are of the first class, as clear predictions say. Where classes
        overlap, predictions would say something else if a bias were a little off.

        >>> clear = torch.tensor([[4.0, 0.0]] * 75 + [[0.0, 4.0]] * 25).double().log_softmax(dim=1)
        >>> even = torch.full((2,), 0.5).double()
        >>> before = Beforehand(even, even, n_random=0)
        >>> presume_proportions(clear, clear[65:85], before)
        tensor([0.7..., 0.2...], dtype=torch.float64)
        >>> noise = torch.randn(100, 2, generator=torch.Generator().manual_seed(0)).double()
        >>> unclear = (clear / 20 + noise).log_softmax(dim=1)
        >>> presume_proportions(unclear, unclear[65:85], before)
        tensor([0.5000, 0.5000], dtype=torch.float64)
    """
    expected = before.proportions
    if len(held_out) == 0:
        return expected
    found = estimate_proportions(logs, before.of_labels)
    slopes = _slopes((logs + (expected / before.of_labels).log()).softmax(dim=1))
    variances = (slopes @ _variance_of_biases(logs, held_out) * slopes).sum(dim=1)
    by_chance = expected @ variances / 4
    if before.n_random:
        by_chance = by_chance + (len(found) - 1) / (4 * before.n_random)
    distance = (found.sqrt() - expected.sqrt()).square().sum()
    trust = (1 - by_chance / distance).clamp(min=0) if distance > 0 else 0.0
    return (expected.log() + trust * (found / expected).log()).softmax(dim=0)


def _slopes(memberships: Tensor) -> Tensor:
    """Return how the logarithms of the estimated proportions change with the biases, (K, K).

    The estimate solves sum_i w_ik + 1 = (n + K) p_k with the memberships w (n, K), the softmax of
    scores plus biases plus log p: this is the derivative of the solution with these memberships.
    """
    common = memberships.T @ memberships
    return torch.linalg.solve(
        common + torch.eye(len(common)).to(common), memberships.sum(dim=0).diag() - common
    )


def _variance_of_biases(logs: Tensor, held_out: Tensor) -> Tensor:
    """Return the covariance (K, K) of the biases, given held-out labels (Laplace's approximation).

    Their errors before that are found to be in proportion to how much the scores differ.
    """
    deviation = (logs - logs.mean(dim=1, keepdim=True)).square().mean().sqrt().clamp(min=1e-6)
    found = held_out.exp()
    curvature = found.sum(dim=0).diag() - found.T @ found
    curvature += torch.eye(found.shape[1]).to(found) / (RELATIVE_DOUBT * deviation) ** 2
    return torch.linalg.inv(curvature)
