"""Does the studio's queue ask for better labels than random ones, or those that one sees?

Simulated labelers answer one question after the other, with the true labels, from none on:

- `queue`: takes the first question of the studio's queue (`diffresnet.studio.asking`);
- `random`: takes any point;
- `sees`: looks at the map. Of 100 points on which the eye falls, it takes the one that stands in
  the densest place and the farthest from all that it has labeled (by the product of the two).

All are judged by what the studio's classifier makes of the labels, on the points without one. A
stopped run goes on where it was.
"""

import argparse
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from diffresnet._support.writing import finite, write_whole
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.measuring.statistics import difference_of, half_interval, percent
from diffresnet.report.layout import settle_map
from diffresnet.studio.asking import ask
from diffresnet.studio.history import NOT_ANSWERED, State
from diffresnet.studio.predictions import Predictions, learn
from few_label_sets import Floats, load
from timing import set_threads, write_results

SETS = ("cifar10", "banking77", "mnist", "trec")
SIZES = (10, 30, 50, 100)
"""Answers at which the accuracy is kept."""

N_SEEDS = 20
N_GLANCED, N_CROWD = 100, 20
"""Points on which the eye falls, and neighbors on the map that make a place dense."""

Rows = npt.NDArray[np.int64]


class Desk:
    """A studio without a page: the points of a set, and the answers so far."""

    def __init__(self, features: Floats, truth: Floats, seed: int, places: Floats) -> None:
        self.truth, self.places = truth, places
        self.rng = np.random.default_rng(seed)
        self.model = DiffResNetClassifier(random_state=seed).prepare(features)
        self.answers = np.full(len(truth), NOT_ANSWERED, dtype=np.int32)
        self.learned = self.answers.copy()

    @property
    def free(self) -> Rows:
        """Rows without an answer."""
        return np.flatnonzero(self.answers == NOT_ANSWERED)

    def answer(self, row: int) -> None:
        """Give a point its true label."""
        self.answers[row] = self.truth[row]

    def learn(self) -> Predictions:
        """Return what follows from the answers."""
        new = np.flatnonzero(self.answers != self.learned)
        if len(new):
            self.model = learn(self.model, new, self.answers[new].astype(np.int64))
            self.learned = self.answers.copy()
        return Predictions.of(self.model)

    def accuracy(self) -> float:
        """Return how many of the points without an answer are right."""
        rest = self.free
        return float((self.learn().classes[rest] == self.truth[rest]).mean())


Labeler = Callable[[Desk], int]


def by_queue(desk: Desk) -> int:
    """Take what is asked first."""
    predictions = desk.learn()
    state = State(desk.answers, {}, 0)
    return ask(desk.model, _with_names(state), predictions, 1)[0].row


def at_random(desk: Desk) -> int:
    """Take any."""
    return int(desk.rng.choice(desk.free))


def by_sight(desk: Desk) -> int:
    """Take what stands out on the map."""
    seen = desk.rng.choice(desk.free, min(N_GLANCED, len(desk.free)), replace=False)
    tree = cKDTree(desk.places)
    crowd = np.asarray(tree.query(desk.places[seen], N_CROWD)[0])[:, -1]
    far = np.ones(len(seen))
    answered = np.flatnonzero(desk.answers != NOT_ANSWERED)
    if len(answered):
        far = np.asarray(cKDTree(desk.places[answered]).query(desk.places[seen])[0])
    return int(seen[(far / np.maximum(crowd, 1e-6)).argmax()])


LABELERS: dict[str, Labeler] = {"queue": by_queue, "random": at_random, "sees": by_sight}


def _with_names(state: State) -> State:
    """Return the state with a name for every class, which reasons are told with."""
    from diffresnet.studio.classes import make_class  # noqa: PLC0415

    numbers = range(int(state.answers.max()) + 1)
    return State(state.answers, {one: make_class(one, str(one), []) for one in numbers})


def run(features: Floats, truth: Floats, places: Floats, name: str, seed: int) -> dict[str, Any]:
    """Return the accuracies as answers are given, and how many classes were found."""
    desk, labeler = Desk(features, truth, seed, places), LABELERS[name]
    accuracies, found = list[float](), list[int]()
    for n_answers in range(1, SIZES[-1] + 1):
        desk.answer(labeler(desk))
        if n_answers in SIZES:
            accuracies.append(desk.accuracy())
            found.append(len(np.unique(desk.answers[desk.answers >= 0])))
    return {"accuracies": accuracies, "n_classes": found}


def map_of(features: Floats) -> Floats:
    """Return where the points are on the studio's map."""
    model = DiffResNetClassifier().prepare(features)
    return list(settle_map(model, "after", every=10**9))[-1].places


def show(results: list[dict[str, Any]]) -> None:
    """Print a table, with the difference of the queue from random points."""
    names = list(dict.fromkeys(result["labeler"] for result in results))
    print("\n| set | answers | " + " | ".join(names) + " | queue minus random |")
    print("|---" * (len(names) + 3) + "|")
    for which in dict.fromkeys(result["set"] for result in results):
        here = {
            one["labeler"]: np.array(one["accuracies"]) for one in results if one["set"] == which
        }
        for column, size in enumerate(SIZES):
            values = {name: runs[:, column] for name, runs in here.items()}
            shown = [percent(v.mean(), half_interval(v), digits=1) for v in values.values()]
            said = ""
            if {"queue", "random"} <= set(values):
                gap = difference_of(values["queue"], values["random"])
                said = percent(gap.difference, gap.ci95, sign=True, digits=1)
            print(f"| {which} | {size} | {' | '.join(shown)} | {said} |")


def main() -> None:
    """Run what is asked for, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--labelers", default=",".join(LABELERS))
    parser.add_argument("--seeds", type=int, default=N_SEEDS)
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished"))
    parser.add_argument("--trial", action="store_true", help="print only, keep no results")
    given = parser.parse_args()
    set_threads(1)
    warnings.simplefilter("ignore")
    results: list[dict[str, Any]] = []
    for which in given.sets.split(","):
        features, truth = load(which)
        places = map_of(features)
        for name in given.labelers.split(","):
            runs: list[dict[str, Any]] = []
            for seed in range(given.seeds):
                kept = given.unfinished / f"labelers-{which}-{name}-{seed}.json"
                if not kept.exists():
                    done = run(features, truth, places, name, seed)
                    write_whole(kept, json.dumps(done).encode())
                runs.append(json.loads(kept.read_text()))
            accuracies = np.array([one["accuracies"] for one in runs])
            results.append(
                {
                    "set": which,
                    "labeler": name,
                    "n_answers": SIZES,
                    "accuracy": accuracies.mean(axis=0).tolist(),
                    "ci95": [finite(half_interval(column)) for column in accuracies.T],
                    "accuracies": accuracies.tolist(),
                    "n_classes": np.mean([one["n_classes"] for one in runs], axis=0).tolist(),
                }
            )
            print(which, name, np.round(100 * accuracies.mean(axis=0), 1), flush=True)
    if not given.trial:
        command = f"python benchmarks/labelers.py --seeds {given.seeds}"
        write_results("labelers", command, results)
    show(results)


if __name__ == "__main__":
    main()
