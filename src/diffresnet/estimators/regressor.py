"""The regressor: embeddings or a graph, and a handful of values."""

from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from diffresnet._support.checks import fail
from diffresnet._support.stages import shown_stages
from diffresnet._support.threads import limited_threads
from diffresnet._support.types import Normalization
from diffresnet.estimators.audit import check_coverage
from diffresnet.estimators.components import Wording, warn_of_unreached
from diffresnet.estimators.copies import Copies
from diffresnet.estimators.given import check_label_count, take_input
from diffresnet.estimators.input import (
    changed_at_the_end,
    check_given,
    check_graph_parameters,
    check_length,
    check_rows,
    choose_step,
    seed_of,
)
from diffresnet.estimators.placing import place
from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.regression import regress
from diffresnet.estimators.storage import read_model, refusing_damage, write_model
from diffresnet.learning.features import validate_features
from diffresnet.learning.values import encode_values

NAME = "DiffResNetRegressor"
UNREACHED = Wording(
    NAME,
    known="value",
    instead="the mean of the values",
    remedy="Give the value of one of each, raise `n_top`, or add links.",
)
Floats = npt.NDArray[np.float64]


class DiffResNetRegressor(RegressorMixin, BaseEstimator):
    """Predict the values of points, most of them without one, by their features and their graph.

    Follows scikit-learn's contract. NaN or None in `y` mean "no value"; the points without one help
    all the same, since values spread along the graph. Four ways learn from the values, all of them
    kernel ridge regression: in the graph, by the features, by both together, and by the features
    linearly. They are weighed by what each says of values that were held out. Predictions stay
    within the range of the values.

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
        random_state: seed of everything that is drawn.
        n_jobs: threads, as for `DiffResNetClassifier`.

    Attributes:
        transduction_: (N,) the value of every fitted point: as given, or as predicted. Equal rows
            are one point, which has the mean of their values.
        reached_: (N,) whether a point is connected to any value. Others get the mean of the values.
        values_: (N,) the values that were given, NaN where there is none.
        part_weights_: what the predictions rest on, by name; the weights sum to one.
        operator_: the `DiffusionOperator` of the graph; row i of `X` is point `copies_.point[i]`.

    Examples:
        The position on a spiral, of which the features say little and the graph says much.

        >>> import numpy as np
        >>> angle = np.linspace(3, 15, 400)
        >>> points = np.stack([angle * np.cos(angle), angle * np.sin(angle)], axis=1)
        >>> y = np.full(400, np.nan)
        >>> y[::20] = angle[::20]
        >>> model = DiffResNetRegressor().fit(points, y)
        >>> bool(np.abs(model.transduction_ - angle).mean() < 0.1)
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
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_top = n_top
        self.bandwidth_rank = bandwidth_rank
        self.normalization: Normalization = normalization
        self.search: Literal["auto", "exact", "approximate"] = search
        self.graph: Literal["features", "precomputed"] = graph
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, graph: Any = None, neighbors: Any = None) -> Self:  # noqa: N803
        """Build the graph, and learn from the values.

        Args:
            X: (N, d) features, dense, sparse, pandas or polars; or None if `graph` is all there is;
                or the graph itself with ``graph="precomputed"``.
            y: (N,) values; None or NaN where there is none.
            graph: (N, N) non-negative weights of links, dense or sparse, in place of neighbors.
                Weights near 1 suit: a point has a link of weight 1 to itself (`graph_weights`).
            neighbors: (N, k) found by another library; as for `DiffResNetClassifier`.

        Raises:
            ValueError: if a parameter, the features, the values or the graph are out of range, or
                there is no value.

        Warns:
            UnreachedWarning: if points are not connected to any value.
        """
        with changed_at_the_end(self) as changed:
            changed._fit(X, y, graph, neighbors)
            found = changed.regression_
            warn_of_unreached(found.reached, found.points.components, UNREACHED)
        return self

    def _fit(self, X: Any, y: Any, graph: Any, neighbors: Any) -> None:  # noqa: N803
        check_graph_parameters(self)
        check_given(self, y)
        values = encode_values(f"{NAME}.fit", "y", y)
        _check_some("fit", "y", values)
        given = take_input(self, X, graph, neighbors)
        check_label_count(given, len(values), NAME, "Use NaN for points without a value.")
        with limited_threads(self.n_jobs), shown_stages("fitting"):
            seed = seed_of(self.random_state)
            points, copies = place(self, given, n_classes=1, seed=seed)
            self._learn(points, copies, values, seed)

    def _learn(self, points: FittedPoints, copies: Copies, values: Floats, seed: int) -> None:
        """Do all that depends on the values."""
        step_size = choose_step("auto", points.operator)
        found = regress(points, copies.average(values), step_size=step_size, seed=seed)
        transduction = found.fitted[copies.point]
        self.regression_, self.values_, self.seed_, self.copies_ = found, values, seed, copies
        self.operator_ = points.operator
        self.reached_ = found.reached[copies.point]
        self.transduction_ = transduction
        names = [part.name.replace("labels", "values") for part in found.parts]
        self.part_weights_ = dict(zip(names, found.weights, strict=True))

    def predict(self, X: Any) -> Floats:  # noqa: N803
        """Return the values of new points, (n,).

        They receive from their nearest fitted points and send nothing back, so that fitted results
        do not move, nor do new points depend on each other. A fitted point gets what is learned of
        it, which need not be the value that it was given.

        Args:
            X: (n, d) features; or (n, N) weights of links to the fitted points, if there was a
                graph and no features in `fit`.
        """
        check_is_fitted(self, "regression_")
        given = validate_features(self, X, "predict")
        with limited_threads(self.n_jobs):
            points = self.regression_.points
            return self.regression_.predict(points.attach(given, self.n_top, self.bandwidth_rank))

    def predict_interval(self, X: Any = None, coverage: float = 0.9) -> Floats:  # noqa: N803
        """Return the ends of intervals, (n, 2): the value lies between them this often.

        The interval is wide enough for the errors of held-out values (the jackknife), and wider
        where these are larger. It is that often over many points and draws of values, if points
        with a value are like the others; not for each point by itself. A fitted point that has a
        value has it at both ends.

        Args:
            X: (n, d) new points as for `predict`; None for the fitted ones.
            coverage: how often the value is to be in the interval, below 1.

        Raises:
            ValueError: if there are too few values for that; it says how many it takes.
        """
        check_is_fitted(self, "regression_")
        found, n_values = self.regression_, len(self.regression_.values.rows)
        function, remedy = f"{NAME}.predict_interval", "at different points. Give more values."
        check_coverage(function, coverage, n_values, what="values", remedy=remedy, fewest=2)
        if X is None:
            with limited_threads(self.n_jobs):
                ends = found.intervals(found.points.places, found.fitted, coverage)
            ends = ends[self.copies_.point]
            has_value = ~np.isnan(self.values_)
            ends[has_value] = self.values_[has_value, None]
            return ends
        given = validate_features(self, X, "predict")
        with limited_threads(self.n_jobs):
            places = found.points.attach(given, self.n_top, self.bandwidth_rank)
            return found.intervals(places, found.predict(places), coverage)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """Return R^2 of the points that have a value; others do not count."""
        check_is_fitted(self, "regression_")
        values = encode_values(f"{NAME}.score", "y", y)
        _check_some("score", "y", values)
        has_value = ~np.isnan(values)
        weights = None if sample_weight is None else np.asarray(sample_weight)[has_value]
        predicted = self.predict(X)
        check_length(f"{NAME}.score", len(predicted), len(values))
        largest = np.abs(values[has_value]).max()  # squares of very large values are infinite
        pairs = (one[has_value] / (largest or 1.0) for one in (values, predicted))
        return float(r2_score(*pairs, sample_weight=weights))

    def update_values(self, indices: Any, values: Any) -> "DiffResNetRegressor":
        """Add, correct or remove values of fitted points, without building the graph anew.

        Args:
            indices: which of the fitted points.
            values: their values; None or NaN removes what was there.

        Raises `ValueError` if an index is out of range or no value is left; nothing has changed
        then.
        """
        check_is_fitted(self, "regression_")
        function = f"{NAME}.update_values"
        rows = check_rows(function, indices, len(self.values_))
        given = encode_values(function, "values", np.atleast_1d(np.asarray(values)))
        if len(given) != len(rows):
            must, remedy = f"{len(rows)} values", "Pass one value for each index."
            fail(function, "values", must, len(given), remedy)
        everything = self.values_.copy()
        everything[rows] = given
        _check_some("update_values", "values", everything)
        with changed_at_the_end(self) as changed, limited_threads(self.n_jobs):
            changed._learn(self.regression_.points, self.copies_, everything, self.seed_)
            found = changed.regression_
            warn_of_unreached(found.reached, found.points.components, UNREACHED)
        return self

    def save(self, path: str | Path) -> Path:
        """Write the fitted regressor to an .npz file, whole or not at all; nothing is pickled.

        An existing file is replaced; a folder, or a name that ends otherwise, is a `ValueError`.
        """
        check_is_fitted(self, "regression_")
        given = {"given_values": self.values_}
        return write_model(self, Path(path), self.regression_.points, given, {})

    @classmethod
    @refusing_damage
    def load(cls, path: str | Path) -> "DiffResNetRegressor":
        """Read what `save` wrote; the values are learned from again, with the same result.

        Raises `ValueError` if the file is not a saved regressor.
        """
        model, points, copies, (values,) = read_model(cls, Path(path), ("given_values",))
        check_graph_parameters(model)
        with limited_threads(model.n_jobs):
            model._learn(points, copies, values, seed_of(model.random_state))
        return model

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.graph == "precomputed"
        return tags


def _check_some(method: str, argument: str, values: Floats) -> None:
    """Raise if there is no value at all."""
    if np.isnan(values).all():
        got, remedy = "none but missing ones", "Give the value of a point, better of many."
        fail(f"{NAME}.{method}", argument, "values of some points", got, remedy)
