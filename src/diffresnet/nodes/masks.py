"""The splits that come with a graph: a mask for each part of each of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import fail

SPLIT_PARTS = ("train_mask", "val_mask", "test_mask")
"""The parts of a split that comes with the data, as files and PyTorch Geometric name them."""

MASKS = (*SPLIT_PARTS, *(f"{name}s" for name in SPLIT_PARTS))
"""What these may be called in a file."""


def masks_in(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return the masks among arrays of a file by the name of the part; a final s is no other."""
    found = {name: arrays[name] for name in SPLIT_PARTS if name in arrays}
    return {name: arrays[f"{name}s"] for name in SPLIT_PARTS if f"{name}s" in arrays} | found


def encode_split(function: str, masks: Mapping[str, Any], n_nodes: int) -> npt.NDArray[np.int8]:
    """Return the part of the split that each node is in, -1 for none, from a mask for each part.

    Args:
        function: for messages.
        masks: for each part (N,) booleans, or for several splits (G, N), or (N, G) as PyTorch
            Geometric has them.
        n_nodes: N.

    Returns:
        (N,), or (G, N) for several splits.
    """
    unknown = [name for name in masks if name not in SPLIT_PARTS]
    if unknown:
        must = f"of {', '.join(SPLIT_PARTS)}"
        fail(function, "masks", must, f"{unknown[0]!r}", "Rename it.")
    arrays = {name: _by_split(np.asarray(mask), n_nodes) for name, mask in masks.items()}
    shape = next((mask.shape for mask in arrays.values() if mask.ndim == 2), (n_nodes,))
    split = np.full(shape, -1, dtype=np.int8)
    for place, name in enumerate(SPLIT_PARTS):
        mask = arrays.get(name, np.zeros(shape, dtype=bool))
        if mask.shape != shape or mask.shape[-1:] != (n_nodes,) or mask.dtype != bool:
            must = f"booleans of shape ({n_nodes},), or ({n_nodes}, G) for G splits"
            got = f"shape {mask.shape} of {mask.dtype}"
            fail(function, name, must, got, "Pass one a node in every mask.")
        if (split[mask] >= 0).any():
            remedy = "Give each node to one part of the split."
            fail(function, name, "apart from the other masks", "nodes in two of them", remedy)
        split[mask] = place
    return split


def _by_split(mask: npt.NDArray[Any], n_nodes: int) -> npt.NDArray[Any]:
    """Turn a mask (N, G) into (G, N)."""
    is_turned = mask.ndim == 2 and mask.shape[1] != n_nodes and mask.shape[0] == n_nodes
    return mask.T if is_turned else mask
