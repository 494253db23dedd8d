"""Predictions as a table: one row a point."""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from diffresnet.files.formulas import encode_csv

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

    The margin is how far the probability is ahead of that of the second class. In CSV, ids and
    labels that a spreadsheet would take for formulas are guarded (`files.formulas`).

    Args:
        ids: of the points.
        labels: that were predicted.
        probabilities: (N, K) of the classes.
        reached: (N,) whether a label is connected to a point.
        suffix: ".csv" or ".parquet".
    """
    sorted_rows = np.sort(probabilities, axis=1)
    table = pl.DataFrame(
        {
            "id": list(ids),
            "label": [str(label) for label in labels],
            "probability": sorted_rows[:, -1].tolist(),
            "margin": (sorted_rows[:, -1] - sorted_rows[:, -2]).tolist(),
            "reached": reached.tolist(),
        }
    )
    if suffix.lower() != ".parquet":
        return encode_csv(table, n_digits=N_DIGITS)
    content = io.BytesIO()
    table.write_parquet(content)
    return content.getvalue()
