"""Which method labels the rest best, given few labels, of embeddings, pixels, tables and nodes?

Labels are drawn in several ways: 1, 2, 5, 20 or 100 per class (at most half of a class), at random
(5 K in all), 5 per class where class sizes fall from 1 to 0.1, and 20 per class of which 20 % are
wrong. Every baseline has its choice: features as they are, standardized, or centered and scaled to
length one, and of each method the settings that are best on the first draws. Our classifier has its
defaults. The methods of `graphlearning` (with `annoy`), and those on its graphs, take part where it
is installed; one that is told the class proportions is marked so, and has no rank.

A kept result of a baseline with fewer draws than asked for is extended, with the variant that it
chose. Our classifier is always run anew. A stopped run goes on where it was; remove its folder
`unfinished` if the code has changed since.
"""

import argparse
import json
import math
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet._support.writing import write_whole
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.measuring.statistics import half_interval
from few_label_baselines import TOLD, Contestant, baselines, spread_columns
from few_label_sets import CELLS, GRAPHS, SETS, UNBALANCED, LabeledSet, cells_of, load_cell
from timing import keep_results, kept_results, set_threads

Floats = npt.NDArray[Any]
Result = dict[str, Any]
Place = tuple[str, str, str]
"""A method, a set, and how labels were drawn."""

OURS = "mixture (ours)"
LARGEST_LOSS = 0.015
"""What we may be below the best baseline of a cell, beyond the interval of the difference."""

N_DRAWS = 20
N_TRIAL_DRAWS = 2
"""The best variant of a baseline is found on this number of draws."""


def expected_calibration_error(probabilities: Floats, right: Floats, n_bins: int = 15) -> float:
    """Return the mean gap between confidence and accuracy over bins of confidence."""
    confidence = probabilities.max(axis=1)
    bins = np.minimum((confidence * n_bins).astype(int), n_bins - 1)
    gaps = [
        abs(confidence[bins == one].mean() - right[bins == one].mean()) * (bins == one).mean()
        for one in np.unique(bins)
    ]
    return float(sum(gaps))


def judge(scores: Floats, labels: Floats, partly: Floats) -> dict[str, float]:
    """Return accuracy, and calibration error if the scores are probabilities, of the unlabeled."""
    rest = partly < 0
    scores = np.nan_to_num(scores[rest])
    right = scores.argmax(axis=1) == labels[rest]
    sums = scores.sum(axis=1)
    found = {"accuracy": float(right.mean())}
    probable = scores.min() >= 0 and bool(np.isin(sums.round(3), (0, 1)).all())
    if probable:
        found["calibration_error"] = expected_calibration_error(scores, right)
    return found


class Ours:
    """Our classifier as it comes; its graph is made once, and its labels are changed."""

    def __init__(self, here: LabeledSet) -> None:
        self.links = None if here.graph is None else here.graph.adjacency
        self.model: DiffResNetClassifier | None = None

    def __call__(self, features: Floats, partly: Floats) -> Floats:
        """Fit, or forget all labels and take these: both give the same."""
        if self.model is None:
            self.model = DiffResNetClassifier().fit(features, partly, graph=self.links)
        else:
            self.model.update_labels(np.arange(len(partly)), partly, exact=True)
        found = self.model.label_distributions_
        return spread_columns(found, self.model.classes_, int(partly.max()) + 1)


def run_ours(ours: Contestant, here: LabeledSet, draws: list[Floats]) -> Result:
    """Return accuracies and calibration errors of our classifier."""
    found = [judge(ours(here.features, partly), here.labels, partly) for partly in draws]
    errors = [one["calibration_error"] for one in found]
    result = summarize([one["accuracy"] for one in found], 0)
    return result | {"calibration_error": float(np.mean(errors)), "calibration_errors": errors}


