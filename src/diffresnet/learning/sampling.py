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
        n_random: labels that were drawn at random, and so speak for the proportions.
        is_stated: whether that they were is stated, and not read off their counts.
    """

    proportions: Tensor
    of_labels: Tensor
    n_random: int
    is_stated: bool = False

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
    counts, is_stated = labels.counts.double(), sampling == "random"
    if sampling == "auto":
        spread = float((counts - counts.mean()).square().sum() / counts.mean())
        is_even = spread == 0 or chi2.cdf(spread, labels.n_classes - 1) < TOO_EVEN
        sampling = "per class" if is_even else "random"
    of_labels = (counts + 1) / (counts.sum() + labels.n_classes)
    is_random = sampling == "random"
    n_random = int(counts.sum()) if is_random else 0
    even = torch.full_like(counts, 1 / labels.n_classes)
    return Beforehand(shrink(counts) if is_random else even, of_labels, n_random, is_stated)


def shrink(counts: Tensor) -> Tensor:
    """Return proportions (K,) of classes, as far from even ones as counts of them prove.

    They are s / K + (1 - s) p, where p are the proportions among n labels and s is the part of
    their squared distance from even ones that chance explains,
    (1 - sum p^2) / ((n - 1) sum (p - 1 / K)^2), at most 1 (Hausser and Strimmer, *Entropy Inference
    and the James-Stein Estimator*). No class is impossible: half a label of each is added.

    Args:
        counts: (K,) of labels drawn at random, of which there is one at least.

    Examples:
        >>> shrink(torch.tensor([6.0, 4.0, 5.0, 5.0]))
        tensor([0.2500, 0.2500, 0.2500, 0.2500])
        >>> shrink(torch.tensor([18.0, 2.0]))
        tensor([0.8697, 0.1303])
    """
    n_labels, even = counts.sum(), 1 / len(counts)
    found = counts / n_labels
    off = (n_labels - 1) * (found - even).square().sum()
    part = ((1 - found.square().sum()) / off).clamp(max=1) if off > 0 else 1.0
    return ((part * even + (1 - part) * found) * n_labels + 0.5) / (n_labels + len(counts) / 2)
