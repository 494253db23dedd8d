"""Which few-shot method is best when each has the transforms and settings that suit it?

Transforms and settings are chosen on validation classes, separately for each bank, number of shots
and kind of queries; the table is of test classes. A stopped run goes on where it was.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from diffresnet._files import write_whole
from diffresnet.datasets.files import find_data_file
from diffresnet.fewshot import (
    TITLES,
    EpisodeShape,
    FeatureBank,
    evaluate,
    make_recipe,
    paired_difference,
)
from diffresnet.fewshot.evaluation import Evaluation
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


def run(bank: FeatureBank, shape: EpisodeShape, method: str, folder: Path) -> dict[str, Any]:
    """Tune a method, and return its result on the test classes, with every accuracy."""
    kept = folder / f"{method}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    n_tasks = 40 if method in SLOW else 200
    tuning = tune(bank, make_recipe(method, shape), shape=shape, n_tasks=n_tasks)
    found = evaluate(
        bank,
        tuning.best,
        shape=shape,
        split="test",
        checkpoint=folder / f"{method}-tasks.json",
    )
    result = found.to_json() | {"tuned": tuning.describe(), "accuracies": found.accuracies.tolist()}
    write_whole(kept, json.dumps(result).encode())
    return result


def main() -> None:
    """Run everything that is asked for, and write what is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--banks", default=",".join(BANKS))
    parser.add_argument("--methods", default=",".join(TITLES))
    parser.add_argument("--omniglot", type=Path, default=Path("omniglot.npz"))
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished"))
    given = parser.parse_args()
    set_threads(1)
    for name in given.banks.split(","):
        bank, n_queries = load(name, given.omniglot)
        for n_shots in (1, 5):
            for dirichlet in (None, 2.0):
                shape = EpisodeShape(5, n_shots, n_queries, dirichlet)
                folder = given.unfinished / name / f"{n_shots}-{dirichlet}"
                for method in given.methods.split(","):
                    result = run(bank, shape, method, folder)
                    print(name, n_shots, dirichlet, method, f"{result['accuracy']:.4f}", flush=True)


if __name__ == "__main__":
    main()
