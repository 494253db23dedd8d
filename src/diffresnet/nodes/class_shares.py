"""Predictions for classes that are not equally common, told from nodes without a label.

Nodes to learn from are mostly drawn evenly from the classes; all nodes together seldom are even. A
method that learned from even classes then gives the rare ones too much. Two steps mend it, for any
method: scores are calibrated on the validation nodes, by a temperature and a bias for each class
(Alexandari and others, *Maximum Likelihood with Bias-Corrected Calibration is Hard-To-Beat at Label
Shift Adaptation*), and the shares of the classes that explain the predictions of all nodes best are
found by expectation maximization (Saerens and others, *Adjusting the Outputs of a Classifier to New
a Priori Probabilities*).
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from diffresnet._checks import fail
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import NodeMethod, Solve
from diffresnet.nodes.splits import Split

BIAS_RIDGE = 0.05
"""What keeps biases small, where validation nodes are few."""

TEMPERATURE_RIDGE = 1e-3
"""What keeps the temperature finite, where all validation nodes are right."""

N_ROUNDS = 200


@dataclass(frozen=True)
class SharesAdapted:
    """A method whose predictions are adapted to how common the classes are; see `adapt_to_shares`.

    Attributes:
        method: any; its scores should be logits, or rise with them.

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
        solve, labels = self.method.prepare(graph), torch.from_numpy(graph.labels)

        def adapted(split: Split, seed: int) -> Tensor:
            validation = torch.from_numpy(split.validation)
            return adapt_to_shares(solve(split, seed), validation, labels[validation])

        return adapted


def adapt_to_shares(scores: Tensor, validation: Tensor, labels: Tensor) -> Tensor:
    """Return the logarithms of probabilities (N, K) for classes as common as the nodes tell.

    Args:
        scores: (N, K) logits of all nodes, of any temperature.
        validation: (V,) numbers of nodes that the scores were not learned from.
        labels: (V,) their classes.

    Raises:
        ValueError: if there are no validation nodes.

    Examples:
        Of ten nodes eight are of the first class, so that the two in doubt probably are, too.

        >>> scores = torch.tensor([[3.0, 0.0]] * 7 + [[0.0, 3.0]] + [[0.9, 1.0]] * 2)
        >>> found = adapt_to_shares(scores, torch.tensor([0, 7]), torch.tensor([0, 1]))
        >>> found.argmax(dim=1).tolist()
        [0, 0, 0, 0, 0, 0, 0, 1, 0, 0]
    """
    if len(validation) == 0:
        remedy = "Draw some (`n_validation`): scores are calibrated on them."
        fail("adapt_to_shares", "validation", "of some nodes", "none", remedy)
    n_nodes, n_classes = scores.shape
    chances = _calibrate(scores.double(), validation, labels)
    counts = torch.bincount(labels, minlength=n_classes).to(chances)
    before = (counts + 1) / (len(labels) + n_classes)
    shares = before
    for _ in range(N_ROUNDS):
        sums = (chances + (shares / before).log()).softmax(dim=1).sum(dim=0)
        shares = (sums + 1) / (n_nodes + n_classes)  # no class is impossible
    return (chances + (shares / before).log()).log_softmax(dim=1).to(scores)


def _calibrate(scores: Tensor, validation: Tensor, labels: Tensor) -> Tensor:
    """Return the logarithms of probabilities that fit the validation nodes."""
    spread = scores.std(correction=0)
    scores = scores / torch.where(spread > 0, spread, 1)
    log_scale = scores.new_zeros((), requires_grad=True)
    biases = scores.new_zeros(scores.shape[1], requires_grad=True)
    seen = scores[validation]
    optimizer = torch.optim.LBFGS([log_scale, biases], max_iter=100, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = cross_entropy(log_scale.exp() * seen + biases, labels)
        loss = loss + BIAS_RIDGE * biases.square().sum() + TEMPERATURE_RIDGE * log_scale.square()
        loss.backward()
        return loss

    optimizer.step(closure)
    return (log_scale.exp() * scores + biases).detach().log_softmax(dim=1)
