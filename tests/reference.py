"""The oracle: the paper's formulas as slow, obvious loops over lists of Python floats."""

import math
from typing import TypeAlias

Rows: TypeAlias = list[list[float]]


def distance(x: list[float], y: list[float]) -> float:
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)))


def nearest_neighbors(points: Rows, n_neighbors: int) -> list[list[tuple[float, int]]]:
    """Return (distance, index) of the nearest points, itself first, then by distance and index."""
    result: list[list[tuple[float, int]]] = []
    for i, x in enumerate(points):
        others = sorted((distance(x, y), j) for j, y in enumerate(points) if j != i)
        result.append([(0.0, i), *others][:n_neighbors])
    return result


def gaussian_weights(points: Rows, bandwidths: list[float]) -> Rows:
    """Return exp(-|x_i - x_j|^2 / sigma_i^2)."""
    return [
        [math.exp(-((distance(x, y) / sigma) ** 2)) for y in points]
        for x, sigma in zip(points, bandwidths, strict=True)
    ]


def sparsify(weights: Rows, n_top: int) -> Rows:
    """Keep the largest of each row; among equal ones the diagonal, then the lower column."""
    result: Rows = []
    for i, row in enumerate(weights):
        order = sorted(range(len(row)), key=lambda j: (-row[j], j != i, j))
        result.append([w if j in order[:n_top] else 0.0 for j, w in enumerate(row)])
    return result


def normalize_rows(weights: Rows) -> Rows:
    return [[w / sum(row) if sum(row) > 0 else 0.0 for w in row] for row in weights]


def normalize_symmetric(weights: Rows) -> Rows:
    """Return the average of D^-1/2 W D^-1/2, D the row sums of W, and its transpose."""
    sums = [sum(row) for row in weights]
    scaled = [
        [
            w / math.sqrt(sums[i] * sums[j]) if w > 0 and sums[j] > 0 else 0.0
            for j, w in enumerate(r)
        ]
        for i, r in enumerate(weights)
    ]
    n = range(len(weights))
    return [[(scaled[i][j] + scaled[j][i]) / 2 for j in n] for i in n]


def diffuse(weights: Rows, x: Rows, step_size: float, n_steps: int) -> Rows:
    """Repeat x_i <- x_i - gamma sum_j w_ij (x_i - x_j)."""
    for _ in range(n_steps):
        x = [
            [
                value - step_size * sum(w * (value - x[j][k]) for j, w in enumerate(weights[i]))
                for k, value in enumerate(row)
            ]
            for i, row in enumerate(x)
        ]
    return x


def energy(weights: Rows, x: Rows) -> float:
    """Return 1/2 sum_ij w_ij |x_i - x_j|^2."""
    return sum(
        w * distance(x[i], x[j]) ** 2 / 2
        for i, row in enumerate(weights)
        for j, w in enumerate(row)
    )
