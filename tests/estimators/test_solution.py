from typing import get_args

import numpy as np
import pytest

from diffresnet.estimators.solution import SolverName, make_solver, solve
from tests.estimators.examples import clusters, fitted, partly


@pytest.mark.parametrize("solver", get_args(SolverName))
def test_every_solver_and_new_points(solver: SolverName) -> None:
    given, classes = clusters()
    solution = solve(
        fitted(given),
        partly(classes, 2),
        3,
        solver=make_solver(solver),
        step_size=0.5,
        n_steps="auto",
        prior=np.full(3, 1 / 3),
        seed=0,
    )
    assert (solution.probabilities.argmax(axis=1) == classes).all()
    assert np.allclose(solution.probabilities.sum(axis=1), 1)
    assert (solution.predict(given[::3], 8, 4).argmax(axis=1) == classes[::3]).all()
    assert solution.reached.all()
