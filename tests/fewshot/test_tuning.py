import math
from collections import Counter
from dataclasses import replace

import pytest

from diffresnet.fewshot import (
    EpisodeShape,
    FeatureBank,
    Recipe,
    evaluate,
    make_recipe,
    paired_difference,
)
from diffresnet.fewshot.methods import (
    DiffResNetMethod,
    LabelSpreading,
    LaplacianShot,
    NearestPrototype,
    SoftKMeans,
)
from diffresnet.fewshot.recipes import TITLES
from diffresnet.fewshot.tuning import (
    FINAL_FACTOR,
    N_BEST,
    N_FINALISTS,
    TRANSFORM_CHOICES,
    balance_choices,
    method_choices,
    tune,
)
from tests.fewshot.examples import random_bank

SHAPE = EpisodeShape(n_ways=2, n_shots=2, n_queries=5)


@pytest.fixture(scope="module")
def bank() -> FeatureBank:
    return random_bank((30, 25, 28, 26, 40, 27, 30, 25)).with_class_split(2, 3)


def test_finalists_come_first(bank: FeatureBank) -> None:
    start = make_recipe("laplacianshot", SHAPE)
    tuning = tune(bank, start, shape=SHAPE, n_tasks=20)
    n_settings = len(method_choices(start.method))
    assert len(tuning.trials) == len(TRANSFORM_CHOICES) + N_BEST * n_settings
    final = [trial for trial in tuning.trials if trial.n_tasks == 20 * FINAL_FACTOR]
    others = list(tuning.trials[len(final) :])
    assert len(final) in (N_FINALISTS, N_FINALISTS + 1)  # what it started from is among them
    assert start in [trial.recipe for trial in final]
    for some, n_tasks in ((final, 20 * FINAL_FACTOR), (others, 20)):
        accuracies = [trial.accuracy for trial in some]
        assert accuracies == sorted(accuracies, reverse=True)
        assert accuracies[0] > accuracies[-1]
        assert {trial.n_tasks for trial in some} == {n_tasks}
    assert all(trial.recipe.ending == ("rectify",) for trial in tuning.trials)
    again = evaluate(bank, final[0].recipe, shape=SHAPE, split="val", n_tasks=20 * FINAL_FACTOR)
    assert again.accuracy == final[0].accuracy
    accuracies = [
        evaluate(bank, trial.recipe, shape=SHAPE, split="val", n_tasks=20).accuracy
        for trial in final
        if trial.recipe != start
    ]
    assert min(accuracies) >= others[0].accuracy


def test_what_is_as_good_stays(bank: FeatureBank) -> None:
    for name in ("laplacianshot", "soft-kmeans", "nearest-prototype", "epnet"):
        start = make_recipe(name, SHAPE)
        tuning = tune(bank, start, shape=SHAPE, n_tasks=20)
        first = tuning.trials[0]
        own = next(trial for trial in tuning.trials if trial.recipe == start)
        gain = paired_difference(first.evaluation, own.evaluation)
        expected = first if gain.difference > gain.ci95 else own
        assert tuning.chosen is expected
        assert tuning.best == expected.recipe


def test_what_is_much_better_is_taken(bank: FeatureBank) -> None:
    # Far from 0 all cosines are alike, until the points are centered.
    spoiled = Recipe("x", NearestPrototype("cosine"), ())
    moved = replace(bank, features=bank.features + 50)
    tuning = tune(moved, spoiled, shape=SHAPE, n_tasks=20)
    assert tuning.best != spoiled
    assert tuning.best == tuning.trials[0].recipe


def test_settings_are_tried_with_the_best_transforms(bank: FeatureBank) -> None:
    start = make_recipe("label-spreading", SHAPE)
    tuning = tune(bank, start, shape=SHAPE, n_tasks=20)
    starts = [
        replace(start, transforms=transforms)
        for transforms in dict.fromkeys([start.transforms, *TRANSFORM_CHOICES])
    ]
    accuracies = {
        one.transforms: evaluate(bank, one, shape=SHAPE, split="val", n_tasks=20).accuracy
        for one in starts
    }
    best = sorted(accuracies, key=lambda transforms: -accuracies[transforms])
    others = {t.recipe.transforms for t in tuning.trials if t.recipe.method != start.method}
    assert others == set(best[:N_BEST])


