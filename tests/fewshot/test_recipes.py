import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from diffresnet.fewshot import TITLES, Episodes, EpisodeShape, Recipe, classify, make_recipe
from diffresnet.fewshot.methods import DiffResNetMethod, LaplacianShot, PtMap, SoftKMeans, Tim
from diffresnet.fewshot.recipes import (
    ASSUME_BALANCE,
    proportional_network,
    with_balance,
    with_steps,
)
from diffresnet.learning.tasks import Schedule
from tests.fewshot.examples import Floats, arrays_of, means_by_loops, random_episodes
from tests.fewshot.test_prototypes import rectified_by_loops

ONE, FIVE = EpisodeShape(), EpisodeShape(n_shots=5)


def steps_of(recipe: Recipe) -> tuple[str, ...]:
    return (*recipe.transforms, *recipe.ending)


def test_every_title_is_a_recipe() -> None:
    for name in TITLES:
        assert make_recipe(name, ONE).name == name
    assert set(TITLES) > ASSUME_BALANCE
    assert len(set(TITLES.values())) == len(TITLES)


@pytest.mark.parametrize(
    ("name", "transforms"),
    [
        ("nearest-prototype", ()),
        ("simpleshot", ("center", "l2")),
        ("laplacianshot", ("center", "l2", "shift", "rectify")),
        ("convection", ("center", "l2", "shift")),
        ("external", ("center", "l2", "shift")),
        ("diffresnet", ("center", "l2", "shift")),
        ("diffresnet-proportions", ("center", "l2")),
        ("epnet", ()),
        ("pt-ncm", ("power", "l2")),
        ("bd-cspn", ("center", "l2", "shift", "rectify")),
        ("soft-kmeans", ("center", "l2")),
        ("kmeans-proportions", ("center", "l2")),
        ("ease", ("power", "l2", "ease", "l2")),
        ("tim", ("l2",)),
        ("alpha-tim", ("l2",)),
        ("pt-map", ("power", "l2", "center-own", "l2")),
        ("pt-map-bpa", ("power", "l2", "center-own", "l2", "bpa", "l2")),
        ("protolp", ("power", "l2", "center-task", "l2")),
        ("ilpc", ("power", "l2", "center-own", "l2")),
        ("bavardage", ("center", "l2")),
        ("unem", ("center", "l2")),
        ("label-spreading", ("center", "l2", "shift")),
    ],
)
def test_transforms_are_those_of_the_literature(name: str, transforms: tuple[str, ...]) -> None:
    assert steps_of(make_recipe(name, ONE)) == transforms
    # The prototypical loss, which only five shots have, needs rectified prototypes.
    more = ("rectify",) if name == "diffresnet" else ()
    assert steps_of(make_recipe(name, FIVE)) == transforms + more


def test_settings_are_those_of_the_literature() -> None:
    def method(name: str, shape: EpisodeShape) -> object:
        return make_recipe(name, shape).method

    assert method("diffresnet", ONE) == DiffResNetMethod(6, 0.5)
    assert make_recipe("diffresnet", FIVE).ending == ("rectify",)
    assert method("diffresnet", FIVE) == DiffResNetMethod(3, 0.5, prototype_weight=0.5)
    assert method("convection", FIVE) == DiffResNetMethod(0)
    assert method("external", ONE) == DiffResNetMethod(0, output_laplacian_weight=0.01)
    assert method("laplacianshot", ONE) == LaplacianShot(0.5, 2, squared=True, max_rounds=20)
    assert method("soft-kmeans", ONE) == SoftKMeans(5.0, 30, 1.0)
    assert method("ease", ONE) == SoftKMeans(10.0, 40, 0.2)
    assert method("pt-map", ONE) == PtMap(10.0, 0.2, 20)
    assert method("tim", FIVE) == Tim(None, 0.1, 0.1, 7.5, 1e-4, 1000)
    assert method("alpha-tim", ONE) == Tim(2.0, 1.0, 1.0, 7.5, 1e-4, 1000)
    assert method("alpha-tim", FIVE) == Tim(7.0, 1.0, 1.0, 7.5, 1e-4, 1000)


def test_unequal_shots_count_by_their_mean() -> None:
    few, many = EpisodeShape(2, (1, 4), 3), EpisodeShape(2, (1, 5), 3)
    assert make_recipe("diffresnet", few).method == make_recipe("diffresnet", ONE).method
    assert make_recipe("diffresnet", many).method == make_recipe("diffresnet", FIVE).method


