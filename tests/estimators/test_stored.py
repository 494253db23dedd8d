from typing import Any

import numpy as np
import pytest

from diffresnet.estimators.stored import check_stored

ARRAYS: dict[str, Any] = {
    "row_starts": np.array([0, 1, 2]),
    "columns": np.array([1, 0]),
    "values": np.ones(2),
    "rates": np.zeros(1),
    "modes": np.ones((2, 1)),
    "points": np.eye(2),
    "lengths": np.ones(2),
    "center": np.zeros(2),
    "unit": np.array(1.0),
    "outliers": np.array([], dtype=np.int64),
    "has_own_graph": np.array(False),
    "first_rows": np.array([0, 1]),
    "point_of_row": np.array([0, 1, 1]),
    "encoded_labels": np.array([0, 1, -1]),
    "classes": np.array(["cats", "dogs"]),
}


def test_what_fits_is_taken() -> None:
    check_stored(ARRAYS, 2, None)
    check_stored(ARRAYS, 2, ["a", "b"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"modes": np.ones((3, 1))}, "`points` with 2 points rather than 3"),
        ({"values": np.array([1, np.nan])}, "`values` with NaN"),
        ({"found_by": np.array("luck")}, "neighbors that were found by luck"),
        ({"found_by": np.array(1.0)}, "`found_by` of float64"),
        ({"unit": np.array(0.0)}, "`unit` with zero or less"),
        ({"outliers": np.array([2])}, "`outliers` outside of its points"),
        ({"point_of_row": np.array([1, 0, 0])}, "rows that are no points"),
        ({"encoded_labels": np.array([0, 2, -1])}, "`encoded_labels` outside of its classes"),
        ({"classes": np.array(["cats", "cats"])}, "`classes` that are not different"),
        ({"lengths": np.ones(2, dtype=np.longdouble)}, "`lengths` of "),
        ({"center": np.zeros(3)}, "features that do not fit"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_stored({**ARRAYS, **change}, 2, None)


@pytest.mark.parametrize("n_features", [0, 2.0, "2", 3])
def test_features_are_counted(n_features: Any) -> None:
    with pytest.raises(ValueError, match="features"):
        check_stored(ARRAYS, n_features, None)
