"""A method whose predictions are adapted to how common the classes are, where that helps.

Nodes to learn from are often drawn evenly from the classes, and all nodes together are not even.
Where the labels were drawn at random, they say themselves how common the classes are, and there is
nothing to adapt. So predictions are adapted only if

- each class has as many training nodes as any other, and
- the validation nodes show no clear loss: on halves of them, what is adapted by one half is not
  right less often, beyond what chance does to so few nodes, for the other half, its nodes weighed
  by the proportions that this other half speaks for.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from diffresnet.learning.calibration import adapt_proportions, calibrate, check_every_class
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import NodeMethod, Solve
from diffresnet.nodes.splits import Split

N_HALVINGS = 4
CLEAR_LOSS = 0.05
"""Of accuracy on halves of validation nodes: less is within what chance does to them."""

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class ProportionsAdapted:
    """Calibrate a method on validation nodes, and adapt it to the class proportions of the others.

    See `adapt_proportions`.

    Attributes:
        method: any whose scores are logits, or logarithms of probabilities.
        only_where_better: whether to leave predictions as they are where labels were not drawn
            evenly or validation nodes show a clear loss (`adapt_where_better`).

    Examples:
        >>> from diffresnet.nodes import KernelDiffResNet
        >>> ProportionsAdapted(KernelDiffResNet()).name
        'Diff-ResNet, kernel, proportions adapted'
    """

    method: NodeMethod
    only_where_better: bool = True

    @property
    def name(self) -> str:
        """A name for tables."""
        return f"{self.method.name}, proportions adapted"

    @property
    def is_random(self) -> bool:
        """Whether the seed matters."""
        return self.method.is_random

    def prepare(self, graph: NodeGraph) -> Solve:
        """Prepare the method itself."""
        solve = self.method.prepare(graph)

        def adapted(split: Split, seed: int) -> Tensor:
            if self.only_where_better:
                return adapt_where_better(solve(split, seed), graph.labels, split)
            classes = graph.labels[split.validation]
            check_every_class(classes, graph.n_classes)  # before it takes long
            unlabeled = _unlabeled(split, graph.n_nodes)
            return adapt_proportions(solve(split, seed), split.validation, classes, unlabeled)

        return adapted


def adapt_where_better(scores: Tensor, labels: Integers, split: Split) -> Tensor:
    """Return scores (N, K), adapted to the class proportions if that seems to help.

    See the module for when that is.

    Where training nodes were drawn evenly and validation nodes were not, these say how common the
    classes are: then scores are only calibrated by them.

    Args:
        scores: logits, or logarithms of probabilities.
        labels: (N,) of all nodes; only those of the split's validation and training nodes count.
        split: which nodes these are.
    """
    n_classes = scores.shape[1]
    seen = np.bincount(labels[split.validation], minlength=n_classes)
    if not is_drawn_evenly(labels[split.train], n_classes) or seen.min() < 2:
        return scores
    unlabeled = _unlabeled(split, len(scores)) if is_even(seen) else None
    rows, classes = split.validation, labels[split.validation]
    if _gain(scores, rows, classes, unlabeled) < -CLEAR_LOSS:
        return scores
    return _adapt(scores, rows, classes, unlabeled)


def adapt_refitted(logs: Tensor, labels: Integers, split: Split) -> Tensor:
    """Return `adapt_where_better` of answers that were learned from validation nodes, too.

    Labels of both parts are held out in folds, so both are what scores are calibrated by. If
    training nodes were drawn evenly and validation nodes were not, classes that are common among
    labels are learned to be: that is taken back first, and these nodes then say how common they
    are.

    Args:
        logs: (N, K) log-probabilities; those of the split's training and validation nodes by labels
            of others.
        labels: (N,) as of `adapt_where_better`.
        split: the same.
    """
    learned = np.concatenate([split.train, split.validation])
    counts = np.bincount(labels[learned], minlength=logs.shape[1])
    if is_even(counts):
        return adapt_where_better(logs, labels, replace(split, validation=learned))
    if not is_drawn_evenly(labels[split.train], logs.shape[1]):
        return logs
    proportions = torch.from_numpy(counts / len(learned)).to(logs)
    return adapt_where_better((logs - proportions.log()).log_softmax(dim=1), labels, split)


def is_drawn_evenly(classes: Integers, n_classes: int) -> bool:
    """Tell whether labeled nodes of these classes were drawn evenly from all."""
    return is_even(np.bincount(classes, minlength=n_classes))


def is_even(counts: Integers) -> bool:
    """Tell whether labels were drawn evenly from the classes: no class has two more than another.

    Examples:
        >>> is_even(np.array([20, 20, 20])), is_even(np.array([16, 9, 48]))
        (True, False)
    """
    return int(counts.max() - counts.min()) <= 1


def _adapt(scores: Tensor, rows: Integers, classes: Integers, unlabeled: Booleans | None) -> Tensor:
    if unlabeled is None:
        proportions = np.bincount(classes, minlength=scores.shape[1]) / len(classes)
        shift = torch.from_numpy(proportions).clamp(min=1 / len(classes)).log()
        logs = scores.detach().double().log_softmax(dim=1) + shift
        return calibrate(logs, rows, classes).to(scores)
    return adapt_proportions(scores, rows, classes, unlabeled)


def _gain(scores: Tensor, rows: Integers, classes: Integers, unlabeled: Booleans | None) -> float:
    """Return by how much more often adapted predictions are right, as the module says."""
    random, gains = np.random.default_rng(0), list[float]()
    plain = scores.argmax(dim=1).numpy()
    for _ in range(N_HALVINGS):
        first = _half(classes, random)
        halves = [np.flatnonzero(part) for part in (first, ~first)]
        answers = [_adapt(scores, rows[half], classes[half], unlabeled) for half in halves]
        for half, by_half, by_other in zip(halves, answers, answers[::-1], strict=True):
            known, nodes = classes[half], rows[half]
            weights = np.ones(len(half))
            if unlabeled is not None:
                proportions = by_half[torch.from_numpy(unlabeled)].exp().mean(dim=0).numpy()
                weights = proportions[known] / np.bincount(known)[known]
            now = by_other[torch.from_numpy(nodes)].argmax(dim=1).numpy() == known
            before = plain[nodes] == known
            gains.append(float(weights @ (now * 1.0 - before) / weights.sum()))
    return float(np.mean(gains))


def _half(classes: Integers, random: np.random.Generator) -> Booleans:
    """Return one half of the nodes of each class, drawn at random."""
    order = random.permutation(len(classes))
    first = np.zeros(len(classes), dtype=bool)
    for one in np.unique(classes):
        first[order[classes[order] == one][::2]] = True
    return first


def _unlabeled(split: Split, n_nodes: int) -> Booleans:
    found = np.ones(n_nodes, dtype=bool)
    found[split.train] = found[split.validation] = False
    return found
