"""The eigenvalues of the Laplacian that decide how fast diffusion draws points together."""

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence

from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.diffusion.spectrum import (
    largest_eigenvalue,
    least_positive_eigenvalue,
    outermost_eigenvalues,
)
from diffresnet.graph import matrix as mx
from diffresnet.theory.grouped_points import Integers
from diffresnet.theory.subclasses import adjacency_of

DENSE_BELOW = 1500
"""Up to this many points all eigenvalues are computed; beyond, the outermost ones."""

Complexes = npt.NDArray[np.complex128]


def count_closed_classes(operator: DiffusionOperator) -> int:
    """Count the sets of points that no link leaves and in which each point leads to each other.

    Every one of them tends to a point of its own, whatever the others do: it is how often 0 is an
    eigenvalue of the Laplacian. For symmetric weights these are the connected components. A
    directed graph can have more of them than components, and then Proposition 1 fails.

    Args:
        operator: diffusion over one graph.

    Raises:
        ValueError: if the operator is a batch.

    Examples:
        >>> import torch
        >>> path = torch.tensor([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
        >>> count_closed_classes(DiffusionOperator(path))  # 1 leads to 0 and to 2
        2
    """
    links = adjacency_of("count_closed_classes", operator, operator.n_points)
    n_classes, classes = connected_components(links, directed=True, connection="strong")
    rows, columns = links.nonzero()
    leaves = classes[rows] != classes[columns]
    return int(n_classes - len(np.unique(classes[rows[leaves]])))


def leads_to_one_limit(operator: DiffusionOperator, subclasses: Integers) -> bool:
    """Tell whether all points of a subclass tend to the same point, for every subclass.

    So it is if each lies in one component, and no component has two closed classes.
    """
    links = adjacency_of("leads_to_one_limit", operator, operator.n_points)
    n_components, components = connected_components(links, directed=False)
    pairs = np.unique(np.stack([subclasses, components]), axis=1)
    whole = pairs.shape[1] == len(np.unique(subclasses))
    return whole and n_components == count_closed_classes(operator)


def moving_eigenvalues(operator: DiffusionOperator) -> Complexes:
    """Return the eigenvalues of Lambda - W without the zeros of what never changes, in order.

    A step multiplies the mode of eigenvalue lambda by 1 - step_size lambda. Up to `DENSE_BELOW`
    points they are all there; beyond, only some nearest to 0 and the largest.

    Args:
        operator: diffusion over one graph.

    Returns:
        (k,) numbers from small to large; empty if no two points are linked.

    Raises:
        ValueError: if the operator is a batch.
        RuntimeError: if the iteration for a large graph does not settle.

    Examples:
        >>> import torch
        >>> pairs = torch.block_diag(torch.ones(2, 2), 3 * torch.ones(2, 2))
        >>> moving_eigenvalues(DiffusionOperator(pairs)).real.round(6).tolist()
        [2.0, 6.0]
    """
    n_still = count_closed_classes(operator)
    n_points, laplacian = operator.n_points, operator.laplacian.detach().double()
    if n_still == n_points:
        return np.zeros(0, dtype=np.complex128)
    if n_points <= DENSE_BELOW:
        dense = laplacian.to_dense().cpu().numpy()
        solve = np.linalg.eigvalsh if operator.is_symmetric else np.linalg.eigvals
        values = solve(dense).astype(np.complex128)
        return values[np.argsort(np.abs(values), kind="stable")][n_still:]
    array = mx.to_scipy(laplacian if mx.is_csr(laplacian) else mx.to_csr(laplacian))
    try:
        if operator.is_symmetric:
            ends = [least_positive_eigenvalue(array), largest_eigenvalue(laplacian)]
            return np.array(ends, dtype=np.complex128)
        return outermost_eigenvalues(array, n_still)
    except ArpackNoConvergence as error:
        message = f"moving_eigenvalues: no eigenvalue found for {n_points} points, the slowest "
        message += "modes are too close. Take a larger `n_top`, or fewer points."
        raise RuntimeError(message) from error
