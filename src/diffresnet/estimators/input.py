"""What users give an estimator: parameters, and numbers of its points; checked."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, get_args

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from diffresnet._support.checks import check_choice, check_count, check_device, check_real, fail
from diffresnet._support.types import Normalization, Search
from diffresnet.diffusion.input import check_steps
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.estimators.solution import SolverName
from diffresnet.learning.labels import UNLABELED, encode_labels
from diffresnet.learning.sampling import LabelSampling

if TYPE_CHECKING:
    from diffresnet.estimators.classifier import DiffResNetClassifier

NAME = "DiffResNetClassifier"
SMALLEST_PRIOR = 1e-12
"""Of a class, times that of the most common one."""
LARGEST_EXACT_SEARCH = 40_000
USUAL_STEP = 0.5
SAFE_STEP = 0.9
"""Where the usual step is too large, it is this part of the largest that is stable."""

Model = TypeVar("Model")


class GraphParameters(Protocol):
    """What every estimator has: how its graph is built."""

    n_top: int
    bandwidth_rank: int
    normalization: Normalization
    search: Literal["auto", "exact", "approximate"]
    graph: Literal["features", "precomputed"]
    random_state: Any
    n_jobs: int | None
    n_features_in_: int


class LabelParameters(GraphParameters, Protocol):
    """What the estimators that learn from labels have beside it."""

    step_size: float | Literal["auto"]
    n_steps: int | Literal["auto"]
    label_sampling: LabelSampling


def check_graph_parameters(model: GraphParameters) -> None:
    """Raise if a parameter of the graph is out of range."""
    name = type(model).__name__
    check_count(name, "n_top", model.n_top, low=2)
    check_count(name, "bandwidth_rank", model.bandwidth_rank, low=2)
    check_choice(name, "normalization", model.normalization, ("symmetric", "sinkhorn"))
    check_choice(name, "search", model.search, ("auto", "exact", "approximate"))
    check_choice(name, "graph", model.graph, ("features", "precomputed"))
    if model.n_jobs is not None and model.n_jobs != -1:
        check_count(name, "n_jobs", model.n_jobs, low=1)


def check_label_parameters(model: LabelParameters) -> None:
    """Raise if a parameter of the graph, of diffusion or of the labels is out of range."""
    check_graph_parameters(model)
    name = type(model).__name__
    check_choice(name, "label_sampling", model.label_sampling, get_args(LabelSampling))
    if not (isinstance(model.step_size, str) and model.step_size == "auto"):
        check_real(name, "step_size", model.step_size)
    if not (isinstance(model.n_steps, str) and model.n_steps == "auto"):
        check_steps(name, "n_steps", model.n_steps)


def check_parameters(model: "DiffResNetClassifier") -> None:
    """Raise if a parameter is out of range."""
    check_label_parameters(model)
    check_choice(NAME, "solver", model.solver, get_args(SolverName))
    if model.solver != "network" and model.device != "cpu":
        remedy = "Take solver='network', which alone is trained elsewhere, or leave it out."
        fail(NAME, "device", f"'cpu' with solver {model.solver!r}", repr(model.device), remedy)
    check_device(NAME, model.device, "one that torch has", "Use 'cpu'.")


def check_given(model: object, y: Any) -> None:
    """Raise if there is no `y` at all, in scikit-learn's words."""
    if y is None:
        name = type(model).__name__
        raise ValueError(
            f"This {name} estimator requires y to be passed, but the target y is None."
        )


