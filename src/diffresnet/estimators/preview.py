"""What changed labels would make of the points while everything chosen before stays: a first look.

An update learns anew which parts of the mixture count how much, and how sure it may be, from labels
that are held out; this takes most of its time. Here the parts alone learn from the labels: their
kernels, ridges and weights, and the biases of the classes, are those of the fit. It is no answer to
be kept: `update_labels` gives that.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from diffresnet._support.threads import limited_threads, share
from diffresnet.estimators.components import score_components
from diffresnet.estimators.input import check_update
from diffresnet.estimators.parts.features import FeatureKernel
from diffresnet.estimators.parts.many_labels import few_of
from diffresnet.estimators.parts.part import LabelKernel, Part, RidgePart
from diffresnet.estimators.parts.propagation import GraphKernel
from diffresnet.estimators.parts.prototypes import (
    FeaturePrototypes,
    GraphPrototypes,
    draw_sample,
)
from diffresnet.estimators.parts.rough_propagation import RoughGraphKernel
from diffresnet.estimators.points import ROWS, FittedPoints
from diffresnet.estimators.solution import Solution
from diffresnet.estimators.solvers.solved_mixture import SolvedMixture
from diffresnet.learning.directions import find_directions
from diffresnet.learning.labels import Labels
from diffresnet.learning.prototype_settings import PrototypeSettings

if TYPE_CHECKING:
    from diffresnet.estimators.classifier import DiffResNetClassifier

Floats = npt.NDArray[Any]

LARGEST_EXACT = 20_000
"""Of more points, the kernel of the graph is taken roughly for new labels."""


@dataclass(frozen=True)
class Preview:
    """What points would be, nearly.

    Attributes:
        probabilities: (n, K) in the order of `classes_`, in single precision.
        reached: (n,) whether a label reaches a point.
    """

    probabilities: Floats
    reached: npt.NDArray[np.bool_]


def preview_labels(
    model: "DiffResNetClassifier", indices: Any, labels: Any, rows: Any = None
) -> Preview | None:
    """Return the probabilities that points would have, nearly, with some labels changed.

    Args:
        model: fitted, or prepared and updated.
        indices: which of the fitted points get another label.
        labels: these, a missing one to remove what was there.
        rows: (n,) the points to look at, roughly; None for all, roughly if they are very many.

    Returns:
        None where an update alone can tell: with another solver than the mixture, fewer than two
        classes, or if classes come or go.

    Raises:
        ValueError: as `update_labels` does.
    """
    encoded, classes = check_update(indices, labels, model.encoded_labels_, model.classes_)
    merged = model.copies_.merge(encoded, len(classes))
    solution, solved = model.solution_, model.solution_.solved
    if not isinstance(solved, SolvedMixture) or not np.array_equal(classes, model.classes_):
        return None
    with limited_threads(model.n_jobs):
        now = Labels.of(merged, len(classes))
        is_rough = rows is not None or solution.points.operator.n_points > LARGEST_EXACT
        found = _relearn(solution, solved, now, model.seed_, is_rough=is_rough)
        points = model.copies_.point if rows is None else model.copies_.point[np.asarray(rows)]
        starts = range(0, solution.points.operator.n_points, ROWS)
        blocks: Sequence[slice | Tensor] = [slice(start, start + ROWS) for start in starts]
        if rows is not None:
            blocks = torch.from_numpy(points).split(ROWS)

        def look(some: slice | Tensor) -> Floats:
            return found.at(solution.points.some_places(some))

        shown = np.concatenate(share(look, blocks)).astype(np.float32)
    shown = shown[points] if rows is None else shown
    given = merged[points]
    shown[given >= 0] = np.eye(len(classes), dtype=np.float32)[given[given >= 0]]
    return Preview(shown, found.reached[points])


def _relearn(
    solution: Solution, solved: SolvedMixture, labels: Labels, seed: int, *, is_rough: bool
) -> Solution:
    """Return a solution whose parts know these labels; all that is measured stays."""
    points, settings = solution.points, PrototypeSettings()
    generator = torch.Generator().manual_seed(seed)
    sample = points.once(
        ("sample", seed, labels.n_classes),
        lambda: draw_sample(points, labels, generator, settings),
    )
    kernels = _Kernels(points, labels, is_rough=is_rough)
    parts = tuple(
        kernels.refit(part)
        if isinstance(part, RidgePart)
        else _refit_prototypes(part, labels, sample, settings)
        for part in solved.parts
    )
    components = points.components
    scores = score_components(components, labels, solution.component_penalty)
    reached = np.isin(components, components[labels.rows.numpy()])
    again = replace(solved, parts=parts)
    return replace(solution, solved=again, component_scores=scores, reached=reached)


def _refit_prototypes(
    part: Part, labels: Labels, sample: Tensor, settings: PrototypeSettings
) -> Part:
    if not isinstance(part, GraphPrototypes | FeaturePrototypes):
        return part
    sharper = settings.sharper(labels.n_classes) if isinstance(part, GraphPrototypes) else 1.0
    seen = part.view.at(sample)
    (found,) = find_directions(part.view, [labels], seen, settings, sharper)
    return replace(part, directions=found)


class _Kernels:
    """Kernels that parts have in common, each seen once from the labeled points."""

    def __init__(self, points: FittedPoints, labels: Labels, *, is_rough: bool) -> None:
        self.points, self.labels, self.is_rough = points, few_of(points, labels), is_rough
        self.found: dict[int, LabelKernel] = {}

    def refit(self, part: RidgePart) -> RidgePart:
        """Learn with the same kernels, weights and ridge."""
        mixed = tuple((weight, self._see(one)) for weight, one in part.kernels)
        gram = torch.stack([weight * one.gram for weight, one in mixed]).sum(dim=0)
        ridge = self.labels.regress(gram, penalty=part.ridge.penalty)
        return replace(part, ridge=ridge, kernels=mixed)

    def _see(self, kernel: LabelKernel) -> LabelKernel:
        if id(kernel) not in self.found:
            self.found[id(kernel)] = self._see_anew(kernel)
        return self.found[id(kernel)]

    def _see_anew(self, kernel: LabelKernel) -> LabelKernel:
        if isinstance(kernel, FeatureKernel):
            found = next(FeatureKernel.several([kernel.gaussian], self.labels.rows))
            return replace(found, keeps=not self.is_rough)
        if self.is_rough and isinstance(kernel, GraphKernel):
            return RoughGraphKernel.of(self.points, kernel, self.labels.rows)
        return GraphKernel.of(self.points, self.labels)
