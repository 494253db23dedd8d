"""Choose transforms and settings of a method on the validation classes."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial

from diffresnet._support.checks import check_count
from diffresnet._support.progress import progress_bar
from diffresnet.fewshot.bank import FeatureBank
from diffresnet.fewshot.episodes import EpisodeShape
from diffresnet.fewshot.evaluation import Evaluation, evaluate, paired_difference
from diffresnet.fewshot.methods import (
    Bavardage,
    DiffResNetMethod,
    Ilpc,
    LabelSpreading,
    LaplacianShot,
    SoftKMeans,
    Tim,
    Unem,
)
from diffresnet.fewshot.recipes import Method, Recipe, proportional_network

TRANSFORM_CHOICES: tuple[tuple[str, ...], ...] = (
    ("l2",),
    ("center", "l2"),
    ("center", "l2", "shift"),
    ("center-task", "l2"),
    ("l2", "center-own", "l2"),
    ("power", "l2"),
    ("power", "l2", "center-task", "l2"),
    ("power", "l2", "center-own", "l2"),
    ("power", "l2", "ease", "l2"),
)
"""The transforms that every method may choose from; one that ends in EASE's has no need of it."""

N_BEST = 3
"""With this number of the best so far every setting of the method is tried."""

BALANCES = (-1.0, -0.5, 0.0, 1.0, math.inf)
"""From proportions that are estimated to even ones; see `proportions`."""

N_FINALISTS = 5
"""This number of the best trials is repeated on more tasks: the best of many is partly luck."""

FINAL_FACTOR = 5
"""The finalists have this multiple of the tasks of the others."""


@dataclass(frozen=True)
class Trial:
    """What was tried, and how well it did on the validation classes."""

    recipe: Recipe
    accuracy: float
    n_tasks: int
    evaluation: Evaluation = field(repr=False, compare=False)


@dataclass(frozen=True)
class Tuning:
    """What was chosen, and all that was tried: the finalists, then the others, by accuracy."""

    trials: tuple[Trial, ...]
    chosen: Trial

    @property
    def best(self) -> Recipe:
        """What was chosen: the best finalist, or what tuning started from if it is as good."""
        return self.chosen.recipe

    def describe(self) -> str:
        """Say in one line what was chosen."""
        best = self.chosen
        transforms = ",".join((*best.recipe.transforms, *best.recipe.ending)) or "none"
        said = f"{best.recipe.name}: transforms {transforms}; {best.recipe.method}"
        where = f"on {best.n_tasks} validation tasks"
        return f"{said}; {best.accuracy:.2%} {where}, of {len(self.trials)} tried"


def tune(
    bank: FeatureBank,
    recipe: Recipe,
    *,
    shape: EpisodeShape,
    split: str = "val",
    n_tasks: int = 200,
    seed: int = 1,
    n_jobs: int = 1,
    show_progress: bool = True,
) -> Tuning:
    """Choose transforms, then settings, by accuracy on tasks from the validation classes.

    First the transforms of `recipe` and all `TRANSFORM_CHOICES` with its settings; then, with the
    best three of them, what may be presumed of the proportions of the queries, if the method has
    such a setting (`balance_choices`); then all `method_choices` with the best three so far; last
    the best five of all these, and `recipe` itself, once more on five times as many tasks. The
    best of them is chosen, but only if it is better than `recipe` beyond the 95 % interval of their
    difference, task by task: what was better by luck serves no other classes. Every method has the
    same choice of transforms, and all are tried on the same tasks; methods with more settings have
    more trials.

    Args:
        bank: whose split `split` has classes that are not tested.
        recipe: where to start.
        shape: of the tasks, as they will be in the test: proportions of the queries too.
        split: the validation classes.
        n_tasks: for each trial; finalists have five times as many.
        seed: of the tasks.
        n_jobs: processes that share the work, one thread each.
        show_progress: show a bar, on a terminal, once it has taken two seconds.

    Raises:
        ValueError: if the bank has no such split.
    """
    bank.rows(split)
    check_count("tune", "n_tasks", n_tasks, low=1)
    balances = balance_choices(recipe.method)
    transform_choices = [
        transforms
        for transforms in TRANSFORM_CHOICES
        if not ("ease" in transforms and "ease" in recipe.ending)
    ]
    starts = dict.fromkeys([recipe.transforms, *transform_choices])
    n_choices = len(balances) + len(method_choices(recipe.method))
    n_trials = len(starts) + min(N_BEST, len(starts)) * n_choices
    n_finalists = min(N_FINALISTS, n_trials)
    measure = partial(
        evaluate, bank, shape=shape, split=split, seed=seed, n_jobs=n_jobs, show_progress=False
    )
    with progress_bar(
        f"tuning {recipe.name}", n_trials + FINAL_FACTOR * (n_finalists + 1), show=show_progress
    ) as advance:
        done = 0

        def attempt(candidates: Iterable[Recipe], factor: int = 1) -> list[Trial]:
            """Try each on `factor` times the tasks; return the trials, the best first."""
            nonlocal done
            trials: list[Trial] = []
            for candidate in candidates:
                found = measure(candidate, n_tasks=factor * n_tasks)
                trials.append(Trial(candidate, found.accuracy, factor * n_tasks, found))
                done += factor
                advance(done, f"best {max(trial.accuracy for trial in trials):.2%}")
            return _best_first(trials)

        trials = attempt(replace(recipe, transforms=some) for some in starts)
        for choices_of in (balance_choices, method_choices):
            best = [trial.recipe for trial in trials[:N_BEST]]
            more = [
                replace(one, method=method) for one in best for method in choices_of(one.method)
            ]
            tried = [trial.recipe for trial in trials]
            trials = _best_first([*trials, *attempt(one for one in more if one not in tried)])
        finalists = [trial.recipe for trial in trials[:n_finalists]]
        final = attempt(dict.fromkeys([*finalists, recipe]), FINAL_FACTOR)
    others = [trial for trial in trials[n_finalists:] if trial.recipe != recipe]
    return Tuning((*final, *others), _choose(final, recipe))


