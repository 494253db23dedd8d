"""Points that a page has selected: a list of rows, or of very many points a bit for each."""

import base64
import binascii
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import refuse

Rows = npt.NDArray[np.int64]

MOST_ROWS = 100_000
"""Of a list."""

REMEDY = "Reload the page."


def find_rows(given: Any, n_points: int) -> Rows:
    """Return the rows of a selection, in order.

    Args:
        given: ``{"rows": [...]}``, or ``{"bits": "..."}`` in base64, the first point in the lowest
            bit of the first byte, as a page sends it.
        n_points: N.

    Raises:
        ValueError: if it is something else.
    """
    if not isinstance(given, dict) or len(set(given) & {"rows", "bits"}) != 1:
        refuse("`selection`", "an object with `rows` or `bits`", _kind(given), "Select points.")
    if "rows" in given:
        return np.unique(check_rows(given["rows"], n_points))
    return _read_bits(given["bits"], n_points)


def check_rows(given: Any, n_points: int) -> Rows:
    """Return row numbers that were given, or raise."""
    must = f"a list of up to {MOST_ROWS:,} row numbers below {n_points}"
    if not isinstance(given, list) or len(cast("list[Any]", given)) > MOST_ROWS:
        refuse("`rows`", must, _kind(given), REMEDY)
    listed = cast("list[Any]", given)
    if not all(type(row) is int and 0 <= row < n_points for row in listed):
        refuse("`rows`", must, "others", REMEDY)
    return np.array(listed, dtype=np.int64)


def _read_bits(given: Any, n_points: int) -> Rows:
    n_bytes = -(-n_points // 8)
    try:
        content = base64.b64decode(given, validate=True) if isinstance(given, str) else b""
    except (binascii.Error, ValueError):
        content = b""
    bits = np.unpackbits(np.frombuffer(content, dtype=np.uint8), bitorder="little")
    if len(content) != n_bytes or bits[n_points:].any():
        refuse("`bits`", f"{n_bytes:,} bytes in base64, a bit for each point", "others", REMEDY)
    return np.flatnonzero(bits[:n_points])


def _kind(given: object) -> str:
    if isinstance(given, list):
        return f"a list of {len(cast('list[Any]', given)):,}"
    return repr(given) if isinstance(given, str | int | float | None) else type(given).__name__
