import base64
from typing import Any

import numpy as np
import pytest

from diffresnet.studio.selection import find_rows


def bits_of(rows: list[int], n_points: int) -> str:
    """As the page does it."""
    bits = np.zeros(n_points, dtype=np.uint8)
    bits[rows] = 1
    return base64.b64encode(np.packbits(bits, bitorder="little").tobytes()).decode()


def test_rows_are_sorted_and_unique() -> None:
    assert find_rows({"rows": [2, 0, 2]}, 3).tolist() == [0, 2]
    assert find_rows({"rows": []}, 3).tolist() == []


@pytest.mark.parametrize("n_points", [1, 8, 9, 1000])
def test_bits_name_the_same_rows(n_points: int) -> None:
    rows = sorted({0, n_points // 2, n_points - 1})
    assert find_rows({"bits": bits_of(rows, n_points)}, n_points).tolist() == rows
    assert find_rows({"bits": bits_of([], n_points)}, n_points).tolist() == []


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (None, "`selection` must be an object with `rows` or `bits`, got None. Select points."),
        ({"rows": [], "bits": ""}, "`selection` must be an object with `rows` or `bits`"),
        ({"rows": [3]}, "`rows` must be a list of up to 100,000 row numbers below 3, got others."),
        ({"rows": [True]}, "`rows` must be a list"),
        ({"rows": ["../etc"]}, "`rows` must be a list"),
        ({"rows": [0] * 100_001}, "got a list of 100,001. Reload the page."),
        ({"bits": 3}, "`bits` must be 1 bytes in base64, a bit for each point, got others."),
        ({"bits": "%%"}, "`bits` must be"),
        ({"bits": "ä"}, "`bits` must be"),
        ({"bits": bits_of([], 9)}, "`bits` must be"),
        ({"bits": bits_of([3], 4)}, "`bits` must be"),
    ],
)
def test_other_selections_are_refused(given: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        find_rows(given, 3)
    assert sentence in str(refused.value)
