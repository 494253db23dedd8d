"""Random episodes, and what every method has to respect."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from diffresnet.fewshot import Episodes, FeatureBank, Method

Floats = NDArray[np.float64]


def random_episodes(
    n_tasks: int = 3,
    shots: Sequence[int] = (2, 1, 3),
    n_query: int = 10,
    n_features: int = 7,
    *,
    seed: int = 0,
    noise: float = 0.7,
    dtype: torch.dtype = torch.float64,
) -> Episodes:
    """Return tasks of overlapping clusters, the queries in any order."""
    generator = torch.Generator().manual_seed(seed)
    n_classes = len(shots)
    labels = torch.arange(n_classes).repeat_interleave(torch.tensor(shots))
    hidden = torch.randint(n_classes, (n_query,), generator=generator)
    centers = torch.randn(n_tasks, n_classes, n_features, generator=generator)
    points = centers[:, torch.cat([labels, hidden])].to(dtype)
    spread = torch.randn(points.shape, generator=generator, dtype=torch.float64)
    points = points + noise * spread.to(dtype)
    n_support = len(labels)
    return Episodes(
        points[:, :n_support],
        points[:, n_support:],
        labels.expand(n_tasks, -1).clone(),
        n_classes,
        base_mean=torch.linspace(-1, 1, n_features, dtype=dtype),
        seeds=torch.arange(n_tasks) + 100,
    )


def digits_episode(digits: dict[str, NDArray[Any]], task: int, shots: int) -> Episodes:
    """Return a task of the authors' code, with its features as they were."""

    def tensor(name: str) -> Tensor:
        return torch.from_numpy(digits[f"t{task}_{shots}shot_{name}"]).unsqueeze(0)

    labels = torch.arange(5).repeat_interleave(shots).unsqueeze(0)
    base_mean = torch.from_numpy(digits["base_mean"])
    return Episodes(tensor("support_raw"), tensor("query_raw"), labels, 5, base_mean)


def random_bank(
    sizes: Sequence[int] = (30, 25, 28, 26, 40, 27), n_features: int = 6, *, seed: int = 0
) -> FeatureBank:
    """Return a bank of clusters of these sizes, in any order."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.arange(len(sizes)).repeat_interleave(torch.tensor(sizes))
    labels = labels[torch.randperm(len(labels), generator=generator)]
    centers = torch.randn(len(sizes), n_features, generator=generator)
    features = centers[labels] + torch.randn(len(labels), n_features, generator=generator)
    return FeatureBank(features, labels, tuple(f"class {number}" for number in range(len(sizes))))


def one_of(episodes: Episodes, which: int) -> Episodes:
    """Return one of the tasks, as a batch of one."""
    some = slice(which, which + 1)
    return replace(
        episodes,
        support=episodes.support[some],
        query=episodes.query[some],
        labels=episodes.labels[some],
        seeds=None if episodes.seeds is None else episodes.seeds[some],
        rectified=None if episodes.rectified is None else episodes.rectified[some],
    )


def arrays_of(episodes: Episodes, which: int) -> tuple[Floats, list[int], Floats]:
    """Return support, its labels and query of one task."""
    labels: list[int] = episodes.labels[which].tolist()
    return episodes.support[which].numpy(), labels, episodes.query[which].numpy()


def means_by_loops(support: Floats, labels: list[int]) -> list[Floats]:
    """Return the mean of the support of each class."""
    return [
        np.mean([x for x, label in zip(support, labels, strict=True) if label == c], axis=0)
        for c in range(max(labels) + 1)
    ]


def softmax(scores: Sequence[float] | Floats) -> Floats:
    """Return exp(s_k) / sum exp(s_k)."""
    powers = np.exp(np.asarray(scores) - np.max(scores))
    return powers / powers.sum()


def assert_equals_loops(
    method: Method,
    by_loops: Callable[[Floats, list[int], Floats], Floats],
    episodes: Episodes,
    *,
    tolerance: float = 1e-9,
) -> None:
    """Compare the scores of every task with a slow implementation, up to what classes share."""
    scores = method(episodes)
    for which, found in enumerate(scores):
        expected = by_loops(*arrays_of(episodes, which))
        ours, theirs = found.numpy(), np.asarray(expected)
        assert ours.shape == theirs.shape
        ours = ours - ours.mean(axis=1, keepdims=True)
        theirs = theirs - theirs.mean(axis=1, keepdims=True)
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def assert_contract(
    method: Method, *, tolerance: float = 1e-8, classes_are_alike: bool = True
) -> None:
    """Check what holds for every method.

    A task does not depend on the others of its batch; the order of queries and support does not
    matter, nor, unless parameters of the classes are drawn, how classes are numbered; nothing that
    is passed in is changed.
    """
    episodes = random_episodes(4, seed=5)
    before = [episodes.support.clone(), episodes.query.clone(), episodes.labels.clone()]
    scores = method(episodes)
    assert scores.shape == (4, 10, 3)
    assert scores.isfinite().all()
    assert (scores[0] - scores[1]).abs().max() > 1e-3  # tasks differ
    for kept, now in zip(before, (episodes.support, episodes.query, episodes.labels), strict=True):
        assert torch.equal(kept, now)

    def assert_same(found: Tensor, expected: Tensor) -> None:
        torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance)

    for which in range(4):
        assert_same(method(one_of(episodes, which))[0], scores[which])
    order = torch.randperm(10, generator=torch.Generator().manual_seed(3))
    assert_same(method(replace(episodes, query=episodes.query[:, order])), scores[:, order])
    if classes_are_alike:
        renamed = torch.tensor([2, 0, 1])
        found = method(replace(episodes, labels=renamed[episodes.labels]))
        assert_same(found[..., renamed], scores)
    order = torch.randperm(6, generator=torch.Generator().manual_seed(4))
    shuffled = replace(
        episodes, support=episodes.support[:, order], labels=episodes.labels[:, order]
    )
    assert_same(method(shuffled), scores)
