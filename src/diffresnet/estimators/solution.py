"""What a fit learns from the labels, given the points: one path for fitted and new points."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, assert_never

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from diffresnet._support.stages import stage
from diffresnet._support.threads import share
from diffresnet.estimators.components import (
    PENALTY,
    fit_penalty,
    score_components,
    score_held_out,
)
from diffresnet.estimators.held_out import HeldOut
from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.estimators.solvers.kernel import KernelSolver
from diffresnet.estimators.solvers.mixture import MixtureSolver
from diffresnet.estimators.solvers.network import NetworkSolver
from diffresnet.estimators.solvers.solved_mixture import SolvedMixture
from diffresnet.estimators.solvers.solver import Solved, Solver
from diffresnet.learning.calibration import match_prior
from diffresnet.learning.labels import Labels
from diffresnet.learning.sampling import LabelSampling
from diffresnet.learning.strength import (
    DEFAULT_STRENGTH,
    Strength,
    StrengthSettings,
    default_steps,
)
from diffresnet.learning.views import View

Floats = npt.NDArray[Any]
LARGEST_MATCHED = 100_000
"""A class prior is matched by at most this number of points, drawn at random."""

SolverName: TypeAlias = Literal["mixture", "kernel", "network"]


def make_solver(
    name: SolverName,
    sampling: LabelSampling = "auto",
    before: Solved | None = None,
    device: str = "cpu",
) -> Solver:
    """Return the solver of that name, with its own settings.

    Args:
        name: of it.
        sampling: how the labeled points were drawn; the mixture makes use of it, and of
        before: what was learned before a few labels changed, if its choices may stay.
        device: where a network is trained.
    """
    match name:
        case "mixture":
            known = before if isinstance(before, SolvedMixture) else None
            return MixtureSolver(sampling, before=known)
        case "kernel":
            return KernelSolver()
        case "network":
            return NetworkSolver(device=device)
        case _:
            assert_never(name)


@dataclass(frozen=True)
class Solution:
    """The probabilities of the fitted points, and what new points are scored by.

    Attributes:
        points: that were fitted.
        strength: of diffusion.
        solved: what scores points.
        component_scores: (N, K) what the components of the graph add to the scores, or None.
        bias: (K,) added to the scores, for the class prior.
        held_out: labels that were held out, with all that is added to the scores; None if none was.
        prior: (K,) the probabilities of points that no label reaches.
        reached: (N,) whether a label reaches a point.
        probabilities: (N, K) of the fitted points, in single precision.
        component_penalty: see `score_components`, as far as held-out labels do not deny it.
    """

    points: FittedPoints
    strength: Strength
    solved: Solved
    component_scores: Tensor | None
    bias: Tensor
    held_out: HeldOut | None
    prior: Floats
    reached: npt.NDArray[np.bool_]
    probabilities: Floats
    component_penalty: float = PENALTY

    @cached_property
    def embedding(self) -> Tensor:
        """Where diffusion puts the fitted points, (N, m), of length one."""
        step_size, n_steps = self.strength.step_size, self.strength.n_steps
        return View.of_graph(self.points.spectrum, step_size, n_steps).points

    def predict(self, given: Any, n_top: int, bandwidth_rank: int) -> Floats:
        """Return the probabilities of new points, (n, K).

        Args:
            given: (n, d) features, or (n, N) weights of links to the fitted points.
            n_top: neighbors that a new point receives from, itself counted.
            bandwidth_rank: of the kernel's width.
        """
        return self.at(self.points.attach(given, n_top, bandwidth_rank))

    def at(self, places: Places) -> Floats:
        """Return the probabilities of any points, (n, K)."""
        scores = _score(self.solved, self.component_scores, places)
        return _to_probabilities(scores + self.bias, self.reached, self.prior, places)

    def is_unknown(self, probabilities: Floats) -> npt.NDArray[np.bool_]:
        """Tell of which points, by their (n, K) probabilities, nothing but the prior is known."""
        return (probabilities == self.prior.astype(probabilities.dtype)).all(axis=1)


def solve(
    points: FittedPoints,
    encoded: npt.NDArray[np.int64],
    n_classes: int,
    *,
    solver: Solver,
    step_size: float,
    n_steps: int | Literal["auto"],
    prior: Floats | None,
    seed: int,
    settings: StrengthSettings = DEFAULT_STRENGTH,
    component_penalty: float = PENALTY,
) -> Solution:
    """Learn from labels.

    Args:
        points: all of them, and their graph.
        encoded: (N,) the class of each, -1 where there is none.
        n_classes: K, each with a label; there may be none.
        solver: how.
        step_size: of diffusion.
        n_steps: of diffusion, or "auto".
        prior: (K,) the proportions that the predictions should have, or None.
        seed: of everything that is drawn.
        settings: of the choice that "auto" makes.
        component_penalty: see `score_components`.
    """
    labels, components = Labels.of(encoded, n_classes), points.components
    if n_steps == "auto":
        n_steps = default_steps(points.spectrum, step_size, max(n_classes, 2), settings)
    strength = Strength(step_size, n_steps)
    generator = torch.Generator().manual_seed(seed)
    with stage("labels"):
        solved = solver.solve(points, labels, strength, generator)
    held_out = solved.held_out if isinstance(solved, SolvedMixture) else None
    component_scores = score_components(components, labels, component_penalty)
    if held_out is not None and component_scores is not None:
        added = score_held_out(components, labels, component_penalty)
        added = added[np.isin(labels.rows.numpy(), held_out.rows)]
        part = fit_penalty(held_out, added)
        component_scores, held_out = part * component_scores, held_out.shifted(part * added)
        component_penalty *= part
    reached = np.isin(components, components[labels.rows.numpy()])
    bias = torch.zeros(n_classes, dtype=torch.float64)
    if prior is not None:
        rows = torch.from_numpy(np.flatnonzero(reached))
        if len(rows) > LARGEST_MATCHED:
            rows = rows[torch.randperm(len(rows), generator=generator)[:LARGEST_MATCHED]]
        scores = _score(solved, component_scores, points.some_places(rows))
        bias = match_prior(scores, torch.from_numpy(prior))
        held_out = None if held_out is None else held_out.shifted(bias.numpy())
    unknown = np.full(n_classes, 1 / max(n_classes, 1)) if prior is None else prior

    def find(places: Places) -> Floats:
        scores = _score(solved, component_scores, places) + bias
        return _to_probabilities(scores, reached, unknown, places).astype(np.float32)

    with stage("probabilities"):
        probabilities = np.concatenate(share(find, points.blocks()))
    probabilities[labels.rows] = np.eye(n_classes)[labels.classes]
    found = points, strength, solved, component_scores, bias, held_out, unknown, reached
    return Solution(*found, probabilities, component_penalty)


def _score(solved: Solved, component_scores: Tensor | None, places: Places) -> Tensor:
    scores = solved.score(places)
    return scores if component_scores is None else scores + places.read(component_scores)


def _to_probabilities(
    scores: Tensor, reached: npt.NDArray[np.bool_], prior: Floats, places: Places
) -> Floats:
    """Return the probabilities (n, K); points that no label reaches get the prior."""
    probabilities = scores.softmax(dim=1).numpy()
    is_reached = places.read(torch.from_numpy(reached))
    probabilities[is_reached.double().numpy() <= 0.5] = prior
    return probabilities
