"""Points in groups, what every function of the theory takes: checked, and as numpy sees them."""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from diffresnet._support.checks import as_points, fail
from diffresnet._support.types import Array

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def check_grouped(
    function: str, points: Array, groups: Array, argument: str = "subclasses"
) -> tuple[Tensor, Tensor]:
    """Return `points` as (N, d) in float64, and one integer a point; `argument` names the groups.

    Raises:
        ValueError: if `points` is not a finite (N, d) array or `groups` not N integers.
    """
    rows = as_points(function, points).detach().to(torch.float64)
    remedy = f"Number the {argument} 0, 1, 2, ..."
    if isinstance(groups, np.ndarray) and groups.dtype.kind not in "biuf":
        must = f"{len(rows)} integers, one a point"
        fail(function, argument, must, f"an array of {groups.dtype}", remedy)
    numbers = torch.as_tensor(groups, device=rows.device)
    if rows.ndim != 2:
        got = f"shape {tuple(rows.shape)}"
        fail(function, "points", "of shape (N, d)", got, "Call it once for each set.")
    if numbers.is_floating_point() or tuple(numbers.shape) != (len(rows),):
        got = f"{numbers.dtype} of shape {tuple(numbers.shape)}"
        fail(function, argument, f"{len(rows)} integers, one a point", got, remedy)
    return rows, numbers


def split_groups(
    function: str, points: Array, groups: Array, argument: str = "subclasses"
) -> tuple[Floats, Integers, npt.NDArray[Any]]:
    """Return the points, the group of each as 0, 1, 2, ..., and the numbers the groups had."""
    rows, numbers = check_grouped(function, points, groups, argument)
    names, places = np.unique(numbers.cpu().numpy(), return_inverse=True)
    return rows.cpu().numpy(), places.astype(np.int64), names
