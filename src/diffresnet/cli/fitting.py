"""What `diffresnet classify` asks of the classifier: a fit, points to label first, a curve."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from diffresnet._support.checks import refuse
from diffresnet._support.stages import shown_stages
from diffresnet._support.words import count
from diffresnet.cli.console import warn
from diffresnet.estimators import DiffResNetClassifier, LearningCurve, UnreachedWarning
from diffresnet.files.links import read_graph
from diffresnet.files.points import Points
from diffresnet.learning.labels import UNLABELED

MOST_POINTS, MOST_LABELS = 5000, 300
"""Up to these numbers a report shows the learning curve unasked: it takes seconds."""


def suggest_first(
    model: DiffResNetClassifier,
    points: Points,
    given: Sequence[str],
    graph: Path | None,
    n_suggested: int,
) -> list[int]:
    """Return the points to label where there are not labels of two classes yet."""
    links = points.links if graph is None else read_graph(graph, points.ids)
    n_labeled = sum(label != "" for label in given)
    with shown_stages(f"looking at {count(len(points.ids), 'point')}"):
        found = model.suggest_first(points.features, n_suggested + n_labeled, graph=links)
    return [row for row in found.tolist() if given[row] == ""][:n_suggested]


def count_steps(text: str) -> int | Literal["auto"]:
    """Return the number of steps that --steps says."""
    if text == "auto":
        return "auto"
    if not text.isdecimal():
        refuse("--steps", "a whole number or auto", f"'{text}'", "Leave it out for auto.")
    return int(text)


def fit(
    model: DiffResNetClassifier, points: Points, given_labels: Sequence[str], graph: Path | None
) -> None:
    """Fit the classifier, and warn of what it warns of, in the words of a command."""
    links = points.links if graph is None else read_graph(graph, points.ids)
    status = shown_stages(f"classifying {count(len(points.ids), 'point')}")
    with status, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        model.fit(points.features, list(given_labels), graph=links)
    if points.names:  # so that `predict` knows a table whose columns have another order
        setattr(model, "feature_names_in_", np.array(points.names, dtype=object))  # noqa: B010
    for warning in caught:
        if not issubclass(warning.category, UnreachedWarning):
            warn(str(warning.message))
    n_missed = int((~model.reached_).sum())
    if n_missed:
        remedy = "raise --n-top" if graph is None else "add links"
        get = "gets" if n_missed == 1 else "get"
        warn(
            f"Not connected to any label: {count(n_missed, 'point')}, which {get} the class prior. "
            f"Label some of them (--suggest names them first), or {remedy}."
        )


def measure_curve(
    model: DiffResNetClassifier, *, curve: bool | None, by_default: bool
) -> LearningCurve | None:
    """Return the learning curve if it was asked for, or is wanted by default and takes seconds."""
    if curve is None:
        n_labels = int((model.encoded_labels_ != UNLABELED).sum())
        is_small = len(model.encoded_labels_) <= MOST_POINTS and n_labels <= MOST_LABELS
        curve = by_default and is_small and model.solution_.held_out is not None
    return model.learning_curve() if curve else None


def draw_page(
    model: DiffResNetClassifier,
    points: Points,
    title: str,
    curve: LearningCurve | None,
    suggested: Sequence[int] | None,
    *,
    since: Mapping[str, str] | None = None,
) -> bytes:
    """Return the report; it suggests what the command does, or, if that was not asked, its own."""
    from diffresnet.report.classification.page import make_report  # noqa: PLC0415  (slow)

    rows = None if suggested is None else np.array(suggested, dtype=np.int64)
    given = points.ids, title, points.previews
    return make_report(model, *given, curve=curve, suggested=rows, since=since)
