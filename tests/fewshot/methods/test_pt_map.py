from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import torch

from diffresnet.fewshot import TRANSFORMS, Episodes, apply_transforms
from diffresnet.fewshot.methods import PtMap, SoftKMeans
from diffresnet.learning import proportions
from tests.fewshot.examples import (
    Floats,
    assert_contract,
    assert_equals_loops,
    means_by_loops,
    one_of,
    random_episodes,
)


def unit_episodes(
    n_tasks: int = 3, shots: tuple[int, ...] = (2, 1, 3), n_query: int = 12, *, noise: float = 0.7
) -> Episodes:
    episodes = random_episodes(n_tasks, shots, n_query, noise=noise)
    return apply_transforms(episodes, [TRANSFORMS["center-own"], TRANSFORMS["l2"]])


def by_loops(method: PtMap, support: Floats, labels: list[int], query: Floats) -> Floats:
    """Scale rows and columns of exp(-10 d^2) in turns, as is."""
    prototypes = means_by_loops(support, labels)
    n_query, n_classes = len(query), len(prototypes)

    def transport() -> Floats:
        squared = np.array([[((q - p) ** 2).sum() for p in prototypes] for q in query])
        plan = np.exp(-method.sharpness * squared)
        plan = plan / plan.sum(axis=1, keepdims=True)
        while np.abs(plan.sum(axis=0) - n_query / n_classes).max() > 1e-12:
            plan = plan * (n_query / n_classes) / plan.sum(axis=0)
            plan = plan / plan.sum(axis=1, keepdims=True)
        return plan

    for _ in range(method.n_rounds):
        plan = transport()
        for c, old in enumerate(list(prototypes)):
            own = [x for x, label in zip(support, labels, strict=True) if label == c]
            total = sum(own) + sum(r[c] * q for r, q in zip(plan, query, strict=True))
            new = total / (len(own) + plan[:, c].sum())
            prototypes[c] = old + method.rate * (new - old)
    return np.log(transport())


@pytest.mark.parametrize("method", [PtMap(n_rounds=4), PtMap(3.0, 0.5, 20), PtMap(n_rounds=0)])
@pytest.mark.parametrize("shots", [(2, 1, 3), (1,)])
def test_equals_loops(
    method: PtMap, shots: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proportions, "TRANSPORT_TOLERANCE", 1e-12)
    monkeypatch.setattr(proportions, "TRANSPORT_ROUNDS", 10_000)
    episodes = unit_episodes(2, shots, noise=2.0)
    assert_equals_loops(method, partial(by_loops, method), episodes, tolerance=1e-7)


@pytest.mark.parametrize("n_query", [1, 7, 12, 75])
def test_every_query_once_and_every_class_alike(n_query: int) -> None:
    episodes = unit_episodes(4, (1, 1, 1, 1, 1), n_query)
    assigned = PtMap()(episodes).exp()
    torch.testing.assert_close(
        assigned.sum(dim=-1), torch.ones(4, n_query, dtype=torch.float64), rtol=0, atol=1e-12
    )
    share = torch.full((4, 5), n_query / 5, dtype=torch.float64)
    torch.testing.assert_close(assigned.sum(dim=1), share, rtol=2e-4, atol=0)


def test_contract() -> None:
    assert_contract(PtMap(0.5, 0.3, 5))  # where memberships are sure, factors are arbitrary


def test_relaxed_it_is_soft_k_means() -> None:
    episodes = unit_episodes()
    expected = SoftKMeans(10.0, 20, 0.2)(episodes).log_softmax(dim=-1)
    torch.testing.assert_close(PtMap(balance=0.0)(episodes), expected)


def test_a_task_stops_when_it_is_balanced_itself() -> None:
    # Others of the batch, which take longer, must not change it.
    easy, hard = unit_episodes(1, noise=0.1), unit_episodes(1, noise=2.0)
    both = Episodes(
        torch.cat([easy.support, hard.support]),
        torch.cat([easy.query, hard.query]),
        torch.cat([easy.labels, hard.labels]),
        3,
    )
    scores = PtMap()(both)
    for which in (0, 1):
        alone = PtMap()(one_of(both, which))[0]
        torch.testing.assert_close(alone, scores[which], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_far_points_do_not_underflow(dtype: torch.dtype) -> None:
    episodes = random_episodes(dtype=dtype, noise=20.0)  # exp(-10 d^2) is 0
    scores = PtMap(n_rounds=2)(episodes)
    assert scores.isfinite().all()
    torch.testing.assert_close(scores.exp().sum(dim=-1), torch.ones(3, 10, dtype=dtype))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: PtMap(0.0),
            "PtMap: `sharpness` must be a finite positive number, got 0. "
            "Pass a positive `sharpness`.",
        ),
        (
            lambda: PtMap(rate=-1.0),
            "PtMap: `rate` must be a finite positive number, got -1. Pass a positive `rate`.",
        ),
        (
            lambda: PtMap(balance=-2.0),
            "PtMap: `balance` must be a number of at least -1, or infinity, got -2. "
            "Pass 0 for a `balance` of none.",
        ),
        (
            lambda: PtMap(n_rounds=-1),
            "PtMap: `n_rounds` must be at least 0, got -1. Raise `n_rounds`.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message
