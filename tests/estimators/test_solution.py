import numpy as np

from diffresnet.estimators.fitted import FittedPoints
from diffresnet.estimators.solution import Solver, solve
from tests.estimators.examples import clusters, partly
from tests.estimators.test_fitted import SETTINGS


def test_both_solvers_and_new_points() -> None:
    given, classes = clusters()
    fitted = FittedPoints.from_features(given, links=None, **SETTINGS)
    solvers: tuple[Solver, Solver] = ("kernel", "sgd")
    for solver in solvers:
        solution = solve(
            fitted,
            partly(classes, 2),
            np.arange(3),
            step_size=0.5,
            n_steps="auto",
            solver=solver,
            class_prior="uniform",
            seed=0,
        )
        assert (solution.chances.argmax(axis=1) == classes).all()
        assert np.allclose(solution.chances.sum(axis=1), 1)
        assert (solution.predict(given[::3], 8, 4).argmax(axis=1) == classes[::3]).all()
        assert solution.reached.all()
