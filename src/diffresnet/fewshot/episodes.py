"""Episodes: n-way k-shot tasks, drawn as indices, then filled with features."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from diffresnet._support.checks import check_count, fail
from diffresnet._support.settings import Count, Positive, check_settings
from diffresnet.fewshot.bank import FeatureBank
from diffresnet.learning.prototypes import members_of

MOST_WAYS = 1_000_000
"""Classes of a task."""


@dataclass(frozen=True)
class EpisodeShape:
    """What a task looks like.

    Attributes:
        n_ways: classes of a task.
        n_shots: labeled examples of every class, or one number a class.
        n_queries: examples to classify, for every class on average.
        dirichlet: None for as many queries of every class; a number a for n_ways n_queries queries
            in all, in proportions drawn from the Dirichlet(a, ..., a) distribution: the smaller,
            the less balanced; 2 in the literature.

    Examples:
        >>> EpisodeShape(n_ways=5, n_shots=1, n_queries=15).n_points
        80
    """

    n_ways: Count = 5
    n_shots: int | tuple[int, ...] = 1
    n_queries: Count = 15
    dirichlet: Positive | None = None

    def __post_init__(self) -> None:
        check_settings(self)
        if self.n_ways > MOST_WAYS:  # before there is a number for each
            fail("EpisodeShape", "n_ways", f"at most {MOST_WAYS:,}", self.n_ways, "Lower `n_ways`.")
        for shot in self.shots:
            check_count("EpisodeShape", "n_shots", shot, low=1)
        if len(self.shots) != self.n_ways:
            must, got = f"one number, or one for each of {self.n_ways} classes", len(self.shots)
            fail("EpisodeShape", "n_shots", must, f"{got} numbers", "Match `n_ways`.")

    @property
    def shots(self) -> tuple[int, ...]:
        """The labeled examples of each class."""
        return self.n_shots if isinstance(self.n_shots, tuple) else (self.n_shots,) * self.n_ways

    @property
    def n_support(self) -> int:
        """Labeled examples in all."""
        return sum(self.shots)

    @property
    def n_query(self) -> int:
        """Examples to classify, in all."""
        return self.n_ways * self.n_queries

    @property
    def n_points(self) -> int:
        """Points of a task."""
        return self.n_support + self.n_query


class EpisodeIndices(NamedTuple):
    """T tasks as rows of a bank.

    Attributes:
        support: (T, n_support) rows of labeled examples, class by class.
        query: (T, n_query) rows of examples to classify; none of them is in `support`.
        support_labels: (T, n_support) between 0 and n_ways.
        query_labels: (T, n_query).
        classes: (T, n_ways) which class of the bank each of these is.
        seeds: (T,) one a task, for what a method draws.
    """

    support: Tensor
    query: Tensor
    support_labels: Tensor
    query_labels: Tensor
    classes: Tensor
    seeds: Tensor


class EpisodeSampler:
    """Draws tasks from a split of a bank; task i is the same whatever else is drawn.

    Args:
        bank: to draw from.
        shape: of the tasks.
        split: of the bank; None for all of it.
        seed: tasks with another seed are other tasks.

    Raises:
        ValueError: if there are fewer classes than `n_ways`, or a class has too few examples (the
            message names it and its count).

    Examples:
        >>> bank = FeatureBank(torch.randn(40, 3), torch.arange(40) % 4, ("a", "b", "c", "d"))
        >>> sampler = EpisodeSampler(bank, EpisodeShape(n_ways=2, n_shots=1, n_queries=3), seed=1)
        >>> indices = sampler.draw(range(100))
        >>> indices.query.shape
        torch.Size([100, 6])
        >>> torch.equal(sampler.draw([7]).query[0], indices.query[7])
        True
    """

    def __init__(
        self, bank: FeatureBank, shape: EpisodeShape, *, split: str | None = None, seed: int = 1
    ) -> None:
        self.bank, self.shape, self.split = bank, shape, split
        self.seed = check_count("EpisodeSampler", "seed", seed, low=0)
        rows = {name: some.numpy() for name, some in bank.rows_by_class(split).items()}
        self.classes = np.array(list(rows))
        self.rows = list(rows.values())
        self._check()

    def _check(self) -> None:
        shape = self.shape
        where = "the bank" if self.split is None else f"the split '{self.split}'"
        n_classes, of = len(self.rows), f"the number of classes in {where}"
        check_count("EpisodeSampler", "n_ways", shape.n_ways, low=1, high=n_classes, of=of)
        n_queries = shape.n_queries if shape.dirichlet is None else 0
        needed = max(shape.shots) + n_queries
        for label, rows in zip(self.classes, self.rows, strict=True):
            if len(rows) < needed:
                name = self.bank.class_names[label]
                must = f"at most what each class has ({max(shape.shots)} + {n_queries} examples)"
                got = f"class '{name}' with {len(rows)} examples in {where}"
                fail("EpisodeSampler", "n_shots", must, got, "Lower `n_shots` or `n_queries`.")
        if shape.dirichlet is not None:
            room = sorted(len(rows) - max(shape.shots) for rows in self.rows)[: shape.n_ways]
            if sum(room) < shape.n_query:
                must = f"at most what {shape.n_ways} classes have left ({sum(room)} examples)"
                remedy = "Lower `n_queries`."
                fail("EpisodeSampler", "n_queries", must, f"{shape.n_query} in all", remedy)

    def draw(self, tasks: Sequence[int]) -> EpisodeIndices:
        """Return the tasks of these numbers."""
        drawn = [self._draw_one(task) for task in tasks]
        parts = (torch.from_numpy(np.stack(arrays)) for arrays in zip(*drawn, strict=True))
        return EpisodeIndices(*parts)

    def _draw_one(self, task: int) -> tuple[NDArray[np.int64], ...]:
        shape = self.shape
        generator = np.random.default_rng([self.seed, task])
        chosen = generator.permutation(len(self.rows))[: shape.n_ways]
        room = [
            len(self.rows[which]) - shot for which, shot in zip(chosen, shape.shots, strict=True)
        ]
        counts = self._query_counts(generator, room)
        support: list[NDArray[np.int64]] = []
        query: list[NDArray[np.int64]] = []
        for which, n_shots, n_queries in zip(chosen, shape.shots, counts, strict=True):
            rows = self.rows[which]
            order = generator.permutation(len(rows))
            support.append(rows[order[:n_shots]])
            query.append(rows[order[n_shots : n_shots + n_queries]])
        ways = np.arange(shape.n_ways)
        return (
            np.concatenate(support),
            np.concatenate(query),
            np.repeat(ways, shape.shots),
            np.repeat(ways, counts),
            self.classes[chosen],
            generator.integers(2**62, size=()),
        )

    def _query_counts(self, generator: np.random.Generator, room: list[int]) -> list[int]:
        """Return how many queries each class gets: none gets more than it has room for."""
        shape = self.shape
        if shape.dirichlet is None:
            return [shape.n_queries] * shape.n_ways
        wanted = generator.dirichlet([shape.dirichlet] * shape.n_ways) * shape.n_query
        counts = [min(int(number), most) for number, most in zip(wanted, room, strict=True)]
        # What is left goes one by one to the class that is farthest below its proportion.
        while sum(counts) < shape.n_query:
            open_classes = [which for which in range(shape.n_ways) if counts[which] < room[which]]
            counts[max(open_classes, key=lambda which: wanted[which] - counts[which])] += 1
        return counts


@dataclass(frozen=True)
class Episodes:
    """T tasks with their features: what transforms and methods work on.

    Attributes:
        support: (T, n_support, d).
        query: (T, n_query, d).
        labels: (T, n_support) classes of the support, between 0 and n_classes; each occurs.
        n_classes: of a task.
        base_mean: (d,) the mean feature over base classes, if there is one.
        seeds: (T,) one a task, for what a method draws.
        rectified: (T, n_classes, d) prototypes that take the place of the class means; see
            `Rectify`.
    """

    support: Tensor
    query: Tensor
    labels: Tensor
    n_classes: int
    base_mean: Tensor | None = None
    seeds: Tensor | None = None
    rectified: Tensor | None = None

    @classmethod
    def fill(cls, indices: EpisodeIndices, features: Tensor, base_mean: Tensor) -> "Episodes":
        """Look up the features of drawn tasks."""
        return cls(
            features[indices.support],
            features[indices.query],
            indices.support_labels,
            indices.classes.shape[1],
            base_mean,
            indices.seeds,
        )

    def to(self, device: torch.device | str) -> "Episodes":
        """Return the episodes on another device, but for their seeds, which are read one by one."""
        tensors = {name: held for name, held in vars(self).items() if isinstance(held, Tensor)}
        moved = {name: tensor.to(device) for name, tensor in tensors.items() if name != "seeds"}
        return replace(self, **moved)

    @property
    def n_support(self) -> int:
        """Labeled points of a task."""
        return self.support.shape[1]

    @property
    def points(self) -> Tensor:
        """All points of each task, the support first."""
        return torch.cat([self.support, self.query], dim=1)

    @property
    def members(self) -> Tensor:
        """Who of the support is in which class, (T, n_classes, n_support), 1 or 0."""
        return members_of(self.labels, self.n_classes, self.support.dtype)
