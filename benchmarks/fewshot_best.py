"""Which few-shot method is best when each has the transforms and settings that suit it?

Transforms and settings are chosen on validation classes, separately for each bank, number of shots
and kind of queries; the table is of test classes. A stopped run goes on where it was.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from diffresnet._support.writing import write_whole
from diffresnet.datasets.files import find_data_file
from diffresnet.fewshot import (
    TITLES,
    EpisodeShape,
    FeatureBank,
    evaluate,
    make_recipe,
)
from diffresnet.fewshot.evaluation import half_interval
from diffresnet.fewshot.tuning import tune
from timing import set_threads, write_results

BANKS = ("cub", "banking77", "omniglot")
SLOW = {"tim", "alpha-tim"}
"""These take a hundred times longer than others, so fewer tasks are used to tune them."""


def load(name: str, omniglot: Path) -> tuple[FeatureBank, int]:
    """Return a bank, and the queries of a class on average."""
    if name == "cub":
        return FeatureBank.load(find_data_file("features/cub_efficientnet_lite0.npz")), 15
    if name == "banking77":
        bank = FeatureBank.load(find_data_file("features/banking77_minilm.npz"))
        return bank.with_class_split(27, 20), 15
    return FeatureBank.load(omniglot), 8  # 20 drawings a class leave little room for proportions


def run(
    bank: FeatureBank, shape: EpisodeShape, method: str, folder: Path, n_test: int
) -> dict[str, Any]:
    """Tune a method, and return its result on the test classes, with every accuracy."""
    kept = folder / f"{method}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    n_tasks = 20 if method in SLOW else 200
    tuning = tune(bank, make_recipe(method, shape), shape=shape, n_tasks=n_tasks)
    found = evaluate(
        bank,
        tuning.best,
        shape=shape,
        split="test",
        n_tasks=n_test,
        resume=folder / f"{method}-tasks.jsonl",
    )
    result = found.to_json() | {"tuned": tuning.describe(), "accuracies": found.accuracies.tolist()}
    write_whole(kept, json.dumps(result).encode())
    return result


def summarize(folder: Path, setting: dict[str, Any]) -> dict[str, Any]:
    """Return the results that a folder keeps, each compared with Diff-ResNet task by task."""
    kept = {
        name: json.loads((folder / f"{name}.json").read_text())
        for name in TITLES
        if (folder / f"{name}.json").exists()
    }
    accuracies = {name: np.array(result.pop("accuracies")) for name, result in kept.items()}
    for name, result in kept.items():
        n_tasks = len(accuracies[name])
        differences = accuracies["diffresnet"][:n_tasks] - accuracies[name]
        result["diffresnet_minus_it"] = float(differences.mean())
        result["diffresnet_minus_it_ci95"] = half_interval(differences)
    return setting | {"results": list(kept.values())}


def main() -> None:
    """Run everything that is asked for, and write what is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--banks", default=",".join(BANKS))
    parser.add_argument("--methods", default=",".join(TITLES))
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--omniglot", type=Path, default=Path("omniglot.npz"))
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished"))
    given = parser.parse_args()
    set_threads(1)
    summaries: list[dict[str, Any]] = []
    for name in given.banks.split(","):
        bank, n_queries = load(name, given.omniglot)
        for n_shots in (1, 5):
            for dirichlet in (None, 2.0):
                shape = EpisodeShape(5, n_shots, n_queries, dirichlet)
                folder = given.unfinished / name / f"{n_shots}-{dirichlet}"
                for method in given.methods.split(","):
                    result = run(bank, shape, method, folder, given.tasks)
                    print(name, n_shots, dirichlet, method, f"{result['accuracy']:.4f}", flush=True)
                setting = {"bank": name, "shots": n_shots, "dirichlet": dirichlet}
                if (folder / "diffresnet.json").exists():
                    summaries.append(summarize(folder, setting))
    write_results("fewshot_best", "python benchmarks/fewshot_best.py", summaries)


if __name__ == "__main__":
    main()
