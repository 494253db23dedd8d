"""Does the studio's queue ask for better labels than random ones, or those that one sees?

Simulated labelers answer one question after the other, with the true labels, from none on:

- `queue`: takes the first question of the studio's queue (`diffresnet.studio.asking`);
- `random`: takes any point;
- `sees`: looks at the map. Of 100 points on which the eye falls, it takes the one that stands in
  the densest place and the farthest from all that it has labeled (by the product of the two).

All are judged by what the studio's classifier makes of the labels, on the points without one. A
seed draws 3,000 points of the set, the same ones for all labelers, since questions depend on the
points alone. A stopped run goes on where it was.
"""

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.report.layout import settle_map
from diffresnet.studio.asking import ask
from diffresnet.studio.classes import make_class
from diffresnet.studio.history import NOT_ANSWERED, State
from diffresnet.studio.predictions import Predictions, learn
from few_label_sets import Floats, load
from label_runs import kept, show, summed_up
from timing import set_threads, write_results

SETS = ("cifar10", "banking77", "mnist", "trec")
SIZES = (10, 30, 50, 100)
"""Answers at which the accuracy is kept."""

N_SEEDS = 20
N_ASKED = 12
"""Questions that the page has at hand; after an answer, it asks anew."""

N_GLANCED, N_CROWD = 100, 20
"""Points on which the eye falls, and neighbors on the map that make a place dense."""

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Table:
    """Points of a set that were drawn with a seed: their classes, model, and map."""

    seed: int
    truth: Floats
    model: DiffResNetClassifier
    places: Floats

    @classmethod
    @lru_cache(1)
    def of(cls, which: str, seed: int) -> "Table":
        """Draw the points, and prepare them as the studio does."""
        features, truth = load(which, seed)
        model = DiffResNetClassifier().prepare(features)
        places = list(settle_map(model, "after", every=10**9))[-1].places
        return cls(seed, truth, model, places)


class Desk:
    """A studio without a page: the points of a set, and the answers so far."""

    def __init__(self, table: Table) -> None:
        truth, self.model, self.places = table.truth, table.model, table.places
        self.truth, self.rng = truth, np.random.default_rng(table.seed)
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
    return ask(desk.model, _with_names(state), predictions, N_ASKED)[0].row


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
    numbers = range(int(state.answers.max()) + 1)
    return State(state.answers, {one: make_class(one, str(one), []) for one in numbers})


def run(which: str, seed: int, name: str) -> dict[str, Any]:
    """Return the accuracies as answers are given, and how many classes were found."""
    desk, labeler = Desk(Table.of(which, seed)), LABELERS[name]
    accuracies, found = list[float](), list[int]()
    for n_answers in range(1, SIZES[-1] + 1):
        desk.answer(labeler(desk))
        if n_answers in SIZES:
            accuracies.append(desk.accuracy())
            found.append(len(np.unique(desk.answers[desk.answers >= 0])))
    return {"accuracies": accuracies, "n_classes": found}


def main() -> None:
    """Run what is asked for, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--labelers", default=",".join(LABELERS))
    parser.add_argument("--seeds", type=int, default=N_SEEDS)
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished"))
    parser.add_argument("--kept", action="store_true", help="show what is done, and run nothing")
    parser.add_argument("--trial", action="store_true", help="print only, keep no results")
    given = parser.parse_args()
    set_threads(1)
    warnings.simplefilter("ignore")
    results: list[dict[str, Any]] = []
    names = given.labelers.split(",")
    for which in given.sets.split(","):
        runs: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
        for seed in range(given.seeds):
            paths = {n: given.unfinished / f"labelers-{which}-{n}-{seed}.json" for n in names}
            if given.kept and not all(path.exists() for path in paths.values()):
                continue
            for name, path in paths.items():
                runs[name].append(kept(path, partial(run, which, seed, name)))
            print(which, seed, {name: runs[name][-1]["accuracies"] for name in names}, flush=True)
        about = {"set": which, "n_answers": SIZES, "n_seeds": len(runs[names[0]])}
        results += [{**about, "labeler": name, **summed_up(runs[name])} for name in names]
    if not given.trial:
        command = f"python benchmarks/labelers.py --seeds {given.seeds}"
        write_results("labelers", command, results)
    show(results, SIZES, by="labeler", first="queue", other="random")


if __name__ == "__main__":
    main()
