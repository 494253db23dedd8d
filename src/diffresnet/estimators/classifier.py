"""The classifier: embeddings or a graph, and a handful of labels."""

import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from diffresnet._support.checks import check_count, fail
from diffresnet._support.threads import limited_threads
from diffresnet._support.types import Normalization, Search
from diffresnet._support.words import count
from diffresnet.estimators.diagnosis import Diagnosis, diagnose
from diffresnet.estimators.input import (
    check_parameters,
    check_prior,
    check_several,
    check_sizes,
    check_step,
    seed_of,
    weights_of,
)
from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.solution import Floats, SolverName, make_solver, solve
from diffresnet.estimators.suggestion import suggest_points
from diffresnet.estimators.views import View
from diffresnet.files.arrays import read_described, write_described
from diffresnet.learning.labels import UNLABELED, encode_labels

LARGEST_EXACT_SEARCH = 40_000
"""Above this many points ``search="auto"`` is approximate."""


class UnreachedWarning(UserWarning):
    """Some points are not connected to any label."""


class DiffResNetClassifier(ClassifierMixin, BaseEstimator):
    """Classify points, most of them without a label, by diffusion over their neighbor graph.

    Follows scikit-learn's contract. -1, None, NaN or "" in `y` mean "no label"; the points without
    one help all the same, since labels spread along the graph. Three solvers learn from the
    labels:

    - ``"prototypes"``, diffusion prototypes: prototypes of the classes in two views of the points,
      where diffusion of strength ``n_steps * step_size`` puts them and their own features. Held-out
      labels weigh the two, and scale the probabilities. It has no residual block.
    - ``"kernel"``: Diff-ResNet of infinite width, by its kernel.
    - ``"network"``: Diff-ResNet of finite width, trained; the slowest.

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
        step_size: of a diffusion step.
        n_steps: how many; ``"auto"`` chooses along one path by holding out each label once, in
            closed form, if every class has two or more; otherwise it takes what suits the graph
            (more for more points; see `docs/classifier.md`).
        solver: ``"prototypes"``, ``"kernel"`` or ``"network"``.
        class_prior: None; ``"uniform"``; or the proportion of each class, in the order of
            `classes_`, that the predictions should have.
        random_state: seed of the sampled points that refine prototypes, the folds of held-out
            labels, the restarts that measure stability, and the network's parameters.
        n_jobs: threads; None for torch's own number, -1 for all.

    Attributes:
        classes_: the classes in order.
        transduction_: (N,) the label of every fitted point.
        label_distributions_: (N, K) their probabilities.
        reached_: (N,) whether a point is connected to any label. Others get the class prior.
        strength_: ``n_steps * step_size`` that was used.
        strength_path_: by strength, the mean log-likelihood of held-out labels; empty if none was
            tried.
        operator_: the `DiffusionOperator` of the graph.
        encoded_labels_: (N,) the class of every label as a number, -1 where there is none.
        embedding_: (N, m) where diffusion puts the points.

    Examples:
        >>> import numpy as np
        >>> from sklearn.datasets import load_digits
        >>> digits = load_digits()
        >>> y = np.full(len(digits.target), -1)
        >>> y[:10] = digits.target[:10]  # one label per class
        >>> model = DiffResNetClassifier().fit(digits.data, y)
        >>> bool((model.transduction_ == digits.target).mean() > 0.85)
        True
    """

    def __init__(
        self,
        n_top: int = 11,
        *,
        bandwidth_rank: int = 6,
        normalization: Normalization = "sinkhorn",
        search: Literal["auto", "exact", "approximate"] = "auto",
        graph: Literal["features", "precomputed"] = "features",
        step_size: float = 0.5,
        n_steps: int | Literal["auto"] = "auto",
        solver: SolverName = "prototypes",
        class_prior: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_top = n_top
        self.bandwidth_rank = bandwidth_rank
        self.normalization: Normalization = normalization
        self.search: Literal["auto", "exact", "approximate"] = search
        self.graph: Literal["features", "precomputed"] = graph
        self.step_size = step_size
        self.n_steps: int | Literal["auto"] = n_steps
        self.solver: SolverName = solver
        self.class_prior = class_prior
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, graph: Any = None) -> "DiffResNetClassifier":  # noqa: N803
        """Build the graph, and learn from the labels.

        Args:
            X: (N, d) features, dense, sparse, pandas or polars; or None if `graph` is all there is;
                or the graph itself with ``graph="precomputed"``.
            y: (N,) labels; -1, None, NaN or "" where there is none.
            graph: (N, N) non-negative weights of links, dense or sparse, in place of neighbors.
                Weights near 1 suit: a point has a link of weight 1 to itself (`graph_weights`).

        Raises:
            ValueError: if a parameter, the features, the labels or the graph are out of range, or
                fewer than two classes have a label.

        Warns:
            UnreachedWarning: if points are not connected to any label.
        """
        check_parameters(self)
        if y is None:
            name = type(self).__name__
            raise ValueError(
                f"This {name} estimator requires y to be passed, but the target y is None."
            )
        encoded, classes = encode_labels(f"{type(self).__name__}.fit", "y", y)
        check_several(classes)
        features, links = self._split_input(X, graph)
        n_points = check_sizes(features, links, len(encoded))
        seed = seed_of(self.random_state)
        with limited_threads(self.n_jobs):
            if features is not None:
                points = FittedPoints.from_features(
                    features,
                    links=links,
                    n_classes=len(classes),
                    n_top=self.n_top,
                    bandwidth_rank=self.bandwidth_rank,
                    normalization=self.normalization,
                    search=self._search_of(n_points),
                    seed=seed,
                )
            else:
                points = FittedPoints.from_graph(links, len(classes))
            self._learn(points, encoded, classes, seed)
        return self

    def _search_of(self, n_points: int) -> Search:
        if self.search == "auto":
            return "approximate" if n_points > LARGEST_EXACT_SEARCH else "exact"
        return self.search

    def _split_input(self, X: Any, graph: Any) -> tuple[Any, Any]:  # noqa: N803
        """Return the features, or None, and the weights of the links, or None."""
        if self.graph == "precomputed":
            if graph is not None:
                remedy = "Drop `graph`, or make the classifier with `graph='features'`."
                fail("DiffResNetClassifier.fit", "graph", "None if X is the graph", "both", remedy)
            validate_data(self, X, accept_sparse=True)
            return None, weights_of(X)
        links = None if graph is None else weights_of(graph)
        if X is not None:
            features = validate_data(self, X, accept_sparse="csr", dtype=(np.float64, np.float32))
            return features, links
        if links is None:
            remedy = "Pass features, a graph, or both."
            fail("DiffResNetClassifier.fit", "X", "features, or None beside a graph", None, remedy)
        self.n_features_in_ = links.shape[0]
        return None, links

    def _learn(
        self,
        points: FittedPoints,
        encoded: npt.NDArray[np.int64],
        classes: npt.NDArray[Any],
        seed: int,
    ) -> None:
        """Do all that depends on the labels."""
        prior = check_prior(self.class_prior, classes)
        check_step(self.step_size, points.operator)
        solution = solve(
            points,
            encoded,
            len(classes),
            solver=make_solver(self.solver),
            step_size=self.step_size,
            n_steps=self.n_steps,
            prior=prior,
            seed=seed,
        )
        # Everything has worked: now change the state.
        self.solution_, self.encoded_labels_, self._seed = solution, encoded, seed
        self.classes_ = classes
        self.strength_ = solution.choice.n_steps * self.step_size
        self.strength_path_ = {
            n_steps * self.step_size: value for n_steps, value in solution.choice.path.items()
        }
        self.operator_ = points.operator
        self.reached_ = solution.reached
        self.label_distributions_ = solution.probabilities
        self.transduction_ = classes[solution.probabilities.argmax(axis=1)]
        self._warn_of_unreached()

    def _warn_of_unreached(self) -> None:
        missed = ~self.reached_
        if not missed.any():
            return
        n_components = len(np.unique(self.solution_.points.components[missed]))
        warnings.warn(
            f"DiffResNetClassifier: {count(int(missed.sum()), 'point')} in "
            f"{count(n_components, 'component')} of the graph are not connected to any label and "
            "get the class prior. Label one of each (see `suggest`), or raise `n_top`.",
            UnreachedWarning,
            stacklevel=4,
        )

    @property
    def embedding_(self) -> Floats:
        """Where diffusion puts the fitted points, (N, m), of length one."""
        choice = self.solution_.choice
        return View.of_graph(
            self.solution_.points.spectrum, choice.step_size, choice.n_steps
        ).points.numpy()

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probabilities of new points, (n, K).

        They receive from their nearest fitted points and send nothing back, so that fitted results
        do not move, nor do new points depend on each other.

        Args:
            X: (n, d) features; or (n, N) weights of links to the fitted points, if there was a
                graph and no features in `fit`.
        """
        check_is_fitted(self, "solution_")
        given = validate_data(
            self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=False
        )
        with limited_threads(self.n_jobs):
            return self.solution_.predict(given, self.n_top, self.bandwidth_rank)

    def predict(self, X: Any) -> Floats:  # noqa: N803
        """Return the labels of new points, (n,); see `predict_proba`."""
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """Return the accuracy on points that have a label; others do not count."""
        encoded, classes = encode_labels(f"{type(self).__name__}.score", "y", y)
        is_labeled = encoded != UNLABELED
        right = self.predict(X)[is_labeled] == classes[encoded[is_labeled]]
        weights = None if sample_weight is None else np.asarray(sample_weight)[is_labeled]
        return float(np.average(right, weights=weights))

    def update_labels(self, indices: Any, labels: Any) -> "DiffResNetClassifier":
        """Add, correct or remove labels of fitted points, without building the graph anew.

        Args:
            indices: which of the fitted points.
            labels: their labels; a missing one removes what was there. New classes are welcome.

        Raises:
            ValueError: if an index is out of range; nothing has changed then.
        """
        check_is_fitted(self, "solution_")
        places = np.atleast_1d(np.asarray(indices))
        given = np.atleast_1d(np.asarray(labels, dtype=object))
        n_points = len(self.encoded_labels_)
        if places.dtype.kind not in "iu" or np.any((places < 0) | (places >= n_points)):
            remedy = "Pass row numbers of the fitted points."
            must = f"whole numbers from 0 to {n_points - 1}"
            fail("DiffResNetClassifier.update_labels", "indices", must, places, remedy)
        if places.shape != given.shape:
            must, remedy = f"{len(places)} labels", "Pass one label for each index."
            fail("DiffResNetClassifier.update_labels", "labels", must, len(given), remedy)
        if len(np.unique(places)) < len(places):
            remedy = "Give each point once."
            fail("DiffResNetClassifier.update_labels", "indices", "different", places, remedy)
        everything = np.full(n_points, None, dtype=object)
        is_labeled = self.encoded_labels_ != UNLABELED
        everything[is_labeled] = self.classes_[self.encoded_labels_[is_labeled]].tolist()
        everything[places] = given
        encoded, classes = encode_labels("DiffResNetClassifier.update_labels", "labels", everything)
        check_several(classes)
        with limited_threads(self.n_jobs):
            self._learn(self.solution_.points, encoded, classes, self._seed)
        return self

    def suggest(self, n: int = 10) -> npt.NDArray[np.int64]:
        """Return which points to label next, the most useful first.

        Points of components of the graph without any label come first, then uncertain ones, each
        unlike those before it.

        Args:
            n: how many.
        """
        check_is_fitted(self, "solution_")
        n = check_count("DiffResNetClassifier.suggest", "n", n, low=1)
        return suggest_points(
            n,
            torch.from_numpy(self.embedding_),
            probabilities=torch.from_numpy(self.label_distributions_),
            labeled=self.encoded_labels_ != UNLABELED,
            components=self.solution_.points.components,
            reached=self.reached_,
        )

    def diagnose(self) -> Diagnosis:
        """Tell how healthy the graph is, in numbers and sentences."""
        check_is_fitted(self, "solution_")
        return diagnose(
            self.operator_,
            components=self.solution_.points.components,
            encoded=self.encoded_labels_,
            classes=self.classes_,
            step_size=self.step_size,
            strength=self.strength_,
            strength_path=self.strength_path_,
            remarks=self.solution_.solved.remarks,
        )

    def save(self, path: str | Path) -> Path:
        """Write the fitted classifier to an .npz file, whole or not at all; nothing is pickled.

        Args:
            path: where; an existing file is replaced.

        Returns:
            The path.
        """
        check_is_fitted(self, "solution_")
        parameters = self.get_params() | {"random_state": self._seed}
        arrays = self.solution_.points.to_arrays()
        arrays |= {"classes": self.classes_, "encoded_labels": self.encoded_labels_}
        description: dict[str, Any] = {"parameters": parameters, "n_features": self.n_features_in_}
        names = getattr(self, "feature_names_in_", None)
        description["feature_names"] = None if names is None else list(names)
        return write_described(Path(path), arrays, description)

    @classmethod
    def load(cls, path: str | Path) -> "DiffResNetClassifier":
        """Read what `save` wrote; the labels are learned from again, with the same result.

        Raises:
            ValueError: if the file is not a saved classifier.
        """
        arrays, description = read_described(Path(path), "DiffResNetClassifier.load")
        model = cls(**description["parameters"])
        model.n_features_in_ = description["n_features"]
        if description["feature_names"] is not None:
            names = np.array(description["feature_names"], dtype=object)
            setattr(model, "feature_names_in_", names)  # noqa: B010  (scikit-learn declares it)
        points = FittedPoints.from_arrays(arrays)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnreachedWarning)
            model._learn(
                points, arrays["encoded_labels"], arrays["classes"], seed_of(model.random_state)
            )
        return model

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.graph == "precomputed"
        return tags
