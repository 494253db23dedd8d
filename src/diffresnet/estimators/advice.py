"""What a fitted classifier says about its graph, and about the labels it would like to have."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from diffresnet._support.checks import check_count, fail
from diffresnet._support.threads import limited_threads
from diffresnet.estimators.abstention import abstain_elsewhere, find_threshold
from diffresnet.estimators.accuracy import (
    ExpectedAccuracy,
    drawn_at_random,
    expect_held_out,
    find_proportions,
    find_seen_part,
    mean_confidence,
)
from diffresnet.estimators.audit import Audit, audit_labels, conformal_sets
from diffresnet.estimators.copies import Copies
from diffresnet.estimators.diagnosis import Diagnosis, diagnose
from diffresnet.estimators.given import take_input
from diffresnet.estimators.held_out import HeldOut
from diffresnet.estimators.input import (
    check_labeled,
    check_parameters,
    choose_step,
    seed_of,
)
from diffresnet.estimators.learning_curve import LearningCurve, measure_curve
from diffresnet.estimators.novelty import measure_novelty
from diffresnet.estimators.placing import place
from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.repeated import RepeatedLabels, find_contradictions
from diffresnet.estimators.solution import Solution
from diffresnet.estimators.solvers.solved_mixture import SolvedMixture
from diffresnet.estimators.solving import solve_labels
from diffresnet.estimators.suggestion import Rows, suggest_first, suggest_points
from diffresnet.learning.labels import UNLABELED
from diffresnet.learning.sampling import LabelSampling

MOST_FIRST = 50
"""Without labels the graph is decomposed for at most this number of classes."""


class Advice:
    """Answers of a fitted classifier.

    Attributes:
        solution_: what was learned.
        copies_: which rows are equal, but for rounding.
        repeated_: the labels of equal rows, if some of them differ; else None.
        reached_: (N,) whether a label reaches each point.
        encoded_labels_: (N,) the class of every label as a number, -1 where there is none.
        classes_: the classes in order.
        label_distributions_: (N, K) the probabilities of the fitted points.
        label_sampling: how points were drawn to be labeled.
        n_top: neighbors that the graph keeps, the point itself counted.
        step_size: of a diffusion step.
        random_state: seed of everything that is drawn, as it was given.
        n_jobs: threads, see `limited_threads`.
        seed_: of everything that is drawn.
    """

    solution_: Solution
    copies_: Copies
    repeated_: RepeatedLabels | None
    reached_: npt.NDArray[np.bool_]
    encoded_labels_: npt.NDArray[np.int64]
    classes_: npt.NDArray[Any]
    label_distributions_: npt.NDArray[Any]
    label_sampling: LabelSampling
    n_top: int
    step_size: float | Literal["auto"]
    random_state: Any
    n_jobs: int | None
    seed_: int

    def predict_proba(self, X: Any) -> npt.NDArray[Any]:  # noqa: N803
        """Return the probabilities of new points."""
        raise NotImplementedError

    def suggest(self, n: int = 10) -> npt.NDArray[np.int64]:
        """Return which `n` points to label next, the most useful first.

        Points of components of the graph without any label, then those that are like the most
        points that no label is like. Before there is any label, those of `suggest_first`.
        """
        labeled = self._merged_labels() != UNLABELED
        n = check_count("DiffResNetClassifier.suggest", "n", n, low=1)
        with limited_threads(self.n_jobs):
            if len(self.classes_) == 0:
                chosen = self._suggest_typical(n, self.solution_.points, self.seed_)
            else:
                per_class = labeled.sum() / len(self.classes_)
                chosen = suggest_points(n, self.solution_, labeled, per_class)
        return self.copies_.first[chosen]

    def suggest_first(self, X: Any, n: int = 10, graph: Any = None, neighbors: Any = None) -> Rows:  # noqa: N803
        """Return which `n` points to label when there is no label yet; the others as in `fit`.

        The most typical point, by its features, of each of `n` clusters of the graph, the largest
        cluster first. A model that is to go on from there is better prepared once (`prepare`): then
        `suggest` names these points.
        """
        model: Any = self
        check_parameters(model)
        n = check_count("DiffResNetClassifier.suggest_first", "n", n, low=1)
        other: Any = clone(model)
        given = take_input(other, X, graph, neighbors)
        with limited_threads(self.n_jobs):
            seed = seed_of(self.random_state)
            points, copies = place(model, given, n_classes=min(n, MOST_FIRST), seed=seed)
            chosen = self._suggest_typical(n, points, seed)
        return copies.first[chosen]

    def _suggest_typical(self, n: int, points: FittedPoints, seed: int) -> Rows:
        points = points.for_classes(min(n, MOST_FIRST))
        return suggest_first(n, points, choose_step(self.step_size, points.operator), seed)

    def diagnose(self, curve: LearningCurve | None = None) -> Diagnosis:
        """Tell how healthy the graph is, and what to expect, in numbers and sentences.

        After an approximate search the neighbors of 1,000 points are searched for exactly, to say
        how many were found.

        Args:
            curve: what `learning_curve` returned, to tell whether more labels would help.
        """
        check_is_fitted(self, "solution_")
        expected = self.expect_accuracy()
        found = self.solution_, self.copies_, self.encoded_labels_, self.classes_
        with limited_threads(self.n_jobs):
            recall = self.solution_.points.recall(self.n_top)
            return diagnose(*found, expected=expected, curve=curve, recall=recall)

    def expect_accuracy(self) -> ExpectedAccuracy | None:
        """Return the accuracy to expect of the points without a label that a label reaches.

        Held-out labels say it; None if none could be held out, or every point has a label.
        """
        check_is_fitted(self, "solution_")
        held_out = self._judged()
        if held_out is None or not (self.encoded_labels_ == UNLABELED).any():
            return None
        return self._expect(held_out)

    def learning_curve(self) -> LearningCurve:
        """Return how the accuracy grew with labels, and what twice as many would be worth.

        Learns from a quarter, half and three quarters of the labels, each four times, judged by the
        other labels; the graph is kept. It takes as long as twelve calls of `update_labels`. Labels
        that were not drawn at random, or per class, speak for points like themselves; wrong labels
        count as errors. The mixture only.
        """
        held_out, merged = self._held_out("learning_curve"), self._merged_labels()
        model: Any = self

        def refit(fewer: npt.NDArray[np.int64]) -> Solution:
            return solve_labels(model, self.solution_.points, fewer, self.classes_, self.seed_)

        with limited_threads(self.n_jobs):
            return measure_curve(
                refit,
                merged,
                held_out,
                held_out.weights(self._proportions(held_out)),
                expected=self._expect(self._judged() or held_out),
                seen_part=self._seen_part(),
                seed=self.seed_,
            )

    @property
    def novelty_(self) -> npt.NDArray[Any]:
        """How unlike any labeled point each fitted point is, (N,), from 0 to 1.

        Points of none of the classes have large values; it is a rank, not a probability.
        """
        check_labeled(self, "novelty_")
        rows = torch.from_numpy(np.flatnonzero(self._merged_labels() != UNLABELED))
        with limited_threads(self.n_jobs):
            return measure_novelty(self.solution_, rows)[self.copies_.point]

    def audit(self) -> Audit:
        """Return labels to look at again: those that the other labels do not speak for.

        Each label is judged by what is learned without it, the only one of a class is not. Equal
        points with different labels are named, too. The mixture only.
        """
        check_is_fitted(self, "solution_")
        contradictions = find_contradictions(self.copies_, self.encoded_labels_, self.solution_)
        if contradictions and self.solution_.held_out is None:  # equal points are one
            none, n_classes = np.empty(0, dtype=np.int64), len(self.classes_)
            held_out = HeldOut(none, none, np.empty((0, n_classes)))
        else:
            held_out = self._held_out("audit")
        named = self.copies_.labeled_rows(held_out.rows, held_out.classes, self.encoded_labels_)
        return audit_labels(replace(held_out, rows=named), self.classes_, contradictions)

    def predict_set(self, X: Any = None, coverage: float = 0.9) -> npt.NDArray[np.bool_]:  # noqa: N803
        """Return which classes may be right, (n, K): the right one is among them this often.

        The sets are conformal, from probabilities of held-out labels (one at a time in ridge
        regression, a fold for prototypes). Of a class with one label nothing is known: it may be
        missed more often; points that no label reaches may be of any class. Refused, with the
        number needed, where there are too few labels. The mixture only.

        Args:
            X: (n, d) new points as for `predict`; None for the fitted ones.
            coverage: how often the right class is to be in the set, below 1.
        """
        held_out = self._judged() or self._held_out("predict_set")
        probabilities = self.label_distributions_ if X is None else self.predict_proba(X)
        sets = conformal_sets(probabilities, held_out, self._proportions(held_out), coverage)
        sets[self.solution_.is_unknown(probabilities)] = True
        return sets

    def predict_or_abstain(
        self,
        X: Any = None,  # noqa: N803
        error_rate: float = 0.05,
        abstain: Any = None,
    ) -> npt.NDArray[Any]:
        """Return labels where they are right often enough, and `abstain` elsewhere, (n,).

        Of the answers at most a part of `error_rate` is to be wrong, as held-out labels say: the
        lowest probability is taken at which an upper bound of their error rate, which holds in four
        of five cases, is at most that. Points that no label reaches get no answer; where labels
        leave too much doubt, none does that has no label itself. Refused, with the number needed,
        where labels are so few that this is certain. The mixture only.

        Args:
            X: (n, d) new points as for `predict`; None for the fitted ones.
            error_rate: of the answers, above 0, below 1.
            abstain: what stands for no answer. By default what stands for no label: -1 among
                numbers, "" among texts, None among others. If it is given, or None, the result is
                an array of objects.
        """
        held_out = self._judged() or self._held_out("predict_or_abstain")
        threshold = find_threshold(held_out, self._proportions(held_out), error_rate)
        probabilities = self.label_distributions_ if X is None else self.predict_proba(X)
        is_answered = probabilities.max(axis=1) >= threshold
        is_answered &= ~self.solution_.is_unknown(probabilities)
        if X is None and self.repeated_ is None:
            is_answered |= (self._merged_labels() != UNLABELED)[self.copies_.point]
        elif X is None:
            is_answered |= self.encoded_labels_ != UNLABELED
        answers = self.classes_[probabilities.argmax(axis=1)]
        return abstain_elsewhere(answers, is_answered, abstain)

    def _merged_labels(self) -> npt.NDArray[np.int64]:
        """Return the class of each point, -1 for none."""
        check_is_fitted(self, "solution_")
        return self.copies_.merge(self.encoded_labels_, len(self.classes_))

    def _at_random(self) -> bool:
        return drawn_at_random(self._merged_labels(), len(self.classes_), self.label_sampling)

    def _proportions(self, held_out: HeldOut) -> npt.NDArray[Any]:
        return find_proportions(held_out, self.solution_, at_random=self._at_random())

    def _seen_part(self) -> float:
        merged, n_classes = self._merged_labels(), len(self.classes_)
        return find_seen_part(merged, n_classes, at_random=self._at_random())

    def _judged(self) -> HeldOut | None:
        """Return the labels by which answers are judged: of rows, where those of equal ones differ.

        None if none could be held out.
        """
        return self.solution_.held_out if self.repeated_ is None else self.repeated_.held_out

    def _expect(self, held_out: HeldOut) -> ExpectedAccuracy:
        weights = held_out.weights(self._proportions(held_out))
        found = self.solution_.probabilities, self.solution_.reached, self._merged_labels()
        if self.repeated_ is not None:
            found = self.label_distributions_, self.reached_, self.encoded_labels_
        return expect_held_out(held_out, weights, mean_confidence(*found), self._seen_part())

    def _held_out(self, method: str) -> HeldOut:
        """Return the held-out labels, or say why there are none."""
        check_is_fitted(self, "solution_")
        found = self.solution_.held_out
        if found is None:
            got, remedy = "another solver", "Take `solver='mixture'`."
            if len(self.classes_) < 2:
                got, remedy = "fewer than two classes", "Label a point of another class."
            elif isinstance(self.solution_.solved, SolvedMixture):
                got, remedy = "one label per class", "Label a second point of a class."
            must = "fitted by the mixture with labels that can be held out"
            fail(f"DiffResNetClassifier.{method}", "the classifier", must, got, remedy)
        return found
