"""A fitted classifier in a file: its points and labels; what they say is learned again."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import fail
from diffresnet.estimators.copies import Copies
from diffresnet.estimators.input import check_parameters, check_prior, seed_of
from diffresnet.estimators.points import FittedPoints
from diffresnet.files.arrays import read_described, write_described

if TYPE_CHECKING:
    from diffresnet.estimators.classifier import DiffResNetClassifier


def write_model(model: "DiffResNetClassifier", path: Path) -> Path:
    """Write a fitted classifier, whole or not at all."""
    parameters = model.get_params() | {"random_state": seed_of(model.seed_)}
    if isinstance(model.class_prior, Mapping):  # JSON has no keys but text
        prior = check_prior(model.class_prior, model.classes_)
        parameters["class_prior"] = None if prior is None else prior.tolist()
    arrays = model.solution_.points.to_arrays()
    arrays |= {"classes": model.classes_, "encoded_labels": model.encoded_labels_}
    arrays |= {"first_rows": model.copies_.first, "point_of_row": model.copies_.point}
    names = getattr(model, "feature_names_in_", None)
    description: dict[str, Any] = {
        "parameters": parameters,
        "n_features": model.n_features_in_,
        "feature_names": None if names is None else list(names),
    }
    return write_described(path, arrays, description)


def read_model(
    kind: "type[DiffResNetClassifier]", path: Path
) -> "tuple[DiffResNetClassifier, FittedPoints, Copies, npt.NDArray[np.int64], npt.NDArray[Any]]":
    """Read what `write_model` wrote: the classifier, not yet fitted, points, labels, classes."""
    arrays, description = read_described(path, "DiffResNetClassifier.load")
    try:
        model = kind(**description["parameters"])
        model.n_features_in_ = description["n_features"]
        if description["feature_names"] is not None:
            names = np.array(description["feature_names"], dtype=object)
            setattr(model, "feature_names_in_", names)  # noqa: B010  (scikit-learn declares it)
        points = FittedPoints.from_arrays(arrays)
        copies = Copies(arrays["first_rows"], arrays["point_of_row"])
        labels = arrays["encoded_labels"], arrays["classes"]
    except (KeyError, TypeError) as error:
        remedy = "Pass a file that `save` wrote."
        fail("DiffResNetClassifier.load", "path", "a saved model", f"{path} ({error})", remedy)
    check_parameters(model)
    return model, points, copies, *labels
