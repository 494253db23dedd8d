"""Labels as people write them: some missing, of any type. Here alone is said what "no label" is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sklearn.utils import column_or_1d
from torch import Tensor

from diffresnet._support.checks import as_array, fail
from diffresnet.learning.ridge import CLASS_PENALTIES, Penalty, Ridge, solve_classes

UNLABELED = -1
"""The class of a point without a label."""

MISSING_TEXTS = ("", "NA", "N/A", "n/a", "nan", "NaN", "None", "null", "NULL", "<NA>")
"""What programs write into tables where there is nothing."""
NO_LABELS = frozenset((*MISSING_TEXTS, "-1", "-1.0"))

LONG_NAME = 100
"""Letters of a class from which on arrays refer to its name, rather than repeat it."""


def is_missing(label: Any) -> bool:
    """Tell whether a label is none: None, NaN, -1, a blank text, or one of `NO_LABELS`.

    Numbers and texts follow the same rule, so that it does not matter which file they come from.

    Examples:
        >>> [is_missing(label) for label in (None, float("nan"), -1, " ", "-1", "NA", 0, "none")]
        [True, True, True, True, True, True, False, False]
    """
    if label is None:
        return True
    if isinstance(label, str | bytes):
        text = label if isinstance(label, str) else label.decode("utf-8", "replace")
        return text.strip() in NO_LABELS
    if isinstance(label, bool):
        return False
    try:
        return bool(label == UNLABELED or label != label)  # noqa: PLR0124  (NaN is not itself)
    except TypeError:  # pandas' NA has no truth value
        return True


@dataclass(frozen=True)
class Labels:
    """The points that have a label.

    Attributes:
        rows: (n,) which points.
        classes: (n,) their classes.
        n_classes: K.
    """

    rows: Tensor
    classes: Tensor
    n_classes: int

    @classmethod
    def of(cls, encoded: npt.NDArray[np.int64], n_classes: int) -> "Labels":
        """Take the labels out of (N,) classes, -1 where there is none."""
        rows = torch.from_numpy(np.flatnonzero(encoded != UNLABELED))
        return cls(rows, torch.from_numpy(encoded)[rows], n_classes)

    @property
    def counts(self) -> Tensor:
        """How many points of each class have a label, (K,)."""
        return torch.bincount(self.classes, minlength=self.n_classes)

    @property
    def can_be_held_out(self) -> Tensor:
        """Whether a label is not the only one of its class, (n,)."""
        return self.counts[self.classes] > 1

    def regress(
        self, gram: Tensor, some: Tensor | None = None, penalty: Penalty | None = None
    ) -> Ridge:
        """Return kernel ridge regression of the classes, or of some of them.

        Args:
            gram: (n, n) kernel of these.
            some: (n,) which labels; None for all.
            penalty: None to let held-out labels choose.
        """
        classes = self.classes if some is None else self.classes[some]
        penalties = CLASS_PENALTIES if penalty is None else (penalty,)
        return solve_classes(gram, classes, self.n_classes, penalties)

    def take(self, some: Tensor) -> "Labels":
        """Return some of the labels."""
        return Labels(self.rows[some], self.classes[some], self.n_classes)

    def first(self, order: Tensor, n_most: int) -> Tensor:
        """Return places of labels, the first in an order, but one of each class before all others.

        Examples:
            >>> labels = Labels(torch.arange(4), torch.tensor([0, 0, 0, 1]), 2)
            >>> labels.first(torch.tensor([2, 0, 1, 3]), 3)
            tensor([2, 3, 0])
        """
        leads = np.unique(self.classes[order].numpy(), return_index=True)[1]
        is_lead = torch.zeros(len(order), dtype=torch.bool)
        is_lead[torch.from_numpy(leads)] = True
        return torch.cat([order[is_lead], order[~is_lead]])[:n_most]

    def n_changed(self, before: "Labels") -> int:
        """Count the points whose label is another one than before, or was there in one only.

        Examples:
            >>> before = Labels(torch.tensor([0, 1, 2]), torch.tensor([0, 1, 1]), 2)
            >>> Labels(torch.tensor([1, 2, 5]), torch.tensor([1, 0, 0]), 2).n_changed(before)
            3
        """
        now = set(zip(self.rows.tolist(), self.classes.tolist(), strict=True))
        then = set(zip(before.rows.tolist(), before.classes.tolist(), strict=True))
        return len({row for row, _ in now ^ then})

    def folds(self, n_folds: int, generator: torch.Generator) -> Iterator[tuple["Labels", Tensor]]:
        """Yield labels without a fold, and which are held out; never the only one of a class."""
        order = torch.randperm(len(self.classes), generator=generator).to(self.classes.device)
        rank = torch.empty_like(order)
        for one in range(self.n_classes):
            own = order[self.classes[order] == one]
            rank[own] = torch.arange(len(own), device=order.device)
        several = self.can_be_held_out
        for fold in range(n_folds):
            out = several & (rank % n_folds == fold)
            if out.any():
                yield Labels(self.rows[~out], self.classes[~out], self.n_classes), out


def encode_labels(
    function: str, argument: str, y: Any
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Return the class of each point as a number, -1 for none, and the classes in order.

    Args:
        function: which takes the labels, for messages.
        argument: its argument, for messages.
        y: (N,) numbers, strings or booleans; see `is_missing` for those that are none.

    Raises:
        ValueError: if they are not one-dimensional, both text and numbers, or quantities.

    Examples:
        >>> encode_labels("fit", "y", ["cat", "", None, "dog"])
        (array([ 0, -1, -1,  1]), array(['cat', 'dog'], dtype='<U3'))
    """
    values = _as_array(function, argument, y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = column_or_1d(values, warn=True)
    if values.ndim != 1:
        remedy = "Give one label, or a missing one, for each point."
        fail(function, argument, "one-dimensional", f"shape {values.shape}", remedy)
    is_labeled = ~missing_among(values)
    given = values[is_labeled]
    if given.dtype == object:
        are_texts = {issubclass(kind, str) for kind in set(map(type, given.tolist()))}
        if len(are_texts) > 1:
            got, remedy = "both", "Make all of them text, or all of them numbers."
            fail(function, argument, "labels that are text or numbers", got, remedy)
        if are_texts == {False}:
            given = as_array(function, argument, given.tolist())
    if given.ndim > 1:
        remedy = "Give one label, or a missing one, for each point."
        fail(function, argument, "one label for each point", "several", remedy)
    _check_classes(function, argument, given)
    try:
        classes, codes = _sorted_classes(given)
    except TypeError:
        got, remedy = "some that have no order", "Make all of them text, or all of them numbers."
        fail(function, argument, "labels that are text or numbers", got, remedy)
    encoded = np.full(len(values), UNLABELED, dtype=np.int64)
    encoded[is_labeled] = codes
    return encoded, _as_names(classes) if classes.dtype == object else classes


def name_classes(
    function: str, argument: str, classes: npt.NDArray[Any], names: Sequence[Any] | None
) -> tuple[str, ...]:
    """Return the name of each class that `encode_labels` found.

    Args:
        function: which takes the names, for messages.
        argument: of the labels, for messages.
        classes: (K,) in order.
        names: of the classes 0, 1, 2, ..., for labels that are such numbers; None to take the
            labels themselves.

    Raises:
        ValueError: if a label is no number below the number of names.
    """
    given: list[Any] = classes.tolist()
    if classes.dtype.kind == "f":  # whole numbers, but for those that no integer holds
        given = [int(one) if abs(one) < 2**63 else one for one in given]
    if names is None:
        return tuple(map(str, given))
    if given and (classes.dtype.kind not in "iuf" or given[0] < 0 or given[-1] >= len(names)):
        must = f"numbers below the number of class names ({len(names)})"
        got = f"{given[0]} to {given[-1]}"
        fail(function, argument, must, got, "Name every class, or none.")
    return tuple(str(names[one]) for one in given)


def _as_array(function: str, argument: str, y: Any) -> npt.NDArray[Any]:
    """Return labels as an array; a list keeps its types, so that NaN beside text stays NaN.

    So do columns of pandas and polars with types of their own: NumPy would make whole numbers
    floats where some are missing.
    """
    y = unmasked(y)
    if hasattr(y, "dtype") and not isinstance(y.dtype, np.dtype) and not isinstance(y, Tensor):
        y = y.to_list() if hasattr(y, "to_list") else y.tolist()
    if not isinstance(y, list | tuple):
        return as_array(function, argument, y)
    kinds = set(map(type, y))
    has_texts = any(issubclass(kind, str | bytes) for kind in kinds)
    if not has_texts or any(issubclass(kind, list | tuple | np.ndarray) for kind in kinds):
        return as_array(function, argument, y)
    kept = np.empty(len(y), dtype=object)
    kept[:] = y  # an array of texts would give each the room of the longest
    return kept


def unmasked(given: Any) -> Any:
    """Return a masked array as lists, with None where it is masked; anything else as it is."""
    if not isinstance(given, np.ma.MaskedArray):
        return given
    found = np.array(given.data, dtype=object)
    found[np.ma.getmaskarray(given)] = None
    return found.tolist()


def missing_among(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return what `is_missing` says of each; numbers, and what repeats, are looked at once."""
    if values.dtype.kind in "biuf":
        return np.isnan(values) | (values == UNLABELED)
    flat: list[Any] = values.ravel().tolist()
    try:
        found = {value: is_missing(value) for value in set(flat)}
        is_none = list(map(found.__getitem__, flat))
    except TypeError:  # something without a hash, such as a list
        is_none = [is_missing(value) for value in flat]
    return np.array(is_none, dtype=bool).reshape(values.shape)


def _sorted_classes(given: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """Return what `np.unique` does, with the places; of texts only the classes are sorted."""
    if given.dtype.kind not in "OU":
        return np.unique(given, return_inverse=True)
    listed: list[Any] = given.tolist()
    names = sorted(set(listed))
    places = {name: place for place, name in enumerate(names)}
    classes = np.empty(len(names), dtype=given.dtype)
    classes[:] = names
    return classes, np.array(list(map(places.__getitem__, listed)), dtype=np.int64)


def _as_names(classes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return texts as an array of texts, unless they are long."""
    names: list[Any] = classes.tolist()
    if (
        not all(isinstance(name, str) for name in names)
        or max(map(len, names), default=0) > LONG_NAME
    ):
        return classes
    return np.array(names, dtype=np.str_)


def _check_classes(function: str, argument: str, given: npt.NDArray[Any]) -> None:
    """Raise if numbers cannot be classes."""
    if given.dtype.kind == "c":
        got, remedy = "complex numbers (Complex data not supported)", "Pass text or whole numbers."
        fail(function, argument, "labels that are text or numbers", got, remedy)
    if given.dtype.kind != "f":
        return
    if not np.isfinite(given).all():
        got, remedy = "an infinite number", "Replace inf by a class, or by -1 for no label."
        fail(function, argument, "labels", got, remedy)
    if (given != np.round(given)).any():
        got, remedy = "fractions (Unknown label type: continuous)", "Pass classes, not quantities."
        fail(function, argument, "labels", got, remedy)