def test_only_what_is_trained_has_a_solver() -> None:
    trained = {"convection", "external", "diffresnet", "diffresnet-proportions"}
    for name in TITLES:
        method = make_recipe(name, ONE, solver="reordered").method
        assert getattr(method, "solver", None) == ("reordered" if name in trained else None)


def test_balance_is_that_of_the_shape() -> None:
    uneven = EpisodeShape(dirichlet=2.0)
    for name in ("diffresnet-proportions", "kmeans-proportions"):
        even, other = make_recipe(name, ONE).method, make_recipe(name, uneven).method
        assert isinstance(even, DiffResNetMethod | SoftKMeans)
        assert even.balance == math.inf
        assert other == with_balance(make_recipe(name, ONE), -0.5).method
    many = make_recipe("diffresnet-proportions", FIVE).method
    assert many == proportional_network(math.inf, prototype_weight=0.05)
    refinement = proportional_network(3.0).refinement
    assert refinement is not None
    assert refinement.balance == 3.0
    assert with_balance(make_recipe("diffresnet", ONE), 3.0).method == DiffResNetMethod(
        6, balance=3.0
    )


def test_steps() -> None:
    recipe = with_steps(make_recipe("diffresnet", FIVE), 11)
    expected = DiffResNetMethod(11, 0.5, prototype_weight=0.5)
    assert recipe == replace(make_recipe("diffresnet", FIVE), method=expected)


def unit(x: Floats) -> Floats:
    return x / np.sqrt((x**2).sum())


def centered(episodes: Episodes, which: int) -> tuple[Floats, list[int], Floats]:
    """Return a task after center and l2."""
    support, labels, query = arrays_of(episodes, which)
    assert episodes.base_mean is not None
    base = episodes.base_mean.numpy()
    return (
        np.stack([unit(x - base) for x in support]),
        labels,
        np.stack([unit(x - base) for x in query]),
    )


def simpleshot_by_loops(episodes: Episodes, which: int) -> list[int]:
    support, labels, query = centered(episodes, which)
    means = means_by_loops(support, labels)
    return [int(np.argmin([((q - p) ** 2).sum() for p in means])) for q in query]


def bd_cspn_by_loops(episodes: Episodes, which: int) -> list[int]:
    support, labels, query = centered(episodes, which)
    query = query + support.mean(axis=0) - query.mean(axis=0)
    prototypes = rectified_by_loops(support, labels, query)
    return [int(np.argmax([unit(q) @ unit(p) for p in prototypes])) for q in query]


def pt_ncm_by_loops(episodes: Episodes, which: int) -> list[int]:
    support, labels, query = arrays_of(episodes, which)
    support = np.stack([unit(np.sqrt(x + 1e-6)) for x in support])
    query = np.stack([unit(np.sqrt(x + 1e-6)) for x in query])
    means = means_by_loops(support, labels)
    return [int(np.argmin([((q - p) ** 2).sum() for p in means])) for q in query]


@pytest.mark.parametrize(
    ("name", "by_loops"),
    [
        ("simpleshot", simpleshot_by_loops),
        ("bd-cspn", bd_cspn_by_loops),
        ("pt-ncm", pt_ncm_by_loops),
    ],
)
def test_whole_recipes_equal_loops(
    name: str, by_loops: Callable[[Episodes, int], list[int]]
) -> None:
    episodes = random_episodes(5, (2, 1, 3), 30, noise=2.0)
    positive = replace(episodes, support=episodes.support.abs(), query=episodes.query.abs())
    labels = classify(positive, make_recipe(name, ONE)).argmax(dim=-1)
    for which in range(5):
        assert labels[which].tolist() == by_loops(positive, which)
    assert len(labels.unique()) == 3


def clusters(shots: tuple[int, ...], query_labels: Tensor, n_features: int = 16) -> Episodes:
    """Return two tasks of positive, well separated clusters."""
    n_classes, generator = len(shots), torch.Generator().manual_seed(0)
    labels = torch.arange(n_classes).repeat_interleave(torch.tensor(shots))
    centers = 3 * torch.rand(2, n_classes, n_features, generator=generator)
    points = centers[:, torch.cat([labels, query_labels])]
    points = (points + 0.3 * torch.randn(points.shape, generator=generator)).abs()
    return Episodes(
        points[:, : len(labels)],
        points[:, len(labels) :],
        labels.expand(2, -1),
        n_classes,
        base_mean=torch.full((n_features,), 1.5),
        seeds=torch.tensor([3, 4]),
    )


