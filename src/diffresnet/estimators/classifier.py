"""The classifier: embeddings or a graph, and a handful of labels."""

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
from diffresnet.estimators.advice import Advice
from diffresnet.estimators.components import warn_of_unreached
from diffresnet.estimators.copies import Copies, Rows
from diffresnet.estimators.given import check_label_count, take_input
from diffresnet.estimators.input import (
    changed_at_the_end,
    check_given,
    check_labeled,
    check_length,
    check_links_of_new,
    check_parameters,
    check_prior,
    check_scored,
    check_several,
    check_update,
    name_answers,
    seed_of,
)
from diffresnet.estimators.placing import place
from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.repeated import give_rows
from diffresnet.estimators.solution import Floats, Solution, SolverName
from diffresnet.estimators.solving import solve_labels
from diffresnet.estimators.storage import read_model, refusing_damage, write_classifier
from diffresnet.learning.features import validate_features
from diffresnet.learning.labels import UNLABELED, encode_labels
from diffresnet.learning.sampling import LabelSampling


class DiffResNetClassifier(Advice, ClassifierMixin, BaseEstimator):
    """Classify points, most of them without a label, by diffusion over their neighbor graph.

    Follows scikit-learn's contract. -1, None, NaN, "" or "NA" in `y` are no label; points without
    one help all the same, since labels spread along the graph. Three solvers learn from the
    labels:

    - ``"mixture"``: prototypes in the graph and by the features, labels spread over the graph, the
      features alone, and both together, weighed by held-out labels. It has no residual block.
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
        step_size: of a diffusion step; ``"auto"`` is 0.5, or less where the graph is stable below
            that only.
        n_steps: how many; ``"auto"`` takes what suits the graph: more for more points, fewer for
            more labels (see `docs/methods/classifier.md`).
        solver: ``"mixture"``, ``"kernel"`` or ``"network"``.
        label_sampling: how points were drawn to be labeled: ``"random"``ly, so that labels say how
            common classes are; ``"per class"``; or ``"auto"``: whatever their counts speak for.
        class_prior: None; ``"uniform"``; or the proportion of each class that the predictions
            should have, in the order of `classes_` or as a dictionary (scaled to sum to 1).
        random_state: seed of everything that is drawn.
        n_jobs: threads that share the work on many points: features, neighbors, modes, scores; None
            for as many as torch would use, -1 for all processors. Results do not depend on it.
        device: where ``solver="network"`` is trained; all else is NumPy's and SciPy's, on the CPU.

    Attributes:
        classes_: the classes in order.
        transduction_: (N,) the label of every fitted point.
        label_distributions_: (N, K) their probabilities, in single precision.
        reached_: (N,) whether a point is connected to any label. Others get the class prior.
        strength_: ``n_steps * step_size`` that was used.
        operator_: the `DiffusionOperator` of the graph; row i of `X` is point `copies_.point[i]`.
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
        solver: SolverName = "mixture",
        label_sampling: LabelSampling = "auto",
        class_prior: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        device: str = "cpu",
    ) -> None:
        self.n_top = n_top
        self.bandwidth_rank = bandwidth_rank
        self.normalization: Normalization = normalization
        self.search: Literal["auto", "exact", "approximate"] = search
        self.graph: Literal["features", "precomputed"] = graph
        self.step_size: float | Literal["auto"] = step_size
        self.n_steps: int | Literal["auto"] = n_steps
        self.solver: SolverName = solver
        self.label_sampling: LabelSampling = label_sampling
        self.class_prior = class_prior
        self.random_state = random_state
        self.n_jobs, self.device = n_jobs, device

    def fit(self, X: Any, y: Any, graph: Any = None, neighbors: Any = None) -> Self:  # noqa: N803
        """Build the graph, and learn from the labels.

        Args:
            X: (N, d) features, dense, sparse, pandas or polars; or None if `graph` is all there is;
                or the graph itself with ``graph="precomputed"``.
            y: (N,) labels; -1, None, NaN or "" where there is none.
            graph: (N, N) non-negative weights of links, dense or sparse, in place of neighbors; or
                a graph of networkx, igraph or PyTorch Geometric, its nodes in the order of `y`.
                Weights near 1 suit: a point has a link of weight 1 to itself (`graph_weights`).
            neighbors: found by another library, in place of our search: a pair of (N, k) arrays,
                distances and indices, or an (N, N) sparse matrix of distances; see
                `weights_from_neighbors`. `X` may be None then. Of more than `n_top` the nearest
                are kept. Equal rows are points of their own, as with a `graph`.

        Raises:
            ValueError: if a parameter, the features, the labels or the graph are out of range, or
                fewer than two classes have a label.

        Warns:
            UnreachedWarning: if points are not connected to any label.
        """
        with changed_at_the_end(self) as changed:
            changed._fit(X, y, graph, neighbors)
            warn_of_unreached(changed.solution_.reached, changed.solution_.points.components)
        return self

    def _fit(self, X: Any, y: Any, graph: Any, neighbors: Any) -> None:  # noqa: N803
        check_parameters(self)
        check_given(self, y)
        encoded, classes = encode_labels(f"{type(self).__name__}.fit", "y", y)
        check_several(f"{type(self).__name__}.fit", "y", classes)
        check_prior(self.class_prior, classes)
        given = take_input(self, X, graph, neighbors)
        check_label_count(given, len(encoded))
        with limited_threads(self.n_jobs), shown_stages("fitting"):
            seed = seed_of(self.random_state)
            points, copies = place(self, given, n_classes=len(classes), seed=seed, encoded=encoded)
            self._learn(points, copies, encoded, classes, seed)

    def prepare(self, X: Any, graph: Any = None, neighbors: Any = None) -> Self:  # noqa: N803
        """Build the graph without any label; `update_labels` then takes the first, and any others.

        The arguments are as in `fit`. `suggest` names the points to label first. Until there is a
        label nothing is predicted: `classes_` is empty, `transduction_` is -1 and `reached_` False.
        With one class, all answers are this class; its probability, 1, says nothing then.
        """
        with changed_at_the_end(self) as changed:
            check_parameters(changed)
            given = take_input(changed, X, graph, neighbors)
            with limited_threads(self.n_jobs), shown_stages("preparing"):
                seed = seed_of(self.random_state)
                points, copies = place(changed, given, n_classes=1, seed=seed)
                none = np.full(given.n_points, UNLABELED, dtype=np.int64)
                changed._learn(points, copies, none, np.empty(0, dtype=np.str_), seed)
        return self

    def _learn(
        self,
        points: FittedPoints,
        copies: Copies,
        encoded: Rows,
        classes: npt.NDArray[Any],
        seed: int,
        *,
        before: Solution | None = None,
    ) -> None:
        """Do all that depends on the labels; choices from `before` may stay."""
        merged = copies.merge(encoded, len(classes))
        points = points.for_classes(len(classes))
        solution = solve_labels(self, points, merged, classes, seed, before=before)
        self.solution_, self.encoded_labels_, self.seed_ = solution, encoded, seed
        self.classes_, self.copies_ = classes, copies
        self.strength_ = solution.strength.value
        self.operator_ = points.operator
        self.reached_ = solution.reached[copies.point]
        self.repeated_, self.label_distributions_ = give_rows(copies, encoded, solution)
        self.transduction_ = name_answers(classes, self.label_distributions_)

    @property
    def embedding_(self) -> Floats:
        """Where diffusion puts the fitted points, (N, m), of length one."""
        check_is_fitted(self, "solution_")
        with limited_threads(self.n_jobs):
            return self.solution_.embedding.numpy()[self.copies_.point]

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probabilities of new points, (n, K).

        They receive from their nearest fitted points and send nothing back, so that fitted results
        do not move, nor do new points depend on each other.

        Args:
            X: (n, d) features; or (n, N) weights of links to the fitted points of a graph alone.
        """
        check_labeled(self, "predict")
        check_links_of_new(self, X)
        given = validate_features(self, X, "predict")
        with limited_threads(self.n_jobs):
            return self.solution_.predict(given, self.n_top, self.bandwidth_rank)

    def predict(self, X: Any) -> Floats:  # noqa: N803
        """Return the labels of new points, (n,); see `predict_proba`."""
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """Return the accuracy on points that have a label; others do not count."""
        check_labeled(self, "score")
        encoded, classes = encode_labels(f"{type(self).__name__}.score", "y", y)
        check_scored(classes, self.classes_)
        is_labeled, found = encoded != UNLABELED, self.predict(X)
        check_length(f"{type(self).__name__}.score", len(found), len(encoded))
        right = found[is_labeled] == classes[encoded[is_labeled]]
        weights = None if sample_weight is None else np.asarray(sample_weight)[is_labeled]
        return float(np.average(right, weights=weights))

    def update_labels(self, indices: Any, labels: Any, *, exact: bool = False) -> Self:
        """Add, correct or remove labels of fitted points, without building the graph anew.

        Args:
            indices: which of the fitted points.
            labels: their labels; a missing one removes what was there, down to none (`prepare`).
                New classes are welcome.
            exact: whether to learn all anew, as `fit` does. Else, of 50 labels or more, while at
                most a tenth has changed, and no class, what they have chosen stays.

        Raises `ValueError` if an index is out of range, or a class has labels only on copies of
        points of another one; nothing has changed then.
        """
        check_is_fitted(self, "solution_")
        check_parameters(self)
        encoded, classes = check_update(indices, labels, self.encoded_labels_, self.classes_)
        with changed_at_the_end(self) as changed, limited_threads(self.n_jobs):
            is_same = np.array_equal(classes, self.classes_) and not exact
            given = self.solution_.points, self.copies_, encoded, classes, self.seed_
            changed._learn(*given, before=self.solution_ if is_same else None)
            if len(classes):
                warn_of_unreached(changed.solution_.reached, changed.solution_.points.components)
        return self

    def save(self, path: str | Path) -> Path:
        """Write the fitted classifier to an .npz file, whole or not at all; nothing is pickled.

        An existing file is replaced.
        """
        check_is_fitted(self, "solution_")
        return write_classifier(self, Path(path))

    @classmethod
    @refusing_damage
    def load(cls, path: str | Path) -> "DiffResNetClassifier":
        """Read what `save` wrote; the labels are learned from again, as `fit` does it.

        Raises `ValueError` if the file is not a saved classifier.
        """
        names = "encoded_labels", "classes"
        model, points, copies, (encoded, classes) = read_model(cls, Path(path), names)
        check_parameters(model)
        with limited_threads(model.n_jobs):
            model._learn(points, copies, encoded, classes, seed_of(model.random_state))
        return model

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.graph == "precomputed"
        return tags
