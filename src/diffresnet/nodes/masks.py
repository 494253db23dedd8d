"""The split that comes with a graph: a mask for each of its parts."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import fail

SPLIT_PARTS = ("train_mask", "val_mask", "test_mask")
"""The parts of a split that comes with the data, as files and PyTorch Geometric name them."""


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
