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
    """Many seeds of one set and recipe: a run of each."""

    name: str
    recipe: str
    diffused: bool
    runs: tuple[SyntheticRun, ...]

    def at(self, epoch: int) -> dict[str, float]:
        """Return the mean accuracy and the number of successes (99 %) at an epoch."""
        reached = [run.accuracies[epoch] for run in self.runs]
        return {
            "mean_accuracy": sum(reached) / len(reached),
            "n_successes": sum(accuracy >= SUCCESS for accuracy in reached),
        }

    def failures(self) -> dict[str, int]:
        """Return what became of the seeds that fail at the last epoch."""
        failed = [run for run in self.runs if run.diverged or run.accuracies[-1] < SUCCESS]
        settled = [run for run in failed if not run.diverged]
        best = [max(run.accuracies) for run in settled if run.n_dead_units == 0]
        return {
            "n_failed": len(failed),
            "n_diverged": len(failed) - len(settled),
            "n_with_dead_units": len(settled) - len(best),
            "n_thrown_out_by_the_step": sum(accuracy >= SUCCESS for accuracy in best),
            "n_not_there_yet": sum(accuracy < SUCCESS for accuracy in best),
        }

    def to_json(self, epochs: tuple[int, ...]) -> dict[str, Any]:
        """Return the numbers of the study, for a file."""
        return {
            "set": self.name,
            "recipe": self.recipe,
            "diffused": self.diffused,
            "n_seeds": len(self.runs),
            "by_epoch": {str(epoch): self.at(epoch) for epoch in epochs},
            "failures": self.failures(),
            "final_accuracies": [run.accuracies[-1] for run in self.runs],
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
        runs = tuple(results[name, seed][recipe, diffused] for seed in range(n_seeds))
        studies.append(SeedStudy(name, recipe, diffused, runs))
    return studies


def _train_recipes(name: str, seed: int, n_epochs: int) -> Runs:
    """Train one set from one seed in every way."""
    problems = {diffused: make_problem(name, seed, diffused=diffused) for diffused in (True, False)}
    return {
        (name, diffused): train_synthetic(problem, recipe, seed=seed, n_epochs=n_epochs)
        for diffused, problem in problems.items()
        for name, recipe in RECIPES.items()
    }
