"""What `diffresnet classify` prints: classes, sentences about the graph, what to label first."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from diffresnet._support.words import count, shortened
from diffresnet.cli.console import say, show
from diffresnet.estimators import DiffResNetClassifier, LearningCurve
from diffresnet.files.points import Points
from diffresnet.learning.labels import UNLABELED

N_ROWS = 30
"""Classes that the table shows."""

NOTHING = "nothing, every point has a label or equals one that has"


def print_summary(model: DiffResNetClassifier, curve: LearningCurve | None) -> None:
    """Print a line for each class, and what was found about the graph.

    Args:
        model: fitted.
        curve: its learning curve, if that was measured.
    """
    given, n_classes = model.encoded_labels_, len(model.classes_)
    is_new = given == UNLABELED
    predicted = model.label_distributions_[is_new].argmax(axis=1)
    probabilities = model.label_distributions_[is_new].max(axis=1)
    n_given = np.bincount(given[~is_new], minlength=n_classes)
    n_predicted = np.bincount(predicted, minlength=n_classes)
    sums = np.bincount(predicted, probabilities, minlength=n_classes)
    rows: list[list[str]] = []
    for place, name in enumerate(model.classes_[:N_ROWS]):
        mean = f"{sums[place] / n_predicted[place]:.2f}" if n_predicted[place] else ""
        rows.append([str(name), str(n_given[place]), str(n_predicted[place]), mean])
    title = f"{count(len(given), 'point')}, {(~is_new).sum():,} with a label"
    caption = "predicted: points without a label"
    show(title, ["class", "labeled", "predicted", "mean probability"], rows, caption)
    if n_classes > N_ROWS:
        say(f"The file has {count(n_classes - N_ROWS, 'class')} more.")
    for sentence in model.diagnose(curve).sentences:
        say(sentence)


def say_first(points: Points, chosen: Sequence[int], table: Path) -> None:
    """Say which points to label first, and where."""
    say(f"Label first: {', '.join(points.ids[row] for row in chosen) or NOTHING}.")
    say(f"Fill in the column of labels in {table}, and pass it as --labels.")


def say_next(points: Points, chosen: Sequence[int]) -> None:
    """Name the points to label next, with their texts if they have any."""
    texts = points.texts
    quoted = [f' "{shortened(texts[row])}"' if texts else "" for row in chosen]
    named = ", ".join(f"{points.ids[row]}{text}" for row, text in zip(chosen, quoted, strict=True))
    say(f"Label next: {named or NOTHING}.")
