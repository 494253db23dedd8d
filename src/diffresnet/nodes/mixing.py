"""Mixtures of channels, fitted to labeled nodes by kernel logistic regression.

A mixture is named by its channels, joined by plus signs; its kernel is the mean of theirs. Where it
is sharp, the kernel k of a pair becomes exp(2 (k - 1)), a Gaussian of the distance on the sphere:
nearly linear functions of the channels suffice for few labels, many labels tell more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from diffresnet.learning.kernel_logistic import score_kernel
from diffresnet.nodes.choice import judge
from diffresnet.nodes.folds import Integers

LARGEST = 800
"""Labeled nodes that span the answer, at most."""

N_SCREENED = 6
SCREENING_RIDGES = (1e-1, 1e-2, 1e-3)

SHARP = "sharp "
"""What the name of a sharp mixture begins with."""

SHARPNESS = 2.0

BIAS = 1.0
"""What is added to every kernel: the variance of a constant for each class."""


@dataclass(frozen=True, eq=False)
class Mixing:
    """Nodes, some of them labeled, in channels.

    Attributes:
        channels: the points (N, d) of each channel by its name.
        labels: (N,) the class of each node, -1 for none.
        n_classes: K.
        ridges: (R,) of the regression.
    """

    channels: Mapping[str, Tensor]
    labels: Tensor
    n_classes: int
    ridges: Tensor

    def only(self, nodes: Tensor) -> "Mixing":
        """Return some nodes, in the given order."""
        kept = {name: points[nodes] for name, points in self.channels.items()}
        return replace(self, channels=kept, labels=self.labels[nodes])

    def score(self, mixtures: Sequence[str], labeled: Tensor) -> Tensor:
        """Return the scores (M R, N, K) of all nodes by every one of M mixtures and ridge.

        Beyond `LARGEST` labels the ridges fall as one over their number.

        Args:
            mixtures: their names.
            labeled: (n,) which nodes to learn from.
        """
        if len(labeled) > LARGEST:
            labeled = labeled[_shuffled(len(labeled))]
        spanning, known = labeled[:LARGEST], self.labels[labeled]
        ridges = self.ridges * min(1.0, LARGEST / len(labeled))
        used = {name for text in mixtures for name in channels_of(text)}
        rows = {name: self.channels[name] @ self.channels[name][spanning].mT for name in used}
        found: list[Tensor] = []
        for text in mixtures:
            kernel = torch.stack([rows[name] for name in channels_of(text)]).mean(dim=0)
            if text.startswith(SHARP):
                kernel = (SHARPNESS * (kernel - 1)).exp()
            found.append(score_kernel(kernel + BIAS, labeled, known, self.n_classes, ridges))
        return torch.cat(found)

    def hold_out(
        self, mixtures: Sequence[str], labeled: Tensor, folds: Sequence[Integers]
    ) -> Tensor:
        """Return the scores (M R, n, K) of labeled nodes, those of each fold by the others.

        Args:
            mixtures: M names.
            labeled: (n,) which nodes to learn from.
            folds: places in `labeled`. What is in none of them has scores of 0.
        """
        part, places = self.only(labeled), np.arange(len(labeled))
        n_answers = len(mixtures) * len(self.ridges)
        found = torch.zeros(n_answers, len(labeled), self.n_classes)
        for fold in folds:
            others = torch.from_numpy(np.setdiff1d(places, fold))
            held = torch.from_numpy(fold)
            found[:, held] = part.score(mixtures, others)[:, held]
        return found

    def screen(self, mixtures: Sequence[str], labeled: Tensor, validation: Tensor) -> Sequence[str]:
        """Return the few mixtures, sharp ones among them, that are best where labels are many.

        All of them learn from `LARGEST` labels, with few ridges.

        Args:
            mixtures: their names; returned as they are where labels are not that many.
            labeled: (n,) which nodes to learn from.
            validation: (v,) which nodes to judge by; if there is none, by other labeled nodes.
        """
        if len(labeled) <= LARGEST:
            return mixtures
        sharp = [SHARP + text.removeprefix(SHARP) for text in mixtures]
        mixtures = list(dict.fromkeys([*mixtures, *sharp]))
        labeled = labeled[_shuffled(len(labeled))]
        if not len(validation):
            n_judges = min(LARGEST, len(labeled) // 4)
            validation, labeled = labeled[:n_judges], labeled[n_judges:]
        some = labeled[:LARGEST]
        part = replace(
            self.only(torch.cat([some, validation])), ridges=torch.tensor(SCREENING_RIDGES)
        )
        scores = part.score(mixtures, torch.arange(len(some)))[:, len(some) :]
        goodness = judge(scores, self.labels[validation])[0].view(len(mixtures), -1).amax(dim=1)
        best = goodness.topk(min(N_SCREENED, len(mixtures))).indices
        return [mixtures[place] for place in best.tolist()]


def channels_of(mixture: str) -> list[str]:
    """Return the names of the channels of a mixture.

    Examples:
        >>> channels_of("own+near1"), channels_of("sharp own")
        (['own', 'near1'], ['own'])
    """
    return mixture.removeprefix(SHARP).split("+")


def _shuffled(n_places: int) -> Tensor:
    return torch.from_numpy(np.random.default_rng(0).permutation(n_places))
