"""What the arrays of a saved estimator must be, whoever wrote them."""

from collections.abc import Mapping
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from diffresnet._support.types import FoundBy
from diffresnet._support.words import shortened

Array = npt.NDArray[Any]

SHAPES: dict[str, tuple[str, ...]] = {
    "row_starts": ("points and one",),
    "columns": ("entries",),
    "values": ("entries",),
    "rates": ("modes",),
    "modes": ("points", "modes"),
    "points": ("points", "coordinates"),
    "lengths": ("points",),
    "sketch": ("features", "dense features"),
    "center": ("dense features",),
    "scale": ("dense features",),
    "directions": ("dense coordinates", "coordinates"),
    "spread": (),
    "unit": (),
    "outliers": ("outliers",),
    "has_own_graph": (),
    "found_by": (),
    "first_rows": ("points",),
    "point_of_row": ("rows",),
    "encoded_labels": ("rows",),
    "classes": ("classes",),
    "given_values": ("rows",),
    "cells": ("rows", "labels"),
    "label_names": ("labels",),
}
"""Of every array: dimensions of the same name are equal."""

KINDS = {
    **dict.fromkeys(("row_starts", "columns", "first_rows", "point_of_row", "outliers"), "i"),
    **dict.fromkeys(("encoded_labels", "cells"), "i"),
    **dict.fromkeys(("has_own_graph",), "b"),
    **dict.fromkeys(("classes", "label_names"), "biufUSM"),
    "found_by": "U",
}
"""Kinds of numbers, by name; all others are floats."""

POSITIVE = ("scale", "spread", "unit")
"""What something is divided by."""


def check_stored(arrays: Mapping[str, Array], n_features: Any, feature_names: Any) -> None:
    """Raise if arrays do not fit each other, or have numbers that no fit leaves behind.

    The graph is not looked at here: `DiffusionOperator` checks what it is made from.

    Args:
        arrays: of a file, by name.
        n_features: that the estimator was fitted to.
        feature_names: of these, or None.

    Raises:
        ValueError: if something is wrong; it says what.
        KeyError: if an array is missing.
    """
    if not isinstance(n_features, int) or n_features < 1:
        raise ValueError(f"{n_features!r} features")
    if feature_names is not None and [type(name) for name in feature_names] != [str] * n_features:
        raise ValueError("names of features that do not fit")
    sizes = _check_shapes(arrays)
    if sizes["points and one"] != sizes["points"] + 1 or not sizes["points"] > 0:
        raise ValueError("another number of points in its graph")
    for name, array in arrays.items():
        if name in SHAPES:
            _check_values(name, array)
    if "points" in arrays:
        _check_space(arrays, sizes, n_features)
    elif n_features != sizes["points"] or sizes["rows"] != sizes["points"]:
        raise ValueError("another number of points than features, which are links to them")
    _check_rows(arrays, sizes)


def _check_shapes(arrays: Mapping[str, Array]) -> dict[str, int]:
    """Return the size of each dimension by its name."""
    sizes: dict[str, int] = {}
    for name, dimensions in SHAPES.items():
        if name not in arrays:
            continue
        shape = arrays[name].shape
        if len(shape) != len(dimensions):
            raise ValueError(f"`{name}` of shape {shape}")
        for dimension, size in zip(dimensions, shape, strict=True):
            if sizes.setdefault(dimension, size) != size:
                raise ValueError(f"`{name}` with {size} {dimension} rather than {sizes[dimension]}")
    return sizes


def _check_values(name: str, array: Array) -> None:
    is_long_double = array.dtype.kind == "f" and array.dtype.itemsize > 8 and name != "classes"
    if array.dtype.kind not in KINDS.get(name, "f") or is_long_double:
        raise ValueError(f"`{name}` of {array.dtype}")
    if array.dtype.kind == "f":
        is_good = np.isfinite(array) | (np.isnan(array) if name == "given_values" else False)
        if not is_good.all():
            raise ValueError(f"`{name}` with NaN or infinity")
    if name == "found_by" and str(array) not in get_args(FoundBy):
        raise ValueError(f"neighbors that were found by {shortened(str(array))}")
    if name in POSITIVE and not (array > 0).all():
        raise ValueError(f"`{name}` with zero or less")
    if name in ("points", "lengths") and np.abs(array).max(initial=0) > 2:
        raise ValueError(f"`{name}` far beyond one")


def _check_space(arrays: Mapping[str, Array], sizes: dict[str, int], n_features: int) -> None:
    """Raise if features of that number would not become such points."""
    n_dense = sizes["dense features"]
    if n_features != sizes.get("features", n_dense) or "lengths" not in arrays:
        raise ValueError(f"{n_features} features that do not fit")
    n_coordinates = n_dense + ("spread" in arrays)
    expected = sizes.get("dense coordinates", sizes["coordinates"])
    if n_coordinates != expected:
        raise ValueError(f"{n_coordinates} coordinates rather than {expected}")


def _check_rows(arrays: Mapping[str, Array], sizes: dict[str, int]) -> None:
    """Raise if rows are no points, or labels no classes."""
    first, point = arrays["first_rows"], arrays["point_of_row"]
    homes = {"first_rows": "rows", "point_of_row": "points", "outliers": "points"}
    for name, size in homes.items():
        places = arrays.get(name, first[:0])
        if len(places) and not 0 <= places.min() <= places.max() < sizes[size]:
            raise ValueError(f"`{name}` outside of its {size}")
    if (point[first] != np.arange(sizes["points"])).any():
        raise ValueError("rows that are no points")
    most = {"encoded_labels": sizes.get("classes", 0), "cells": 2}
    for name, n_classes in most.items():
        array = arrays.get(name)
        if array is not None and array.size and not -1 <= array.min() <= array.max() < n_classes:
            raise ValueError(f"`{name}` outside of its classes")
    for name in ("classes", "label_names"):
        if name in arrays and len(np.unique(arrays[name])) < len(arrays[name]):
            raise ValueError(f"`{name}` that are not different")
