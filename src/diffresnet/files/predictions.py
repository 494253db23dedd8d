"""Predictions as a table: one row a point, in one file or a folder of parts."""

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from diffresnet._support.checks import refuse
from diffresnet._support.words import some
from diffresnet.files.formulas import encode_csv
from diffresnet.files.frames import TableFile, as_texts, check_file
from diffresnet.files.parquet import PARQUET

SUFFIXES = (".csv", PARQUET)
SINCE = "--since"
PARTS = f"part-*{PARQUET}"
"""What the files of a folder are called."""
N_DIGITS = 6
"""Of the probabilities in a CSV file."""
N_ROWS = 2**17
"""Of a part."""


def read_earlier(path: Path) -> dict[str, str]:
    """Return the labels by id of a table that `encode_predictions` made.

    Args:
        path: of a .csv or .parquet file.

    Raises:
        ValueError: if it is no such table.
    """
    check_file(path, SINCE, SUFFIXES)
    table = TableFile(path, SINCE)
    if not {"id", "label"} <= set(table.columns):
        must, got = "a table with the columns id and label", f"{path} with {some(table.columns)}"
        refuse(SINCE, must, got, "Give what an earlier run wrote as --out.")
    frame = table.read(["id", "label"])
    return dict(zip(as_texts(frame, "id"), as_texts(frame, "label"), strict=True))


def encode_predictions(
    ids: Sequence[str],
    labels: npt.NDArray[Any],
    probabilities: npt.NDArray[Any],
    reached: npt.NDArray[np.bool_],
    suffix: str = ".csv",
    *,
    texts: Sequence[str] = (),
) -> bytes:
    """Return a table with the columns id, label, probability, margin, reached, and text if known.

    The margin is how far the probability is ahead of that of the second class. In CSV, ids and
    labels that a spreadsheet would take for formulas are guarded (`files.formulas`).

    Args:
        ids: of the points.
        labels: (N,) that were predicted.
        probabilities: (N, K) of the classes.
        reached: (N,) whether a label is connected to a point.
        suffix: ".csv" or ".parquet".
        texts: of the points, or none.
    """
    first = probabilities.max(axis=1).astype(np.float64)
    second = np.zeros_like(first)  # of one class only there is no second
    if probabilities.shape[1] > 1:
        second = np.partition(probabilities, -2, axis=1)[:, -2].astype(np.float64)
    return encode_table(ids, labels, (first, first - second), reached, suffix, texts=texts)


def encode_table(
    ids: Sequence[str],
    labels: npt.NDArray[Any],
    best: tuple[npt.NDArray[Any], npt.NDArray[Any]],
    reached: npt.NDArray[np.bool_],
    suffix: str,
    *,
    texts: Sequence[str] = (),
) -> bytes:
    """Return the same table from the largest probability of each point (N,), and its margin."""
    names = labels if labels.dtype.kind == "U" else [str(label) for label in labels.tolist()]
    table = pl.DataFrame(
        {
            "id": pl.Series(ids, dtype=pl.String),
            "label": pl.Series(names, dtype=pl.String),
            "probability": best[0],
            "margin": best[1],
            "reached": reached,
        }
    )
    if len(texts):
        table = table.with_columns(text=pl.Series(texts, dtype=pl.String))
    if suffix.lower() != PARQUET:
        return encode_csv(table, n_digits=N_DIGITS)
    content = io.BytesIO()
    table.write_parquet(content)
    return content.getvalue()


def encode_parts(
    ids: Sequence[str],
    labels: npt.NDArray[Any],
    probabilities: npt.NDArray[Any],
    reached: npt.NDArray[np.bool_],
    n_rows: int = N_ROWS,
) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of Parquet files of `n_rows` rows, made when they are asked for.

    The others are as in `encode_predictions`.
    """
    for place, begin in enumerate(range(0, len(ids), n_rows)):
        rows = slice(begin, begin + n_rows)
        part = ids[rows], labels[rows], probabilities[rows], reached[rows]
        yield PARTS.replace("*", f"{place:05}"), encode_predictions(*part, PARQUET)
