from typing import Any

import numpy as np
import polars
import pytest
from scipy import sparse

from diffresnet.learning.indicators import encode_indicators


class Incomparable:
    """Like pandas' NA: neither equal to anything nor not."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Any:
        raise TypeError("boolean value of NA is ambiguous")


def test_indicators() -> None:
    expected = [[1, 0], [-1, 1], [0, -1]]
    for given in (
        [[1, 0], [None, 1], [0, None]],
        [[1, 0], [-1, 1], [0, -1]],
        np.array([[1, 0], [np.nan, 1], [0, np.nan]]),
        polars.DataFrame({"a": [True, None, False], "b": [False, True, None]}),
        [[1, 0], [Incomparable(), 1], [0, Incomparable()]],
        np.ma.masked_array(np.array([[1, 0], [1, 1], [0, 0]]), np.array([[0, 0], [1, 0], [0, 1]])),
    ):
        assert encode_indicators("f", "y", given).tolist() == expected
    empty = sparse.csr_array(([1.0], ([0], [1])), shape=(2, 2))
    assert encode_indicators("f", "y", empty).tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            [0, 1],
            "f: `y` must be two-dimensional, (N, K), got shape (2,). Give a column for each label, "
            "or take DiffResNetClassifier for one class a point.",
        ),
        (
            [[0, 0.5]],
            "f: `y` must be 0, 1 or missing, got 0.5 in row 0, column 1. Make a column of 0 and 1 "
            "for each label; -1, None and NaN mean unknown.",
        ),
        (
            [[0, 1], ["a", None]],
            "f: `y` must be 0, 1 or missing, got a in row 1, column 0. Make a column of 0 and 1 "
            "for each label; -1, None and NaN mean unknown.",
        ),
    ],
)
def test_what_cannot_be_an_indicator(given: object, message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        encode_indicators("f", "y", given)
    assert str(error.value) == message


@pytest.mark.parametrize("kind", ["M8[s]", "S3"])
def test_indicators_of_another_kind(kind: str) -> None:
    with pytest.raises(ValueError, match="must be 0, 1 or missing, got"):
        encode_indicators("fit", "y", np.array([[1], [0]]).astype(kind))


def test_rows_of_different_lengths() -> None:
    with pytest.raises(ValueError, match="f: `y` must be an array of numbers, got rows of differ"):
        encode_indicators("f", "y", [0, "", [1]])
