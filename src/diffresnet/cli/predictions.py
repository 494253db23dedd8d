"""The predictions that a command writes: one row a point."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from diffresnet._extras import needs_extra
from diffresnet.cli.folders import make_folder
from diffresnet.cli.refusal import refuse
from diffresnet.estimators import DiffResNetClassifier

SUFFIXES = (".csv", ".parquet")
N_DIGITS = 6
"""Of the probabilities in a CSV file."""


def check_new_file(
    path: Path, option: str, suffixes: Sequence[str], inputs: Sequence[Path], *, force: bool
) -> None:
    """End the command before the work if a file cannot or should not be written."""
    if path.suffix.lower() not in suffixes:
        must = f"a file that ends in {' or '.join(suffixes)}"
        refuse(option, must, path, f"Choose another {option}.")
    if any(path.resolve() == one.resolve() for one in inputs):
        refuse(option, "another file than those that are used", path, f"Choose another {option}.")
    if path.is_dir() or (path.exists() and not force):
        remedy = f"Choose another {option}, or pass --force."
        refuse(option, "a new file", f"{path}, which exists", remedy)
    make_folder(path.parent, option)


def encode_predictions(
    model: DiffResNetClassifier, ids: Sequence[str], suffix: str = ".csv"
) -> bytes:
    """Return a table with the columns id, label, probability, margin and reached.

    The margin is how far the probability is ahead of that of the second class.
    """
    chances = np.sort(model.label_distributions_, axis=1)
    columns: dict[str, list[Any]] = {
        "id": list(ids),
        "label": [str(label) for label in model.transduction_.tolist()],
        "probability": chances[:, -1].tolist(),
        "margin": (chances[:, -1] - chances[:, -2]).tolist(),
        "reached": model.reached_.tolist(),
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
    with needs_extra("diffresnet", "tables"):
        import polars as pl  # noqa: PLC0415
    content = io.BytesIO()
    pl.DataFrame(columns).write_parquet(content)
    return content.getvalue()
