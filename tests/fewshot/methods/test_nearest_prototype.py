from dataclasses import replace

import numpy as np
import pytest
import torch

from diffresnet.fewshot.methods import NearestPrototype
from tests.fewshot.examples import (
    Floats,
    assert_contract,
    assert_equals_loops,
    means_by_loops,
    random_episodes,
)


def by_distance(support: Floats, labels: list[int], query: Floats) -> Floats:
    means = means_by_loops(support, labels)
    return np.array([[-((q - p) ** 2).sum() for p in means] for q in query])


def by_cosine(support: Floats, labels: list[int], query: Floats) -> Floats:
    means = means_by_loops(support, labels)
    return np.array(
        [[q @ p / (np.linalg.norm(q) * np.linalg.norm(p)) for p in means] for q in query]
    )


def test_equals_loops() -> None:
    assert_equals_loops(NearestPrototype(), by_distance, random_episodes())
    assert_equals_loops(NearestPrototype("cosine"), by_cosine, random_episodes())


def test_contract() -> None:
    assert_contract(NearestPrototype())
    assert_contract(NearestPrototype("cosine"))


def test_cosine_does_not_depend_on_lengths() -> None:
    episodes = random_episodes()
    longer = replace(episodes, query=7 * episodes.query, support=0.1 * episodes.support)
    method = NearestPrototype("cosine")
    torch.testing.assert_close(method(longer), method(episodes))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_rectified_prototypes_are_used(metric: str) -> None:
    episodes = random_episodes()
    rectified = torch.stack([episodes.query[:, 4], episodes.query[:, 0], episodes.query[:, 7]], 1)
    scores = NearestPrototype(metric)(replace(episodes, rectified=rectified))  # type: ignore[arg-type]
    assert scores.argmax(dim=-1)[:, [4, 0, 7]].tolist() == [[0, 1, 2]] * 3


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="must be") as error:
        NearestPrototype("manhattan")  # type: ignore[arg-type]
    assert str(error.value) == (
        "NearestPrototype: `metric` must be one of 'euclidean', 'cosine', got 'manhattan'. "
        "Choose one of these."
    )
