"""Labels as people write them: some missing, of any type."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sklearn.utils import column_or_1d
from torch import Tensor

from diffresnet._support.checks import fail, is_missing

UNLABELED = -1


@dataclass(frozen=True)
class Labels:
    """The points that have a label.

    Attributes:
        known: (n,) which points.
        classes: (n,) their classes.
        n_classes: K.
    """

    known: Tensor
    classes: Tensor
    n_classes: int

    @property
    def counts(self) -> Tensor:
        """How many points of each class have a label, (K,)."""
        return torch.bincount(self.classes, minlength=self.n_classes)

    def folds(self, n_folds: int, generator: torch.Generator) -> Iterator[tuple["Labels", Tensor]]:
        """Yield labels without a fold, and which were left out; never the only one of a class."""
        order = torch.randperm(len(self.classes), generator=generator).to(self.classes.device)
        rank = torch.empty_like(order)
        for one in range(self.n_classes):
            own = order[self.classes[order] == one]
            rank[own] = torch.arange(len(own), device=order.device)
        several = self.counts[self.classes] > 1
        for fold in range(n_folds):
            out = several & (rank % n_folds == fold)
            if out.any():
                yield Labels(self.known[~out], self.classes[~out], self.n_classes), out


def encode_labels(y: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Return the class of each point as a number, -1 for none, and the classes in order.

    Missing are -1, None, NaN, "" and pandas' or polars' missing values.

    Args:
        y: (N,) labels: numbers, strings or booleans.

    Raises:
        ValueError: if there is no label at all, or they are not classes.

    Examples:
        >>> encode_labels(["cat", "", None, "dog"])
        (array([ 0, -1, -1,  1]), array(['cat', 'dog'], dtype='<U3'))
    """
    values = _as_array(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = column_or_1d(values, warn=True)
    if values.ndim != 1:
        remedy = "Give one label, or a missing one, for each point."
        fail("DiffResNetClassifier.fit", "y", "one-dimensional", f"shape {values.shape}", remedy)
    known = ~np.array([is_missing(value) for value in values.tolist()], dtype=bool)
    if not known.any():
        remedy = "Label at least one point of each class; -1, None, NaN and '' mean unlabeled."
        fail(
            "DiffResNetClassifier.fit", "y", "labels, at least two", "none but missing ones", remedy
        )
    given = values[known]
    if given.dtype == object:
        if len({isinstance(one, str) for one in given.tolist()}) > 1:
            got, remedy = "both", "Make all of them text, or all of them numbers."
            fail("DiffResNetClassifier.fit", "y", "labels that are text or numbers", got, remedy)
        given = np.array(given.tolist())
    _check_classes(given)
    classes, codes = np.unique(given, return_inverse=True)
    encoded = np.full(len(values), UNLABELED, dtype=np.int64)
    encoded[known] = codes
    return encoded, classes


def _as_array(y: Any) -> npt.NDArray[Any]:
    """Return labels as an array; a list keeps its types, so that NaN beside text stays NaN."""
    if not isinstance(y, list | tuple):
        return np.asarray(y)
    values = np.asarray(y)
    if values.ndim != 1 or values.dtype.kind not in "US":
        return values
    kept = np.empty(len(y), dtype=object)
    kept[:] = y
    return kept


def _check_classes(given: npt.NDArray[Any]) -> None:
    """Raise if numbers cannot be classes."""
    if given.dtype.kind != "f":
        return
    if not np.isfinite(given).all():
        got, remedy = "an infinite number", "Replace inf by a class, or by -1 for no label."
        fail("DiffResNetClassifier.fit", "y", "labels", got, remedy)
    if (given != np.round(given)).any():
        got, remedy = "fractions (Unknown label type: continuous)", "Pass classes, not quantities."
        fail("DiffResNetClassifier.fit", "y", "labels", got, remedy)
