"""Two published methods for few labels on a graph that no package has, from their formulas.

Both take symmetric weights without loops, sparse, and labels with -1 for unknown ones, and return
scores of all points with a column for each class that has a label, in rising order.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.linalg import eigh
from scipy.optimize import brentq
from scipy.sparse.linalg import eigsh

Floats = npt.NDArray[Any]


def one_hot(partly: Floats) -> tuple[Floats, Floats]:
    """Return which points are labeled (N,), and Y (m, K), 1 at the class of each of them."""
    is_labeled = partly >= 0
    codes = np.unique(partly[is_labeled], return_inverse=True)[1]
    return is_labeled, np.eye(codes.max() + 1)[codes]


class RandomWalk:
    """The random walk P = D^-1 W of a graph, D the degrees; its eigenvectors are found once."""

    def __init__(self, weights: Any) -> None:
        self.weights = weights
        roots = np.sqrt(np.asarray(weights.sum(axis=1)).ravel())
        symmetric = weights.toarray() / roots / roots[:, None]
        self.values, vectors = eigh(symmetric, driver="evd")
        self.vectors = vectors / roots[:, None]
        self.made: dict[int, Floats] = {}

    def potential(self, n_steps: int) -> Floats:
        """Return A (N, N) = (I - 11'/N) sum_t P^t D^-1, t from 0 to `n_steps` - 1.

        With the eigenvalues l and eigenvectors V of D^-1/2 W D^-1/2 the sum is
        D^-1/2 V diag(1 + l + ... + l^(T - 1)) V' D^-1/2.
        """
        if n_steps not in self.made:
            rest = 1 - self.values
            is_one = np.abs(rest) < 1e-12
            sums = (1 - self.values**n_steps) / np.where(is_one, 1, rest)
            whole = (self.vectors * np.where(is_one, n_steps, sums)) @ self.vectors.T
            self.made[n_steps] = whole - whole.mean(axis=0)
        return self.made[n_steps]


def find_sources(weights: Any, is_labeled: Floats, n_hops: int) -> Floats:
    """Return which points are more than `n_hops` links away from every label.

    If fewer would be left than there are labels, those that are more than a smaller number away.
    """
    is_near = is_labeled.copy()
    for _ in range(n_hops):
        is_nearer = is_near | (weights @ is_near.astype(float) > 0)
        if (~is_nearer).sum() < is_labeled.sum():
            break
        is_near = is_nearer
    return ~is_near


def find_ridge(values: Floats, energies: Floats, training_error: float) -> float:
    """Return r with sum_i (r / (values_i + r))^2 energies_i = `training_error`, or nearly 0."""

    def excess(log_ridge: float) -> float:
        ridge = np.exp(log_ridge)
        return float((np.square(ridge / (values + ridge)) * energies).sum() - training_error)

    low, high = np.log(values.max()) - 20, np.log(values.max()) + 20
    return float(np.exp(low if excess(low) > 0 else brentq(excess, low, high)))


def interface_laplace(
    walk: RandomWalk, partly: Floats, *, n_steps: int, n_hops: int, training_error: float
) -> Floats:
    """Learn where the Laplacian of the scores is not zero (Wang, Bao and Shi, 2024).

    The scores are u = A f with the potential A of the random walk (`RandomWalk.potential`) and
    sources f at the points that are not within `n_hops` of a label. With A_l the rows of the m
    labeled points and the columns of the sources, f minimizes |A_l f - Y|^2 / m + lambda |f|^2:

        f = A_l' (A_l A_l' + m lambda I)^-1 Y.

    lambda is such that the mean squared error of the labeled points is `training_error`.

    It departs from the authors' code where neighborhoods of labels leave too few sources
    (`find_sources`), and in `n_steps`, which they choose between 100 and 1000 by a rule.
    """
    is_labeled, targets = one_hot(partly)
    is_source = find_sources(walk.weights, is_labeled, n_hops)
    potential = walk.potential(n_steps)[:, is_source]
    rows = potential[is_labeled]
    values, vectors = eigh(rows @ rows.T, driver="evd")
    values, seen = values.clip(min=0), vectors.T @ targets
    ridge = find_ridge(values, np.square(seen).sum(axis=1) / len(rows), training_error)
    sources = rows.T @ (vectors @ (seen / (values + ridge)[:, None]))
    return potential @ sources


def conjugate_gradient(matrix: Any, right: Floats, start: Floats, tolerance: float) -> Floats:
    """Solve matrix @ x = right, column by column, to a relative residual of `tolerance`."""
    found, residual = start, right - matrix @ start
    direction, squares = residual, np.square(residual).sum(axis=0)
    goal = tolerance**2 * np.square(right).sum(axis=0)
    for _ in range(1000):
        if (squares <= goal).all():
            break
        image = matrix @ direction
        length = squares / np.maximum((direction * image).sum(axis=0), 1e-300)
        found, residual = found + length * direction, residual - length * image
        now = np.square(residual).sum(axis=0)
        direction = residual + now / np.maximum(squares, 1e-300) * direction
        squares = now
    return found


def class_sizes(proportions: Floats, targets: Floats, n_points: int) -> Floats:
    """Return how many points without a label each class has, from the proportions of all points."""
    sizes = n_points * proportions / proportions.sum() - targets.sum(axis=0)
    return sizes.clip(min=0) * (n_points - len(targets)) / sizes.clip(min=0).sum()


def cut_ssl(
    weights: Any,
    partly: Floats,
    proportions: Floats,
    *,
    shifts: tuple[float, ...] = (0.0, 0.1),
    n_rounds: tuple[int, ...] = (100, 400),
    tolerance: float = 1e-3,
) -> Floats:
    """Cut the graph into classes of known sizes (CutSSL, Holtz and others, NeurIPS 2024).

    Minimize tr X' (L - s D) X / 2 over X (N, K) >= 0 with X 1 = 1, X' 1 = the sizes of the classes
    and the labeled rows fixed, for s = each of `shifts` in turn: s = 0 is convex, and s > 0 drives
    X to a partition. L = D - W, and W is scaled to a mean degree of 1.

    Alternating directions: Q is the block of the unlabeled points of L - s D, B minus that of
    the labeled ones times Y, and M = Q + r I. Each round

        X = M^-1 (B + r (Z - V) - 1 p' - q 1'),   Z = max(X + V, 0),   V = V + X - Z,

    where p and q, in closed form, give X its sums. It starts from the solution of s = 0 without
    row sums and X >= 0, and stops when Z stays within `tolerance` of itself and X. r is well above
    minus the least eigenvalue of Q, where M is positive definite and the rounds settle.

    Args:
        weights: (N, N) W.
        partly: (N,) labels, -1 for unknown ones.
        proportions: of the classes that have a label, in all points.
        shifts: s.
        n_rounds: at most, for each of `shifts`.
        tolerance: see above; also the relative residual to which systems are solved.
    """
    is_labeled, targets = one_hot(partly)
    sizes = class_sizes(proportions, targets, len(partly))
    degrees = np.asarray(weights.sum(axis=1)).ravel()
    weights, degrees = weights / degrees.mean(), degrees / degrees.mean()
    laplacian = sparse.csr_array(sparse.diags_array(degrees) - weights)
    found: Floats | None = None
    for shift, n in zip(shifts, n_rounds, strict=True):
        shifted = sparse.csr_array(laplacian - shift * sparse.diags_array(degrees))[~is_labeled]
        block, given = shifted[:, ~is_labeled], -(shifted[:, is_labeled] @ targets)
        if found is None:
            found = start_cut(block, given, sizes, tolerance)
        strength = max(1.0, -8 * least_eigenvalue(block)) if shift > 0 else 1.0
        found = alternate(
            block, given, sizes, start=found, strength=strength, n_rounds=n, tolerance=tolerance
        )
    scores = np.empty((len(partly), len(sizes)))
    scores[is_labeled], scores[~is_labeled] = targets, found
    return scores


def alternate(
    block: Any,
    given: Floats,
    sizes: Floats,
    *,
    start: Floats,
    strength: float,
    n_rounds: int,
    tolerance: float,
) -> Floats:
    """Return Z after the rounds of `cut_ssl`, with Q, B, the column sums, X and r."""
    one = np.ones((len(given), 1))
    matrix = sparse.csr_array(block + strength * sparse.eye_array(len(one)))
    sums, inverse_sums = matrix @ one, conjugate_gradient(matrix, one, one, 1e-3 * tolerance)
    found, kept, price = start, start.clip(min=0), np.zeros_like(start)
    for _ in range(n_rounds):
        right = given + strength * (kept - price)
        right -= (right.sum(axis=1, keepdims=True) - sums) / len(sizes)
        right -= (inverse_sums.T @ right - sizes) / inverse_sums.sum()
        found = conjugate_gradient(matrix, right, found, tolerance)
        before, kept = kept, (found + price).clip(min=0)
        price = price + found - kept
        if max(np.abs(found - kept).max(), np.abs(kept - before).max()) < tolerance:
            break
    return kept


def least_eigenvalue(matrix: Any) -> float:
    """Return the least eigenvalue of a symmetric matrix, to a percent."""
    start = np.ones(matrix.shape[0])
    return float(eigsh(matrix, 1, which="SA", tol=1e-2, v0=start, return_eigenvectors=False)[0])


def start_cut(block: Any, given: Floats, sizes: Floats, tolerance: float) -> Floats:
    """Return X that minimizes tr X' Q X / 2 - tr B' X with the column sums `sizes`."""
    one = np.ones((len(given), 1))
    # A component without labels makes Q singular.
    matrix = sparse.csr_array(block + 1e-6 * sparse.eye_array(len(one)))
    free = conjugate_gradient(matrix, given, np.zeros_like(given), 1e-2 * tolerance)
    shape = conjugate_gradient(matrix, one, one, 1e-2 * tolerance)
    return free + shape * (sizes - free.sum(axis=0)) / shape.sum()
