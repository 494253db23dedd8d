"""A feature bank: the features, labels and splits that few-shot tasks are drawn from."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from diffresnet._support.checks import (
    FLOAT_DTYPES,
    check_count,
    check_finite_rows,
    fail,
)
from diffresnet.files.arrays import read_arrays
from diffresnet.learning.labels import UNLABELED, encode_labels, name_classes

BASE_SPLITS = ("train", "base")


@dataclass(frozen=True)
class FeatureBank:
    """Features of many examples, with their classes, as tensors; `from_arrays` takes numpy.

    Attributes:
        features: (n, d) float32 or float64.
        labels: (n,) class of each example, between 0 and the number of classes.
        class_names: the name of each class.
        splits: (n,) name of the split of each example; empty if there are none. The mean of the
            features of ``"train"`` (or ``"base"``) is what `Center` subtracts.

    Raises:
        ValueError: if features are not finite (the rows are named) or the shapes do not agree.

    Examples:
        >>> bank = FeatureBank(torch.eye(4), torch.tensor([0, 0, 1, 1]), ("cat", "dog"))
        >>> bank.rows_by_class()
        {0: tensor([0, 1]), 1: tensor([2, 3])}
    """

    features: Tensor
    labels: Tensor
    class_names: tuple[str, ...]
    splits: NDArray[np.str_] = field(default_factory=lambda: np.empty(0, dtype=np.str_))

    def __post_init__(self) -> None:
        n_examples = len(self.features)
        if self.features.ndim != 2 or self.features.numel() == 0:
            got, remedy = f"shape {tuple(self.features.shape)}", "Flatten what each example has."
            fail("FeatureBank", "features", "of shape (n, d), not empty", got, remedy)
        if self.features.dtype not in FLOAT_DTYPES:
            got, remedy = self.features.dtype, "Convert them to float32."
            fail("FeatureBank", "features", "float32 or float64", got, remedy)
        check_finite_rows("FeatureBank", "features", self.features)
        if tuple(self.labels.shape) != (n_examples,):
            must, got = f"one for each of {n_examples} rows", f"shape {tuple(self.labels.shape)}"
            fail("FeatureBank", "labels", must, got, "Pass one label a row of `features`.")
        least, largest = self.labels.aminmax()
        whole = not self.labels.is_floating_point()
        if not whole or least < 0 or largest >= len(self.class_names):
            must = f"integers below the number of classes ({len(self.class_names)})"
            got, remedy = f"{least} to {largest}", "Name every class in `class_names`."
            fail("FeatureBank", "labels", must, got, remedy)
        if len(self.splits) not in (0, n_examples):
            must, got = f"one for each of {n_examples} rows", f"{len(self.splits)}"
            fail("FeatureBank", "splits", must, got, "Pass one split a row of `features`.")

    @classmethod
    def from_arrays(
        cls,
        features: NDArray[Any],
        labels: NDArray[Any],
        *,
        class_names: Sequence[str] | None = None,
        splits: NDArray[Any] | None = None,
    ) -> "FeatureBank":
        """Make a bank from numpy arrays; labels may be of any type.

        Args:
            features: (n, ...); what an example has is flattened. Half precision becomes single.
            labels: (n,) numbers or texts; rows without one (-1, NaN, "") are left out.
            class_names: of the classes 0, 1, 2, ..., for labels that are such numbers.
            splits: (n,) names.
        """
        features, labels = np.asarray(features), np.asarray(labels)
        if features.ndim < 2 or features.size == 0 or features.dtype.kind not in "fiub":
            got = f"shape {features.shape} of dtype {features.dtype}"
            remedy = "Pass one row of numbers an example."
            fail("FeatureBank", "features", "numbers of shape (n, d), not empty", got, remedy)
        is_double = features.dtype.kind == "f" and features.dtype.itemsize >= 8
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused below
            wide = features.astype(np.float64 if is_double else np.float32)
        points = torch.from_numpy(wide.reshape(len(features), -1))
        if np.size(labels) != len(features):
            must, got = f"one for each of {len(features)} rows", f"shape {np.shape(labels)}"
            fail("FeatureBank", "labels", must, got, "Pass one label a row of `features`.")
        encoded, classes = encode_labels("FeatureBank", "labels", labels.ravel())
        is_labeled = encoded != UNLABELED
        if not is_labeled.any():
            fail("FeatureBank", "labels", "given for some rows", "none", "Label some examples.")
        names = name_classes("FeatureBank", "labels", classes, class_names)
        named = np.empty(0, dtype=np.str_)
        if splits is not None:
            given = np.ravel(splits)
            if len(given) != len(is_labeled):  # before texts are made of it
                must, got = f"one for each of {len(is_labeled)} rows", f"{len(given)}"
                fail("FeatureBank", "splits", must, got, "Pass one split a row of `features`.")
            named = given.astype(np.str_)[is_labeled]
        rows = torch.from_numpy(is_labeled)
        return cls(points[rows], torch.from_numpy(encoded)[rows], names, named)

    @classmethod
    def load(cls, path: Path | str) -> "FeatureBank":
        """Read a bank from an ``.npz`` file; nothing in it is unpickled.

        Args:
            path: a file with `features` (n, d) and `labels` (n,), and, if wanted, `split` (n,) and
                the names `classes`.

        Raises:
            FileNotFoundError: if there is no such file.
            ValueError: if it is not such a file.
        """
        arrays = read_arrays(Path(path), "FeatureBank: `path`")
        missing = [name for name in ("features", "labels") if name not in arrays]
        if missing:
            has = ", ".join(sorted(arrays)) or "nothing"
            got = f"{path}, which has {has}"
            remedy = f"Add {' and '.join(missing)}."
            fail("FeatureBank", "path", "a file with `features` and `labels`", got, remedy)
        names = arrays.get("classes")
        return cls.from_arrays(
            arrays["features"],
            arrays["labels"],
            class_names=None if names is None else [str(name) for name in names.ravel()],
            splits=arrays.get("split"),
        )

    @cached_property
    def digest(self) -> str:
        """A short text that is the same for banks of the same content only."""
        content = blake2b(digest_size=16)
        for array in (self.features.numpy(), self.labels.numpy(), self.splits):
            content.update(array.tobytes())
        return content.hexdigest()

    @property
    def split_names(self) -> tuple[str, ...]:
        """The names of the splits, in order."""
        return tuple(sorted({str(name) for name in self.splits}))

    def rows(self, split: str | None = None) -> Tensor:
        """Return the rows of a split, or of all examples.

        Raises:
            ValueError: if there is no such split; the message names those that there are.
        """
        if split is None:
            return torch.arange(len(self.labels))
        if split not in self.split_names:
            listed = ", ".join(repr(name) for name in self.split_names) or "none, the bank has none"
            remedy = "Choose one of these, or no split for all examples."
            fail("FeatureBank", "split", f"one of {listed}", repr(split), remedy)
        return torch.from_numpy(np.flatnonzero(self.splits == split))

    def rows_by_class(self, split: str | None = None) -> dict[int, Tensor]:
        """Return the rows of each class that occurs in a split."""
        rows = self.rows(split)
        labels = self.labels[rows]
        return {int(label): rows[labels == label] for label in labels.unique()}

    def base_mean(self) -> Tensor:
        """Return the mean feature of the base classes, or of all where no split is called so."""
        for name in BASE_SPLITS:
            if name in self.split_names:
                return self.features[self.rows(name)].mean(dim=0)
        return self.features.mean(dim=0)

    def with_class_split(self, n_base: int, n_validation: int, *, seed: int = 0) -> "FeatureBank":
        """Return the bank with its classes, not its examples, divided anew.

        For banks whose own splits share their classes: few-shot settings must be chosen on classes
        that are not tested.

        Args:
            n_base: classes of ``"train"``.
            n_validation: classes of ``"val"``; all others are ``"test"``.
            seed: of the order in which classes are dealt out.
        """
        n_classes = len(self.class_names)
        n_base = check_count("with_class_split", "n_base", n_base, low=1)
        n_validation = check_count("with_class_split", "n_validation", n_validation, low=0)
        if n_base + n_validation >= n_classes:
            must = f"fewer, with `n_validation`, than there are classes ({n_classes})"
            got = f"{n_base} and {n_validation}"
            fail("with_class_split", "n_base", must, got, "Leave some classes for testing.")
        names = np.full(n_classes, "test", dtype="<U5")
        order = np.random.default_rng(seed).permutation(n_classes)
        names[order[:n_base]] = "train"
        names[order[n_base : n_base + n_validation]] = "val"
        return replace(self, splits=names[self.labels.numpy()])
