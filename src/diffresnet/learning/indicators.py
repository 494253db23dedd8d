"""Several labels of a point: a column of 0 and 1 for each, some missing."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from diffresnet._support.checks import as_array, fail
from diffresnet._support.sparse_checks import check_sparse
from diffresnet.learning.labels import UNLABELED, missing_among, unmasked


def encode_indicators(function: str, argument: str, y: Any) -> npt.NDArray[np.int64]:
    """Return which labels each point has, (N, K): 1 if it has one, 0 if not, -1 if unknown.

    Args:
        function: which takes them, for messages.
        argument: its argument, for messages.
        y: (N, K) of 0 and 1, dense, sparse or a frame; see `is_missing` for cells that are unknown.

    Raises:
        ValueError: if they are not two-dimensional, or something else than 0, 1 or unknown.

    Examples:
        >>> encode_indicators("fit", "y", [[1, 0], [None, 1]])
        array([[ 1,  0],
               [-1,  1]])
    """
    given: Any = y
    check_sparse(f"{function}: `{argument}`", given)
    values = given.toarray() if sparse.issparse(y) else as_array(function, argument, unmasked(y))
    if values.ndim != 2 or values.shape[1] == 0:
        remedy = "Give a column for each label, or take DiffResNetClassifier for one class a point."
        fail(function, argument, "two-dimensional, (N, K)", f"shape {values.shape}", remedy)
    is_unknown = missing_among(values)
    if values.dtype.kind not in "biuf":  # pandas' NA is not to be compared
        values = np.where(is_unknown, 0, values.astype(object))
    is_wrong = ~(is_unknown | (values == 0) | (values == 1))
    if is_wrong.any():
        row, column = (int(place) for place in np.argwhere(is_wrong)[0])
        got = f"{values[row, column]!s} in row {row}, column {column}"
        remedy = "Make a column of 0 and 1 for each label; -1, None and NaN mean unknown."
        fail(function, argument, "0, 1 or missing", got, remedy)
    return np.where(is_unknown, UNLABELED, values == 1).astype(np.int64)
