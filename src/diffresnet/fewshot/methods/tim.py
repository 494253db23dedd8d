"""TIM and alpha-TIM: class weights that make the queries' classes sure, and many (Boudiaf 2020)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet._support.checks import fail
from diffresnet._support.settings import CountOrZero, NonNegative, Positive, check_settings
from diffresnet.fewshot.episodes import Episodes
from diffresnet.fewshot.prototypes import support_means
from diffresnet.learning.prototypes import affinities


@dataclass(frozen=True)
class Tim:
    """Minimize CE(support) - H(mean p) + H(p | query) over one weight vector a class, by Adam.

    logits = -sharpness |x - w_k|^2, with w at the prototypes in the beginning. H is Shannon's
    entropy (TIM), or Tsallis' of order a, (1 - sum p^a) / (a - 1) (alpha-TIM), which does not
    insist on balanced classes.

    Attributes:
        order: a; None for Shannon's entropy.
        support_weight: of the cross entropy.
        conditional_weight: of H(p | query).
        sharpness: of the logits.
        learning_rate: of Adam.
        n_rounds: steps of Adam.
    """

    order: Positive | None = None
    support_weight: NonNegative = 0.1
    conditional_weight: NonNegative = 0.1
    sharpness: Positive = 7.5
    learning_rate: Positive = 1e-4
    n_rounds: CountOrZero = 1000

    def __post_init__(self) -> None:
        check_settings(self)
        if self.order == 1:
            fail("Tim", "order", "other than 1", 1, "Pass None for Shannon's entropy.")

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes)."""
        centers = support_means(episodes)
        optimizer = torch.optim.Adam([centers], lr=self.learning_rate)
        points, members = episodes.points, episodes.members
        for _ in range(self.n_rounds):
            probabilities = (self.sharpness * affinities(points, centers)).softmax(dim=1)
            errors = self._errors(probabilities, members)
            # The derivative of the logits, sharpness (2 x.w - |w|^2), by w.
            pulls = errors @ points - errors.sum(dim=-1, keepdim=True) * centers
            centers.grad = 2 * self.sharpness * pulls
            optimizer.step()
        return self.sharpness * affinities(episodes.query, centers).mT

    def _errors(self, probabilities: Tensor, members: Tensor) -> Tensor:
        """Return the derivative of the loss of each task by its logits, (T, n_classes, N)."""
        n_support = members.shape[2]
        support, query = probabilities[..., :n_support], probabilities[..., n_support:]
        slopes = self.conditional_weight * self._slope(query) - self._slope(
            query.mean(dim=-1, keepdim=True)
        )
        pulls = query * slopes / query.shape[2]
        errors = pulls - query * pulls.sum(dim=1, keepdim=True)
        return torch.cat([self.support_weight / n_support * (support - members), errors], dim=-1)

    def _slope(self, probabilities: Tensor) -> Tensor:
        """Return the derivative of the entropy by the probabilities."""
        probabilities = probabilities.clamp(min=1e-30)
        if self.order is None:
            return -probabilities.log()  # but for a constant, which cancels
        return -self.order / (self.order - 1) * probabilities.pow(self.order - 1)
