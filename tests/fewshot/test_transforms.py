from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from diffresnet.fewshot import (
    TRANSFORMS,
    BalancedAffinities,
    Center,
    EaseProjection,
    Episodes,
    Power,
    QueryShift,
    Rectify,
    UnitNorm,
    apply_transforms,
    rectified_prototypes,
)
from diffresnet.fewshot.transforms import parse_transforms
from tests.fewshot.examples import Floats, arrays_of, digits_episode, one_of, random_episodes

PAPER = ("center", "l2", "shift")


def apply(episodes: Episodes, *names: str) -> Episodes:
    return apply_transforms(episodes, [TRANSFORMS[name] for name in names])


def assert_points(episodes: Episodes, which: int, support: Any, query: Any) -> None:
    np.testing.assert_allclose(episodes.support[which].numpy(), np.array(support), atol=1e-12)
    np.testing.assert_allclose(episodes.query[which].numpy(), np.array(query), atol=1e-12)


@pytest.mark.parametrize("shots", [1, 5])
@pytest.mark.parametrize("task", [0, 1, 2])
def test_equals_the_program_on_digits(
    task: int, shots: int, reference_numbers: Callable[[str], dict[str, NDArray[Any]]]
) -> None:
    digits = reference_numbers("fewshot_digits.npz")
    found = apply(digits_episode(digits, task, shots), *PAPER, "rectify")
    expected = digits[f"t{task}_{shots}shot_points"]
    np.testing.assert_allclose(found.points[0].numpy(), expected, rtol=0, atol=1e-6)
    expected = digits[f"t{task}_{shots}shot_rectified_prototypes"]
    assert found.rectified is not None
    np.testing.assert_allclose(found.rectified[0].numpy(), expected, rtol=0, atol=1e-5)


def test_center() -> None:
    episodes = random_episodes()
    base = np.linspace(-1, 1, 7)
    for which in range(3):
        support, _, query = arrays_of(episodes, which)
        assert_points(
            Center()(episodes), which, [x - base for x in support], [x - base for x in query]
        )
        mean = sum([*support, *query]) / 16
        assert_points(
            Center("task")(episodes), which, [x - mean for x in support], [x - mean for x in query]
        )
        own = [x - sum(support) / 6 for x in support], [x - sum(query) / 10 for x in query]
        assert_points(Center("own")(episodes), which, *own)


def test_unit_norm() -> None:
    episodes = random_episodes()
    episodes.support[1, 2] = 0
    for which in range(3):
        support, _, query = arrays_of(episodes, which)

        def unit(x: Floats) -> Floats:
            length = np.sqrt(sum(value**2 for value in x))
            return x / length if length > 0 else x

        found = UnitNorm()(episodes)
        assert_points(found, which, [unit(x) for x in support], [unit(x) for x in query])


@pytest.mark.parametrize("exponent", [0.5, 0.25, 1.0])
def test_power(exponent: float) -> None:
    episodes = random_episodes()
    episodes.support[1, 2] = 0
    episodes.support[1, 3] = -0.0  # not negative
    for which in range(3):
        support, _, query = arrays_of(episodes, which)

        def raised(x: Floats) -> list[float]:
            return [(-1 if v < 0 else 1) * (abs(v) + 1e-6) ** exponent for v in x]

        found = Power(exponent)(episodes)
        assert_points(found, which, [raised(x) for x in support], [raised(x) for x in query])
    assert torch.equal(TRANSFORMS["power"](episodes).query, Power(0.5)(episodes).query)


def test_query_shift() -> None:
    episodes = random_episodes()
    shifted = QueryShift()(episodes)
    for which in range(3):
        support, _, query = arrays_of(episodes, which)
        shift = sum(support) / 6 - sum(query) / 10
        assert_points(shifted, which, support, [x + shift for x in query])
    again = QueryShift()(shifted)
    torch.testing.assert_close(again.query, shifted.query)


def test_rectify_changes_prototypes_only() -> None:
    episodes = random_episodes()
    found = Rectify()(episodes)
    assert found.rectified is not None
    assert torch.equal(found.rectified, rectified_prototypes(episodes))
    assert torch.equal(found.points, episodes.points)
    sharper = Rectify(100.0)(episodes).rectified
    assert sharper is not None
    assert torch.equal(sharper, rectified_prototypes(episodes, 100.0))
    assert not torch.equal(sharper, found.rectified)


