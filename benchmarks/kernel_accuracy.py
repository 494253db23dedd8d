"""Does the kernel solver classify as well as the trained network? Same tasks, three networks each.

The network is trained by `reordered`, whose logits equal those of plain descent. A stopped run goes
on where it was.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from diffresnet.datasets.files import find_data_file
from diffresnet.fewshot import EpisodeShape, FeatureBank, Recipe, evaluate, make_recipe
from diffresnet.fewshot.evaluation import half_interval
from diffresnet.fewshot.methods import DiffResNetMethod
from timing import set_threads, write_results

N_INITS = 3
BANKS = {"CUB": "cub_efficientnet_lite0", "banking77": "banking77_minilm"}


def compare(name: str, n_shots: int, n_tasks: int, unfinished: Path, n_jobs: int) -> dict[str, Any]:
    """Return the paired difference between the kernel and the mean over trained networks."""
    bank = FeatureBank.load(find_data_file(f"features/{BANKS[name]}.npz"))
    shape = EpisodeShape(5, n_shots, 15)
    recipe = make_recipe("diffresnet", shape)

    def accuracies(changed: Recipe, part: str) -> Any:
        resume = unfinished / f"{name}-{n_shots}-{n_tasks}-{part}.jsonl"
        return evaluate(
            bank,
            changed,
            shape=shape,
            split="test",
            n_tasks=n_tasks,
            n_jobs=n_jobs,
            resume=resume,
        ).accuracies

    method = recipe.method
    if not isinstance(method, DiffResNetMethod):
        raise TypeError(method)
    kernel = accuracies(recipe, "kernel")
    trained = [
        accuracies(
            replace(recipe, method=replace(method, solver="reordered", init=init)), str(init)
        )
        for init in range(N_INITS)
    ]
    differences = kernel - np.mean(trained, axis=0)
    return {
        "bank": name,
        "shots": n_shots,
        "tasks": n_tasks,
        "settings": repr(method),
        "kernel_accuracy": float(kernel.mean()),
        "trained_accuracies": [float(part.mean()) for part in trained],
        "paired_difference": float(differences.mean()),
        "ci95": half_interval(differences),
    }


def main() -> None:
    """Compare on a bank, with 1 and 5 shots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bank", choices=BANKS, required=True)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished"))
    given = parser.parse_args()
    set_threads(1)
    results = [
        compare(given.bank, n_shots, given.tasks, given.unfinished, given.jobs)
        for n_shots in (1, 5)
    ]
    command = f"python benchmarks/kernel_accuracy.py --bank {given.bank} --tasks {given.tasks}"
    write_results(f"kernel_accuracy_{given.bank.lower()}", command, results)


if __name__ == "__main__":
    main()
