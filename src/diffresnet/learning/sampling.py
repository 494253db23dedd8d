"""How points were drawn to be labeled, and what that says of the class proportions."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from scipy.stats import chi2
from torch import Tensor

from diffresnet.learning.labels import Labels

LabelSampling: TypeAlias = Literal["auto", "random", "per class"]

TOO_EVEN = 0.05
"""Counts of labels that random draws would seldom give are taken for draws per class."""


@dataclass(frozen=True)
class Beforehand:
    """What labels say of the class proportions, before anything else does.

    Attributes:
        proportions: (K,) of the classes.
        of_labels: (K,) of the classes among the labels, which predictions learn from.
        is_random: whether labels were drawn at random, and so speak for them.
    """

    proportions: Tensor
    of_labels: Tensor
    is_random: bool

    @property
    def biases(self) -> Tensor:
        """The logarithms of the proportions among the labels, of mean 0."""
        return self.of_labels.log() - self.of_labels.log().mean()


def proportions_beforehand(labels: Labels, sampling: LabelSampling) -> Beforehand:
    """Return the class proportions that the labels speak for.

    Points drawn at random have labels as common as the classes are; the same number of each class
    says nothing. ``"auto"`` takes labels for drawn per class if their counts are more even than
    random draws from even classes would be in 95 of 100 cases.
    """
    counts = labels.counts.double()
    if sampling == "auto":
        spread = float((counts - counts.mean()).square().sum() / counts.mean())
        is_even = spread == 0 or chi2.cdf(spread, labels.n_classes - 1) < TOO_EVEN
        sampling = "per class" if is_even else "random"
    of_labels = (counts + 1) / (counts.sum() + labels.n_classes)
    is_random = sampling == "random"
    proportions = of_labels if is_random else torch.full_like(counts, 1 / labels.n_classes)
    return Beforehand(proportions, of_labels, is_random)
