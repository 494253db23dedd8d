"""Labels and splits of nodes, as numbers, from whatever users have."""

from collections.abc import Mapping
from numbers import Real
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import fail, is_missing

UNLABELED = -1

SPLIT_PARTS = ("train_mask", "val_mask", "test_mask")
"""The parts of a split that comes with the data, as files and PyTorch Geometric name them."""


def encode_labels(
    function: str, labels: Any, class_names: Any
) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Return the class of each node, -1 where there is none, and the names of the classes."""
    values = labels if isinstance(labels, np.ndarray) else _as_array(labels)
    if np.issubdtype(values.dtype, np.floating):
        known = np.isfinite(values)
        if (values[known] == values[known].round()).all():
            values = np.where(known, values, UNLABELED).astype(np.int64)
    if np.issubdtype(values.dtype, np.integer) and values.ndim == 1:
        encoded = values.astype(np.int64)
        if class_names is None:
            found, inverse = np.unique(encoded[encoded >= 0], return_inverse=True)
            encoded = np.where(encoded >= 0, 0, UNLABELED)
            encoded[encoded >= 0] = inverse
            return encoded, tuple(map(str, found.tolist()))
        names = tuple(map(str, np.asarray(class_names).tolist()))
        if encoded.max(initial=-1) >= len(names):
            must, got = f"below {len(names)}, the number of `class_names`", int(encoded.max())
            fail(function, "labels", must, got, "Name every class.")
        return np.maximum(encoded, UNLABELED), names
    if values.ndim != 1:
        fail(function, "labels", "one-dimensional", f"shape {values.shape}", "Pass one a node.")
    known = [not is_missing(one) for one in cast("list[Any]", values.tolist())]
    names, inverse = np.unique(values[known].astype(str), return_inverse=True)
    encoded = np.full(len(values), UNLABELED, dtype=np.int64)
    encoded[known] = inverse
    return encoded, tuple(names.tolist())


def _as_array(labels: Any) -> npt.NDArray[Any]:
    """Return an array, of numbers only if all are numbers: else -1 beside text would be text."""
    listed = list(labels)
    numeric = all(isinstance(one, Real) for one in listed)
    return np.array(listed, dtype=None if numeric or not listed else object)


def encode_split(function: str, masks: Mapping[str, Any], n_nodes: int) -> npt.NDArray[np.int8]:
    """Return the part of the split that each node is in, -1 for none, from a mask for each part."""
    unknown = [name for name in masks if name not in SPLIT_PARTS]
    if unknown:
        must = f"of {', '.join(SPLIT_PARTS)}"
        fail(function, "masks", must, f"{unknown[0]!r}", "Rename it.")
    split = np.full(n_nodes, -1, dtype=np.int8)
    for place, name in enumerate(SPLIT_PARTS):
        mask = np.asarray(masks.get(name, np.zeros(n_nodes, dtype=bool)))
        if mask.shape != (n_nodes,) or mask.dtype != bool:
            got = f"shape {mask.shape} of {mask.dtype}"
            fail(function, name, f"booleans of shape ({n_nodes},)", got, "Pass one split.")
        if (split[mask] >= 0).any():
            remedy = "Give each node to one part of the split."
            fail(function, name, "apart from the other masks", "nodes in two of them", remedy)
        split[mask] = place
    return split
