"""Channels: what a node's own features say, what its neighborhood says, and how the two differ.

Diffusion helps where linked nodes are alike, and hurts where they are not. So points that have the
kernel of the network (see `learning.kernels`) are given in several ways, each centered and scaled
to length one, with S = D^-1/2 (A + I) D^-1/2 of the degrees D of A + I:

- ``own``: the features alone, which no link has touched.
- ``low2`` to ``low20``: diffused by these strengths, as in `KernelDiffResNet`.
- ``near1``, ``near2``, ``near3``: S x, S^2 x, S^3 x.
- ``high``: x - S x, by how much a node differs from its neighborhood.
- ``links``: the rows of S, by which nodes are alike that have neighbors in common (LINKX).

A mixture of channels is the mean of their kernels.
"""

import torch
from scipy import sparse
from torch import Tensor
from torch.nn.functional import normalize

from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.learning.kernels import kernel_points, node_kernel
from diffresnet.nodes.graph import NodeGraph

SAFE = 0.9
"""How much of the largest stable step size the path may take."""

TOLERANCE = 1e-3
"""Of the diffusion of each channel, relative to its length: more digits change no answer."""

N_POWERS = 3


def place_features(graph: NodeGraph, n_landmarks: int) -> Tensor:
    """Return points (N, d) that have the kernel of the network, of features of length one."""
    return kernel_points(node_kernel, _of_length_one(graph.features), n_landmarks)


def diffuse_points(
    operator: DiffusionOperator,
    points: Tensor,
    strengths: tuple[float, ...],
    step_size: float,
    tolerance: float = 1e-6,
) -> list[Tensor]:
    """Return points on the sphere after diffusion of each strength, along one path."""
    step_size = min(step_size, SAFE * operator.max_stable_step_size)
    steps = [max(1, round(strength / step_size)) for strength in strengths]
    return [on_sphere(x) for x in operator.states(points, step_size, steps, tolerance=tolerance)]


def make_channels(
    graph: NodeGraph, strengths: tuple[float, ...], *, step_size: float, n_landmarks: int
) -> dict[str, Tensor]:
    """Return the points (N, d) of every channel by its name, centered and of length one.

    Args:
        graph: standardized.
        strengths: of the channels ``low``, rising.
        step_size: of their path; less where the graph is not stable with it.
        n_landmarks: see `kernel_points`.
    """
    points, operator = place_features(graph, n_landmarks), graph.operator
    found = {"own": on_sphere(points)}
    lows = diffuse_points(operator, points, strengths, step_size, TOLERANCE)
    found |= {low_name(strength): low for strength, low in zip(strengths, lows, strict=True)}
    near = points
    for power in range(1, N_POWERS + 1):
        near = operator.weights @ near
        found[f"near{power}"] = on_sphere(near)
        if power == 1:
            found["high"] = on_sphere(points - near)
    found["links"] = on_sphere(_place_links(operator.weights, n_landmarks))
    return found


def low_name(strength: float) -> str:
    """Return the name of the channel that is diffused by a strength."""
    return f"low{strength:g}"


def on_sphere(points: Tensor) -> Tensor:
    """Return points (N, d), centered and scaled to length one."""
    return normalize(points - points.mean(dim=0), dim=1)


def _place_links(weights: Tensor, n_landmarks: int) -> Tensor:
    """Return points whose inner products are the cosines of the rows of weights."""
    parts = (weights.values(), weights.col_indices(), weights.crow_indices())
    values, columns, starts = (part.numpy() for part in parts)
    rows = sparse.csr_array((values, columns, starts), shape=(len(weights), len(weights)))
    return kernel_points(_inner_products, _of_length_one(rows), n_landmarks)


def _inner_products(left: sparse.csr_array, right: sparse.csr_array) -> Tensor:
    return torch.from_numpy((left @ right.T).toarray())


def _of_length_one(rows: sparse.csr_array) -> sparse.csr_array:
    """Scale the rows of a matrix to length one; rows of zeros stay."""
    lengths = rows.multiply(rows).sum(axis=1)
    return rows.multiply((1 / lengths.clip(min=1e-12) ** 0.5)[:, None]).tocsr()
