import math
from typing import Any

import numpy as np
import polars
import pytest
import torch
from sklearn.exceptions import DataConversionWarning

from diffresnet.learning.values import Values, encode_values

FUNCTION = "DiffResNetRegressor.fit"


def missing_like_pandas() -> object:
    class Missing:
        def __eq__(self, other: object) -> Any:
            return self

        __hash__ = None  # type: ignore[assignment]

        def __bool__(self) -> bool:
            raise TypeError("boolean value of NA is ambiguous")

    return Missing()


@pytest.mark.parametrize(
    "given",
    [
        [1, None, -1],
        (1.0, math.nan, -1.0),
        np.array([1, np.nan, -1], dtype=np.float32),
        np.array([1, None, -1], dtype=object),
        np.array([1, missing_like_pandas(), -1], dtype=object),
        polars.Series([1, None, -1]),
    ],
)
def test_what_is_no_value(given: Any) -> None:
    found = encode_values(FUNCTION, "y", given)
    assert found.dtype == np.float64
    assert np.array_equal(found, [1, np.nan, -1], equal_nan=True)


def test_whole_numbers_and_a_column() -> None:
    assert encode_values(FUNCTION, "y", [3, 4]).tolist() == [3, 4]
    assert encode_values(FUNCTION, "y", np.array([True, False])).tolist() == [1, 0]
    with pytest.warns(DataConversionWarning):
        assert encode_values(FUNCTION, "y", [[3.0], [4.0]]).tolist() == [3, 4]


REMEDY = "Pass numbers; None and NaN mean that there is no value."


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            [[1.0, 2.0]],
            "must be one-dimensional, got shape (1, 2). Give one value, or NaN, for each point.",
        ),
        (["a", "b"], f"must be real numbers, got dtype <U1. {REMEDY}"),
        ([None, "3"], f"must be real numbers, got '3'. {REMEDY}"),
        (
            [1j],
            f"must be real numbers, got dtype complex128 (Complex data not supported). {REMEDY}",
        ),
        (
            [1.0, np.inf],
            f"must be finite where there is a value, got infinity in row 1. {REMEDY}",
        ),
    ],
)
def test_what_cannot_be_a_value(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        encode_values(FUNCTION, "y", given)
    assert str(error.value) == f"{FUNCTION}: `y` {message}"


def test_values_are_standardized_and_restored() -> None:
    for scale in (1e-200, 1.0, 1e200):
        values = Values.of(scale * np.array([1.0, np.nan, 3.0, 8.0]))
        assert values.rows.tolist() == [0, 2, 3]
        assert float(values.standardized.mean()) == pytest.approx(0, abs=1e-12)
        assert float(values.standardized.square().mean()) == pytest.approx(1)
        assert torch.allclose(values.restore(values.standardized) / scale, values.values / scale)


def test_equal_values_are_their_mean() -> None:
    values = Values.of(np.array([4.0, 4.0, np.nan]))
    assert (values.center, values.spread) == (4.0, 1.0)
    found = values.regress(torch.eye(2, dtype=torch.float64))
    assert found.held_out.tolist() == [[0.0], [0.0]]


def test_regression_of_some_values_is_that_of_these_alone() -> None:
    values = Values(torch.arange(5), torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0]).double())
    gram = torch.exp(-(torch.arange(5.0)[:, None] - torch.arange(5.0)).square()).double()
    some = torch.tensor([4, 0, 2])
    found = values.regress(gram[some][:, some], some)
    alone = Values(some, values.values[some])
    # Another unit and another zero: a free constant makes the predictions the same.
    expected = alone.restore(alone.regress(gram[some][:, some]).held_out)
    assert torch.allclose(values.restore(found.held_out), expected)


def test_rows_of_different_lengths() -> None:
    with pytest.raises(ValueError, match="f: `y` must be an array of numbers, got rows of differ"):
        encode_values("f", "y", [0, [1, 2]])


def test_what_is_masked_has_no_value() -> None:
    found = encode_values("fit", "y", np.ma.masked_array([1.0, 5.0], [False, True]))
    assert np.array_equal(found, [1.0, np.nan], equal_nan=True)


def test_some_values_have_the_units_of_all() -> None:
    values = Values.of(np.array([1.0, 2.0, 9.0, np.nan]))
    some = values.take(torch.tensor([0, 2])).take(torch.tensor([1]))
    assert torch.equal(some.standardized, values.standardized[2:])
    assert some.restore(some.standardized).tolist() == pytest.approx([9.0])