def _choose(final: list[Trial], recipe: Recipe) -> Trial:
    """Return the best of the finalists, or `recipe` where it may be as good."""
    start = next(trial for trial in final if trial.recipe == recipe)
    difference = paired_difference(final[0].evaluation, start.evaluation)
    return final[0] if difference.difference > difference.ci95 else start


def _best_first(trials: list[Trial]) -> list[Trial]:
    return sorted(trials, key=lambda trial: -trial.accuracy)


def balance_choices(method: Method) -> list[Method]:
    """Return a method with each of `BALANCES` but its own; none if it cannot choose.

    Published methods keep what they presume. Diff-ResNet, and soft k-means that starts with a
    balance, can choose.
    """
    match method:
        case DiffResNetMethod() if method.n_steps > 0 and method.refinement is None:
            return [proportional_network(balance, solver=method.solver) for balance in BALANCES]
        case DiffResNetMethod(refinement=SoftKMeans() as refinement):
            return [
                replace(method, balance=balance, refinement=replace(refinement, balance=balance))
                for balance in BALANCES
                if balance != method.balance
            ]
        case SoftKMeans() if method.balance != 0:
            return [replace(method, balance=one) for one in BALANCES if one != method.balance]
        case _:
            return []


def method_choices(method: Method) -> list[Method]:
    """Return the other settings of a method that are tried beside its own."""
    choices: list[Method] = []
    match method:
        case DiffResNetMethod():
            choices += _network_choices(method)
        case LaplacianShot():
            weights = (0.1, 0.3, 0.5, 0.7, 0.8, 1.0, 1.2, 1.5)
            choices += [replace(method, label_laplacian_weight=weight) for weight in weights]
        case LabelSpreading():
            choices += [replace(method, alpha=alpha) for alpha in (0.5, 0.7, 0.8, 0.9, 0.95)]
        case SoftKMeans():
            settings = ((5.0, 30, 1.0), (10.0, 5, 1.0), (10.0, 40, 0.2), (20.0, 5, 1.0))
            settings += ((5.0, 5, 1.0), (20.0, 25, 0.3))
            choices += [SoftKMeans(*some, method.balance) for some in settings]
        case Unem():
            choices += [
                Unem(temperature, weight)
                for temperature in (0.02, 0.05, 0.1)
                for weight in (0.0, 0.02, 0.05, 0.1, 0.2)
            ]
        case Bavardage():
            choices += [replace(method, sharpness=number) for number in (10.0, 20.0, 40.0, 80.0)]
        case Ilpc():
            choices += [replace(method, n_neighbors=number) for number in (8, 15, 25)]
        case Tim(order=float()):
            choices += [replace(method, order=order) for order in (2.0, 7.0)]
        case _:
            pass
    return [choice for choice in choices if choice != method]


def _network_choices(method: DiffResNetMethod) -> list[Method]:
    if method.output_laplacian_weight > 0:
        weights = (0.003, 0.01, 0.03, 0.1)
        return [replace(method, output_laplacian_weight=weight) for weight in weights]
    if method.n_steps == 0:
        return []
    if method.refinement is None:  # the paper's
        steps, weights = (1, 3, 6, 10), (0.0, 0.5)
        return [
            replace(method, n_steps=n_steps, prototype_weight=weight)
            for n_steps in steps
            for weight in weights
        ]
    return [
        replace(
            method,
            n_steps=n_steps,
            prototype_weight=weight,
            identity_weight=identity_weight,
        )
        for n_steps in (2, 4, 6)
        for weight in (0.05, 0.2, 0.5)
        for identity_weight in (0.0, 4.0)
    ]
