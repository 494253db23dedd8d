"""Do settings that were chosen on one bank serve others? Every method, balanced queries and not.

Transforms and settings are chosen on validation classes of the bank of the test ("own") or of
another one; or they are those of the recipes ("published"). The tests are on test classes. What is
done is kept in a folder, and a stopped run goes on.
"""

import argparse
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from diffresnet._support.writing import write_whole
from diffresnet.datasets.files import find_data_file
from diffresnet.fewshot import EpisodeShape, FeatureBank, Recipe, evaluate, make_recipe
from diffresnet.fewshot.tuning import tune
from diffresnet.measuring.statistics import difference_of, half_interval
from timing import keep_results, set_threads

BANKS = ("cub", "banking77", "stackoverflow", "omniglot")
OURS = "diffresnet-proportions"
METHODS = (
    OURS,
    "pt-map",
    "laplacianshot",
    "kmeans-proportions",
    "pt-map-bpa",
    "soft-kmeans",
    "bavardage",
    "external",
    "protolp",
    "label-spreading",
    "unem",
    "bd-cspn",
    "diffresnet",
    "alpha-tim",
    "tim",
    "ilpc",
    "ease",
    "epnet",
    "nearest-prototype",
)
UNTUNED = ("diffresnet",)
"""With the paper's settings: what it tunes to is what `OURS` tunes to."""

PUBLISHED = "published"
"""Settings of the recipes, without a choice on validation classes."""

COLUMNS = [(n_shots, dirichlet) for dirichlet in (None, 2.0) for n_shots in (1, 5)]


def load(name: str, omniglot: Path) -> tuple[FeatureBank, int]:
    """Return a bank, and the queries of a class on average."""
    if name == "cub":
        return FeatureBank.load(find_data_file("features/cub_efficientnet_lite0.npz")), 15
    if name == "omniglot":  # 20 drawings a class leave little room for proportions
        return FeatureBank.load(omniglot), 8
    file, counts = f"features/{name}_minilm.npz", {"banking77": (27, 20), "stackoverflow": (5, 7)}
    return FeatureBank.load(find_data_file(file)).with_class_split(*counts[name]), 15


def choose(bank: FeatureBank, shape: EpisodeShape, method: str, kept: Path, n_tasks: int) -> Recipe:
    """Return a method with what suits the validation classes of a bank."""
    recipe = make_recipe(method, shape)
    if method in UNTUNED or kept.parent.parent.name == PUBLISHED:
        return recipe
    if not kept.exists():
        chosen = tune(bank, recipe, shape=shape, n_tasks=n_tasks)
        write_whole(kept.with_suffix(".txt"), chosen.describe().encode())
        write_whole(kept, pickle.dumps(chosen.best))
    return pickle.loads(kept.read_bytes())  # noqa: S301  (this run or an earlier one wrote it)


def test(bank: FeatureBank, shape: EpisodeShape, recipe: Recipe, kept: Path, n_tasks: int) -> None:
    """Evaluate a recipe on the test classes, and keep every accuracy; go on from fewer tasks."""
    if not kept.exists() or json.loads(kept.read_text())["tasks"] < n_tasks:
        resume = kept.with_suffix(".jsonl")
        found = evaluate(bank, recipe, shape=shape, split="test", n_tasks=n_tasks, resume=resume)
        content = found.to_json() | {"accuracies": found.accuracies.tolist()}
        write_whole(kept, json.dumps(content).encode())


def summarize(folder: Path, source: str) -> Iterator[dict[str, Any]]:
    """Yield each column: accuracies, ranks, and differences to Diff-ResNet task by task."""
    for bank in BANKS:
        for n_shots, dirichlet in COLUMNS:
            chosen_on = bank if source == "own" else source
            place = folder / "test" / bank / f"{n_shots}-{dirichlet}" / chosen_on
            paths = {name: place / f"{name}.json" for name in METHODS}
            kept = {name: json.loads(p.read_text()) for name, p in paths.items() if p.exists()}
            if OURS not in kept:
                continue
            accuracies = {name: np.array(one.pop("accuracies")) for name, one in kept.items()}
            means = {name: float(found.mean()) for name, found in accuracies.items()}
            for name, one in kept.items():
                difference = difference_of(accuracies[OURS], accuracies[name])
                one["ci95"] = half_interval(accuracies[name])
                one["ours_minus_it"] = difference.to_json()
                one["rank"] = 1 + sum(other > means[name] for other in means.values())
            setting = {"bank": bank, "shots": n_shots, "dirichlet": dirichlet}
            yield setting | {"settings_from": chosen_on, "results": list(kept.values())}


def mean_ranks(columns: list[dict[str, Any]]) -> dict[str, float]:
    """Return the mean rank over the columns of those that are in all of them."""
    ranks: dict[str, list[int]] = {}
    for column in columns:
        for one in column["results"]:
            ranks.setdefault(one["method"], []).append(one["rank"])
    means = {name: sum(r) / len(r) for name, r in ranks.items() if len(r) == len(columns)}
    return dict(sorted(means.items(), key=lambda pair: pair[1]))


def main() -> None:
    """Run what is asked for, column by column, and write what is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings-from", default="cub", help="a bank, 'own' or 'published'")
    parser.add_argument("--banks", default=",".join(BANKS))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--tuning-tasks", type=int, default=200)
    parser.add_argument("--omniglot", type=Path, default=Path("omniglot.npz"))
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished"))
    parser.add_argument("--summarize", action="store_true", help="compute nothing")
    given = parser.parse_args()
    set_threads(1)
    source = given.settings_from
    names = () if given.summarize else given.banks.split(",")
    needed = [name for name in dict.fromkeys([*names, source]) if name in BANKS]
    banks = {name: load(name, given.omniglot) for name in needed}
    for method in given.methods.split(","):
        for n_shots, dirichlet in COLUMNS:
            for name in names:
                chosen_on = name if source == "own" else source
                column = f"{n_shots}-{dirichlet}"
                bank, n_queries = banks.get(chosen_on, banks[name])
                shape = EpisodeShape(5, n_shots, n_queries, dirichlet)
                kept = given.unfinished / "tuned" / chosen_on / column / f"{method}.pickle"
                recipe = choose(bank, shape, method, kept, given.tuning_tasks)
                bank, n_queries = banks[name]
                shape = EpisodeShape(5, n_shots, n_queries, dirichlet)
                place = given.unfinished / "test" / name / column / chosen_on / f"{method}.json"
                test(bank, shape, recipe, place, given.tasks)
                accuracy = json.loads(place.read_text())["accuracy"]
                print(name, column, chosen_on, method, f"{accuracy:.4f}", flush=True)
    columns = list(summarize(given.unfinished, source))
    command = f"python benchmarks/fewshot_transfer.py --settings-from {source}"
    command += f" --tasks {given.tasks}"
    if source != PUBLISHED:
        command += f" --tuning-tasks {given.tuning_tasks}"
    ranks = {"mean_ranks": mean_ranks(columns)}
    kind = source if source in ("own", PUBLISHED) else "transfer"
    keep_results(f"fewshot_{kind}", command, [ranks, *columns])
    print(json.dumps(ranks))


if __name__ == "__main__":
    main()
