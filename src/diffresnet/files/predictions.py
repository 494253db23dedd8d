"""Predictions as a table: one row a point."""

import csv
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

SUFFIXES = (".csv", ".parquet")
N_DIGITS = 6
"""Of the probabilities in a CSV file."""


def encode_predictions(
    ids: Sequence[str],
    labels: Sequence[object],
    probabilities: npt.NDArray[Any],
    reached: npt.NDArray[np.bool_],
    suffix: str = ".csv",
) -> bytes:
    """Return a table with the columns id, label, probability, margin and reached.

    The margin is how far the probability is ahead of that of the second class.

    Args:
        ids: of the points.
        labels: that were predicted.
        probabilities: (N, K) of the classes.
        reached: (N,) whether a label is connected to a point.
        suffix: ".csv" or ".parquet".
    """
    sorted_rows = np.sort(probabilities, axis=1)
    columns: dict[str, list[Any]] = {
        "id": list(ids),
        "label": [str(label) for label in labels],
        "probability": sorted_rows[:, -1].tolist(),
        "margin": (sorted_rows[:, -1] - sorted_rows[:, -2]).tolist(),
        "reached": reached.tolist(),
    }
    return _to_parquet(columns) if suffix.lower() == ".parquet" else _to_csv(columns)


def _to_csv(columns: dict[str, list[Any]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(_cells, zip(*columns.values(), strict=True)))
    return text.getvalue().encode()


def _cells(row: tuple[Any, ...]) -> list[str]:
    name, label, probability, margin, reached = row
    numbers = f"{probability:.{N_DIGITS}f}", f"{margin:.{N_DIGITS}f}"
    return [name, label, *numbers, "true" if reached else "false"]


def _to_parquet(columns: dict[str, list[Any]]) -> bytes:
    content = io.BytesIO()
    pl.DataFrame(columns).write_parquet(content)
    return content.getvalue()
