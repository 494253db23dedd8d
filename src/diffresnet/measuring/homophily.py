"""Homophily: how often linked points have equal labels, with an interval."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet.measuring.statistics import wilson_interval

FEWEST_LINKS = 5
"""Of fewer links between labeled points nothing is said."""


@dataclass(frozen=True)
class Homophily:
    """What the links between labeled points say.

    Attributes:
        share: the part of their weight that joins equal labels.
        interval: its 95 % interval. Links of one point are not independent of each other, so that
            no more cases count than there are labeled points with a labeled neighbor.
        by_chance: what it would be if labels were shuffled.
        n_links: how many links there are, each counted once.
    """

    share: float
    interval: tuple[float, float]
    by_chance: float
    n_links: int

    def __str__(self) -> str:
        low, high = (round(100 * end) for end in self.interval)
        found = f"Labeled neighbors have equal labels in {self.share:.0%} of cases ({low} to "
        return f"{found}{high}%; {self.by_chance:.0%} by chance): {self.meaning}."

    @property
    def meaning(self) -> str:
        """What it says of diffusion, in words."""
        low, high = self.interval
        if low > self.by_chance and self.share > 0.5:
            return "diffusion helps"
        if high < self.by_chance:
            return "links join different classes, and diffusion by itself hurts"
        return "that tells neither whether diffusion helps nor whether it hurts"


def label_homophily(
    rows: npt.NDArray[Any],
    columns: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    classes: npt.NDArray[np.int64],
) -> Homophily | None:
    """Measure the homophily of the links between labeled points; None if they are too few.

    Args:
        rows: (E,) where each link starts; every link is there in both directions.
        columns: (E,) where it ends.
        weights: (E,) its weight. Links without one, and of points to themselves, do not count.
        classes: (N,) of the points, -1 where there is no label.

    Examples:
        >>> rows = np.arange(40)  # links 0 - 1, 2 - 3, and so on
        >>> found = label_homophily(rows, rows ^ 1, np.ones(40), rows // 2 % 2)
        >>> found.share, found.by_chance, found.meaning
        (1.0, 0.5, 'diffusion helps')
    """
    both = (rows != columns) & (weights > 0) & (classes[rows] >= 0) & (classes[columns] >= 0)
    n_links = int(both.sum()) // 2
    if n_links < FEWEST_LINKS:
        return None
    start, end, weight = classes[rows[both]], classes[columns[both]], weights[both]
    share = float(weight[start == end].sum() / weight.sum())
    by_class = np.bincount(start, weight)
    chance = float(((by_class / by_class.sum()) ** 2).sum())
    n_cases = min(n_links, len(np.unique(rows[both])))
    return Homophily(share, wilson_interval(share, n_cases), chance, n_links)
