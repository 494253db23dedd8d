"""Places in the plane for maps of all points, before and after diffusion.

Before diffusion, neighbors by their features attract each other; after it, the ends of short random
walks over the graph do, which is diffusion of the links themselves. The second map starts where
diffusion puts the points, the first along the main directions of the features, and is turned so
that a point is found near where it is on the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from torch import Tensor

from diffresnet._support.threads import limited_threads
from diffresnet.diffusion.spectrum import Spectrum
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.copies import Copies
from diffresnet.estimators.input import choose_step
from diffresnet.estimators.points import N_MODES
from diffresnet.graph import matrix as mx
from diffresnet.learning.strength import default_steps
from diffresnet.learning.views import View
from diffresnet.report.settling import count_rounds, settle, start_from

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]
MapName: TypeAlias = Literal["after", "before"]

MAX_POINTS = 1500
"""Of a report."""

SEED = 0
N_WALKED = 3
"""Links of the random walks that attract their ends after diffusion."""

N_CLASSES = 2
"""The map starts as far diffused as is usual for this number of classes, whatever the labels."""

COPY_NOISE = 0.004
"""How far copies of a point are from it, so that each can be seen."""


@dataclass(frozen=True)
class Layout:
    """Where points are on two maps that correspond.

    Attributes:
        rows: (n,) which points are on the map, in order.
        before: (n, 2) places of their features, from -1 to 1; None without features.
        after: (n, 2) places after diffusion, from -1 to 1.
    """

    rows: Rows
    before: Floats | None
    after: Floats


@dataclass(frozen=True)
class Settling:
    """A map while it settles.

    Attributes:
        name: "after" or "before".
        round: that is done.
        n_rounds: there will be.
        places: (N, 2) of all rows, from -1 to 1.
    """

    name: MapName
    round: int
    n_rounds: int
    places: Places


def map_names(model: DiffResNetClassifier) -> tuple[MapName, ...]:
    """Return which maps a model has: none before diffusion if its graph was given."""
    points = model.solution_.points
    has_before = points.points is not None and not points.has_own_graph
    return ("after", "before") if has_before else ("after",)


def first_places(model: DiffResNetClassifier, name: MapName) -> Places:
    """Return where the points of a map begin, (N, 2), from -1 to 1."""
    return _spread(_start(model, name), model.copies_)


def settle_map(
    model: DiffResNetClassifier, name: MapName, like: Places | None = None, every: int = 1
) -> Iterator[Settling]:
    """Yield a map while it settles, after every `every` rounds, and at the end.

    It depends on the points and their graph only, not on labels.

    Args:
        model: prepared or fitted.
        name: of the map.
        like: (N, 2) another map, toward which this one is turned.
        every: rounds between two.
    """
    points = model.solution_.points
    weights, start = mx.to_scipy(points.operator.weights), _start(model, name)
    n_rounds = count_rounds(len(start))
    n_walked = N_WALKED if name == "after" else 1
    with limited_threads(1):
        rounds = settle(weights, start, n_walked=n_walked, seed=SEED, n_rounds=n_rounds)
        for number, places in enumerate(rounds, start=1):
            if number % every == 0 or number == n_rounds:
                shown = _spread(places, model.copies_)
                if like is not None:
                    shown = fit_square(_turn(shown, like))
                yield Settling(name, number, n_rounds, shown)


def lay_out(model: DiffResNetClassifier, always: Rows) -> Layout:
    """Place the points of a fitted model in the plane, twice, for a report.

    Args:
        model: prepared or fitted.
        always: rows that are on the map in any case; of the others, a random sample.
    """
    rows = sample_rows(len(model.encoded_labels_), always, MAX_POINTS, SEED)
    made: dict[MapName, Places] = {}
    for name in map_names(model):
        for one in settle_map(model, name, made.get("after"), every=10**9):
            made[name] = one.places
    before = made["before"][rows].astype(np.float64) if "before" in made else None
    return Layout(rows, before, made["after"][rows].astype(np.float64))


def sample_rows(n_points: int, always: Rows, max_points: int, seed: int) -> Rows:
    """Return the rows of `always` and a random sample of the others, in order."""
    kept = np.unique(always)
    others = np.setdiff1d(np.arange(n_points), kept)
    n_others = min(len(others), max(max_points - len(kept), 0))
    sample = np.random.default_rng(seed).choice(others, n_others, replace=False)
    return np.sort(np.concatenate([kept, sample])).astype(np.int64)


def fit_square(places: Places) -> Places:
    """Move and scale places into the square from -1 to 1, both axes alike."""
    low, high = places.min(axis=0), places.max(axis=0)
    half = float((high - low).max()) / 2
    return ((places - (low + high) / 2) / (half if half > 0 else 1.0)).astype(np.float32)


def _start(model: DiffResNetClassifier, name: MapName) -> Tensor:
    points = model.solution_.points
    if name == "before" and points.points is not None:
        return start_from(points.points, SEED)
    step = choose_step(model.step_size, points.operator)
    slow = Spectrum(points.spectrum.rates[:N_MODES], points.spectrum.modes[:, :N_MODES])
    n_steps = default_steps(slow, step, N_CLASSES)  # not those of the labels there are
    return start_from(View.of_graph(slow, step, n_steps).points, SEED)


def _spread(places: Tensor, copies: Copies) -> Places:
    """Return the place of each row in the square; copies are a little beside their point."""
    shown = fit_square(places.numpy())[copies.point]
    is_copy = np.ones(len(shown), dtype=bool)
    is_copy[copies.first] = False
    noise = np.random.default_rng(SEED).normal(size=(int(is_copy.sum()), 2))
    shown[is_copy] += (COPY_NOISE * noise).astype(np.float32)
    return fit_square(shown) if is_copy.any() else shown


def _turn(places: Places, like: Places) -> Places:
    """Return a map turned, or mirrored, so that its points are as near as can be to another's."""
    here, there = places - places.mean(axis=0), like - like.mean(axis=0)
    left, _, right = np.linalg.svd((here.T @ there).astype(np.float64))
    return (here @ (left @ right)).astype(np.float32)