def test_balance_is_chosen_before_other_settings(bank: FeatureBank) -> None:
    tuning = tune(bank, make_recipe("kmeans-proportions", SHAPE), shape=SHAPE, n_tasks=4)
    counts = Counter(getattr(trial.recipe.method, "balance", None) for trial in tuning.trials)
    assert set(counts) == {-1.0, -0.5, 0.0, 1.0, math.inf}
    assert min(counts.values()) <= N_BEST  # those that do badly are tried with one setting only
    assert len(set(map(repr, (trial.recipe for trial in tuning.trials)))) == len(tuning.trials)


@pytest.mark.parametrize("name", ["diffresnet", "diffresnet-proportions"])
def test_networks_choose_their_balance(name: str) -> None:
    start = make_recipe(name, SHAPE).method
    choices = balance_choices(start)
    found = [method for method in choices if isinstance(method, DiffResNetMethod)]
    balances = {method.balance for method in found}
    assert balances | {getattr(start, "balance", None)} == {-1.0, -0.5, 0.0, 1.0, math.inf}
    for method in found:
        assert method.refinement is not None
        assert method.refinement.balance == method.balance
        others = method_choices(method)
        assert {getattr(other, "balance", None) for other in others} == {method.balance}


@pytest.mark.parametrize("name", ["pt-map", "soft-kmeans", "ease", "external", "tim"])
def test_published_methods_keep_what_they_presume(name: str) -> None:
    assert balance_choices(make_recipe(name, SHAPE).method) == []


def test_only_validation_classes_are_looked_at(bank: FeatureBank) -> None:
    spoiled = bank.features.clone()
    spoiled[bank.rows("test")] = 0
    start = make_recipe("soft-kmeans", SHAPE)
    tuned = tune(bank, start, shape=SHAPE, n_tasks=10)
    assert tune(replace(bank, features=spoiled), start, shape=SHAPE, n_tasks=10) == tuned


def test_says_what_was_chosen(bank: FeatureBank) -> None:
    tuning = tune(bank, Recipe("x", NearestPrototype()), shape=SHAPE, n_tasks=10)
    said = tuning.describe()
    chosen = ",".join(tuning.best.transforms)
    assert said.startswith(f"x: transforms {chosen}; NearestPrototype(metric='euclidean'); ")
    n_tried = 1 + len(TRANSFORM_CHOICES)  # those of the recipe itself, none, are tried too
    assert said.endswith(f"% on 50 validation tasks, of {n_tried} tried")


@pytest.mark.parametrize("name", TITLES)
def test_choices_are_new_and_of_the_same_kind(name: str) -> None:
    recipe = make_recipe(name, SHAPE)
    choices = method_choices(recipe.method)
    assert recipe.method not in choices
    assert len(set(map(repr, choices))) == len(choices)
    assert all(type(choice) is type(recipe.method) for choice in choices)
    tunable = (DiffResNetMethod, LabelSpreading, LaplacianShot, SoftKMeans)
    if isinstance(recipe.method, tunable) and name != "convection":
        assert choices


def test_choices_keep_what_makes_the_method() -> None:
    external = method_choices(make_recipe("external", SHAPE, solver="reordered").method)
    assert all(isinstance(choice, DiffResNetMethod) for choice in external)
    kinds = {
        (choice.n_steps, choice.solver)
        for choice in external
        if isinstance(choice, DiffResNetMethod)
    }
    assert kinds == {(0, "reordered")}


def test_a_bank_without_validation_classes() -> None:
    with pytest.raises(ValueError, match=r"`split` must be one of none, the bank has none"):
        tune(random_bank(), make_recipe("simpleshot", SHAPE), shape=SHAPE)
