"""Several labels per point: one graph, and a problem of two classes for each label."""

from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from diffresnet._support.stages import shown_stages
from diffresnet._support.threads import limited_threads
from diffresnet._support.types import Normalization
from diffresnet.estimators.columns import (
    Column,
    check_cells,
    check_known,
    check_scored_cells,
    name_columns,
    reached_by_all,
    solve_column,
    warn_of_constants,
)
from diffresnet.estimators.components import Wording, warn_of_unreached
from diffresnet.estimators.copies import Copies
from diffresnet.estimators.given import check_label_count, take_input
from diffresnet.estimators.input import (
    changed_at_the_end,
    check_given,
    check_label_parameters,
    check_length,
    choose_step,
    seed_of,
)
from diffresnet.estimators.placing import place
from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.solution import Floats
from diffresnet.estimators.solvers.mixture import MixtureSolver
from diffresnet.estimators.storage import read_model, refusing_damage, write_model
from diffresnet.learning.features import validate_features
from diffresnet.learning.indicators import encode_indicators
from diffresnet.learning.sampling import LabelSampling

NAME = "DiffResNetMultiLabelClassifier"
UNREACHED = Wording(
    NAME,
    known="label of some column",
    instead="the proportion of points that have it",
    remedy="Label one of each, raise `n_top`, or add links.",
)
Cells = npt.NDArray[np.int64]


