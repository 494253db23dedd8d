from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from diffresnet.fewshot import Episodes, rectified_prototypes, support_means
from diffresnet.fewshot.prototypes import prototypes_of
from diffresnet.learning.prototypes import (
    affinities,
    mixture_affinities,
    mixtures_of,
    squared_distances,
)
from tests.fewshot.examples import (
    Floats,
    arrays_of,
    digits_episode,
    means_by_loops,
    random_episodes,
    softmax,
)


def rectified_by_loops(support: Floats, labels: list[int], query: Floats) -> Floats:
    means = means_by_loops(support, labels)
    members: list[list[Floats]] = [[] for _ in means]
    for x in np.concatenate([support, query]):
        cosines = [x @ p / (np.linalg.norm(x) * np.linalg.norm(p)) for p in means]
        probabilities = softmax([10 * float(cosine) for cosine in cosines])
        best = int(np.argmax(probabilities))
        members[best].append(probabilities[best] * x)
    return np.stack(
        [np.mean(some, axis=0) if some else p for some, p in zip(members, means, strict=True)]
    )


@pytest.mark.parametrize("shots", [1, 5])
@pytest.mark.parametrize("task", [0, 1, 2])
def test_equals_the_program_on_digits(
    task: int, shots: int, reference_numbers: Callable[[str], dict[str, NDArray[Any]]]
) -> None:
    digits = reference_numbers("fewshot_digits.npz")
    points = torch.from_numpy(digits[f"t{task}_{shots}shot_points"]).unsqueeze(0)
    episodes = digits_episode(digits, task, shots)
    n_support = 5 * shots
    episodes = replace(episodes, support=points[:, :n_support], query=points[:, n_support:])
    expected = digits[f"t{task}_{shots}shot_rectified_prototypes"]
    np.testing.assert_allclose(rectified_prototypes(episodes)[0], expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("shots", [(1,), (2, 1, 3), (1, 1)])
def test_means_and_rectified_prototypes_equal_loops(shots: tuple[int, ...]) -> None:
    episodes = random_episodes(3, shots)
    means, rectified = support_means(episodes), rectified_prototypes(episodes)
    for which in range(3):
        support, labels, query = arrays_of(episodes, which)
        np.testing.assert_allclose(means[which], means_by_loops(support, labels))
        expected = rectified_by_loops(support, labels, query)
        np.testing.assert_allclose(rectified[which], expected)


def test_labels_may_come_in_any_order() -> None:
    support = torch.tensor([[[1.0], [10.0], [2.0], [20.0]]])
    episodes = Episodes(support, support, torch.tensor([[1, 0, 1, 0]]), 2)
    assert episodes.members.tolist() == [[[0, 1, 0, 1], [1, 0, 1, 0]]]
    assert support_means(episodes).tolist() == [[[15.0], [1.5]]]


def test_a_class_without_points_keeps_its_mean() -> None:
    # The mean of the second class, (0, 1), is far from both of its points.
    support = torch.tensor([[[1.0, 0.1], [-1.0, 0.1], [5.0, 1.0], [-5.0, 1.0]]])
    episodes = Episodes(support, support[:, :1], torch.tensor([[0, 1, 2, 2]]), 3)
    rectified = rectified_prototypes(episodes)
    assert rectified[0, 2].tolist() == [0.0, 1.0]
    assert rectified.isfinite().all()


def test_rectified_prototypes_take_the_place_of_means() -> None:
    episodes = random_episodes()
    assert torch.equal(prototypes_of(episodes), support_means(episodes))
    rectified = torch.zeros(3, 3, 7)
    assert prototypes_of(replace(episodes, rectified=rectified)) is rectified


def test_a_larger_scale_gives_harder_shares() -> None:
    episodes = random_episodes()
    hard = rectified_prototypes(episodes, scale=1e6)
    for which in range(3):
        support, labels, query = arrays_of(episodes, which)
        means = means_by_loops(support, labels)
        points = np.concatenate([support, query])
        best = [
            int(np.argmax([x @ p / np.linalg.norm(p) / np.linalg.norm(x) for p in means]))
            for x in points
        ]
        np.testing.assert_allclose(hard[which], means_by_loops(points, best), atol=1e-6)


def test_distances_and_affinities_equal_loops() -> None:
    episodes = random_episodes()
    prototypes = support_means(episodes)
    squared = squared_distances(episodes.query, prototypes)
    near = affinities(episodes.query, prototypes)
    for which in range(3):
        for c, p in enumerate(prototypes[which]):
            for i, x in enumerate(episodes.query[which]):
                expected = sum(float(a - b) ** 2 for a, b in zip(x, p, strict=True))
                assert float(squared[which, c, i]) == pytest.approx(expected)
                own = sum(float(a) ** 2 for a in x)
                assert float(near[which, c, i]) == pytest.approx(own - expected)


def test_distances_are_never_negative() -> None:
    points = 100 * torch.randn(1, 50, 3, generator=torch.Generator().manual_seed(0))
    squared = squared_distances(points, points)
    assert (squared >= 0).all()
    assert squared.sqrt().isfinite().all()


def test_mixtures_are_means_and_their_affinities_those_of_prototypes() -> None:
    episodes = random_episodes()
    members, points = episodes.members, episodes.points
    shares = torch.rand(3, 3, 10, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    mixtures = mixtures_of(members, shares)
    prototypes = torch.empty(3, 3, 7, dtype=torch.float64)
    for which in range(3):
        for c in range(3):
            own = episodes.support[which][episodes.labels[which] == c]
            total = own.sum(dim=0) + sum(
                share * q for share, q in zip(shares[which, c], episodes.query[which], strict=True)
            )
            prototypes[which, c] = total / (len(own) + shares[which, c].sum())
    torch.testing.assert_close(mixtures @ points, prototypes)
    found = mixture_affinities(mixtures, points @ points.mT)
    torch.testing.assert_close(found, affinities(points, prototypes))
