from typing import Any

import numpy as np
import polars
import pytest

from diffresnet.estimators.columns import (
    ConstantLabelWarning,
    check_cells,
    check_known,
    check_scored,
    name_columns,
    reached_by_all,
    solve_column,
    warn_of_constants,
)
from diffresnet.estimators.solution import solve
from diffresnet.estimators.solvers.mixture import MixtureSolver
from tests.estimators.examples import clusters, fitted

GIVEN, CLASSES = clusters()
POINTS = fitted(GIVEN)
OPTIONS: dict[str, Any] = {
    "solver": MixtureSolver(),
    "step_size": 0.5,
    "n_steps": "auto",
    "seed": 0,
}


def some_cells() -> np.ndarray:
    cells = np.full(120, -1)
    cells[::5] = CLASSES[::5] == 1
    return cells


def test_a_column_is_a_problem_of_two_classes() -> None:
    cells = some_cells()
    column = solve_column(POINTS, cells, **OPTIONS)
    solution = solve(POINTS, cells, 2, prior=None, **OPTIONS)
    assert np.array_equal(column.probabilities, solution.probabilities[:, 1])
    assert np.array_equal(column.at(POINTS.places, 120), solution.at(POINTS.places)[:, 1])
    assert column.proportion == pytest.approx((8 + 1) / (24 + 2))


@pytest.mark.parametrize("kind", [0, 1])
def test_equal_cells_are_constant(kind: int) -> None:
    cells = np.full(120, -1)
    cells[[3, 50]] = kind
    column = solve_column(POINTS, cells, **OPTIONS)
    assert column.solution is None
    assert column.proportion == (2 * kind + 1) / 4
    assert column.probabilities[[3, 50]].tolist() == [kind, kind]
    assert (np.delete(column.probabilities, [3, 50]) == column.proportion).all()
    assert column.at(POINTS.places, 7).tolist() == [column.proportion] * 7
    assert np.array_equal(column.reached, CLASSES < 2)
    names = np.array(["a", "b", "c"])
    with pytest.warns(ConstantLabelWarning) as said:
        warn_of_constants("Model", {2: column}, names)
    assert str(said[0].message) == (
        f"Model: wherever it is known, column 2 ('c') is {kind}: so it is everywhere. Label a "
        "point of the other kind, or drop the column."
    )


def test_points_that_no_cell_reaches_get_the_proportion() -> None:
    cells = np.where(CLASSES == 2, -1, some_cells())
    column = solve_column(POINTS, cells, **OPTIONS)
    assert column.proportion == pytest.approx((8 + 1) / (16 + 2))
    far = CLASSES == 2
    assert np.allclose(column.probabilities[far], column.proportion)
    assert np.allclose(column.at(POINTS.places, 120)[far], column.proportion)
    both = reached_by_all([column, solve_column(POINTS, some_cells(), **OPTIONS)])
    assert np.array_equal(both, ~far)
    constant = solve_column(POINTS, np.where(cells == 1, -1, cells), **OPTIONS)
    assert reached_by_all([constant]).all()


def test_names() -> None:
    assert name_columns(np.zeros((2, 3)), 3).tolist() == [0, 1, 2]
    assert name_columns(polars.DataFrame({"a": [1], "b": [0]}), 2).tolist() == ["a", "b"]


def test_cells_after_an_update() -> None:
    before = np.array([[1, 0], [-1, 1], [0, -1]])
    after, changed = check_cells("f", [1, 2], [0, 0], [0, None], before)
    assert after.tolist() == [[1, 0], [0, 1], [-1, -1]]
    assert changed == {0}
    assert check_cells("f", [], [], [], before)[1] == frozenset()
    assert check_cells("f", 1, 1, 0, before)[0].tolist() == [[1, 0], [-1, 0], [0, -1]]
    assert before.tolist() == [[1, 0], [-1, 1], [0, -1]]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            ([3], [0], [1]),
            "f: `rows` must be whole numbers from 0 to 2, got [3]. Pass row numbers of the fitted "
            "points.",
        ),
        (
            ([0], [-1], [1]),
            "f: `columns` must be whole numbers from 0 to 1, got [-1]. Pass numbers of columns.",
        ),
        (
            ([0, 1], [0], [1]),
            "f: `values` must be as many as rows and columns, got 2 rows, 1 columns and 1 values. "
            "Pass one column and one value for each row.",
        ),
        (
            ([0, 0], [1, 1], [1, 0]),
            "f: `rows` must be different cells, got one of them twice. Give each cell once.",
        ),
        (
            ([0], [0], [7]),
            "f: `values` must be 0, 1 or missing, got 7 in row 0, column 0. Make a column of 0 and "
            "1 for each label; -1, None and NaN mean unknown.",
        ),
    ],
)
def test_wrong_updates(cells: tuple[Any, Any, Any], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        check_cells("f", *cells, np.array([[1, 0], [-1, 1], [0, -1]]))
    assert str(error.value) == message


def test_what_must_be_known() -> None:
    with pytest.raises(ValueError, match="must be") as error:
        check_known("f", "y", np.array([[1, -1], [0, -1]]), np.array(["cat", "dog"]))
    assert str(error.value) == (
        "f: `y` must be known cells in every column, got none in column 1 ('dog'). Label a point "
        "there, or drop the column."
    )
    with pytest.raises(ValueError, match="must be") as error:
        check_scored("f", np.array([[-1, -1]]), 2)
    assert str(error.value) == (
        "f: `y` must be of 2 columns with known cells, got 2 columns with 0 known cells. Pass "
        "labels as they were in `fit`."
    )
