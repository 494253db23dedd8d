"""The synthetic sets from many seeds, by every recipe.

The paper shows one seed a set. Many tell what diffusion does from what the seed does.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from diffresnet._support.progress import progress_bar
from diffresnet.measuring.runs import run_all
from diffresnet.paper.synthetic.experiment import (
    MAKERS,
    RECIPES,
    SyntheticRun,
    make_problem,
    train_synthetic,
)

SUCCESS = 0.99

Runs: TypeAlias = dict[tuple[str, bool], SyntheticRun]
"""One seed of one set, by recipe and by whether it is diffused."""


@dataclass(frozen=True)
class SeedStudy:
    """Many seeds of one set and recipe: what became of each, its accuracies by epoch."""

    name: str
    recipe: str
    diffused: bool
    accuracies: tuple[tuple[float, ...], ...]
    n_dead_units: tuple[int, ...]
    diverged: tuple[bool, ...]

    def at(self, epoch: int) -> dict[str, float]:
        """Return the mean accuracy and the number of successes (99 %) at an epoch."""
        reached = [run[epoch] for run in self.accuracies]
        return {
            "mean_accuracy": sum(reached) / len(reached),
            "n_successes": sum(accuracy >= SUCCESS for accuracy in reached),
        }

    def failures(self) -> dict[str, int]:
        """Return what became of the seeds that fail at the last epoch."""
        runs = zip(self.accuracies, self.n_dead_units, self.diverged, strict=True)
        failed = [(run, n_dead) for run, n_dead, lost in runs if run[-1] < SUCCESS and not lost]
        alive = [run for run, n_dead in failed if n_dead == 0]
        return {
            "n_failed": len(failed) + sum(self.diverged),
            "n_diverged": sum(self.diverged),
            "n_with_dead_units": len(failed) - len(alive),
            "n_thrown_out_by_the_step": sum(max(run) >= SUCCESS for run in alive),
            "n_not_there_yet": sum(max(run) < SUCCESS for run in alive),
        }

    def to_json(self, epochs: tuple[int, ...]) -> dict[str, Any]:
        """Return the numbers of the study, for a file."""
        return {
            "set": self.name,
            "recipe": self.recipe,
            "diffused": self.diffused,
            "n_seeds": len(self.accuracies),
            "by_epoch": {str(epoch): self.at(epoch) for epoch in epochs},
            "failures": self.failures(),
            "final_accuracies": [run[-1] for run in self.accuracies],
        }


def study_seeds(n_seeds: int, n_epochs: int, *, n_jobs: int = 1) -> list[SeedStudy]:
    """Train every set from many seeds, by every recipe, with diffusion and without."""
    tasks = [(name, seed) for name in MAKERS for seed in range(n_seeds)]
    results: dict[tuple[str, int], Runs] = {}
    with progress_bar("training from many seeds", len(tasks)) as advance:
        calls = [(name, seed, n_epochs) for name, seed in tasks]
        for place, runs in run_all(_train_recipes, calls, n_jobs=n_jobs):
            results[tasks[place]] = runs
            advance(len(results), tasks[place][0])
    studies: list[SeedStudy] = []
    for name, recipe, diffused in product(MAKERS, RECIPES, (True, False)):
        runs = [results[name, seed][recipe, diffused] for seed in range(n_seeds)]
        accuracies = tuple(run.accuracies for run in runs)
        n_dead_units = tuple(run.n_dead_units for run in runs)
        diverged = tuple(run.diverged for run in runs)
        studies.append(SeedStudy(name, recipe, diffused, accuracies, n_dead_units, diverged))
    return studies


def _train_recipes(name: str, seed: int, n_epochs: int) -> Runs:
    """Train one set from one seed in every way."""
    problems = {diffused: make_problem(name, seed, diffused=diffused) for diffused in (True, False)}
    return {
        (name, diffused): train_synthetic(problem, recipe, seed=seed, n_epochs=n_epochs)
        for diffused, problem in problems.items()
        for name, recipe in RECIPES.items()
    }
