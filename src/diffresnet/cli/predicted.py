"""Predictions that `classify` and `predict` write: a file, or a folder of parts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

from diffresnet.anndata import write_labels
from diffresnet.cli.outputs import Files, check_new_file, check_new_folder
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.files.cells import CELLS, as_file, read_cells
from diffresnet.files.labels import DEFAULT_LABEL
from diffresnet.files.opening import is_folder
from diffresnet.files.points import Points
from diffresnet.files.predictions import PARTS, SUFFIXES, encode_parts, encode_predictions

OUT_HELP = (
    "File for the predictions, .csv or .parquet; without any ending, a folder for parts in "
    ".parquet; of cells also .h5ad, all that is in FEATURES with columns more."
)
OUT_DEFAULT = "predictions.csv, or predictions if FEATURES is a folder"


def choose_out(
    out: Path | None,
    features: Path,
    inputs: Sequence[Path],
    *,
    force: bool,
    default: str = "predictions",
) -> Path:
    """Return where predictions go, or end the command if they cannot be written there.

    A name without an ending is a folder. Where nothing was asked for, it is `default`, a folder if
    the features are one, too.
    """
    out = out or Path(default if is_folder(features) else f"{default}.csv")
    if out.suffix:
        suffixes = (*SUFFIXES, CELLS) if features.suffix == CELLS else SUFFIXES
        check_new_file(out, "--out", suffixes, inputs, force=force)
    else:
        check_new_folder(out, "--out", PARTS, inputs, force=force)
    return out


def encode_out(
    out: Path,
    ids: Sequence[str],
    labels: npt.NDArray[Any],
    probabilities: npt.NDArray[Any],
    reached: npt.NDArray[Any],
    *,
    texts: Sequence[str] = (),
) -> bytes | Files:
    """Return the content of the file, or of the files of the folder, `out`."""
    predicted = ids, labels, probabilities, reached
    if not out.suffix:
        return encode_parts(*predicted)
    return encode_predictions(*predicted, out.suffix, texts=texts)


def encode_fitted(
    out: Path,
    points: Points,
    model: DiffResNetClassifier,
    features: Path,
    label_column: str | None,
) -> bytes | Files:
    """Return what a model says of the points of `features`, which it was fitted to.

    In .h5ad it is added to the cells that were read.
    """
    if out.suffix != CELLS:
        found = model.transduction_, model.label_distributions_, model.reached_
        return encode_out(out, points.ids, *found, texts=points.texts)
    cells = read_cells(features, "FEATURES")
    write_labels(cells, label_column or DEFAULT_LABEL, model)
    return as_file(cells)