def run_baseline(
    variants: list[Contestant], here: LabeledSet, draws: list[Floats], kept: Result | None
) -> Result:
    """Choose a variant on the first draws, or take that of the kept result; run what is missing."""

    def accuracy(variant: Contestant, partly: Floats) -> float:
        return judge(variant(here.features, partly), here.labels, partly)["accuracy"]

    if kept is None:
        trials = [
            [accuracy(variant, partly) for partly in draws[:N_TRIAL_DRAWS]] for variant in variants
        ]
        which = int(np.argmax(np.mean(trials, axis=1)))
        accuracies = trials[which]
    else:
        which, accuracies = kept["variant"], kept["accuracies"]
    missing = draws[len(accuracies) :]
    return summarize([*accuracies, *(accuracy(variants[which], one) for one in missing)], which)


def summarize(accuracies: list[float], variant: int) -> Result:
    """Return what is kept of the draws."""
    return {
        "accuracy": float(np.mean(accuracies)),
        "ci95": half_interval(np.array(accuracies)),
        "accuracies": accuracies,
        "variant": variant,
    }


class Contest:
    """Runs the methods of one cell after another, and remembers what they share in a set.

    Args:
        folder: of what is finished in a run that is not.
        n_draws: of labels.
        is_asked: tells from its name whether a method runs.
    """

    def __init__(self, folder: Path, n_draws: int, is_asked: Callable[[str], bool]) -> None:
        self.folder = folder
        self.n_draws = n_draws
        self.is_asked = is_asked
        self.paths: list[Path] = []
        self.made: dict[tuple[str, bool], tuple[LabeledSet, dict[str, list[Contestant]]]] = {}

    def meet(self, name: str, cell: str) -> tuple[LabeledSet, dict[str, list[Contestant]]]:
        """Return the points of a cell and the methods with their variants."""
        key = name, cell == UNBALANCED
        if key not in self.made:
            # Graphs of the sets before are large, and of no use any more.
            self.made = {one: kept for one, kept in self.made.items() if one[0] == name}
            here = load_cell(name, cell)
            rivals = baselines(here, with_graphlearning=find_spec("graphlearning") is not None)
            self.made[key] = here, {OURS: [Ours(here)], **rivals}
        return self.made[key]

    def run(self, name: str, cell: str, kept: dict[Place, Result]) -> list[Result]:
        """Return the results of the methods in a cell."""
        here, contestants = self.meet(name, cell)
        draws = [CELLS[cell](here.labels, seed) for seed in range(self.n_draws)]
        results: list[Result] = []
        for method, variants in contestants.items():
            if not self.is_asked(method):
                continue
            earlier = None if method == OURS else kept.get((method, name, cell))
            if earlier is not None and len(earlier["accuracies"]) >= self.n_draws:
                continue
            path = self.folder / f"{name}-{cell}-{method}-{self.n_draws}.json"
            if not path.exists():
                if method == OURS:
                    result = run_ours(variants[0], here, draws)
                else:
                    result = run_baseline(variants, here, draws, earlier)
                result = {"set": name, "labels": cell, "method": method} | result
                write_whole(path, json.dumps(result).encode())
            self.paths.append(path)
            results.append(json.loads(path.read_text()))
        return results

    def end(self) -> None:
        """Forget what was finished: all of it is kept elsewhere."""
        for path in self.paths:
            path.unlink()


def place(result: Result) -> Place:
    """Return where in the table a result stands."""
    return result["method"], result["set"], result["labels"]


def accuracies_of(results: dict[Place, Result], name: str, cell: str) -> dict[str, Floats]:
    """Return the accuracies of each method in a cell, on the draws that all of them have.

    Methods that are told the proportions have no rank: they may have fewer.
    """
    here = {m: one["accuracies"] for (m, n, c), one in results.items() if (n, c) == (name, cell)}
    n_draws = min((len(values) for m, values in here.items() if TOLD not in m), default=0)
    return {method: np.array(values[:n_draws]) for method, values in here.items()}


