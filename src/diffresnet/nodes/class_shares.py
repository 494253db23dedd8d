"""Predictions for classes that are not equally common, told from nodes without a label.

Nodes to learn from are mostly drawn evenly from the classes; all nodes together seldom are even. A
method that learned from even classes then gives the rare ones too much. Two steps mend it, for any
method: scores are calibrated on the validation nodes, by a temperature and a bias for each class
(Alexandari and others, *Maximum Likelihood with Bias-Corrected Calibration is Hard-To-Beat at Label
Shift Adaptation*), and the shares of the classes that explain the predictions of all other nodes
best are found by expectation maximization (Saerens and others, *Adjusting the Outputs of a
Classifier to New a Priori Probabilities*).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.optimize import minimize
from scipy.special import log_softmax
from torch import Tensor

from diffresnet._support.checks import fail
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import NodeMethod, Solve
from diffresnet.nodes.splits import Nodes, Split

BIAS_RIDGE = 5.0
"""What keeps biases small where validation nodes are few: it counts beside the sum of losses."""

TEMPERATURE_RIDGE = 1e-3
"""What keeps the temperature finite, where all validation nodes are right."""

N_ROUNDS = 200


@dataclass(frozen=True)
class SharesAdapted:
    """A method whose predictions are adapted to how common the classes are; see `adapt_to_shares`.

    Attributes:
        method: any whose scores are logits, or logarithms of probabilities.

    Examples:
        >>> from diffresnet.nodes import KernelDiffResNet
        >>> SharesAdapted(KernelDiffResNet()).name
        'Diff-ResNet, kernel, shares adapted'
    """

    method: NodeMethod

    @property
    def name(self) -> str:
        """A name for tables."""
        return f"{self.method.name}, shares adapted"

    @property
    def is_random(self) -> bool:
        """Whether the seed matters."""
        return self.method.is_random

    def prepare(self, graph: NodeGraph) -> Solve:
        """Prepare the method itself."""
        solve = self.method.prepare(graph)

        def adapted(split: Split, seed: int) -> Tensor:
            _check_classes(graph.labels[split.validation], graph.n_classes)  # before it takes long
            unlabeled = np.ones(graph.n_nodes, dtype=bool)
            unlabeled[split.train] = unlabeled[split.validation] = False
            return adapt_to_shares(
                solve(split, seed), split.validation, graph.labels[split.validation], unlabeled
            )

        return adapted


def adapt_to_shares(scores: Tensor, validation: Nodes, labels: Nodes, unlabeled: Any) -> Tensor:
    """Return the logarithms of probabilities (N, K) for classes as common as the nodes tell.

    Args:
        scores: (N, K) logits of all nodes, or logarithms of probabilities, of any temperature.
        validation: (V,) numbers of nodes that the scores were not learned from.
        labels: (V,) their classes, 0 to K - 1.
        unlabeled: which nodes tell how common the classes are, as numbers or as (N,) booleans.

    Raises:
        ValueError: if a class has no validation node, no node is unlabeled, or a score is not
            finite.

    Examples:
        Of eight nodes without a label six are of the first class, so that the two that are in doubt
        probably are, too.

        >>> scores = torch.tensor([[3.0, 0.0], [0.0, 3.0]] + [[3.0, 0.0]] * 6 + [[0.9, 1.0]] * 2)
        >>> found = adapt_to_shares(scores, np.array([0, 1]), np.array([0, 1]), np.arange(2, 10))
        >>> found.argmax(dim=1).tolist()
        [0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    function = "adapt_to_shares"
    if scores.ndim != 2 or not bool(torch.isfinite(scores).all()):
        got = f"shape {tuple(scores.shape)}" if scores.ndim != 2 else "NaN or infinity in some"
        fail(function, "scores", "finite, of shape (N, K)", got, "Pass logits.")
    _check_classes(labels, scores.shape[1])
    shown = scores.detach().double()
    chances = _calibrate(shown, validation, labels)
    before = chances[validation].exp().mean(dim=0)
    others = chances[unlabeled]
    if len(others) == 0:
        fail(function, "unlabeled", "of some nodes", "none", "There is nothing to adapt to.")
    shares = before
    for _ in range(N_ROUNDS):
        sums = (others + (shares / before).log()).softmax(dim=1).sum(dim=0)
        shares = (sums + 1) / (len(others) + len(sums))  # no class is impossible
    found = (chances + (shares / before).log()).log_softmax(dim=1)
    return found.to(scores.dtype if scores.is_floating_point() else torch.float32)


def _check_classes(labels: Nodes, n_classes: int) -> None:
    """Raise if a class has no validation node: nothing tells how it is to be calibrated."""
    if not np.array_equal(np.unique(labels), np.arange(n_classes)):
        got = f"{len(labels)} nodes of {len(np.unique(labels))} classes"
        remedy = "Draw some of each class (`n_validation`, --validation-nodes), or do not adapt."
        fail("adapt_to_shares", "validation", f"nodes of all {n_classes} classes", got, remedy)


def _calibrate(scores: Tensor, validation: Nodes, labels: Nodes) -> Tensor:
    """Return the logarithms of probabilities that fit the validation nodes."""
    spread = scores[validation].std(correction=0)
    scores = scores / torch.where(spread > 0, spread, 1)
    seen = scores[validation].cpu().numpy()
    n_seen, n_classes = seen.shape
    places, ridge = (np.arange(n_seen), labels), BIAS_RIDGE / n_seen

    def loss(parameters: Any) -> tuple[float, Any]:
        log_scale, biases = parameters[0], parameters[1:]
        scale = np.exp(log_scale)
        logs = log_softmax(scale * seen + biases, axis=1)
        wrong = np.exp(logs)
        wrong[places] -= 1
        wrong /= n_seen
        value = -logs[places].mean() + ridge * biases @ biases
        slope = scale * (wrong * seen).sum() + 2 * TEMPERATURE_RIDGE * log_scale
        slopes = wrong.sum(axis=0) + 2 * ridge * biases
        return value + TEMPERATURE_RIDGE * log_scale**2, np.concatenate([[slope], slopes])

    found: Any = minimize(loss, np.zeros(1 + n_classes), jac=True, method="L-BFGS-B").x
    biases = torch.from_numpy(found[1:]).to(scores)
    return (float(np.exp(found[0])) * scores + biases).log_softmax(dim=1)
