"""Which points are worth a label? Ours against random points and others' rules, from none on.

Ten points are labeled at a time, up to 100 in all; every rule is judged by what our classifier
makes of the labels that it asked for, on the points without one. Ours asks `suggest_first` for the
first ten, then `suggest`. TypiClust (Hacohen and others, 2022) and centers cluster the features
into as many clusters as there will be labels, and take the densest point, or the one nearest to the
center, of the largest clusters without a label. Margin sampling takes the points whose two most
likely classes are the closest; its first ten are random. A stopped run goes on where it was.
"""

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans

from diffresnet.estimators import DiffResNetClassifier
from few_label_baselines import centered
from few_label_sets import Floats, load
from label_runs import kept, show, summed_up
from timing import set_threads, write_results

SETS = ("digits", "umist", "vowel", "segment", "cifar10", "stackoverflow")
BATCH = 10
SIZES = (10, 20, 50, 100)
"""Labels in all at which the accuracy is kept."""

N_SEEDS = 20
N_NEAR = 20
"""Neighbors in its cluster that make a point typical, as in TypiClust."""

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class State:
    """What is known when points are asked for.

    Attributes:
        raw: (N, d) the features as they are.
        points: (N, d) the features, centered and of length one.
        labeled: (n,) rows that have a label.
        model: fitted to these labels; None if they are of fewer than two classes.
        seed: of the run.
    """

    raw: Floats
    points: Floats
    labeled: Rows
    model: DiffResNetClassifier | None
    seed: int

    @property
    def free(self) -> Rows:
        """Rows without a label, in the order of the run."""
        order = np.random.default_rng(self.seed).permutation(len(self.points))
        return order[~np.isin(order, self.labeled)]


Rule = Callable[[State], Rows]
"""From what is known to the next ten rows."""


def at_random(state: State) -> Rows:
    """Take any."""
    return state.free[:BATCH]


def ours(state: State) -> Rows:
    """Ask the classifier."""
    if state.model is not None:
        return state.model.suggest(BATCH)
    n_asked = BATCH + len(state.labeled)
    first = DiffResNetClassifier(random_state=state.seed).suggest_first(state.raw, n_asked)
    return first[~np.isin(first, state.labeled)][:BATCH]


def margin(state: State) -> Rows:
    """Take points whose two most likely classes are the closest."""
    if state.model is None:
        return at_random(state)
    free = state.free
    top = np.sort(state.model.label_distributions_[free], axis=1)
    return free[np.argsort(top[:, -1] - top[:, -2], kind="stable")[:BATCH]]


def typiclust(state: State) -> Rows:
    """Take the densest point of each of the largest clusters without a label."""

    def density(own: Floats, _: Floats) -> Floats:
        distances = np.linalg.norm(own[:, None] - own[None], axis=2)
        n_near = min(N_NEAR + 1, len(own))
        return -np.partition(distances, n_near - 1, axis=1)[:, :n_near].sum(axis=1)

    return _of_clusters(state, density)


def centers(state: State) -> Rows:
    """Take the point nearest to the center of each of the largest clusters without a label."""

    def nearness(own: Floats, center: Floats) -> Floats:
        return -np.linalg.norm(own - center, axis=1)

    return _of_clusters(state, nearness)


def _of_clusters(state: State, rate: Callable[[Floats, Floats], Floats]) -> Rows:
    kmeans: Any = KMeans(len(state.labeled) + BATCH, random_state=state.seed)
    clusters = kmeans.fit_predict(state.points)
    n_clusters = len(kmeans.cluster_centers_)
    sizes = np.bincount(clusters, minlength=n_clusters)
    n_labels = np.bincount(clusters[state.labeled], minlength=n_clusters)
    chosen: list[int] = []
    for one in np.lexsort((-sizes, n_labels)):
        rows = np.flatnonzero(clusters == one)
        rates = rate(state.points[rows], kmeans.cluster_centers_[one])
        rates[np.isin(rows, state.labeled)] = -np.inf
        if np.isfinite(rates).any():
            chosen.append(int(rows[rates.argmax()]))
    return np.array(chosen[:BATCH], dtype=np.int64)


RULES: dict[str, Rule] = {
    "ours": ours,
    "random": at_random,
    "TypiClust": typiclust,
    "margin": margin,
    "k-means centers": centers,
}


class Judge:
    """Our classifier on a set; the graph is made once."""

    def __init__(self, features: Floats, truth: Floats) -> None:
        self.truth = truth
        every = np.full(len(truth), -1)
        firsts = np.unique(truth, return_index=True)[1][:2]
        every[firsts] = truth[firsts]
        self.model = DiffResNetClassifier().fit(features, every)

    def fit(self, labeled: Rows) -> DiffResNetClassifier | None:
        """Learn from these labels, and no others."""
        if len(np.unique(self.truth[labeled])) < 2:
            return None
        labels = np.full(len(self.truth), -1)
        labels[labeled] = self.truth[labeled]
        return self.model.update_labels(np.arange(len(labels)), labels, exact=True)

    def accuracy(self, model: DiffResNetClassifier | None, labeled: Rows) -> float:
        """Return the accuracy on points without a label; all are of the one class there is."""
        rest = np.setdiff1d(np.arange(len(self.truth)), labeled)
        answers = self.truth[labeled[:1]] if model is None else model.transduction_[rest]
        return float((answers == self.truth[rest]).mean())


def run(judge: Judge, features: Floats, rule: Rule, seed: int) -> dict[str, Any]:
    """Return the accuracies as labels are added, and how many classes were found."""
    points, labeled = centered(features), np.empty(0, dtype=np.int64)
    model, accuracies, found = None, list[float](), list[int]()
    while len(labeled) < SIZES[-1]:
        chosen = rule(State(features, points, labeled, model, seed))
        labeled = np.concatenate([labeled, chosen])
        model = judge.fit(labeled)
        if len(labeled) in SIZES:
            accuracies.append(judge.accuracy(model, labeled))
            found.append(len(np.unique(judge.truth[labeled])))
    return {"accuracies": accuracies, "n_classes": found}


def main() -> None:
    """Run what is asked for, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--rules", default=",".join(RULES))
    parser.add_argument("--seeds", type=int, default=N_SEEDS)
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished"))
    parser.add_argument("--trial", action="store_true", help="print only, keep no results")
    given = parser.parse_args()
    set_threads(1)
    warnings.simplefilter("ignore")
    results: list[dict[str, Any]] = []
    for name in given.sets.split(","):
        features, truth = load(name)
        judge = Judge(features, truth)
        for rule in given.rules.split(","):
            found = [
                kept(
                    given.unfinished / f"suggestions-{name}-{rule}-{seed}.json",
                    partial(run, judge, features, RULES[rule], seed),
                )
                for seed in range(given.seeds)
            ]
            results.append({"set": name, "rule": rule, "n_labels": SIZES, **summed_up(found)})
            print(name, rule, np.round(100 * np.array(results[-1]["accuracy"]), 1), flush=True)
    if not given.trial:
        write_results(
            "suggestions", f"python benchmarks/suggestions.py --seeds {given.seeds}", results
        )
    show(results, SIZES, by="rule", first="ours")


if __name__ == "__main__":
    main()
