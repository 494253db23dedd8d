"""The demo's numbers: scikit-learn's digits from one label per class, ours beside other methods."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

from diffresnet._support.threads import limited_threads
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.learning.labels import UNLABELED

Array = npt.NDArray[Any]
OURS = "the classifier (ours)"
N_DRAWS = 10


@dataclass(frozen=True)
class DigitsResult:
    """What the demo found.

    Attributes:
        model: fitted on the first draw.
        accuracies: by method, the accuracy on the unlabeled points for each draw of labels.
        seed: of the first draw; each other one has the next seed.
    """

    model: DiffResNetClassifier
    accuracies: dict[str, list[float]]
    seed: int

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as plain lists and dictionaries."""
        methods = {
            name: {"mean": float(np.mean(values)), "draws": values}
            for name, values in self.accuracies.items()
        }
        sizes = {"points": len(self.model.transduction_), "labels": len(self.model.classes_)}
        return {"data": "scikit-learn digits", **sizes, "seed": self.seed, "accuracy": methods}


@limited_threads(1)
def run_digits(
    seed: int = 0,
    n_draws: int = N_DRAWS,
    advance: Callable[[int, str], None] = lambda _done, _remark: None,
) -> DigitsResult:
    """Label one digit of each class at random, `n_draws` times, and classify the others.

    Ours has its defaults. The others have settings that suit these digits.

    Args:
        seed: of the first draw.
        n_draws: how many.
        advance: called with the number of draws done and a remark.
    """
    points, truth = map(np.asarray, load_digits(return_X_y=True))
    accuracies: dict[str, list[float]] = {}
    shown = None
    for draw in range(n_draws):
        labels = draw_labels(truth, seed + draw)
        model = DiffResNetClassifier(random_state=seed + draw).fit(points, labels)
        shown = shown or model
        unknown = labels == UNLABELED
        guesses = {OURS: model.transduction_} | {
            name: classify(points, labels) for name, classify in OTHERS.items()
        }
        for name, guess in guesses.items():
            right = float((guess == truth)[unknown].mean())
            accuracies.setdefault(name, []).append(right)
        advance(draw + 1, "")
    if shown is None:
        raise ValueError(f"run_digits: `n_draws` must be 1 or more, got {n_draws}. Raise it.")
    return DigitsResult(shown, accuracies, seed)


def draw_labels(truth: Array, seed: int) -> Array:
    """Return labels of which one per class is given, the others -1."""
    generator = np.random.default_rng(seed)
    labels = np.full(len(truth), UNLABELED)
    for one in np.unique(truth):
        labels[generator.choice(np.flatnonzero(truth == one))] = one
    return labels


def nearest_prototype(points: Array, labels: Array) -> Array:
    """Return the class whose labeled points have the nearest mean."""
    classes = np.unique(labels[labels != UNLABELED])
    means = np.stack([points[labels == one].mean(axis=0) for one in classes])
    return classes[(2 * points @ means.T - np.square(means).sum(axis=1)).argmax(axis=1)]


def _by_labeled(model: Any, points: Array, labels: Array) -> Array:
    """Fit a model to the labeled points alone."""
    is_labeled = labels != UNLABELED
    return model.fit(points[is_labeled], labels[is_labeled]).predict(points)


def _label_spreading(points: Array, labels: Array) -> Array:
    model = LabelSpreading(kernel="knn", n_neighbors=15, alpha=0.9, max_iter=1000)
    return np.asarray(model.fit(points, labels).transduction_)


def _self_training(points: Array, labels: Array) -> Array:
    base = LogisticRegression(tol=1e-3, max_iter=1000)
    return SelfTrainingClassifier(base, threshold=0.9).fit(points, labels).predict(points)


OTHERS: dict[str, Callable[[Array, Array], Array]] = {
    "nearest prototype": nearest_prototype,
    "1 nearest neighbor": partial(_by_labeled, KNeighborsClassifier(1)),
    "logistic regression": partial(_by_labeled, LogisticRegression(max_iter=1000)),
    "LabelSpreading, knn kernel": _label_spreading,
    "SelfTraining, logistic regression": _self_training,
}
"""From points, and labels with -1 for unknown ones, to the classes of all points."""
