"""The steps that make a graph fit for the experiments, each by its name."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from diffresnet._support.checks import check_choice
from diffresnet.nodes.graph import NodeGraph

StandardStep: TypeAlias = Literal[
    "undirected",
    "binary",
    "without-loops",
    "largest-component",
    "binary-features",
    "row-features",
]
CODE_STEPS: tuple[StandardStep, ...] = get_args(StandardStep)
"""What the authors' code does, in its order."""


def standardize(graph: NodeGraph, steps: Sequence[StandardStep] = CODE_STEPS) -> NodeGraph:
    """Take some of the steps of the authors' code, in the given order (Appendix E.2).

    - ``"undirected"``: a link in one direction is one in both, of the larger weight.
    - ``"binary"``: every link has weight 1.
    - ``"without-loops"``: no node is linked to itself.
    - ``"largest-component"``: only the largest connected component stays; of equal ones the first.
    - ``"binary-features"``: every feature that is not 0 becomes 1.
    - ``"row-features"``: the features of a node are divided by their sum; a row of zeros stays.

    Raises:
        ValueError: if a step has another name.

    Examples:
        >>> graph = NodeGraph.from_arrays([[1, 1], [0, 0]], [[2.0, 2.0], [0.0, 0.0]], [0, 1])
        >>> done = standardize(graph)
        >>> done.adjacency.toarray().tolist(), done.features.toarray().tolist()
        ([[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5], [0.0, 0.0]])
    """
    for step in steps:
        check_choice("standardize", "steps", step, CODE_STEPS)
        graph = _take(graph, step)
    return graph


def _take(graph: NodeGraph, step: StandardStep) -> NodeGraph:
    links, features = graph.adjacency, graph.features
    match step:
        case "undirected":
            return replace(graph, adjacency=sparse.csr_array(links.maximum(links.T)))
        case "binary":
            return replace(graph, adjacency=_ones(links))
        case "without-loops":
            loops = sparse.diags_array(links.diagonal())
            return replace(graph, adjacency=sparse.csr_array(links - loops))
        case "largest-component":
            part = connected_components(links, directed=False)[1]
            return graph.only(part == np.bincount(part).argmax())
        case "binary-features":
            return replace(graph, features=_ones(features))
        case "row-features":
            sums = np.asarray(features.sum(axis=1)).ravel()
            factors = (1 / np.where(sums > 0, sums, 1)).astype(np.float32)
            return replace(graph, features=sparse.csr_array(features.multiply(factors[:, None])))


def _ones(matrix: sparse.csr_array) -> sparse.csr_array:
    matrix = matrix.copy()
    matrix.eliminate_zeros()
    matrix.data[:] = 1
    return matrix