def check_prior(prior: Any, classes: npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
    """Return the proportions of the classes, or None."""
    if prior is None:
        return None
    if isinstance(prior, str):
        check_choice(NAME, "class_prior", prior, ("uniform",))
        return np.full(len(classes), 1 / len(classes))
    if isinstance(prior, Mapping):
        prior = [prior.get(one) for one in classes.tolist()]
    try:
        given = np.asarray(prior, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape != classes.shape or not np.all(given > 0) or not np.isfinite(given).all():
        must = f"None, 'uniform', or {len(classes)} positive proportions"
        remedy = f"Give one for each of the classes {classes.tolist()}, in order or by name."
        fail(NAME, "class_prior", must, prior, remedy)
    given = np.maximum(given / given.max(), SMALLEST_PRIOR)  # the sum might be too large
    return given / given.sum()


def plain_prior(prior: Any, classes: npt.NDArray[Any]) -> Any:
    """Return a class prior as JSON can hold it, which has no keys but text."""
    return check_prior(prior, classes) if isinstance(prior, Mapping) else prior


def check_several(function: str, argument: str, classes: npt.NDArray[Any]) -> None:
    """Raise if there is no label, or one class only."""
    if len(classes) == 0:
        remedy = "Label at least one point of each class; -1, None, NaN and '' mean unlabeled."
        fail(function, argument, "labels, at least two", "none but missing ones", remedy)
    if len(classes) < 2:
        got = f"only one class, {classes[0]!s}"
        remedy = "Label a point of another class."
        if str(classes[0]) == "1":
            remedy += " If -1 is one, call it 0: -1 means unlabeled."
        fail(function, argument, "labels of two classes or more", got, remedy)


def check_labeled(model: object, method: str) -> None:
    """Raise if a classifier has no label yet, and so no class to predict."""
    check_is_fitted(model, "solution_")
    if len(vars(model)["classes_"]) == 0:
        remedy = "Label a point by `update_labels`."
        fail(f"{NAME}.{method}", "the classifier", "one that has a label", "none yet", remedy)


def name_answers(classes: npt.NDArray[Any], probabilities: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the most likely class of each point, (N,); -1 if there is no class.

    Examples:
        >>> name_answers(np.array(["a", "b"]), np.array([[0.2, 0.8]]))
        array(['b'], dtype='<U1')
        >>> name_answers(np.array([]), np.empty((2, 0)))
        array([-1, -1])
    """
    if len(classes) == 0:
        return np.full(len(probabilities), UNLABELED)
    return classes[probabilities.argmax(axis=1)]


def check_length(function: str, n_points: int, n_given: int) -> None:
    """Raise if there is not one label or value for each point."""
    if n_points != n_given:
        remedy = "Give one for each row of X."
        fail(function, "y", f"of {n_points} entries, one for each point", n_given, remedy)


def check_scored(given: npt.NDArray[Any], classes: npt.NDArray[Any]) -> None:
    """Raise if labels cannot be compared with what was fitted."""
    function = f"{NAME}.score"
    if len(given) == 0:
        fail(function, "y", "labels of some points", "none but missing ones", "Label some.")
    if (given.dtype.kind in "US") != (classes.dtype.kind in "US"):
        got, remedy = f"labels of dtype {given.dtype}", "Pass labels as they were in `fit`."
        fail(function, "y", f"of the kind of the classes, {classes.dtype}", got, remedy)


def choose_step(
    step_size: float | Literal["auto"], operator: DiffusionOperator, name: str = NAME
) -> float:
    """Return the size of a diffusion step; raise if it would let diffusion grow without bound."""
    value = USUAL_STEP if step_size == "auto" else step_size
    # Below 1 / (the largest degree) it never does; only else the bound is worth computing.
    if value * float(operator.degrees.max()) <= 1 or value <= operator.max_stable_step_size:
        return value
    if step_size != "auto":
        must = f"at most {operator.max_stable_step_size:.3g}, the stability bound of this graph"
        remedy = "Lower it and raise `n_steps` instead, or leave it to 'auto'."
        fail(name, "step_size", must, step_size, remedy)
    return SAFE_STEP * operator.max_stable_step_size


def seed_of(random_state: Any) -> int:
    """Return a seed: an int as it is, anything else as scikit-learn takes it."""
    if isinstance(random_state, int | np.integer):
        if not 0 <= random_state < 2**32:
            must, remedy = "a number from 0 to 4294967295, None or a RandomState", "Take 0."
            fail(NAME, "random_state", must, str(random_state), remedy)
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


@contextmanager
def changed_at_the_end(model: Model) -> Generator[Model]:
    """Give a copy of an estimator to change; if the block ends well, all at once it is the model.

    A block that is refused or interrupted leaves the estimator as it was.
    """
    changed = copy(model)
    yield changed
    model.__dict__ = vars(changed)


def choose_search(search: Literal["auto", "exact", "approximate"], n_points: int) -> Search:
    """Return how neighbors are searched for: "auto" is exact for up to 40,000 points."""
    if search != "auto":
        return search
    return "approximate" if n_points > LARGEST_EXACT_SEARCH else "exact"


def check_rows(function: str, indices: Any, n_points: int) -> npt.NDArray[np.int64]:
    """Return row numbers of fitted points, each given once, or raise."""
    places = check_numbers(
        function, "indices", indices, n_points, "row numbers of the fitted points"
    )
    if len(np.unique(places)) < len(places):
        fail(function, "indices", "different", places, "Give each point once.")
    return places


def check_numbers(
    function: str, argument: str, given: Any, n_all: int, what: str
) -> npt.NDArray[np.int64]:
    """Return whole numbers below `n_all`, or raise; `what` says what they are."""
    places = np.atleast_1d(np.asarray(given))
    if places.size == 0:
        places = places.astype(np.int64)
    if places.ndim > 1:
        got = f"shape {places.shape}"
        fail(function, argument, "one-dimensional", got, f"Pass {what}, in one list.")
    if places.dtype.kind not in "iu" or np.any((places < 0) | (places >= n_all)):
        must = f"whole numbers from 0 to {n_all - 1}"
        got = f"booleans ({len(places)})" if places.dtype.kind == "b" else places
        fail(function, argument, must, got, f"Pass {what}.")
    return places


def check_update(
    indices: Any, labels: Any, encoded: npt.NDArray[np.int64], classes: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Return the class of each point after an update, -1 for none, and the classes in order.

    Args:
        indices: which points get a label.
        labels: these labels.
        encoded: (N,) the classes before, as numbers.
        classes: what they are.
    """
    function, n_points = f"{NAME}.update_labels", len(encoded)
    places = check_rows(function, indices, n_points)
    given = np.atleast_1d(np.asarray(labels, dtype=object))
    if places.shape != given.shape:
        must, remedy = f"{len(places)} labels", "Pass one label for each index."
        fail(function, "labels", must, len(given), remedy)
    others = np.setdiff1d(np.flatnonzero(encoded != UNLABELED), places)
    kept = np.empty(len(others), dtype=object)
    kept[:] = classes[encoded[others]].tolist()
    found, classes = encode_labels(function, "labels", np.concatenate([kept, given]))
    after = np.full(n_points, UNLABELED)
    after[np.concatenate([others, places])] = found
    return after, classes


def check_links_of_new(model: "DiffResNetClassifier", given: Any) -> None:
    """Refuse what are no links of new points, where a model was fitted to a graph alone.

    Args:
        model: fitted.
        given: (n, N) weights of links to the fitted points.
    """
    if model.solution_.points.space is not None:
        return
    n_points = model.n_features_in_
    shape: tuple[int, ...] = np.shape(given) if given is not None else ()
    if len(shape) != 2 or shape[1] != n_points:
        must = f"(n, {n_points}) weights of links to the fitted points: there was a graph alone"
        got = "None" if given is None else f"shape {shape}"
        fail("predict", "X", must, got, "What fitted points are is in `transduction_`.")