class DiffResNetMultiLabelClassifier(ClassifierMixin, BaseEstimator):
    """Tell which of several labels each point has, from a handful of known cells.

    Follows scikit-learn's contract for several labels: `y` has a row for each point and a column
    for each label, 1 if the point has it and 0 if not; -1, None or NaN mean that it is unknown.
    Columns may be known at different points. The graph is built once; over it, every column is a
    problem of two classes for the mixture of `DiffResNetClassifier`.

    Where all known cells of a column are equal there is nothing to tell apart: the column is that
    everywhere, with the probability (ones + 1) / (known cells + 2), and a `ConstantLabelWarning`
    says so. A column without any known cell is an error.

    Args:
        n_top: neighbors that the graph keeps, the point itself counted.
        bandwidth_rank: the kernel's width at a point is the distance to its neighbor of this rank,
            the point itself counted as the first.
        normalization: of the weights of neighbors, ``"sinkhorn"`` or ``"symmetric"``; see
            `diffresnet.normalize`.
        search: of the neighbors: ``"exact"``, ``"approximate"`` (finds nearly all, much faster if
            there are many points), or ``"auto"``: exact for up to 40,000 points.
        graph: ``"features"`` to build the graph from `X`, ``"precomputed"`` if `X` is the graph:
            (N, N) weights of links.
        step_size: of a diffusion step; ``"auto"`` is 0.5, or less where the graph is stable below
            that only.
        n_steps: how many; ``"auto"`` takes what suits the graph and the column.
        label_sampling: how points were drawn to be labeled: ``"random"``ly, so that known cells say
            how common a label is; ``"per class"``: as many that have it as do not; or ``"auto"``:
            whatever their counts speak for.
        random_state: seed of everything that is drawn.
        n_jobs: threads, as for `DiffResNetClassifier`.

    Attributes:
        label_names_: (K,) the names of the columns if `y` was a frame, else 0 to K - 1.
        classes_: (K,) 0 to K - 1, the columns.
        transduction_: (N, K) 1 where a fitted point has a label, 0 where not.
        label_distributions_: (N, K) the probability that it has.
        reached_: (N, K) whether a point is connected to any known cell of the column. Others get
            the proportion of points that have the label.
        encoded_labels_: (N, K) the cells that were given, -1 where they are unknown.
        operator_: the `DiffusionOperator` of the graph; row i of `X` is point `copies_.point[i]`.

    Examples:
        Digits: is it even, does it have a closed loop? Thirty points are labeled.

        >>> import numpy as np
        >>> from sklearn.datasets import load_digits
        >>> digits = load_digits()
        >>> truth = np.stack([digits.target % 2 == 0, np.isin(digits.target, [0, 6, 8, 9])], axis=1)
        >>> y = np.full(truth.shape, -1)
        >>> y[:30] = truth[:30]
        >>> model = DiffResNetMultiLabelClassifier().fit(digits.data, y)
        >>> bool((model.transduction_ == truth).mean() > 0.9)
        True
    """

    n_features_in_: int

    def __init__(
        self,
        n_top: int = 11,
        *,
        bandwidth_rank: int = 6,
        normalization: Normalization = "sinkhorn",
        search: Literal["auto", "exact", "approximate"] = "auto",
        graph: Literal["features", "precomputed"] = "features",
        step_size: float | Literal["auto"] = "auto",
        n_steps: int | Literal["auto"] = "auto",
        label_sampling: LabelSampling = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_top = n_top
        self.bandwidth_rank = bandwidth_rank
        self.normalization: Normalization = normalization
        self.search: Literal["auto", "exact", "approximate"] = search
        self.graph: Literal["features", "precomputed"] = graph
        self.step_size: float | Literal["auto"] = step_size
        self.n_steps: int | Literal["auto"] = n_steps
        self.label_sampling: LabelSampling = label_sampling
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, graph: Any = None, neighbors: Any = None) -> Self:  # noqa: N803
        """Build the graph, and learn every label.

        Args:
            X: (N, d) features, dense, sparse, pandas or polars; or None if `graph` is all there is;
                or the graph itself with ``graph="precomputed"``.
            y: (N, K) of 0 and 1; -1, None or NaN where it is unknown. A frame names the labels.
            graph: (N, N) non-negative weights of links, dense or sparse, in place of neighbors.
            neighbors: (N, k) found by another library; as for `DiffResNetClassifier`.

        Raises:
            ValueError: if a parameter, the features, the labels or the graph are out of range, or
                nothing is known of a column.

        Warns:
            ConstantLabelWarning: if all known cells of a column are equal.
            UnreachedWarning: if points are not connected to any known cell of a column.
        """
        with changed_at_the_end(self) as new:
            new._fit(X, y, graph, neighbors)
            warn_of_constants(NAME, dict(enumerate(new.columns_)), new.label_names_)
            warn_of_unreached(reached_by_all(new.columns_), new.points_.components, UNREACHED)
        return self

    def _fit(self, X: Any, y: Any, graph: Any, neighbors: Any) -> None:  # noqa: N803
        check_label_parameters(self)
        check_given(self, y)
        given = take_input(self, X, graph, neighbors)
        encoded = encode_indicators(f"{NAME}.fit", "y", y)
        names = name_columns(y, encoded.shape[1])
        check_known(f"{NAME}.fit", "y", encoded, names)
        check_label_count(given, len(encoded), NAME)
        with limited_threads(self.n_jobs), shown_stages("fitting"):
            seed = seed_of(self.random_state)
            placed = place(self, given, n_classes=2, seed=seed)
            self._learn(*placed, encoded, names, seed=seed, kept={})

    def _learn(
        self,
        points: FittedPoints,
        copies: Copies,
        encoded: Cells,
        names: npt.NDArray[Any],
        *,
        seed: int,
        kept: dict[int, Column],
    ) -> None:
        """Do all that depends on the labels, but for the columns that are kept."""
        solver, n_steps = MixtureSolver(self.label_sampling), self.n_steps
        step_size = choose_step(self.step_size, points.operator, NAME)

        def learn(cells: Cells) -> Column:
            merged = copies.vote(cells, 2)
            return solve_column(
                points, merged, solver=solver, step_size=step_size, n_steps=n_steps, seed=seed
            )

        columns = [kept.get(one) or learn(cells) for one, cells in enumerate(encoded.T)]
        found = np.stack([column.probabilities for column in columns], axis=1)[copies.point]
        self.columns_, self.points_, self.copies_ = columns, points, copies
        self.encoded_labels_, self.seed_ = encoded, seed
        self.label_names_, self.classes_ = names, np.arange(len(names))
        self.operator_ = points.operator
        self.label_distributions_ = found
        self.transduction_ = (found > 0.5).astype(np.int64)
        self.reached_ = np.stack([column.reached for column in columns], axis=1)[copies.point]

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probabilities that new points have each label, (n, K).

        They receive from their nearest fitted points and send nothing back, so that fitted results
        do not move, nor do new points depend on each other.

        Args:
            X: (n, d) features; or (n, N) weights of links to the fitted points, if there was a
                graph and no features in `fit`.
        """
        check_is_fitted(self, "columns_")
        given: Any = validate_features(self, X, "predict")
        with limited_threads(self.n_jobs):
            places = self.points_.attach(given, self.n_top, self.bandwidth_rank)
            found = [column.at(places, given.shape[0]) for column in self.columns_]
        return np.stack(found, axis=1)

    def predict(self, X: Any) -> Cells:  # noqa: N803
        """Return which labels new points have, (n, K) of 0 and 1; see `predict_proba`."""
        return (self.predict_proba(X) > 0.5).astype(np.int64)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """Return the part of the known cells that are right; others do not count.

        Args:
            X: (n, d) as for `predict`.
            y: (n, K) as for `fit`.
            sample_weight: (n,) of the points.
        """
        check_is_fitted(self, "columns_")
        encoded = encode_indicators(f"{NAME}.score", "y", y)
        is_known = check_scored_cells(f"{NAME}.score", encoded, len(self.columns_))
        found = self.predict(X)
        check_length(f"{NAME}.score", len(found), len(encoded))
        weights = np.ones(len(found)) if sample_weight is None else np.asarray(sample_weight)
        return float(np.average(found == encoded, weights=is_known * weights[:, None]))

    def update_labels(
        self, rows: Any, columns: Any, values: Any
    ) -> "DiffResNetMultiLabelClassifier":
        """Set cells of fitted points, without building the graph anew.

        Only the columns that occur are learned again.

        Args:
            rows: which of the fitted points.
            columns: which label of each, as a number from 0 to K - 1.
            values: 1 if it has the label, 0 if not; a missing value removes what was there.

        Raises `ValueError` if a number is out of range or a column is left without a known cell;
        nothing has changed then.
        """
        check_is_fitted(self, "columns_")
        check_label_parameters(self)
        function = f"{NAME}.update_labels"
        everything, set_anew = check_cells(function, rows, columns, values, self.encoded_labels_)
        check_known(function, "values", everything, self.label_names_)
        kept = {one: old for one, old in enumerate(self.columns_) if one not in set_anew}
        with changed_at_the_end(self) as new, limited_threads(self.n_jobs):
            parts = self.points_, self.copies_, everything, self.label_names_
            new._learn(*parts, seed=self.seed_, kept=kept)
            warn_of_constants(NAME, {one: new.columns_[one] for one in set_anew}, new.label_names_)
            warn_of_unreached(reached_by_all(new.columns_), new.points_.components, UNREACHED)
        return self

    def save(self, path: str | Path) -> Path:
        """Write the fitted classifier to an .npz file, in place of any; nothing is pickled."""
        check_is_fitted(self, "columns_")
        given = {"cells": self.encoded_labels_, "label_names": self.label_names_}
        return write_model(self, Path(path), self.points_, given, {})

    @classmethod
    @refusing_damage
    def load(cls, path: str | Path) -> "DiffResNetMultiLabelClassifier":
        """Read what `save` wrote; the labels are learned from again, with the same result.

        Raises `ValueError` if the file is not a saved classifier of this kind.
        """
        model, points, copies, found = read_model(cls, Path(path), ("cells", "label_names"))
        check_label_parameters(model)
        with limited_threads(model.n_jobs):
            model._learn(points, copies, *found, seed=seed_of(model.random_state), kept={})
        return model

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.graph == "precomputed"
        tags.target_tags.one_d_labels = False
        tags.target_tags.two_d_labels = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        return tags
