"""Kinds of cases: random arguments of what Python users call."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
from scipy import sparse

from diffresnet import (
    DiffusionOperator,
    build_weights,
    gaussian_kernel,
    graph_weights,
    kth_distances,
    nearest_neighbors,
    normalize,
    sparsify,
    weights_from_distances,
    weights_from_neighbors,
)
from diffresnet.estimators import (
    DiffResNetClassifier,
    DiffResNetMultiLabelClassifier,
    DiffResNetRegressor,
    LabeledKFold,
)
from diffresnet.fewshot import TITLES, TRANSFORMS, EpisodeShape, FeatureBank, evaluate, make_recipe
from diffresnet.nn import DiffResNet, Diffusion, MiniBatchDiffusion
from tests.fuzz.damage import NUMBERS, TEXTS, Array, Random, chance, damaged_array, pick
from tests.fuzz.running import Call, Kind

ODD: tuple[Any, ...] = (
    *(None, True, "auto", "", "x", [], {}, [1], 10**30, np.int64(3), np.float32(0.5), b"x"),
    *NUMBERS,
)
SMALL_ODD = tuple(one for one in ODD if not isinstance(one, int) or abs(one) < 100)
"""For what is work to be done: who asks for a million layers is to get them."""
ADDED = 1e-6
"""By which probabilities may miss their sum of one."""


def _points(random: Random, n_points: int) -> Any:
    """Return points: mostly good ones, some equal, large, tiny, sparse, or of another kind."""
    points = random.standard_normal((n_points, int(random.integers(1, 8))))
    points += 3.0 * (np.arange(n_points) % 2)[:, None]
    way = random.random()
    if way < 0.15:
        points = np.repeat(points[:: max(1, n_points // 3)], 3, axis=0)[:n_points]
    elif way < 0.3:
        points = points * pick(random, (0.0, 1e-300, 1e-20, 1e12, 1e150, 1e300, -1.0))
    elif way < 0.4:
        points[0] = pick(random, NUMBERS)
    elif way < 0.5:
        points[:, 0] = pick(random, NUMBERS)
    elif way < 0.6:
        return damaged_array(random, points)
    elif way < 0.7:
        return sparse.csr_array(np.where(np.abs(points) > 1, points, 0))
    elif way < 0.75:
        return pl.DataFrame(points)
    return points.astype(pick(random, ("f8", "f8", "f4")))


def _weights(random: Random, n_points: int) -> Any:
    """Return links: symmetric or not, some of them odd."""
    dense = random.random((n_points, n_points)) * (random.random((n_points, n_points)) < 0.3)
    if chance(random, 0.7):
        dense = np.maximum(dense, dense.T)
    way = random.random()
    if way < 0.1:
        dense *= pick(random, (0.0, 1e-300, 1e300, 1e20))
    elif way < 0.2:
        dense[0, -1] = pick(random, NUMBERS)
    elif way < 0.3:
        return damaged_array(random, dense)
    return sparse.csr_array(dense) if chance(random, 0.6) else dense


def _labels(random: Random, n_points: int) -> Any:
    classes = pick(random, ((0, 1), (0, 1, 2), ("a", "b"), (0.0, 2.0), (True, False)))
    chosen = [pick(random, classes) for _ in range(n_points)]
    known = pick(random, (0.2, 0.5, 1.0))
    missing = pick(random, (-1, None, float("nan"), ""))
    labels = [one if chance(random, known) else missing for one in chosen]
    if chance(random, 0.1):
        labels[int(random.integers(n_points))] = pick(random, (*TEXTS, *ODD))
    labels = labels[:-1] if chance(random, 0.05) else labels
    if chance(random, 0.3):
        try:
            return damaged_array(random, np.array(labels))
        except ValueError:
            return labels
    return labels


def _values(random: Random, n_points: int) -> Any:
    values = random.standard_normal(n_points) * pick(random, (1.0, 0.0, 1e-300, 1e300, 1e12))
    values[random.random(n_points) < pick(random, (0.0, 0.5, 0.8))] = np.nan
    return damaged_array(random, values) if chance(random, 0.2) else values


def _cells(random: Random, n_points: int) -> Any:
    cells = random.integers(-1, 2, (n_points, int(random.integers(1, 4))))
    return damaged_array(random, cells) if chance(random, 0.2) else cells


def _neighbors(random: Random, n_points: int) -> tuple[Any, Any]:
    """Return distances and indices, some of them odd."""
    n_near = int(random.integers(1, n_points + 1))
    indices = random.permuted(np.tile(np.arange(n_points), (n_points, 1)), axis=1)[:, :n_near]
    distances = random.random(indices.shape) * pick(random, (1.0, 1.0, 0.0, 1e-300, 1e300))
    way = random.random()
    if way < 0.1:
        distances[0, -1] = pick(random, NUMBERS)
    elif way < 0.2:
        indices[-1, 0] = pick(random, (-1, -1, -2, n_points, 0, 2**40))
    elif way < 0.3:
        return damaged_array(random, distances), indices
    elif way < 0.4:
        return distances, damaged_array(random, indices)
    return distances, indices


def _choose(
    random: Random, good: Sequence[Any], odd: float = 0.06, odd_ones: Sequence[Any] = ODD
) -> Any:
    return pick(random, odd_ones) if chance(random, odd) else pick(random, good)


def _parameters(random: Random, kind: type[Any]) -> dict[str, Any]:
    given: dict[str, Any] = {
        "n_top": (11, 2, 3, 5, 50),
        "bandwidth_rank": (6, 2, 3),
        "normalization": ("sinkhorn", "symmetric"),
        "search": ("auto", "exact", "approximate"),
        "graph": ("features", "features", "features", "precomputed"),
        "step_size": ("auto", 0.5, 0.1, 1e-9, 2.0),
        "n_steps": ("auto", 0, 1, 20, 10**6),
        "random_state": (0, 1, None),
        "n_jobs": (None, 1),
        "label_sampling": ("auto", "random", "per class"),
        "solver": ("mixture", "mixture", "mixture", "kernel", "network"),
        "class_prior": (None, "uniform", [0.5, 0.5], {"a": 0.3, "b": 0.7}),
    }
    known = kind().get_params()
    names = [name for name in given if name in known and chance(random, 0.3)]
    return {name: _choose(random, given[name]) for name in names}


def _check_probabilities(found: Array) -> Array:
    if ((found < 0) | (found > 1)).any():
        raise AssertionError("probabilities between 0 and 1")
    return found


def _check_rows(found: Array) -> Array:
    if (np.abs(found.sum(axis=1) - 1) > ADDED).any():
        raise AssertionError("rows that sum to 1")
    return _check_probabilities(found)


def _fitted(random: Random, kind: type[Any], y: Any, n_points: int) -> tuple[Any, Any, Any, Any]:
    """Return an estimator and what to fit it to."""
    model = kind(**_parameters(random, kind))
    if model.graph == "precomputed":
        return model, _weights(random, n_points), y, None
    links = _weights(random, n_points) if chance(random, 0.1) else None
    points = None if links is not None and chance(random, 0.5) else _points(random, n_points)
    return model, points, y, links


def _n_points(random: Random) -> int:
    return int(random.integers(2, 25))


def _new(random: Random, points: Any) -> Any:
    """Return new points: of the fitted kind, or odd."""
    if chance(random, 0.7) and points is not None and np.ndim(points) == 2:
        return points[:3]
    return _points(random, 4)


def classifier(random: Random, folder: Path) -> Call:
    n_points = _n_points(random)
    y = _labels(random, n_points)
    model, points, y, links = _fitted(random, DiffResNetClassifier, y, n_points)
    new, odd, n_asked = (
        _new(random, points),
        _choose(random, (0.5, 0.9), 0.3),
        _choose(random, (3,)),
    )
    is_first = chance(random, 0.1)
    rows = random.integers(0, n_points, 2).tolist() if chance(random, 0.8) else pick(random, ODD)
    later = _labels(random, 2)

    def save() -> object:
        again = DiffResNetClassifier.load(model.save(folder / "model.npz"))
        if not np.allclose(again.label_distributions_, model.label_distributions_):
            raise AssertionError("another model")
        return None

    def update() -> object:
        return _check_rows(model.update_labels(rows, later).label_distributions_)

    questions: tuple[Call, ...] = (
        *(save, update),
        lambda: _check_rows(model.predict_proba(new)),
        lambda: model.predict_set(new, odd),
        lambda: model.predict_set(None, odd),
        lambda: model.predict_or_abstain(None, odd),
        lambda: model.suggest(n_asked),
        lambda: [str(model.audit()), model.novelty_],
        lambda: [model.diagnose().sentences, model.embedding_, model.score(points, y)],
    )
    question = pick(random, questions)

    def call() -> object:
        model.fit(points, y, graph=links)
        return [_check_rows(model.label_distributions_), model.strength_, question()]

    return (lambda: model.suggest_first(points, n_asked, graph=links)) if is_first else call


def regressor(random: Random, folder: Path) -> Call:
    n_points = _n_points(random)
    y = _values(random, n_points)
    model, points, y, links = _fitted(random, DiffResNetRegressor, y, n_points)
    new, asked, odd = _new(random, points), pick(random, range(5)), _choose(random, (0.5, 0.9), 0.3)
    rows, later = random.integers(0, n_points, 2), _values(random, 2)

    def call() -> object:
        model.fit(points, y, graph=links)
        found: list[Any] = [model.transduction_]
        if asked == 0:
            found.append(model.predict(new))
        elif asked == 1:
            found.append(model.predict_interval(None if chance(random, 0.5) else new, odd))
        elif asked == 2:
            model.update_values(rows, later)
            found.append(model.transduction_)
        elif asked == 3:
            again = DiffResNetRegressor.load(model.save(folder / "model.npz"))
            if not np.allclose(again.transduction_, model.transduction_):
                raise AssertionError("another model")
        else:
            model.score(points, y)
        return found

    return call


def multilabel(random: Random, folder: Path) -> Call:
    n_points = _n_points(random)
    y = _cells(random, n_points)
    model, points, y, links = _fitted(random, DiffResNetMultiLabelClassifier, y, n_points)
    new, asked = _new(random, points), pick(random, range(4))
    cells = random.integers(-1, n_points, 2), random.integers(0, 3, 2), random.integers(-1, 3, 2)

    def call() -> object:
        model.fit(points, y, graph=links)
        found: list[Any] = [_check_probabilities(model.label_distributions_)]
        if asked == 0:
            found.append(_check_probabilities(model.predict_proba(new)))
        elif asked == 1:
            model.update_labels(*cells)
            found.append(_check_probabilities(model.label_distributions_))
        elif asked == 2:
            again = DiffResNetMultiLabelClassifier.load(model.save(folder / "model.npz"))
            if not np.allclose(again.label_distributions_, model.label_distributions_):
                raise AssertionError("another model")
        else:
            found.append(model.score(points, y))
        return found

    return call


def few_shot(random: Random, _: Path) -> Call:
    """Evaluation of every method, with transforms, on small banks."""
    n_points = int(random.integers(6, 30))
    points, labels = _points(random, n_points), np.arange(n_points) % 3
    labels = damaged_array(random, labels) if chance(random, 0.1) else labels
    sizes = [_choose(random, good) for good in ((2, 3), (1, 2), (1, 2))]
    name = _choose(random, tuple(TITLES), 0.02)
    transforms = tuple(pick(random, tuple(TRANSFORMS)) for _ in range(int(random.integers(3))))
    n_tasks, seed = _choose(random, (1, 3), odd_ones=SMALL_ODD), _choose(random, (0, 1))

    def call() -> object:
        shape = EpisodeShape(*sizes)
        recipe = make_recipe(name, shape)
        if chance(random, 0.5):
            recipe = type(recipe)(recipe.name, recipe.method, transforms, recipe.ending)
        bank = FeatureBank.from_arrays(points, labels)
        options: dict[str, Any] = {"n_tasks": n_tasks, "seed": seed, "show_progress": False}
        return evaluate(bank, recipe, shape=shape, **options).accuracies

    return call


def operator(random: Random, _: Path) -> Call:
    n_points = int(random.integers(1, 12))
    weights, x = _weights(random, n_points), random.standard_normal((n_points, 2))
    x = damaged_array(random, x) if chance(random, 0.2) else x
    step, n_steps = _choose(random, (0.1, 0.5, 1e-9)), _choose(random, (0, 1, 20, 1000))
    asked, method = (
        pick(random, range(5)),
        _choose(random, ("auto", "euler", "chebyshev", "power"), 0.03),
    )

    def call() -> object:
        made = DiffusionOperator(weights)
        if asked and x.dtype.kind == "f" and not np.isfinite(x).all():
            made.diffuse(x, step_size=step, n_steps=1)  # NaN is passed on
            return None
        if asked == 0:
            return [made.degrees, made.laplacian, made.is_symmetric]
        if asked == 1:
            return made.energy(x)
        if asked == 2:
            return made.collapse(step, n_steps).weights
        if asked == 3:
            return list(made.states(x, step, [0, 1, n_steps]))
        return made.diffuse(x, step_size=step, n_steps=n_steps, method=method)

    return call


def weights(random: Random, _: Path) -> Call:
    """Everything that turns points into weights."""
    n_points = int(random.integers(1, 20))
    points, links = _points(random, n_points), _weights(random, n_points)
    n_top, other = _choose(random, (1, 2, 5)), _choose(random, (2, 3, 1.0), 0.3)
    kind, search = _choose(random, ("sinkhorn", "symmetric")), _choose(random, ("exact",), 0.05)
    near = _neighbors(random, n_points)
    ways: tuple[Call, ...] = (
        lambda: kth_distances(points, n_top),
        lambda: list(nearest_neighbors(points, n_top, search=search)),
        lambda: gaussian_kernel(links, other),
        lambda: sparsify(links, n_top),
        lambda: normalize(links, kind),
        lambda: graph_weights(links),
        lambda: weights_from_distances(links, n_top),
        lambda: weights_from_neighbors(*near, n_top=n_top, normalization=kind),
        lambda: weights_from_neighbors(links, bandwidth_rank=other),
        lambda: build_weights(points, n_top, bandwidth=other, normalization=kind, search=search),
        lambda: build_weights(points, n_top, bandwidth_rank=other, normalization=kind),
    )
    return pick(random, ways)


def layers(random: Random, _: Path) -> Call:
    n_points, n_features = int(random.integers(1, 12)), int(random.integers(1, 5))
    x = torch.from_numpy(random.standard_normal((n_points, n_features)).astype(np.float32))
    links = _weights(random, n_points)
    sizes = [
        _choose(random, good, odd_ones=SMALL_ODD) for good in ((n_features, 2), (2, 3), (0, 1, 3))
    ]
    step, n_steps = _choose(random, (0.1, 0.5)), _choose(random, (0, 2))
    dropout, n_top = _choose(random, (0.0, 0.5)), _choose(random, (2, 5))
    asked = pick(random, range(3))

    def call() -> object:
        made = DiffusionOperator(links).to(torch.float32)
        if asked == 0:
            return Diffusion(step, n_steps, dropout)(x, made)
        if asked == 1:
            return MiniBatchDiffusion(step, n_steps, n_top=n_top)(x, x)
        return DiffResNet(*sizes, step_size=step, n_steps=n_steps, dropout=dropout)(x, made)

    return call


def folds(random: Random, _: Path) -> Call:
    n_points = _n_points(random)
    y, n_splits = _labels(random, n_points), _choose(random, (2, 3, 5))
    return lambda: [
        np.concatenate(pair).tolist()
        for pair in LabeledKFold(n_splits).split(np.zeros((n_points, 1)), y)
    ]


CALLS: dict[str, Kind] = {
    "classifier": classifier,
    "regressor": regressor,
    "multilabel": multilabel,
    "few-shot": few_shot,
    "operator": operator,
    "weights": weights,
    "layers": layers,
    "folds": folds,
}