def ease_by_eigenvectors(
    points: Floats, n_subspaces: int, n_features: int, repulsion: float
) -> Floats:
    """Return the points on the leading eigenvectors of the d x d matrix."""
    n_points = len(points)
    left = np.linalg.svd(points)[0][:, :n_subspaces]

    def normalized(weights: Floats) -> Floats:
        weights = weights.copy()
        np.fill_diagonal(weights, 0)
        sums = weights.sum(axis=1) + 1e-4
        return weights / np.sqrt(np.outer(sums, sums))

    near, far = normalized(np.abs(left @ left.T)), normalized(np.ones((n_points, n_points)))
    scatter = points.T @ (repulsion * far - near) @ points
    values, vectors = np.linalg.eigh((scatter + scatter.T) / 2)
    chosen = np.argsort(values)[:n_features]
    return points @ vectors[:, chosen]


@pytest.mark.parametrize(
    ("n_query", "n_dimensions", "n_features"),
    [
        (60, 90, 40),  # as in the literature: more features than points, more points than 40
        (60, 90, 5),
        (60, 50, 40),  # fewer features than points
        (60, 8, 40),  # fewer features than are asked for: all of them, turned
        (10, 90, 40),  # fewer points than are asked for: without the direction of their mean
        (10, 18, 14),
    ],
)
@pytest.mark.parametrize("repulsion", [100.0, 1.0])
def test_ease_equals_eigenvectors_of_all_features(
    n_query: int, n_dimensions: int, n_features: int, repulsion: float
) -> None:
    # Eigenvectors are known up to their sign: inner products are compared.
    episodes = random_episodes(2, (2, 1, 3), n_query, n_dimensions)
    episodes = UnitNorm()(Power()(replace(episodes, support=episodes.support.abs())))
    found = EaseProjection(None, n_features, repulsion)(episodes)
    assert found.support.shape[1] == 6
    for which, points in enumerate(found.points.numpy()):
        expected = ease_by_eigenvectors(episodes.points[which].numpy(), 3, n_features, repulsion)
        np.testing.assert_allclose(points @ points.T, expected @ expected.T, atol=1e-8)
    four = EaseProjection(4, n_features, repulsion)(episodes).points[1].numpy()
    expected = ease_by_eigenvectors(episodes.points[1].numpy(), 4, n_features, repulsion)
    np.testing.assert_allclose(four @ four.T, expected @ expected.T, atol=1e-8)


def affinities_by_loops(points: Floats, regularization: float, n_rounds: int) -> Floats:
    """Scale rows and columns of exp(cos / regularization), without the diagonal, in turns."""
    unit = [x / np.sqrt((x**2).sum()) for x in points]
    found = np.array([[np.exp(x @ y / regularization) for y in unit] for x in unit])
    np.fill_diagonal(found, 0)
    for _ in range(n_rounds):
        for i in range(len(found)):
            found[i] /= found[i].sum()
        for j in range(len(found)):
            found[:, j] /= found[:, j].sum()
    found /= found.max()
    np.fill_diagonal(found, 1)
    return found


@pytest.mark.parametrize(("regularization", "n_rounds"), [(0.2, 10), (0.5, 1)])
def test_balanced_affinities_equal_loops(regularization: float, n_rounds: int) -> None:
    episodes = random_episodes()
    found = BalancedAffinities(regularization, n_rounds)(episodes)
    assert (found.n_support, found.base_mean) == (6, None)
    for which in range(3):
        points = episodes.points[which].numpy()
        expected = affinities_by_loops(points, regularization, n_rounds)
        np.testing.assert_allclose(found.points[which].numpy(), expected, atol=1e-10)


def test_balanced_affinities_are_doubly_stochastic() -> None:
    found = BalancedAffinities(0.5, 200)(random_episodes()).points
    others = found - torch.eye(16, dtype=torch.float64)
    sums = others.sum(dim=-1)
    torch.testing.assert_close(sums, sums.mean(dim=1, keepdim=True).expand_as(sums))


