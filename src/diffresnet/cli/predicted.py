"""Predictions that `classify` and `predict` write: a file, or a folder of parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet.anndata import write_predicted
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
        suffixes = (*SUFFIXES, CELLS) if is_of_cells(features) else SUFFIXES
        check_new_file(out, "--out", suffixes, inputs, force=force)
    else:
        check_new_folder(out, "--out", PARTS, inputs, force=force)
    return out


def is_of_cells(path: Path) -> bool:
    """Tell whether a file is one of cells, by its name."""
    return path.suffix.lower() == CELLS


@dataclass(frozen=True)
class Predicted:
    """What a model says of the points of a file.

    Attributes:
        features: the file.
        points: that it has.
        model: fitted, to these or other points.
        probabilities: (N, K).
        reached: (N,) whether a label is connected to them.
        label_column: of the file, if it was named.
    """

    features: Path
    points: Points
    model: DiffResNetClassifier
    probabilities: npt.NDArray[Any]
    reached: npt.NDArray[np.bool_]
    label_column: str | None

    @classmethod
    def of_fitted(
        cls, model: DiffResNetClassifier, points: Points, features: Path, label_column: str | None
    ) -> "Predicted":
        """Take what a model says of the points that it was fitted to."""
        return cls(
            features, points, model, model.label_distributions_, model.reached_, label_column
        )

    @property
    def labels(self) -> npt.NDArray[Any]:
        """The most likely class of each point, (N,)."""
        return self.model.classes_[self.probabilities.argmax(axis=1)]

    def encode(self, out: Path) -> bytes | Files:
        """Return the content of the file, or of the files of the folder, `out`.

        In .h5ad it is added to the cells that were read.
        """
        if is_of_cells(out):
            cells = read_cells(self.features, "FEATURES")
            key = self.label_column or DEFAULT_LABEL
            write_predicted(cells, key, self.model, self.probabilities, self.reached)
            return as_file(cells)
        found = self.points.ids, self.labels, self.probabilities, self.reached
        if not out.suffix:
            return encode_parts(*found)
        return encode_predictions(*found, out.suffix, texts=self.points.texts)
