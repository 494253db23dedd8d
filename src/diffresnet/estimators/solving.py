"""What a classifier learns from labels, by its own parameters."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from diffresnet.estimators.input import check_prior, choose_step
from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.solution import Solution, make_solver, solve
from diffresnet.estimators.solvers.single import SingleSolver

if TYPE_CHECKING:
    from diffresnet.estimators.classifier import DiffResNetClassifier


def solve_labels(
    model: "DiffResNetClassifier",
    points: FittedPoints,
    encoded: npt.NDArray[np.int64],
    classes: npt.NDArray[Any],
    seed: int,
    *,
    before: Solution | None = None,
) -> Solution:
    """Learn from labels.

    Args:
        model: its parameters say how.
        points: all of them, and their graph.
        encoded: (N,) the class of each point, -1 for none.
        classes: what they are.
        seed: of everything that is drawn.
        before: what was learned from labels that were nearly the same, if its choices may stay.
    """
    known = before.solved if before is not None and before.points is points else None
    is_single = len(classes) < 2
    chosen = model.solver, model.label_sampling, known, model.device
    solver = SingleSolver() if is_single else make_solver(*chosen)
    return solve(
        points,
        encoded,
        len(classes),
        solver=solver,
        step_size=choose_step(model.step_size, points.operator),
        n_steps=model.n_steps,
        prior=None if is_single else check_prior(model.class_prior, classes),
        seed=seed,
    )