def compare(results: dict[Place, Result]) -> None:
    """Print how our classifier stands in every cell, and over all of them."""
    lost, ranks, gaps, ahead = 0, [], [], 0
    print("\n| set | labels | ours (%) | best baseline (%) | difference | calibration error (%) |")
    print("|---" * 6 + "|")
    for name, cell in dict.fromkeys((name, cell) for _, name, cell in results):
        here = accuracies_of(results, name, cell)
        ours = here.pop(OURS, None)
        rivals = {method: values for method, values in here.items() if TOLD not in method}
        if ours is None or not rivals:
            continue
        best = max(rivals, key=lambda method: rivals[method].mean())
        paired = ours - rivals[best]
        gap, wide = float(paired.mean()), half_interval(paired)
        lost += gap + wide < -LARGEST_LOSS
        ahead += gap >= 0
        gaps.append(gap)
        ranks.append(1 + sum(values.mean() > ours.mean() for values in rivals.values()))
        error = 100 * results[OURS, name, cell].get("calibration_error", math.nan)
        print(
            f"| {name} | {cell} | {100 * ours.mean():.1f} | {best} "
            f"{100 * rivals[best].mean():.1f} | {100 * gap:+.1f} ± {100 * wide:.1f} | {error:.1f} |"
        )
    print(
        f"\n{len(gaps)} cells: at or above the best baseline in {ahead}, more than "
        f"{100 * LARGEST_LOSS:.1f} points below it beyond the interval in {lost}; "
        f"mean difference {100 * np.mean(gaps):+.2f}, mean rank {np.mean(ranks):.2f}."
    )


def tabulate(results: dict[Place, Result], sets: Sequence[str]) -> None:
    """Print the mean accuracy of each method in each cell over sets, and its mean rank."""
    cells = cells_of(sets[0])
    means: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    ranks: dict[str, list[int]] = defaultdict(list)
    for name, cell in product(sets, cells):
        here = {m: values.mean() for m, values in accuracies_of(results, name, cell).items()}
        for method, value in here.items():
            means[method][cell].append(value)
            if TOLD not in method:
                above = [m for m, other in here.items() if other > value and TOLD not in m]
                ranks[method].append(1 + len(above))
    print(f"\n| mean accuracy (%) | sets | {' | '.join(cells)} | mean rank |")
    print("|---" * (len(cells) + 3) + "|")
    for method in sorted(means, key=lambda one: np.mean(ranks[one]) if ranks[one] else math.inf):
        numbers = [f"{100 * np.mean(means[method][cell]):.1f}" for cell in cells]
        n_sets = max(map(len, means[method].values()))
        rank = f"{np.mean(ranks[method]):.1f}" if ranks[method] else ""
        print(f"| {method} | {n_sets} | {' | '.join(numbers)} | {rank} |")


def main() -> None:
    """Run what is asked for, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join((*SETS, *GRAPHS)))
    parser.add_argument("--cells", default=",".join(CELLS))
    parser.add_argument("--draws", type=int, default=N_DRAWS)
    parser.add_argument("--methods", help="names, with semicolons between them; all if not given")
    parser.add_argument("--baselines-only", action="store_true", help="all methods but ours")
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished"))
    given = parser.parse_args()
    set_threads(1)
    warnings.simplefilter("ignore")
    methods = None if given.methods is None else given.methods.split(";")

    def is_asked(method: str) -> bool:
        without = given.baselines_only and method == OURS
        return not without and (methods is None or method in methods)

    names, cells = given.sets.split(","), given.cells.split(",")
    places = [(name, cell) for name in names for cell in cells if cell in cells_of(name)]
    results = {place(result): result for result in kept_results("few_labels")}
    contest, start = Contest(given.unfinished, given.draws, is_asked), time.monotonic()
    command = f"python benchmarks/few_labels.py --draws {given.draws}"
    for done, (name, cell) in enumerate(places, start=1):
        found = contest.run(name, cell, results)
        results |= {place(result): result for result in found}
        keep_results("few_labels", command, list(results.values()))
        minutes = (time.monotonic() - start) / 60
        progress = f"{done} of {len(places)} cells, {minutes:.1f} minutes"
        print(f"{progress}: {name}, {cell}, {len(found)} methods", flush=True)
    contest.end()
    compare(results)
    tabulate(results, SETS)
    tabulate(results, GRAPHS)


if __name__ == "__main__":
    main()
