"""A first look at what follows from an answer, until the classifier has learned from it.

It is `preview_labels` of the classifier: nearly its answer, in a part of the time. Of very many
points, those are looked at that are in view on the map, or a part of them that is spread over all.
"""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from diffresnet._support.checks import refuse
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.preview import preview_labels
from diffresnet.report.layout import MapName, Places
from diffresnet.studio.history import Rows
from diffresnet.studio.predictions import Predictions

LARGEST_WHOLE = 100_000
"""Up to this number of points, all are looked at."""

N_LOOKED_AT = 50_000
"""Of more, at most this number."""


def rows_in_view(given: Any, places: Mapping[MapName, Places], n_points: int) -> Rows | None:
    """Return the rows to look at first; None for all.

    Args:
        given: what a page shows, ``{"map": name, "box": [left, low, right, high]}``; None for all
            of the map.
        places: (N, 2) of the points, by the name of the map.
        n_points: N.

    Raises:
        ValueError: if it is something else.
    """
    name, box = _check_view(given, places)
    if n_points <= LARGEST_WHOLE:
        return None
    rows = np.arange(n_points)
    if box is not None:
        at, (left, low, right, high) = places[name], box
        is_in = (at[:, 0] >= left) & (at[:, 0] <= right) & (at[:, 1] >= low) & (at[:, 1] <= high)
        rows = np.flatnonzero(is_in)
    return rows[:: max(1, -(-len(rows) // N_LOOKED_AT))]


def look(
    model: DiffResNetClassifier, rows: Rows, labels: Any, before: Predictions, seen: Rows | None
) -> Predictions | None:
    """Return nearly what the model would predict with some labels changed.

    Args:
        model: that has learned from others.
        rows: (n,) whose labels have changed.
        labels: (n,) what they are now, -1 for none.
        before: what is predicted for points that are not looked at.
        seen: (m,) rows to look at; None for all.

    Returns:
        The predictions; None if only learning can tell, as with a new class.
    """
    if seen is not None:
        seen = np.union1d(seen, rows)
    found = preview_labels(model, rows, labels, seen)
    if found is None:
        return None
    shown = Predictions.from_probabilities(model.classes_, found.probabilities, found.reached)
    if seen is None:
        return shown
    classes, probabilities = before.classes.copy(), before.probabilities.copy()
    classes[seen], probabilities[seen] = shown.classes, shown.probabilities
    return Predictions(classes, probabilities)


def _check_view(given: Any, places: Mapping[MapName, Places]) -> tuple[MapName, list[Any] | None]:
    if given is None:
        return "after", None
    view = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    name, box = view.get("map"), view.get("box")
    listed = cast("list[Any]", box) if isinstance(box, list) else []
    is_good = len(listed) == 4 and all(
        type(one) in (int, float) and abs(one) < 1e30 for one in listed
    )
    if not isinstance(name, str) or name not in places or not is_good:
        must = "a map and a box [left, low, right, high]"
        refuse("`view`", must, type(given).__name__, "Reload the page.")
    return cast("MapName", name), listed
