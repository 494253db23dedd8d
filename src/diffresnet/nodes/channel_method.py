"""Diff-ResNet's kernel with channels, as a method for nodes: diffusion that knows when it hurts."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from diffresnet._support.checks import check_real, fail
from diffresnet._support.settings import Count, Positive, check_settings
from diffresnet.learning.kernel_logistic import score_kernel
from diffresnet.nodes.adaptation import adapt_where_better
from diffresnet.nodes.channels import low_name, make_channels, parse_mixture
from diffresnet.nodes.choice import choose, judge, mean_probabilities
from diffresnet.nodes.folds import draw_folds
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.splits import Split
from diffresnet.nodes.student import Student

STRENGTHS = (2, 4, 6, 8, 10, 14, 20)
DIFFUSED = tuple(low_name(strength) for strength in STRENGTHS)
MIXTURES = (
    *DIFFUSED,
    "own",
    "near1",
    "near2",
    "own+high",
    "own+near1+high",
    "own+low2+high",
    "own+low8",
    "near1+near2+near3",
    "near2+links",
    "near1+near2+links",
    "own+near1+near2+high+links",
    "low8+links",
)
STUDIES = ("own", "near1")
"""The channels that the student learns from."""

MARGIN = 0.02
"""The student answers unless validation nodes say that it is worse by more than this."""

LARGEST = 800
"""Labeled nodes that span the answer, at most."""

N_SCREENED, SCREENING_RIDGES = 6, (1e-1, 1e-2, 1e-3)
"""With more labeled nodes than `LARGEST` only the mixtures are fitted with all ridges that are best
with these few."""

BIAS = 1.0
"""What is added to every kernel: the variance of a constant for each class."""

Channels = Mapping[str, Tensor]


@dataclass(frozen=True)
class ChannelDiffResNet:
    """Kernel logistic regression with mixtures of channels, chosen by held-out labels.

    The kernel of Diff-ResNet at several strengths, features without any diffusion, their difference
    from the neighborhood, links as features, and mixtures of these (see `channels`) are fitted to
    the labeled nodes. The few best of all mixtures and ridges on the validation nodes answer
    together; without validation nodes, the best on held-out labels; with one label per class, which
    cannot be held out, those of diffusion. With validation nodes, the answer is adapted to class
    proportions where that helps (`adaptation`), and half of it is that of a student (`student`)
    unless that hurts.

    Attributes:
        mixtures: names of channels joined by plus signs.
        ridges: of the regression.
        n_best: how many answer.
        adapt: whether class proportions may be adapted.
        teach: whether a student may answer, too.
        step_size: of the path; less where the graph is not stable with it.
        n_landmarks: see `kernel_points`.
    """

    mixtures: tuple[str, ...] = MIXTURES
    ridges: tuple[float, ...] = (1, 1e-1, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4)
    n_best: Count = 10
    adapt: bool = True
    teach: bool = True
    step_size: Positive = 0.2
    n_landmarks: Count = 1000

    name = "Diff-ResNet, channels"
    is_random = False

    def __post_init__(self) -> None:
        check_settings(self)
        if not self.mixtures or not self.ridges:
            got, remedy = "none", "Name one at least."
            fail(type(self).__name__, "mixtures and ridges", "some", got, remedy)
        for value in self.ridges:
            check_real(type(self).__name__, "ridges", value)
        known = {name for text in MIXTURES for name in text.split("+")}
        for name in {name for text in self.mixtures for name in text.split("+")} - known:
            must = f"of the channels {', '.join(sorted(known))}, joined by plus signs"
            fail(type(self).__name__, "mixtures", must, f"{name!r}", "Check the name.")

    def prepare(self, graph: NodeGraph) -> Solve:
        """Make the channels."""
        channels = make_channels(
            graph, STRENGTHS, step_size=self.step_size, n_landmarks=self.n_landmarks
        )
        student = Student([channels[name] for name in STUDIES]) if self.teach else None
        labels = torch.from_numpy(graph.labels)

        def solve(split: Split, _: int) -> Tensor:
            logs = mean_probabilities(self._answers(channels, labels, graph.n_classes, split))
            if len(split.validation) == 0:
                return logs
            if self.adapt:
                logs = adapt_where_better(logs, graph.labels, split)
            return logs if student is None else _taught(student, logs, labels, split)

        return solve

    def _answers(self, channels: Channels, labels: Tensor, n_classes: int, split: Split) -> Tensor:
        """Return the scores (m, N, K) of the best mixtures and ridges."""
        train, validation = torch.from_numpy(split.train), torch.from_numpy(split.validation)
        ridges = torch.tensor(self.ridges)
        mixtures, judged, seen = self.mixtures, None, validation
        if len(validation) == 0:
            folds = draw_folds(graph_labels := labels[train].numpy())
            seen = train if folds else validation
            if not folds:
                mixtures = [text for text in mixtures if text in DIFFUSED] or mixtures
            else:
                judged = self._held_out(channels, labels, n_classes, train, folds)
            del graph_labels
        elif len(train) > LARGEST:
            mixtures = self._screen(channels, labels, n_classes, split)
        scores = score_mixtures(channels, mixtures, train, labels[train], n_classes, ridges)
        return choose(scores, seen, labels[seen], self.n_best, judged)

    def _held_out(
        self,
        channels: Channels,
        labels: Tensor,
        n_classes: int,
        train: Tensor,
        folds: list[np.ndarray],
    ) -> Tensor:
        """Return the scores (M, n, K) of the labeled nodes, each fold by the others."""
        own = {name: points[train] for name, points in channels.items()}
        ridges, known = torch.tensor(self.ridges), labels[train]
        n_answers = len(self.mixtures) * len(self.ridges)
        found = torch.zeros(n_answers, len(train), n_classes)
        for fold in folds:
            others = torch.from_numpy(np.setdiff1d(np.arange(len(train)), fold))
            scores = score_mixtures(own, self.mixtures, others, known[others], n_classes, ridges)
            found[:, fold] = scores[:, fold]
        return found

    def _screen(
        self, channels: Channels, labels: Tensor, n_classes: int, split: Split
    ) -> list[str]:
        """Return the mixtures that are best for validation nodes with few ridges and labels."""
        train, validation = torch.from_numpy(split.train), torch.from_numpy(split.validation)
        some = train[torch.from_numpy(np.random.default_rng(0).permutation(len(train))[:LARGEST])]
        nodes = torch.cat([some, validation])
        own = {name: points[nodes] for name, points in channels.items()}
        ridges, places = torch.tensor(SCREENING_RIDGES), torch.arange(len(some))
        scores = score_mixtures(own, self.mixtures, places, labels[some], n_classes, ridges)
        goodness, _ = judge(scores[:, len(some) :], labels[validation])
        best = goodness.view(len(self.mixtures), -1).amax(dim=1)
        return [self.mixtures[place] for place in best.topk(min(N_SCREENED, len(best))).indices]


def score_mixtures(
    channels: Channels,
    mixtures: tuple[str, ...] | list[str],
    labeled: Tensor,
    classes: Tensor,
    n_classes: int,
    ridges: Tensor,
) -> Tensor:
    """Return the scores (M R, N, K) of all nodes by every mixture and ridge.

    Args:
        channels: the points (N, d) of each.
        mixtures: M of them.
        labeled: (n,) which nodes are labeled.
        classes: (n,) of these.
        n_classes: K.
        ridges: (R,) positive.
    """
    order = np.random.default_rng(0).permutation(len(labeled)) if len(labeled) > LARGEST else None
    if order is not None:
        labeled, classes = labeled[order], classes[order]
    spanning = labeled[:LARGEST]
    parsed = [parse_mixture(text).channels for text in mixtures]
    used = {name for names in parsed for name in names}
    rows = {name: channels[name] @ channels[name][spanning].mT for name in used}
    found: list[Tensor] = []
    for names in parsed:
        mixed = torch.stack([rows[name] for name in names]).mean(dim=0) + BIAS
        found.append(score_kernel(mixed, labeled, classes, n_classes, ridges))
    return torch.cat(found)


def _taught(student: Student, logs: Tensor, labels: Tensor, split: Split) -> Tensor:
    """Return the answer with the student's half, unless validation nodes say that it is worse."""
    mixed, seen = student.mix(logs.float()), torch.from_numpy(split.validation)
    both = torch.stack([logs.float()[seen], mixed[seen]])
    goodness, _ = judge(both, labels[seen])
    return mixed if float(goodness[1] - goodness[0]) > -MARGIN else logs
