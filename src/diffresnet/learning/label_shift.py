"""Which class proportions to presume: what points without a label say of them, as far as it counts.

Expectation maximization finds the proportions that explain predictions best. Where classes overlap,
a small error of a class's bias makes a large one of its proportion, and few held-out labels leave
biases open. So it is repeated with biases drawn from what those labels leave open, and the
proportions expected beforehand move toward the estimate only as far as chance does not explain the
distance between them (the positive-part estimator of James and Stein). Distances are those of
square roots, which are off by chance alike, however common a class is.
"""

import torch
from torch import Tensor

from diffresnet.learning.calibration import estimate_proportions
from diffresnet.learning.labels import Labels
from diffresnet.learning.sampling import Beforehand
from diffresnet.learning.weighing import BIAS_DOUBT

N_BIASES = 64
"""That are drawn, of all classes together, or one of each class; and as many opposites."""


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

    Args:
        logs: (n, K) log-probabilities of these points.
        held_out: (L, K) log-probabilities of labels, each learned without it; those expected are
            returned if there are none.
        before: the proportions expected beforehand.

    Examples:
        Three of four points are of the first class, as clear predictions say. Where classes
        overlap, predictions would say something else if a bias were a little off.

        >>> clear = torch.tensor([[4.0, 0.0]] * 75 + [[0.0, 4.0]] * 25).log_softmax(dim=1)
        >>> even = torch.full((2,), 0.5)
        >>> before = Beforehand(even, even, n_random=0)
        >>> presume_proportions(clear, clear[65:85], before)
        tensor([0.7..., 0.2...])
        >>> noise = torch.randn(100, 2, generator=torch.Generator().manual_seed(0))
        >>> unclear = (clear / 20 + noise).log_softmax(dim=1)
        >>> presume_proportions(unclear, unclear[65:85], before)
        tensor([0.5000, 0.5000])
    """
    expected = before.proportions
    if len(held_out) == 0:
        return expected
    found = estimate_proportions(logs, before.of_labels)
    biases = draw_biases(held_out.exp(), BIAS_DOUBT * _scale(logs))
    others = estimate_proportions(logs, before.of_labels * (-biases).exp())
    by_chance = (others.sqrt() - found.sqrt()).square().sum(dim=1).mean()
    if before.n_random:
        by_chance = by_chance + (len(found) - 1) / (4 * before.n_random)
    distance = (found.sqrt() - expected.sqrt()).square().sum()
    trust = (1 - by_chance / distance).clamp(min=0) if distance > 0 else 0.0
    return (expected.log() + trust * (found / expected).log()).softmax(dim=0)


def draw_biases(held_out: Tensor, doubt: float) -> Tensor:
    """Return biases (B, K) as likely as held-out labels let them be, and their opposites.

    They are normal, with the curvature of the labels' likelihood and of what is known beforehand.

    Args:
        held_out: (L, K) probabilities of the labels.
        doubt: the deviation of a bias beforehand.
    """
    n_classes = held_out.shape[1]
    curvature = held_out.sum(dim=0).diag() - held_out.T @ held_out
    curvature += torch.eye(n_classes).to(held_out) / doubt**2
    # The same draws each time: labels that stay the same change nothing.
    generator = torch.Generator().manual_seed(0)
    n_drawn = max(1, N_BIASES // n_classes)
    normal = torch.randn(n_classes, n_drawn, generator=generator, dtype=torch.float64)
    factor = torch.linalg.cholesky(curvature)
    drawn = torch.linalg.solve_triangular(factor.T, normal.to(held_out), upper=True).T
    return torch.cat([drawn, -drawn])


def _scale(logs: Tensor) -> float:
    """Return how much scores (n, K) differ: biases are off in proportion."""
    return float((logs - logs.mean(dim=1, keepdim=True)).square().mean().sqrt().clamp(min=1e-6))
