"""Which of many answers to take: those that held-out labels like best, together."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet.learning.calibration import held_out_losses

SCALES = tuple(2.0**power for power in range(-2, 12))
"""What scores may be multiplied by before they become probabilities."""

LOSS_WEIGHT = 0.3
"""What held-out loss counts beside held-out accuracy, which is coarse."""


def judge(seen: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return how good scores are, accuracy - 0.3 cross entropy, and the best scale of each.

    Args:
        seen: (M, n, K) scores of points with held-out labels, by M answers.
        labels: (n,) these labels.

    Returns:
        (M,) and (M,).
    """
    losses, places = held_out_losses(seen, labels, SCALES).min(dim=0)
    right = (seen.argmax(dim=-1) == labels).double().mean(dim=-1)
    return right - LOSS_WEIGHT * losses, torch.tensor(SCALES)[places]


FEWEST = 5
"""At least this number of answers is taken, however far behind the best one they are."""


@dataclass(frozen=True, eq=False)
class Choice:
    """The best of many answers.

    Attributes:
        places: (m,) which they are.
        scales: (m,) what to multiply their scores by.
    """

    places: Tensor
    scales: Tensor

    def take(self, scores: Tensor) -> Tensor:
        """Return the chosen scores (m, N, K) of (M, N, K), each times its scale."""
        return self.scales.view(-1, 1, 1) * scores[self.places]


def find_best(judged: Tensor, labels: Tensor, n_best: int, *, within: float = math.inf) -> Choice:
    """Return which answers are best on held-out labels, with their best scales.

    Args:
        judged: (M, n, K) scores of points with held-out labels.
        labels: (n,) these labels.
        n_best: how many are chosen, at most.
        within: how far behind the best one they may be, but for the first `FEWEST`.
    """
    goodness, scales = judge(judged, labels)
    n_near = max(FEWEST, int((goodness >= goodness.max() - within).sum()))
    best = goodness.topk(min(n_best, n_near, len(judged))).indices
    return Choice(best, scales[best])


def choose(
    scores: Tensor,
    seen: Tensor,
    labels: Tensor,
    n_best: int,
    *,
    within: float = math.inf,
    judged: Tensor | None = None,
) -> Tensor:
    """Return the best scores (m, N, K) of (M, N, K), each times its best scale.

    Args:
        scores: of all points.
        seen: (n,) which of them have a held-out label. Without any, all scores are returned.
        labels: (n,) these labels.
        n_best: as of `find_best`, and so on.
        within: the same.
        judged: (M, n, K) scores to judge by, if they are not those in `scores`.
    """
    if len(seen) == 0:
        return scores
    judged = scores[:, seen] if judged is None else judged
    return find_best(judged, labels, n_best, within=within).take(scores)


def mean_probabilities(scores: Tensor) -> Tensor:
    """Return the logarithm (N, K) of the mean of the probabilities of scores (m, N, K).

    Examples:
        >>> one_sure, other = torch.tensor([[9.0, 0.0]]), torch.tensor([[0.0, 0.0]])
        >>> mean_probabilities(torch.stack([one_sure, other])).exp().round(decimals=2)
        tensor([[0.7500, 0.2500]])
    """
    return scores.log_softmax(dim=-1).logsumexp(dim=0) - math.log(len(scores))
