"""What a fit learns from the labels, given the points."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from diffresnet.estimators.features import N_FOR_CLASSES
from diffresnet.estimators.fitted import FittedPoints
from diffresnet.estimators.learning import Learned, learn
from diffresnet.estimators.parameters import check_prior, check_step
from diffresnet.estimators.parts import part_scores
from diffresnet.estimators.strength import StrengthChoice, choose_strength, graph_view
from diffresnet.estimators.trained import train_network
from diffresnet.estimators.views import View
from diffresnet.graph.attachment import link_new_points
from diffresnet.learning.calibration import match_prior
from diffresnet.learning.labels import UNLABELED, Labels

Floats = npt.NDArray[Any]
Solver = Literal["kernel", "sgd"]


@dataclass(frozen=True)
class Solution:
    """The probabilities of the fitted points, and what new points are scored by.

    Attributes:
        points: that were fitted.
        choice: the strength.
        view: where diffusion puts the points.
        learned: from the labels.
        trained: (N, K) scores of the trained network, or None.
        by_part: (N, K) what the parts of the graph add to the scores, or None.
        bias: (K,) added to the scores, for the class prior.
        unknown: (K,) the probabilities of points that no label reaches.
        reached: (N,) whether a label reaches a point.
        chances: (N, K) probabilities.
    """

    points: FittedPoints
    choice: StrengthChoice
    view: View
    learned: Learned
    trained: Tensor | None
    by_part: Tensor | None
    bias: Tensor
    unknown: Floats
    reached: npt.NDArray[np.bool_]
    chances: Floats

    def predict(self, given: Any, n_top: int, bandwidth_rank: int) -> Floats:
        """Return the probabilities of new points, (n, K).

        Args:
            given: (n, d) features, or (n, N) weights of links to the fitted points.
            n_top: neighbors that a new point receives from, itself counted.
            bandwidth_rank: of the kernel's width.
        """
        fitted = self.points
        points = None if fitted.space is None else fitted.space.place(given).double()
        links = link_new_points(points, fitted.points, given, n_top, bandwidth_rank)
        if self.trained is not None:
            scores = torch.from_numpy(links @ self.trained.double().numpy())
        else:
            modes = torch.from_numpy(links @ fitted.spectrum.modes.double().numpy())
            in_features = None
            if points is not None and fitted.feature_view is not None:
                in_features = fitted.feature_view.place(points[:, :N_FOR_CLASSES])
            scores = self.learned.score(self.view.place(modes), in_features)
        if self.by_part is not None:
            scores = scores + torch.from_numpy(links @ self.by_part.double().numpy())
        chances = (scores + self.bias).softmax(dim=1).numpy()
        chances[links @ self.reached.astype(float) <= 0.5] = self.unknown
        return chances


def solve(
    points: FittedPoints,
    encoded: npt.NDArray[np.int64],
    classes: npt.NDArray[Any],
    *,
    step_size: float,
    n_steps: int | Literal["auto"],
    solver: Solver,
    class_prior: Any,
    seed: int,
) -> Solution:
    """Learn from labels; see `DiffResNetClassifier` for what the arguments mean."""
    prior = check_prior(class_prior, classes)
    check_step(step_size, points.operator)
    n_classes = len(classes)
    known = torch.from_numpy(np.flatnonzero(encoded != UNLABELED))
    labels = Labels(known, torch.from_numpy(encoded)[known], n_classes)
    choice = (
        choose_strength(points.spectrum, labels, step_size)
        if n_steps == "auto"
        else StrengthChoice(n_steps, {})
    )
    generator = torch.Generator().manual_seed(seed)
    view = graph_view(points.spectrum, step_size, choice.n_steps, n_classes)
    learned = learn(view, points.feature_view, labels, generator)
    trained = None
    if solver == "sgd":
        trained = train_network(
            view.points if points.points is None else points.points,
            points.operator,
            labels,
            step_size=step_size,
            n_steps=choice.n_steps,
            generator=generator,
        )
    shown = None if points.feature_view is None else points.feature_view.points
    scores = learned.score(view.points, shown) if trained is None else trained
    by_part = part_scores(points.components, labels)
    if by_part is not None:
        scores = scores + by_part
    reached = np.isin(points.components, points.components[known.numpy()])
    bias = torch.zeros(n_classes, dtype=torch.float64)
    if prior is not None:
        bias = match_prior(scores[torch.from_numpy(reached)], torch.from_numpy(prior))
    chances = (scores + bias).softmax(dim=1).numpy()
    unknown = np.full(n_classes, 1 / n_classes) if prior is None else prior
    chances[~reached] = unknown
    chances[known] = np.eye(n_classes)[labels.classes]
    return Solution(
        points, choice, view, learned, trained, by_part, bias, unknown, reached, chances
    )
