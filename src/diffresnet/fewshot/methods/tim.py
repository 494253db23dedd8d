"""TIM and alpha-TIM: class weights that make the queries' classes sure, and many (Boudiaf 2020)."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from torch import Tensor

from diffresnet._support.checks import fail
from diffresnet._support.settings import CountOrZero, NonNegative, Positive, check_settings
from diffresnet.fewshot.episodes import Episodes
from diffresnet.fewshot.prototypes import support_means
from diffresnet.learning.prototypes import affinities, mixtures_of

Moments: TypeAlias = Literal["own", "shared"]

BETAS = (0.9, 0.999)
OFFSET = 1e-8
"""As Adam has them."""


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
        moments: ``"own"``: every number of a weight vector has a second moment of its own, as in
            the authors' code. ``"shared"``: those of a vector have their mean in common; steps are
            as long, and no longer depend on how features are rotated. So inner products of the
            points are all that is needed: about 20 times faster.
    """

    order: Positive | None = None
    support_weight: NonNegative = 0.1
    conditional_weight: NonNegative = 0.1
    sharpness: Positive = 7.5
    learning_rate: Positive = 1e-4
    n_rounds: CountOrZero = 1000
    moments: Moments = "shared"

    def __post_init__(self) -> None:
        check_settings(self)
        if self.order == 1:
            fail("Tim", "order", "other than 1", 1, "Pass None for Shannon's entropy.")

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes)."""
        if self.moments == "shared":
            return self._scores_from_products(episodes)
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

    def _scores_from_products(self, episodes: Episodes) -> Tensor:
        """Do the same with weight vectors w = sum_j c_j x_j, of which c and w.x_i are kept."""
        points, members = episodes.points, episodes.members
        gram = points @ points.mT
        nobody = members.new_zeros(*members.shape[:2], episodes.query.shape[1])
        mixtures = mixtures_of(members, nobody)
        products = mixtures @ gram
        momenta, moved = torch.zeros_like(mixtures), torch.zeros_like(products)
        squares = torch.zeros_like(mixtures[..., :1])
        rounding = gram.abs().amax(dim=(1, 2))[:, None, None] * torch.finfo(gram.dtype).eps
        first, second = BETAS
        for n_done in range(1, self.n_rounds + 1):
            probabilities = self._logits(mixtures, products).softmax(dim=1)
            errors = self._errors(probabilities, members)
            errors = errors.addcmul_(errors.sum(dim=-1, keepdim=True), mixtures, value=-1)
            slopes = errors.mul_(2 * self.sharpness)
            slopes_products = slopes @ gram
            mean_squares = (slopes * slopes_products).sum(dim=-1, keepdim=True) / points.shape[2]
            # A slope that is 0 but for rounding, as where points are equal, must not be divided.
            is_slope = mean_squares > rounding * slopes.square().sum(dim=-1, keepdim=True)
            slopes, slopes_products = slopes.mul_(is_slope), slopes_products.mul_(is_slope)
            squares.lerp_(mean_squares.clamp(min=0), 1 - second)
            momenta.lerp_(slopes, 1 - first)
            moved.lerp_(slopes_products, 1 - first)
            lengths = (squares / (1 - second**n_done)).sqrt_().add_(OFFSET)
            steps = -self.learning_rate / (1 - first**n_done) / lengths
            mixtures = mixtures.addcmul_(steps, momenta)
            products = products.addcmul_(steps, moved)
        return self._logits(mixtures, products)[..., members.shape[2] :].mT

    def _logits(self, mixtures: Tensor, products: Tensor) -> Tensor:
        norms = (mixtures * products).sum(dim=-1, keepdim=True)
        return (2 * self.sharpness) * products - self.sharpness * norms

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
        return -self.order / (self.order - 1) * _power(probabilities, self.order - 1)


def _power(values: Tensor, exponent: float) -> Tensor:
    """Return values to a power; products of them, where it is whole and small, are faster."""
    if exponent not in (1, 2, 3, 4, 5, 6):
        return values.pow(exponent)
    result = values
    for _ in range(int(exponent) - 1):
        result = result * values
    return result
