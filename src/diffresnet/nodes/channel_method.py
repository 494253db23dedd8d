"""Diff-ResNet's kernel with channels, as a method for nodes: diffusion that knows when it hurts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from diffresnet._support.checks import check_real, fail
from diffresnet._support.settings import Count, Positive, Probability, check_settings
from diffresnet.nodes.adaptation import adapt_refitted, adapt_where_better, is_drawn_evenly
from diffresnet.nodes.channels import low_name, make_channels
from diffresnet.nodes.choice import Choice, choose, find_best, judge, mean_probabilities
from diffresnet.nodes.folds import draw_folds
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.mixing import Mixing, channels_of
from diffresnet.nodes.refit import hold_out_refitted, refit_chosen
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
FEWEST_HELD_OUT = 100
"""Where labels are fewer, folds are drawn again and again until so many were held out to choose by:
what one division of few labels likes is luck."""

STUDIES = ("own", "near1")
"""The channels that the student learns from."""


@dataclass(frozen=True)
class ChannelDiffResNet:
    """Kernel logistic regression with mixtures of channels, chosen by held-out labels.

    The kernel of Diff-ResNet at several strengths, features without any diffusion, their difference
    from the neighborhood, links as features, and mixtures of these (see `channels`) are fitted to
    the labeled nodes. The mixtures and ridges that are near the best on the validation nodes answer
    together; without validation nodes, the best on held-out labels; with one label per class, which
    cannot be held out, those of diffusion. Of more than 800 labeled nodes, 800 span the answer;
    then the few best mixtures are looked for first, with few labels, and may be sharp (see
    `mixing`). With validation nodes, the answer is adapted to class proportions where that helps
    (`adaptation`), and where labels are few, most of it is that of a student (`student`), unless
    that hurts.

    With `refit`, what validation nodes have chosen learns once more, from their labels, too
    (`refit`). Then test nodes are answered by more labels than the training nodes have: compare it
    with methods that learn from both.

    Attributes:
        mixtures: names of channels joined by plus signs, behind ``"sharp "`` if it is sharp.
        ridges: of the regression.
        n_best: how many answer, at most.
        within: how far behind the best one, in accuracy - 0.3 cross entropy, they may be.
        adapt: whether class proportions may be adapted.
        teach: whether a student may answer, too.
        student_weight: how much of the answer is the student's.
        few: where more than this part of the nodes is labeled, there is little to teach.
        margin: by how much worse than the answer without it, on validation nodes, the student's
            must be to be left out.
        refit: whether to learn from the labels of validation nodes, too, once they have chosen.
        step_size: of the path; less where the graph is not stable with it.
        n_landmarks: see `kernel_points`.
    """

    mixtures: tuple[str, ...] = MIXTURES
    ridges: tuple[float, ...] = (1, 1e-1, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4)
    n_best: Count = 30
    within: Positive = 0.03
    adapt: bool = True
    teach: bool = True
    student_weight: Probability = 0.7
    few: Positive = 0.2
    margin: Positive = 0.05
    refit: bool = False
    step_size: Positive = 0.2
    n_landmarks: Count = 1500

    is_random = False

    @property
    def name(self) -> str:
        """A name for tables, which says whether labels of validation nodes are learned from."""
        return "Diff-ResNet, channels" + (", refitted" if self.refit else "")

    def __post_init__(self) -> None:
        check_settings(self)
        if not self.mixtures or not self.ridges:
            got, remedy = "none", "Name one at least."
            fail(type(self).__name__, "mixtures and ridges", "some", got, remedy)
        for value in self.ridges:
            check_real(type(self).__name__, "ridges", value)
        known = {name for text in MIXTURES for name in channels_of(text)}
        for name in {name for text in self.mixtures for name in channels_of(text)} - known:
            must = f"of the channels {', '.join(sorted(known))}, joined by plus signs"
            fail(type(self).__name__, "mixtures", must, f"{name!r}", "Check the name.")

    def prepare(self, graph: NodeGraph) -> Solve:
        """Make the channels."""
        channels = make_channels(
            graph, STRENGTHS, step_size=self.step_size, n_landmarks=self.n_landmarks
        )
        student = Student([channels[name] for name in STUDIES]) if self.teach else None
        labels, ridges = torch.from_numpy(graph.labels), torch.tensor(self.ridges)
        mixing = Mixing(channels, labels, graph.n_classes, ridges)

        def solve(split: Split, _: int) -> Tensor:
            if len(split.validation) == 0:
                return self._without_validation(mixing, torch.from_numpy(split.train))
            mixtures, choice, logs = self._choose(mixing, split)
            if self.adapt:
                logs = adapt_where_better(logs, graph.labels, split)
            helper = self._helper(student, logs, labels, split)
            if self.refit:
                logs = self._refitted(mixing, mixtures, choice, split)
            return logs if helper is None else helper.mix(logs.float(), self.student_weight)

        return solve

    def _choose(self, mixing: Mixing, split: Split) -> tuple[Sequence[str], Choice, Tensor]:
        """Return mixtures, the best of these and all ridges, and their log-probabilities (N, K)."""
        train, validation = torch.from_numpy(split.train), torch.from_numpy(split.validation)
        mixtures = mixing.screen(self.mixtures, train, validation)
        scores = mixing.score(mixtures, train)
        seen = mixing.labels[validation]
        choice = find_best(scores[:, validation], seen, self.n_best, within=self.within)
        return mixtures, choice, mean_probabilities(choice.take(scores))

    def _without_validation(self, mixing: Mixing, train: Tensor) -> Tensor:
        classes = mixing.labels[train]
        folds = draw_folds(classes.numpy())
        if not folds:
            diffused = [text for text in self.mixtures if text in DIFFUSED]
            return mean_probabilities(mixing.score(diffused or self.mixtures, train))
        mixtures = mixing.screen(self.mixtures, train, train[:0])
        n_draws, generator = -(-FEWEST_HELD_OUT // len(train)), np.random.default_rng(0)
        if n_draws > 1:
            drawn = [draw_folds(classes.numpy(), generator=generator) for _ in range(n_draws)]
        else:
            drawn = [folds]
        judged = torch.cat([mixing.hold_out(mixtures, train, one) for one in drawn], dim=1)
        scores = mixing.score(mixtures, train)
        several = train.repeat(n_draws), classes.repeat(n_draws)
        best = choose(scores, *several, self.n_best, within=self.within, judged=judged)
        return mean_probabilities(best)

    def _helper(
        self, student: Student | None, logs: Tensor, labels: Tensor, split: Split
    ) -> Student | None:
        """Return the student, unless labels are many or validation nodes say it is worse."""
        if student is None or len(split.train) > self.few * len(logs):
            return None
        seen = torch.from_numpy(split.validation)
        mixed = student.mix(logs.float(), self.student_weight)
        both = torch.stack([logs.float()[seen], mixed[seen]])
        goodness, _ = judge(both, labels[seen])
        return student if float(goodness[1] - goodness[0]) > -self.margin else None

    def _refitted(
        self, mixing: Mixing, mixtures: Sequence[str], choice: Choice, split: Split
    ) -> Tensor:
        """Return log-probabilities (N, K), learned from training and validation nodes."""
        labels = mixing.labels.numpy()
        labeled = torch.from_numpy(np.concatenate([split.train, split.validation]))
        logs = refit_chosen(mixing, mixtures, choice, labeled)
        if not self.adapt or not is_drawn_evenly(labels[split.train], mixing.n_classes):
            return logs
        logs = hold_out_refitted(mixing, mixtures, choice, labeled, logs)
        return adapt_refitted(logs, labels, split)