@pytest.mark.parametrize("n_shots", [1, 5])
@pytest.mark.parametrize("name", TITLES)
def test_easy_tasks_are_solved(name: str, n_shots: int) -> None:
    hidden = torch.arange(5).repeat(8)
    episodes = clusters((n_shots,) * 5, hidden)
    recipe = make_recipe(name, EpisodeShape(5, n_shots, 8))
    right = classify(episodes, recipe).argmax(dim=-1) == hidden
    assert right.double().mean() > 0.95


def changed(episodes: Episodes, change: Callable[[Tensor], Tensor]) -> Episodes:
    return replace(episodes, support=change(episodes.support), query=change(episodes.query))


FIVE_LABELS = torch.arange(5).repeat(4)
HARD: dict[str, Callable[[int], Episodes]] = {
    "duplicates": lambda shots: with_twins(clusters((shots,) * 5, FIVE_LABELS)),
    "all the same": lambda shots: changed(
        clusters((shots,) * 5, FIVE_LABELS), lambda x: (0 * x) + torch.arange(16.0)
    ),
    "all 0": lambda shots: changed(clusters((shots,) * 5, FIVE_LABELS), torch.zeros_like),
    "at the base mean": lambda shots: changed(
        clusters((shots,) * 5, FIVE_LABELS), lambda x: torch.full_like(x, 1.5)
    ),
    "one class gets all queries": lambda shots: clusters((shots,) * 5, 0 * FIVE_LABELS),
    "one class": lambda shots: clusters((shots,), torch.tensor([0] * 6)),
    "one class, one query": lambda shots: clusters((shots,), torch.tensor([0])),
    "one query": lambda shots: clusters((shots,) * 5, torch.tensor([2])),
    "unequal shots": lambda shots: clusters((1, shots, 2, 7, shots), FIVE_LABELS),
    "one feature": lambda shots: clusters((shots,) * 5, FIVE_LABELS, n_features=1),
    "large": lambda shots: changed(clusters((shots,) * 5, FIVE_LABELS), lambda x: 1e4 * x),
    "small": lambda shots: changed(clusters((shots,) * 5, FIVE_LABELS), lambda x: 1e-6 * x),
}


def with_twins(episodes: Episodes) -> Episodes:
    twins = torch.cat([episodes.support, episodes.query, episodes.query], dim=1)
    return replace(episodes, query=twins)


@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize("n_shots", [1, 5])
@pytest.mark.parametrize("name", TITLES)
def test_hard_tasks_have_finite_scores(name: str, n_shots: int, case: str) -> None:
    episodes = HARD[case](n_shots)
    shape = EpisodeShape(episodes.n_classes, n_shots)
    trained = {"convection", "external", "diffresnet", "diffresnet-proportions"}
    for solver in ("kernel", "reordered") if name in trained else ("kernel",):
        recipe = make_recipe(name, shape, solver=solver)
        method = recipe.method
        if isinstance(method, Tim | PtMap):  # what goes wrong does so soon
            recipe = replace(recipe, method=replace(method, n_rounds=method.n_rounds // 10))
        elif isinstance(method, DiffResNetMethod) and solver == "reordered":
            recipe = replace(recipe, method=replace(method, schedule=Schedule(n_epochs=10)))
        scores = classify(episodes, recipe)
        assert scores.shape == (2, episodes.query.shape[1], episodes.n_classes)
        assert scores.isfinite().all(), solver


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: make_recipe("protonet", ONE),
            "make_recipe: `name` must be one of "
            + ", ".join(repr(name) for name in TITLES)
            + ", got 'protonet'. Choose one of these.",
        ),
        (
            lambda: with_steps(make_recipe("convection", ONE), 3),
            "with_steps: `recipe` must be of Diff-ResNet, got 'convection'. "
            "Leave the steps out, or choose 'diffresnet'.",
        ),
        (
            lambda: with_balance(make_recipe("tim", ONE), 0.0),
            "with_balance: `recipe` must be of Diff-ResNet, soft k-means or PT-MAP, got 'tim'. "
            "Leave the balance out, or choose 'diffresnet-proportions'.",
        ),
        (
            lambda: with_balance(make_recipe("pt-map", ONE), -2.0),
            "PtMap: `balance` must be a number of at least -1, or infinity, got -2. "
            "Pass 0 for a `balance` of none.",
        ),
        (
            lambda: with_steps(make_recipe("diffresnet", ONE), -3),
            "DiffResNetMethod: `n_steps` must be at least 0, got -3. Raise `n_steps`.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message
