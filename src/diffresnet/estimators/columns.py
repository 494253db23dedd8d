"""One of several labels: the points that have it, and those that do not."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import fail
from diffresnet.estimators.input import check_numbers
from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.estimators.solution import Floats, Solution, solve
from diffresnet.estimators.solvers.solver import Solver
from diffresnet.learning.indicators import encode_indicators
from diffresnet.learning.labels import UNLABELED

Cells = npt.NDArray[np.int64]


class ConstantLabelWarning(UserWarning):
    """All that is known of a label is that points have it, or that they do not."""


@dataclass(frozen=True)
class Column:
    """What was learned of one label.

    Attributes:
        proportion: of points that have it, as far as is known: (ones + 1) / (cells + 2), Laplace's
            rule of succession.
        solution: of two classes; None if all known cells are equal. The proportion stands for it.
        reached: (N,) whether a known cell reaches a point; the proportion stands for others.
        probabilities: (N,) that the fitted points have it.
    """

    proportion: float
    solution: Solution | None
    reached: npt.NDArray[np.bool_]
    probabilities: Floats

    def at(self, places: Places, n_points: int) -> Floats:
        """Return the probabilities that any points have the label, (n,); `n_points` is n."""
        if self.solution is None:
            return np.full(n_points, self.proportion)
        return self.solution.at(places)[:, 1]


def solve_column(
    points: FittedPoints,
    encoded: Cells,
    *,
    solver: Solver,
    step_size: float,
    n_steps: int | Literal["auto"],
    seed: int,
) -> Column:
    """Learn one label.

    Args:
        points: all of them, and their graph.
        encoded: (N,) 1 where a point has the label, 0 where not, -1 where that is unknown.
        solver: how.
        step_size: of diffusion.
        n_steps: of diffusion, or "auto".
        seed: of everything that is drawn.
    """
    is_known = encoded != UNLABELED
    n_known, n_ones = int(is_known.sum()), int((encoded == 1).sum())
    proportion = (n_ones + 1) / (n_known + 2)
    reached = np.isin(points.components, points.components[is_known])
    if n_ones in {0, n_known}:
        probabilities = np.where(is_known, encoded, proportion)
        return Column(proportion, None, reached, probabilities)
    solution = solve(
        points,
        encoded,
        2,
        solver=solver,
        step_size=step_size,
        n_steps=n_steps,
        prior=None,
        seed=seed,
    )
    solution = replace(solution, prior=np.array([1 - proportion, proportion]))
    probabilities = np.where(reached, solution.probabilities[:, 1], proportion)
    return Column(proportion, solution, reached, probabilities)


def name_columns(y: Any, n_columns: int) -> npt.NDArray[Any]:
    """Return the names of the columns of a frame, as text, or else their numbers."""
    names = getattr(y, "columns", None)
    if names is None:
        return np.arange(n_columns)
    return np.array([str(one) for one in names])


def check_known(function: str, argument: str, encoded: Cells, names: npt.NDArray[Any]) -> None:
    """Raise if nothing is known of a column."""
    unknown = np.flatnonzero((encoded == UNLABELED).all(axis=0))
    if len(unknown):
        got = f"none in {_say(int(unknown[0]), names)}"
        remedy = "Label a point there, or drop the column."
        fail(function, argument, "known cells in every column", got, remedy)


def check_scored_cells(function: str, encoded: Cells, n_columns: int) -> npt.NDArray[np.bool_]:
    """Return which cells are known, or raise if none is, or there are other columns."""
    is_known = encoded != UNLABELED
    if encoded.shape[1] != n_columns or not is_known.any():
        got = f"{encoded.shape[1]} columns with {int(is_known.sum())} known cells"
        remedy = "Pass labels as they were in `fit`."
        fail(function, "y", f"of {n_columns} columns with known cells", got, remedy)
    return is_known


def check_cells(
    function: str, rows: Any, columns: Any, values: Any, before: Cells
) -> tuple[Cells, frozenset[int]]:
    """Return all cells after an update, and which columns it changes.

    Args:
        function: which takes the update, for messages.
        rows: which points.
        columns: which column of each.
        values: 0, 1 or missing, for each.
        before: (N, K) all cells before.
    """
    what = "row numbers of the fitted points"
    at = check_numbers(function, "rows", rows, before.shape[0], what)
    of = check_numbers(function, "columns", columns, before.shape[1], "numbers of columns")
    given = np.atleast_1d(np.asarray(values))
    if not len(at) == len(of) == len(given):
        got = f"{len(at)} rows, {len(of)} columns and {len(given)} values"
        remedy = "Pass one column and one value for each row."
        fail(function, "values", "as many as rows and columns", got, remedy)
    if len(set(zip(at.tolist(), of.tolist(), strict=True))) < len(at):
        fail(function, "rows", "different cells", "one of them twice", "Give each cell once.")
    after = before.copy()
    if len(at):
        after[at, of] = encode_indicators(function, "values", given[:, None])[:, 0]
    return after, frozenset(of.tolist())


def reached_by_all(columns: Sequence[Column]) -> npt.NDArray[np.bool_]:
    """Return whether known cells of every column reach a point, (N,), but for constant columns."""
    return np.all([one.reached | (one.solution is None) for one in columns], axis=0)


def warn_of_constants(name: str, columns: Mapping[int, Column], names: npt.NDArray[Any]) -> None:
    """Warn of columns whose known cells are all equal, as if the caller's caller did it.

    Args:
        name: of the estimator.
        columns: by their numbers.
        names: of all columns.
    """
    constant = [one for one, column in sorted(columns.items()) if column.solution is None]
    if not constant:
        return
    said = ", ".join(f"{_say(one, names)} is {columns[one].proportion > 0.5:d}" for one in constant)
    warnings.warn(
        f"{name}: wherever it is known, {said}: so it is everywhere. Label a point of the other "
        "kind, or drop the column.",
        ConstantLabelWarning,
        stacklevel=3,
    )


def _say(column: int, names: npt.NDArray[Any]) -> str:
    named = f" ('{names[column]}')" if names.dtype.kind == "U" else ""
    return f"column {column}{named}"
