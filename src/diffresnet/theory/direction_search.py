"""The search for a direction along which subclasses are disjoint: candidates, and better ones.

For a given order of the subclasses the question is a linear program. Which order is right is not
known, so that directions are tried first, and improved by descent, to find orders that nearly fit.
"""

from typing import Any

import numpy as np
import torch
from scipy import sparse
from scipy.optimize import linprog
from torch import Tensor

from diffresnet.theory.grouped_points import Floats, Integers
from diffresnet.theory.intervals import GroupedRows, unit

RIDGE = 1e-6
N_STARTS, N_DESCENT_STEPS, LEARNING_RATE = 48, 200, 0.05
N_ORDERS, N_REORDERINGS = 12, 6
MOST_PAIRS = 2048


def whiten(data: GroupedRows) -> tuple[GroupedRows, Floats]:
    """Return the points with alike spread inside subclasses in all directions, and the map back.

    Returns:
        The points in other coordinates, and a matrix (d', d): a direction u there is u @ matrix.
    """
    deviations = data.deviations
    covariance = deviations.T @ deviations / len(deviations)
    values, vectors = np.linalg.eigh(covariance)
    spread = max(float(values[-1]), RIDGE * float(np.mean(data.rows**2))) or 1.0
    scales = 1 / np.sqrt(np.maximum(values, RIDGE * spread))
    back = (vectors * scales).T
    return GroupedRows(data.rows @ back.T, data.starts), back


def discriminants(data: GroupedRows) -> Floats:
    """Return the directions (k, d) in which means differ most, and those between pairs of means."""
    means = data.means - data.means.mean(axis=0)
    main = np.linalg.svd(means, full_matrices=False)[2]
    first, second = np.triu_indices(data.n_groups, 1)
    some = np.linspace(0, len(first) - 1, min(len(first), MOST_PAIRS)).astype(np.int64)
    first, second = first[some], second[some]
    pairs = unit(means[second] - means[first])
    return np.concatenate([main, pairs[pairs.any(axis=1)]])


def descend(data: GroupedRows, starts: Floats) -> Floats:
    """Turn directions (k, d), all at once, so that fewer intervals overlap, and less.

    The loss adds up, over pairs of subclasses, by how much they are not as far apart as a tenth of
    the mean length of the intervals.
    """
    rows = torch.from_numpy(data.rows)
    groups = torch.from_numpy(data.groups)
    turned = torch.from_numpy(starts.copy()).requires_grad_()
    optimizer = torch.optim.Adam([turned], lr=LEARNING_RATE)
    for _ in range(N_DESCENT_STEPS):
        optimizer.zero_grad()
        places = rows @ (turned / turned.norm(dim=1, keepdim=True)).T
        torch.autograd.backward(_overlaps(places, groups, data.n_groups).sum())
        optimizer.step()
    return unit(turned.detach().numpy())


def _overlaps(places: Tensor, groups: Tensor, n_groups: int) -> Tensor:
    """Return the loss of each column of places (N, k)."""
    index = groups.unsqueeze(1).expand_as(places)
    empty = places.new_zeros(n_groups, places.shape[1])
    lows = empty.scatter_reduce(0, index, places, "amin", include_self=False)
    highs = empty.scatter_reduce(0, index, places, "amax", include_self=False)
    gaps = torch.maximum(lows.unsqueeze(1) - highs, lows - highs.unsqueeze(1))
    length = (highs - lows).mean(dim=0)
    first, second = torch.triu_indices(n_groups, n_groups, 1)
    return (0.1 - gaps[first, second] / length.clamp(min=1e-9)).clamp(min=0).sum(dim=0)


def fit_orders(data: GroupedRows, candidates: Floats) -> Floats:
    """Solve the linear program for the orders that directions (k, d) show; return directions.

    Each solution shows an order of its own, which is tried next, until an order comes again.
    """
    found: list[Floats] = []
    tried: set[tuple[int, ...]] = set()
    for candidate in candidates[:N_ORDERS]:
        direction = candidate
        for _ in range(N_REORDERINGS):
            lows, highs = data.ends(direction[None])
            order = np.argsort((lows + highs)[:, 0], kind="stable")
            if tuple(order) in tried:
                break
            tried |= {tuple(order), tuple(order[::-1])}
            direction = fit_order(data, order)
            found.append(direction)
            if data.margins(direction[None])[0] > 0:
                return np.stack(found)
    return np.stack(found)


def fit_order(data: GroupedRows, order: Integers) -> Floats:
    """Return the direction that parts neighbors of a given order best: a linear program.

    Minimize the sum of the slacks s_k >= 0 over w and thresholds c_k, with w.x <= c_k - 1 + s_k for
    x in the k-th subclass and w.x >= c_k + 1 - s_k in the next. All s_k are 0 if and only if a
    direction with this order exists.
    """
    n_features, n_cuts = data.rows.shape[1], data.n_groups - 1
    blocks: list[sparse.csr_array] = []
    for cut in range(n_cuts):
        for group, sign in ((order[cut], 1.0), (order[cut + 1], -1.0)):
            rows = data.rows[data.groups == group]
            thresholds = np.zeros((len(rows), n_cuts))
            thresholds[:, cut] = 1.0
            blocks.append(
                sparse.csr_array(np.hstack([sign * rows, -sign * thresholds, -thresholds]))
            )
    matrix = sparse.vstack(blocks, format="csr")
    cost = np.concatenate([np.zeros(n_features + n_cuts), np.ones(n_cuts)])
    limits = [(None, None)] * (n_features + n_cuts) + [(0, None)] * n_cuts
    solver: Any = linprog  # its types know no sparse matrices
    solution = solver(cost, A_ub=matrix, b_ub=-np.ones(matrix.shape[0]), bounds=limits)
    if solution.x is None or not np.any(solution.x[:n_features]):
        return unit(np.ones((1, n_features)))[0]
    return unit(solution.x[None, :n_features])[0]