def test_balanced_affinities_of_a_single_point_are_finite() -> None:
    for n_points in (1, 2, 3):
        points = torch.ones(1, n_points, 4)
        one = Episodes(points[:, :1], points[:, 1:], torch.zeros(1, 1, dtype=torch.int64), 1)
        assert BalancedAffinities()(one).points.isfinite().all()


def test_ease_brings_classes_together() -> None:
    episodes = apply(random_episodes(1, (1,) * 5, 75, 60, noise=1.0), "power", "l2")
    projected = apply(episodes, "ease", "l2")
    assert projected.points.shape == (1, 80, 40)
    assert not torch.allclose(
        projected.points @ projected.points.mT, episodes.points @ episodes.points.mT
    )


@pytest.mark.parametrize("name", TRANSFORMS)
def test_tasks_do_not_depend_on_each_other_and_are_not_changed(name: str) -> None:
    episodes = random_episodes(4, (2, 1, 3), 50, 60)
    before = episodes.points.clone()
    together = TRANSFORMS[name](episodes)
    assert torch.equal(episodes.points, before)
    assert torch.equal(together.labels, episodes.labels)
    assert together.seeds is episodes.seeds
    alone = TRANSFORMS[name](one_of(episodes, 2))

    def products(some: Episodes, which: int) -> Tensor:  # EASE leaves signs open
        return some.points[which] @ some.points[which].mT

    torch.testing.assert_close(products(alone, 0), products(together, 2))
    if together.rectified is not None:
        assert alone.rectified is not None
        torch.testing.assert_close(alone.rectified[0], together.rectified[2])


def test_composition_is_from_left_to_right() -> None:
    episodes = random_episodes()
    by_hand = QueryShift()(UnitNorm()(Center("base")(episodes)))
    assert torch.equal(apply(episodes, *PAPER).points, by_hand.points)
    other = apply(episodes, "center", "shift", "l2")
    assert not torch.allclose(other.points, by_hand.points)
    assert apply(episodes) is episodes


def test_names() -> None:
    assert parse_transforms("center,l2, shift") == PAPER
    assert parse_transforms("") == parse_transforms("none") == parse_transforms(" , ") == ()
    for name in TRANSFORMS:
        assert parse_transforms(name) == (name,)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *(
            (
                lambda name=name: apply(random_episodes(), "rectify", name),
                "apply_transforms: `rectify` must be after all transforms of features, "
                "got a transform of features after it. Put 'rectify' last.",
            )
            for name in TRANSFORMS
            if name != "rectify"
        ),
        *(
            (
                lambda name=name: apply(random_episodes(), name, "center"),
                "Center: `base_mean` must be known, that of features as they were, got None. "
                "Put it before other transforms, or use 'center-task'.",
            )
            for name in TRANSFORMS
            if name != "rectify"
        ),
        (
            lambda: apply(replace(random_episodes(), base_mean=None), "center"),
            "Center: `base_mean` must be known, that of features as they were, got None. "
            "Put it before other transforms, or use 'center-task'.",
        ),
        (
            lambda: parse_transforms("l2,centre"),
            "parse_transforms: `names` must be among center, center-task, center-own, l2, power, "
            "shift, ease, bpa, rectify, got 'centre'. "
            "Join names by commas, in the order in which they act.",
        ),
        (
            lambda: Power(0.0),
            "Power: `exponent` must be a finite positive number, got 0. "
            "Pass a positive `exponent`.",
        ),
        (
            lambda: BalancedAffinities(0.0),
            "BalancedAffinities: `regularization` must be a finite positive number, got 0. "
            "Pass a positive `regularization`.",
        ),
        (
            lambda: EaseProjection(n_features=0),
            "EaseProjection: `n_features` must be at least 1, got 0. Raise `n_features`.",
        ),
        (
            lambda: EaseProjection(n_subspaces=0),
            "EaseProjection: `n_subspaces` must be at least 1, got 0. Raise `n_subspaces`.",
        ),
        (
            lambda: EaseProjection(repulsion=-1.0),
            "EaseProjection: `repulsion` must be a finite number of at least 0, got -1. "
            "Pass a non-negative `repulsion`.",
        ),
        (
            lambda: Center("mean"),  # type: ignore[arg-type]
            "Center: `by` must be one of 'base', 'task', 'own', got 'mean'. Choose one of these.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message
