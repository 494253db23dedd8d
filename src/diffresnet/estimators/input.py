"""What users give the classifier: parameters, features, a graph; checked."""

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from torch import Tensor

from diffresnet._support.checks import check_choice, check_count, check_real, fail
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.estimators.solution import SolverName
from diffresnet.graph import matrix as mx
from diffresnet.graph.weights import graph_weights

if TYPE_CHECKING:
    from diffresnet.estimators.classifier import DiffResNetClassifier

NAME = "DiffResNetClassifier"


def check_parameters(model: "DiffResNetClassifier") -> None:
    """Raise if a parameter is out of range."""
    check_count(NAME, "n_top", model.n_top, low=2)
    check_count(NAME, "bandwidth_rank", model.bandwidth_rank, low=2)
    check_choice(NAME, "normalization", model.normalization, ("symmetric", "sinkhorn"))
    check_choice(NAME, "search", model.search, ("auto", "exact", "approximate"))
    check_choice(NAME, "graph", model.graph, ("features", "precomputed"))
    check_choice(NAME, "solver", model.solver, get_args(SolverName))
    check_real(NAME, "step_size", model.step_size)
    if model.n_steps != "auto":
        check_count(NAME, "n_steps", model.n_steps, low=0)
    if model.n_jobs is not None and model.n_jobs != -1:
        check_count(NAME, "n_jobs", model.n_jobs, low=1)


def check_prior(prior: Any, classes: npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
    """Return the proportions of the classes, or None."""
    if prior is None:
        return None
    if isinstance(prior, str):
        check_choice(NAME, "class_prior", prior, ("uniform",))
        return np.full(len(classes), 1 / len(classes))
    given = np.asarray(prior, dtype=np.float64)
    if given.shape != classes.shape or not np.all(given > 0) or not np.isfinite(given).all():
        must = f"None, 'uniform', or {len(classes)} positive proportions"
        remedy = f"Give one for each of the classes {classes.tolist()}."
        fail(NAME, "class_prior", must, prior, remedy)
    return given / given.sum()


def check_several(classes: npt.NDArray[Any]) -> None:
    """Raise if there is no label, or one class only."""
    if len(classes) == 0:
        remedy = "Label at least one point of each class; -1, None, NaN and '' mean unlabeled."
        fail(f"{NAME}.fit", "y", "labels, at least two", "none but missing ones", remedy)
    if len(classes) < 2:
        got = f"only one class, {classes[0]!s}"
        remedy = "Label a point of another class."
        fail(f"{NAME}.fit", "y", "labels of two classes or more", got, remedy)


def check_sizes(features: Any, links: Any, n_labels: int) -> int:
    """Return the number of points, or raise if features, graph and labels disagree."""
    sizes = [part.shape[0] for part in (features, links) if part is not None]
    remedy = "Give one row, or one label, for each point."
    if len(set(sizes)) > 1:
        fail(f"{NAME}.fit", "graph", f"of {sizes[0]} points", f"{sizes[1]} points", remedy)
    if n_labels != sizes[0]:
        must = f"of {sizes[0]} entries, one for each point"
        fail(f"{NAME}.fit", "y", must, f"{n_labels} entries", "Use -1 for points without a label.")
    return sizes[0]


def check_step(step_size: float, operator: DiffusionOperator) -> None:
    """Raise if diffusion with this step size would grow without bound."""
    # Below 1 / (the largest degree) it never does; only else the bound is worth computing.
    if step_size * float(operator.degrees.max()) > 1 and step_size > operator.max_stable_step_size:
        must = f"at most {operator.max_stable_step_size:.3g}, the stability bound of this graph"
        fail(NAME, "step_size", must, step_size, "Lower it, and raise `n_steps` instead.")


def weights_of(graph: Any) -> Tensor:
    """Return the weights of a given graph, as CSR."""
    weights = graph_weights(graph).float()
    if weights.ndim != 2:
        remedy = "Fit one classifier for each graph."
        fail(f"{NAME}.fit", "graph", "one graph, (N, N)", f"shape {tuple(weights.shape)}", remedy)
    return weights if mx.is_csr(weights) else mx.to_csr(weights)


def seed_of(random_state: Any) -> int:
    """Return a seed: an int as it is, anything else as scikit-learn takes it."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
