"""Self-training, for one to five labels per class: sure answers become labels, round by round."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from diffresnet._support.settings import Count, CountOrZero, Positive, check_settings
from diffresnet.nodes.channel_method import DIFFUSED, STRENGTHS, STUDIES
from diffresnet.nodes.channels import make_channels
from diffresnet.nodes.choice import mean_probabilities
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.mixing import Mixing
from diffresnet.nodes.splits import Split
from diffresnet.nodes.student import Student


@dataclass(frozen=True)
class SelfTrained:
    """Diffusion's answers, taught by themselves; no validation nodes are looked at.

    Kernel logistic regression with the diffused channels answers, a student (see `student`) has
    half of the answer, and the nodes that are surest, as many of each class, are labeled for the
    next round (self-training as in Li and others, *Deeper Insights into Graph Convolutional
    Networks for Semi-Supervised Learning*).

    Attributes:
        n_rounds: of self-training; 0 for none.
        n_added: nodes of each class that are labeled in the first round; twice as many in the
            second, and so on.
        ridges: of the regression.
        step_size: of the path; less where the graph is not stable with it.
        n_landmarks: see `kernel_points`.
    """

    n_rounds: CountOrZero = 4
    n_added: Count = 10
    ridges: tuple[float, ...] = (1e-1, 1e-2, 1e-3)
    step_size: Positive = 0.2
    n_landmarks: Count = 1500

    name = "Diff-ResNet, self-trained"
    is_random = False

    __post_init__ = check_settings

    def prepare(self, graph: NodeGraph) -> Solve:
        """Make the channels."""
        channels = make_channels(
            graph, STRENGTHS, step_size=self.step_size, n_landmarks=self.n_landmarks
        )
        student = Student([channels[name] for name in STUDIES])
        diffused = {name: channels[name] for name in DIFFUSED}
        labels, ridges = torch.from_numpy(graph.labels), torch.tensor(self.ridges)

        def solve(split: Split, _: int) -> Tensor:
            train = torch.from_numpy(split.train)
            known = torch.full_like(labels, -1)
            known[train] = labels[train]
            mixing = Mixing(diffused, known, graph.n_classes, ridges)
            logs = _answer(mixing, student)
            for number in range(1, self.n_rounds + 1):
                given = label_surest(logs, known, self.n_added * number)
                logs = _answer(replace(mixing, labels=given), student)
            return logs

        return solve


def _answer(mixing: Mixing, student: Student) -> Tensor:
    labeled = torch.nonzero(mixing.labels >= 0).ravel()
    return student.mix(mean_probabilities(mixing.score(DIFFUSED, labeled)))


def label_surest(logs: Tensor, known: Tensor, n_each: int) -> Tensor:
    """Return labels (N,): the known ones, and those of the surest nodes of each class.

    Args:
        logs: (N, K) log-probabilities.
        known: (N,) labels, -1 where there is none.
        n_each: how many nodes of each class are labeled, at most: those that are predicted so.

    Examples:
        >>> logs = torch.tensor([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3], [0.2, 0.8]]).log()
        >>> label_surest(logs, torch.tensor([0, -1, -1, -1]), 1)
        tensor([ 0, -1,  0,  1])
    """
    found, sure = known.clone(), logs.amax(dim=1)
    predicted = logs.argmax(dim=1)
    for one in range(logs.shape[1]):
        nodes = torch.nonzero((predicted == one) & (known < 0)).ravel()
        best = sure[nodes].topk(min(n_each, len(nodes))).indices
        found[nodes[best]] = one
    return found
