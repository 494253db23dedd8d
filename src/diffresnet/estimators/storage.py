"""A fitted estimator in a file: its points and labels; what they say is learned again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import fail
from diffresnet.estimators.copies import Copies
from diffresnet.estimators.points import FittedPoints
from diffresnet.files.arrays import read_described, write_described

Array = npt.NDArray[Any]


class Stored(Protocol):
    """What every estimator has that can be written."""

    copies_: Copies
    seed_: int
    n_features_in_: int

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002
        """Return its parameters."""
        ...


Model = TypeVar("Model", bound=Stored)


def write_model(
    model: Stored,
    path: Path,
    points: FittedPoints,
    learned_from: Mapping[str, Array],
    parameters: Mapping[str, Any],
) -> Path:
    """Write a fitted estimator, whole or not at all.

    Args:
        model: to be written.
        path: of the file.
        points: that it was fitted to.
        learned_from: its labels or values, by name.
        parameters: those that JSON would not hold as they are, and what is written instead.
    """
    arrays = points.to_arrays()
    arrays |= {"first_rows": model.copies_.first, "point_of_row": model.copies_.point}
    names = getattr(model, "feature_names_in_", None)
    description: dict[str, Any] = {
        "estimator": type(model).__name__,
        "parameters": model.get_params() | {"random_state": model.seed_} | dict(parameters),
        "n_features": model.n_features_in_,
        "feature_names": None if names is None else list(names),
    }
    return write_described(path, arrays | dict(learned_from), description)


def read_model(
    kind: type[Model], path: Path, names: tuple[str, ...]
) -> tuple[Model, FittedPoints, Copies, list[Array]]:
    """Read what `write_model` wrote.

    Args:
        kind: of the estimator.
        path: of the file.
        names: of what it learned from.

    Returns:
        The estimator, not yet fitted, its points, which rows are equal, and what it learned from.

    Raises:
        ValueError: if the file is none of this kind of estimator.
    """
    function, remedy = f"{kind.__name__}.load", "Pass a file that `save` wrote."
    arrays, description = read_described(path, function)
    written = description.get("estimator", "DiffResNetClassifier")
    if written != kind.__name__:
        must, remedy = f"a saved {kind.__name__}", f"Read it by `{written}.load`."
        fail(function, "path", must, f"{path}, a {written}", remedy)
    try:
        model: Model = cast("Any", kind)(**description["parameters"])
        model.n_features_in_ = description["n_features"]
        if description["feature_names"] is not None:
            found = np.array(description["feature_names"], dtype=object)
            setattr(model, "feature_names_in_", found)  # noqa: B010  (scikit-learn declares it)
        points = FittedPoints.from_arrays(arrays)
        copies = Copies(arrays["first_rows"], arrays["point_of_row"])
        return model, points, copies, [arrays[name] for name in names]
    except (KeyError, TypeError) as error:
        fail(function, "path", "a saved model", f"{path} ({error})", remedy)
