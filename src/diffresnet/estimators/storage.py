"""A fitted estimator in a file: its points and labels; what they say is learned again."""

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import fail
from diffresnet._support.notices import tell
from diffresnet._support.words import reason_of, shortened
from diffresnet._support.writing import write_whole
from diffresnet.estimators.copies import Copies
from diffresnet.estimators.input import plain_prior
from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.stored import check_stored
from diffresnet.files.arrays import encode_described, read_described
from diffresnet.files.opening import UNREADABLE

if TYPE_CHECKING:
    from diffresnet.estimators.classifier import DiffResNetClassifier

Array = npt.NDArray[Any]


class Stored(Protocol):
    """What every estimator has that can be written."""

    copies_: Copies
    seed_: int
    n_features_in_: int

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002
        """Return its parameters."""
        ...


LEARNING = 2
"""Raised with every change after which the same points and labels give other answers."""

ENDINGS = (".npz", "")
"""Of names of files that models are written to; those without an ending are kept as they are."""

Model = TypeVar("Model", bound=Stored)
Load: TypeAlias = Callable[[type[Model], str | Path], Model]


def write_model(
    model: Stored,
    path: Path,
    points: FittedPoints,
    learned_from: Mapping[str, Array],
    parameters: Mapping[str, Any],
) -> Path:
    """Write a fitted estimator, whole or not at all; the arguments are those of `encode_model`.

    A saved model is replaced; files of other names, and folders, are refused.
    """
    check_place(model, path)
    return write_whole(path, encode_model(model, points, learned_from, parameters))


def write_classifier(model: "DiffResNetClassifier", path: Path) -> Path:
    """Write a fitted classifier as `write_model` does."""
    check_place(model, path)
    return write_whole(path, encode_classifier(model))


def check_place(model: Stored, path: Path) -> None:
    """Refuse a name that is not one of a model: a table of labels would be gone."""
    function, remedy = f"{type(model).__name__}.save", "Choose a name that ends in .npz."
    if path.suffix.lower() not in ENDINGS:
        fail(function, "path", "a file that ends in .npz", path, remedy)
    if path.is_dir():
        fail(function, "path", "a file", f"{path}, a folder", remedy)


def encode_classifier(model: "DiffResNetClassifier") -> bytes:
    """Return the file of a fitted classifier."""
    labels = {"classes": model.classes_, "encoded_labels": model.encoded_labels_}
    # Whoever reads it may have no such device.
    plain = {"class_prior": plain_prior(model.class_prior, model.classes_), "device": "cpu"}
    return encode_model(model, model.solution_.points, labels, plain)


def encode_model(
    model: Stored,
    points: FittedPoints,
    learned_from: Mapping[str, Array],
    parameters: Mapping[str, Any],
) -> bytes:
    """Return the file of a fitted estimator.

    Args:
        model: to be written.
        points: that it was fitted to.
        learned_from: its labels or values, by name.
        parameters: those that JSON would not hold as they are, and what is written instead.
    """
    arrays = points.to_arrays()
    arrays |= {"first_rows": model.copies_.first, "point_of_row": model.copies_.point}
    names = getattr(model, "feature_names_in_", None)
    description: dict[str, Any] = {
        "estimator": type(model).__name__,
        "learning": LEARNING,
        "parameters": model.get_params() | {"random_state": model.seed_} | dict(parameters),
        "n_features": model.n_features_in_,
        "feature_names": None if names is None else list(names),
    }
    plain = {  # of long names, arrays have references
        name: np.array(array.tolist(), dtype=np.str_) if array.dtype == object else array
        for name, array in learned_from.items()
    }
    return encode_described(arrays | plain, description)


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
    function = f"{kind.__name__}.load"
    arrays, description = read_described(path, function)
    written = description.get("estimator", "DiffResNetClassifier")
    if written != kind.__name__:
        must, remedy = f"a saved {kind.__name__}", f"Read it by `{shortened(str(written))}.load`."
        fail(function, "path", must, f"{path}, a {written}", remedy)
    if description.get("learning") != LEARNING:
        tell(
            f"{path} was saved by another version of diffresnet. What its labels say is learned "
            "again, and answers may differ from those it gave then. Save it again to keep these."
        )
    n_features, feature_names = description["n_features"], description["feature_names"]
    check_stored(arrays, n_features, feature_names)
    model: Model = cast("Any", kind)(**description["parameters"])
    model.n_features_in_ = n_features
    if feature_names is not None:
        found = np.array(feature_names, dtype=object)
        setattr(model, "feature_names_in_", found)  # noqa: B010  (scikit-learn declares it)
    points = FittedPoints.from_arrays(arrays)
    copies = Copies(arrays["first_rows"], arrays["point_of_row"])
    return model, points, copies, [arrays[name] for name in names]


def refusing_damage(load: Load[Model]) -> Load[Model]:
    """Let a function that loads a model end with one kind of error, and never with NaN.

    A file may come from a stranger: whatever does not work in it is a `ValueError` that says so.
    """

    @wraps(load)
    def run(cls: type[Model], path: str | Path) -> Model:
        function = f"{cls.__name__}.load"
        try:
            model = load(cls, path)
            learned = vars(model).get("label_distributions_", vars(model)["transduction_"])
            if not np.isfinite(learned).all():
                raise ValueError("what it learned from leads to NaN")
        except FileNotFoundError:
            raise
        except UNREADABLE as error:
            if str(error).startswith(function):
                raise
            got = f"{path} ({reason_of(error) or type(error).__name__})"
            fail(function, "path", "a saved model", got, "Pass a file that `save` wrote.")
        return model

    return run
