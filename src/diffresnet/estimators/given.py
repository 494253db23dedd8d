"""What a fit is given to build its graph from: features, a graph, neighbors; checked."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data
from torch import Tensor

from diffresnet._support.checks import fail
from diffresnet._support.sparse_checks import check_sparse
from diffresnet.estimators.input import NAME, GraphParameters
from diffresnet.graph import matrix as mx
from diffresnet.graph.exact_search import Neighbors
from diffresnet.graph.given_neighbors import as_neighbors, neighbors_of_matrix
from diffresnet.graph.graph_objects import as_adjacency
from diffresnet.graph.weights import graph_weights
from diffresnet.learning.features import validate_features


@dataclass(frozen=True)
class Given:
    """Points as users give them, with one row each.

    Attributes:
        n_points: N.
        features: (N, d) dense or sparse, or None.
        links: (N, N) CSR weights of a graph, or None.
        neighbors: (N, k) that were found elsewhere, or None.
    """

    n_points: int
    features: Any = None
    links: Tensor | None = None
    neighbors: Neighbors | None = None

    @property
    def is_features_only(self) -> bool:
        """Whether neighbors are to be searched for."""
        return self.links is None and self.neighbors is None


def take_input(model: GraphParameters, X: Any, graph: Any, neighbors: Any = None) -> Given:  # noqa: N803
    """Check what was given to a fit.

    Args:
        model: its parameters say what `X` is.
        X: (N, d) features, or None; or the graph.
        graph: (N, N) weights of links, or None.
        neighbors: a pair (distances, indices), or a sparse matrix of distances, or None.
    """
    name, estimator = type(model).__name__, cast("BaseEstimator", model)
    if model.graph == "precomputed":
        for argument, other in (("graph", graph), ("neighbors", neighbors)):
            if other is not None:
                remedy = f"Drop `{argument}`, or make the estimator with `graph='features'`."
                fail(f"{name}.fit", argument, "None if X is the graph", "both", remedy)
        check_sparse(f"{name}.fit: `X`", X)
        with np.errstate(invalid="ignore"):  # the sum of infinities, which are refused
            validate_data(estimator, X, accept_sparse=True)
        links = weights_of(X, name)
        return Given(links.shape[0], links=links)
    if graph is not None and neighbors is not None:
        fail(f"{name}.fit", "neighbors", "None beside a `graph`", "both", "Pass only one of them.")
    links = None if graph is None else weights_of(graph, name)
    near = None if neighbors is None else _neighbors_of(model, neighbors)
    sizes = {"graph": links, "neighbors": None if near is None else near.indices}
    found = [(argument, part.shape[0]) for argument, part in sizes.items() if part is not None]
    if X is not None:
        features = validate_features(estimator, X, "fit")
        for argument, n_points in found:
            if n_points != features.shape[0]:
                every = "Give one row, or one label, for each point."
                must = f"of {features.shape[0]} points"
                fail(f"{name}.fit", argument, must, f"{n_points} points", every)
        return Given(features.shape[0], features, links, near)
    if not found:
        remedy = "Pass features, a graph, or both."
        fail(f"{name}.fit", "X", "features, or None beside a graph", None, remedy)
    vars(model).pop("feature_names_in_", None)
    model.n_features_in_ = found[0][1]
    return Given(found[0][1], None, links, near)


def check_label_count(
    given: Given,
    n_labels: int,
    name: str = NAME,
    remedy: str = "Use -1 for points without a label.",
) -> None:
    """Raise if there is not one label, or value, for each point.

    Args:
        given: the points.
        n_labels: how many labels, or values, were given.
        name: of the estimator.
        remedy: what to do about points without one.
    """
    if n_labels != given.n_points:
        must = f"of {given.n_points} entries, one for each point"
        fail(f"{name}.fit", "y", must, f"{n_labels} entries", remedy)


def weights_of(graph: Any, name: str = NAME) -> Tensor:
    """Return the weights of a given graph, as CSR."""
    weights = graph_weights(as_adjacency(f"{name}.fit", "graph", graph)).float()
    if weights.ndim != 2:
        remedy = "Fit one estimator for each graph."
        fail(f"{name}.fit", "graph", "one graph, (N, N)", f"shape {tuple(weights.shape)}", remedy)
    return weights if mx.is_csr(weights) else mx.to_csr(weights)


def _neighbors_of(model: GraphParameters, given: Any) -> Neighbors:
    """Return given neighbors, as many as the model keeps or measures its widths by."""
    function, most = f"{type(model).__name__}.fit", max(model.n_top, model.bandwidth_rank)
    if sparse.issparse(given):
        near = neighbors_of_matrix(function, "neighbors", given, most)
    elif isinstance(given, tuple | list) and len(given) == 2:
        near = as_neighbors(function, ("neighbors[0]", "neighbors[1]"), *given)
    else:
        must = "a pair (distances, indices), or a sparse matrix of distances"
        got = f"{len(given)} of them" if isinstance(given, tuple | list) else type(given).__name__
        fail(function, "neighbors", must, got, "Pass distances first, then indices.")
    return Neighbors(near.distances[:, :most], near.indices[:, :most])
