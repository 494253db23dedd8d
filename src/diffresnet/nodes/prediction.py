"""Labels and probabilities for the nodes that have no label, learned from all that have one."""

import numpy as np
import torch
from torch import Tensor

from diffresnet._support.checks import fail
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import NodeMethod
from diffresnet.nodes.splits import CODE_SEED, Split

VALIDATION = 3
"""One of this number of labeled nodes of each class is for validation, if the method needs that."""


def predict_nodes(
    graph: NodeGraph, method: NodeMethod, *, needs_validation: bool, seed: int = CODE_SEED
) -> Tensor:
    """Return the probabilities (N, K) of all nodes, learned from all labeled ones.

    Args:
        graph: standardized; nodes without a label are those to predict.
        method: with its settings.
        needs_validation: whether to keep a third of the labeled nodes of each class for validation;
            otherwise all are learned from.
        seed: of these nodes, and of the method.

    Raises:
        ValueError: if no node is labeled, or none is not; if validation nodes are needed and a
            class has fewer than two labels.
    """
    labeled = np.flatnonzero(graph.labels >= 0)
    if len(labeled) == 0 or len(labeled) == graph.n_nodes:
        got = f"{len(labeled):,} of {graph.n_nodes:,} nodes with one"
        remedy = "Leave out the labels (-1, or empty) of the nodes to predict."
        fail("predict_nodes", "graph", "some nodes with a label and some without", got, remedy)
    random, held = np.random.default_rng(seed), list[int]()
    for one, name in enumerate(graph.class_names if needs_validation else ()):
        nodes = random.permutation(labeled[graph.labels[labeled] == one])
        if len(nodes) < 2:
            must = "two labels of each class or more, one of them to stop by"
            got, remedy = f"{len(nodes)} of class {name!r}", "Use the kernel, which needs one."
            fail("predict_nodes", "graph", must, got, remedy)
        held += nodes[: max(1, len(nodes) // VALIDATION)].tolist()
    validation = np.array(sorted(held), dtype=np.int64)
    train = np.setdiff1d(labeled, validation)
    rest = np.flatnonzero(graph.labels < 0)
    scores = method.prepare(graph)(Split(train, validation, rest, (seed,)), seed)
    if not bool(torch.isfinite(scores).all()):
        got, remedy = "NaN or infinity in its scores", "Lower its step size or its rate."
        fail("predict_nodes", "method", "one that learns", got, remedy)
    return scores.double().softmax(dim=1)
