"""Diff-ResNet of infinite width: gradient descent with its kernel, in factors, without a seed.

The kernel is P k P', with the kernel k of a residual block (see `learning.kernels`) and the
diffusion P. Beside its features every point has one of its own, which diffusion spreads over its
neighbors, so that labels speak through the graph as well: P P' is added, by its slow modes U and
what diffusion leaves of them, D. So the kernel has the factors

    [ P Phi, sqrt(identity_weight) U D ],

with Phi Phi' = k (Nystrom's method), either part centered and scaled to a mean square of one, for
diffusion has made both small. A row is then scaled to length one, as the kernel for nodes does, and
the constant of the biases is added. No matrix of N x N numbers is made, and a new point has the
factors of its neighbors.

Training is that of few-shot tasks: full-batch descent of the cross entropy of the labels and of the
prototypical loss of the other points, with refined prototypes (Appendix E.3).
"""

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import normalize

from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.learning.calibration import held_out_losses
from diffresnet.learning.kernel_descent import AFTER_DIFFUSION, solve_factored
from diffresnet.learning.kernels import kernel_points, residual_kernel
from diffresnet.learning.labels import Labels
from diffresnet.learning.prototypes import class_means, members_of, spherical_kmeans
from diffresnet.learning.strength import Strength
from diffresnet.learning.tasks import Schedule, Tasks
from diffresnet.learning.views import View

SCALES = tuple(2.0 ** (step / 2) for step in range(-8, 15))
"""What scores may be multiplied by before they become probabilities."""


@dataclass(frozen=True)
class KernelSettings:
    """What the solver depends on.

    Attributes:
        n_landmarks: points that the kernel of the features is made of.
        identity_weight: tau, of the feature that each point has of its own.
        prototype_weight: alpha, of the prototypical loss, a mean over points without a label;
            held-out labels, where there are some, choose between it and 0.
        n_sampled: how many of these it sees.
        sharpness: of the soft k-means that refines its prototypes.
        n_rounds: of the soft k-means.
        rate: of the soft k-means.
        schedule: of gradient descent.
        n_folds: of held-out labels.
    """

    n_landmarks: int = 300
    identity_weight: float = 4.0
    prototype_weight: float = 4.0
    n_sampled: int = 1000
    sharpness: float = 10.0
    n_rounds: int = 30
    rate: float = 0.3
    schedule: Schedule = field(default_factory=lambda: Schedule(n_epochs=400))
    n_folds: int = 5


@dataclass(frozen=True)
class SolvedKernel:
    """A linear classifier of the kernel's factors.

    Attributes:
        raw: (N, m) factors of the fitted points, before they are scaled to length one.
        view: how they are.
        weights: (K, m + 1), the last for the constant.
        scale: of the scores, for honest probabilities.
    """

    raw: Tensor
    view: View
    weights: Tensor
    scale: float

    remarks = ()

    def score(self, places: Places) -> Tensor:
        """Return the scores (n, K)."""
        factors = _with_constant(self.view.place(places.read(self.raw)))
        return self.scale * (factors @ self.weights.to(factors).mT)


@dataclass(frozen=True)
class KernelSolver:
    """Train Diff-ResNet in the limit of infinite width; see this module.

    Attributes:
        settings: its constants.
    """

    settings: KernelSettings = field(default_factory=KernelSettings)

    def solve(
        self,
        points: FittedPoints,
        labels: Labels,
        strength: Strength,
        generator: torch.Generator,
    ) -> SolvedKernel:
        """Make the factors, train, and calibrate by held-out labels."""
        raw = make_factors(points, strength, self.settings)
        view = View.of_features(raw)
        graph_view = View.of_graph(points.spectrum, strength.step_size, strength.n_steps)
        order = torch.randperm(len(raw), generator=generator)
        is_labeled = torch.zeros(len(raw), dtype=torch.bool)
        is_labeled[labels.rows] = True
        others = order[~is_labeled[order]][: self.settings.n_sampled]
        training = _Training(self.settings, _with_constant(view.points), graph_view.points, others)
        if int(labels.counts.max()) > 1:
            weight, scale = training.choose(labels, generator)
            return SolvedKernel(raw, view, training.run(labels, weight), scale)
        weights = training.run(labels, self.settings.prototype_weight)
        return SolvedKernel(raw, view, weights, training.agreeing_scale(labels, weights))


def make_factors(points: FittedPoints, strength: Strength, settings: KernelSettings) -> Tensor:
    """Return [P Phi, sqrt(tau) U D], (N, m), either part centered, of mean square one."""
    spectrum, shown = points.spectrum, points.points
    step_size, n_steps = strength.step_size, strength.n_steps
    identity = spectrum.modes * spectrum.decay(step_size, n_steps)
    if shown is None:
        return _to_mean_square_one(identity)

    def kernel(left: Tensor, right: Tensor) -> Tensor:
        norms = [some.square().sum(dim=1) for some in (left, right)]
        return residual_kernel(left @ right.mT, norms[0], norms[1])

    phi = kernel_points(kernel, shown, settings.n_landmarks).to(identity)
    spread = points.operator.diffuse(phi, step_size, n_steps)
    weight = math.sqrt(settings.identity_weight)
    return torch.cat([_to_mean_square_one(spread), weight * _to_mean_square_one(identity)], dim=1)


def _to_mean_square_one(factors: Tensor) -> Tensor:
    moved = factors - factors.mean(dim=0)
    return moved / moved.square().sum(dim=1).mean().sqrt().clamp(min=1e-12)


def _with_constant(factors: Tensor) -> Tensor:
    """Add the column of the biases behind diffusion."""
    constant = factors.new_full((len(factors), 1), math.sqrt(AFTER_DIFFUSION))
    return torch.cat([factors, constant], dim=1)


@dataclass(frozen=True)
class _Training:
    settings: KernelSettings
    factors: Tensor
    graph_points: Tensor
    others: Tensor

    def run(self, labels: Labels, prototype_weight: float) -> Tensor:
        """Return the weights (K, m) of the classifier."""
        seen, distances = torch.cat([labels.rows, self.others]), None
        if prototype_weight > 0 and len(self.others) > 0:
            distances = self._distances(labels).unsqueeze(0)
        tasks = Tasks(
            self.factors[seen].unsqueeze(0),
            labels.classes.unsqueeze(0),
            labels.n_classes,
            prototype_distances=distances,
            prototype_weight=0.0 if distances is None else prototype_weight / len(self.others),
        )
        return solve_factored(tasks.points, tasks, self.settings.schedule)[0]

    def _distances(self, labels: Labels) -> Tensor:
        """Return the distances (K, n) from refined prototypes, where diffusion puts the points."""
        own, others = self.graph_points[labels.rows], self.graph_points[self.others]
        members = members_of(labels.classes, labels.n_classes, own.dtype)
        prototypes = spherical_kmeans(
            others,
            normalize(class_means(own, members), dim=1),
            anchors=members @ own,
            sharpness=self.settings.sharpness,
            n_rounds=self.settings.n_rounds,
            rate=self.settings.rate,
        )
        return (2 - 2 * prototypes @ others.mT).clamp(min=0).sqrt()

    def agreeing_scale(self, labels: Labels, weights: Tensor) -> float:
        """Return the scale with which confidence is, on average, agreement.

        Where no label can be held out, the witness is how often training without the prototypical
        loss gives the same class.
        """
        if len(self.others) == 0:
            return 1.0
        scores, other = (
            self.factors[self.others] @ one.mT for one in (weights, self.run(labels, 0.0))
        )
        agreement = float((scores.argmax(dim=1) == other.argmax(dim=1)).double().mean())
        gaps = [
            abs(float((scale * scores).softmax(dim=1).amax(dim=1).mean()) - agreement)
            for scale in SCALES
        ]
        return SCALES[gaps.index(min(gaps))]

    def choose(self, labels: Labels, generator: torch.Generator) -> tuple[float, float]:
        """Return the weight of the prototypical loss, and the scale, that fit held-out labels."""
        tried = (0.0, self.settings.prototype_weight)
        scores: list[Tensor] = []
        classes: list[Tensor] = []
        n_folds = min(self.settings.n_folds, int(labels.counts.max()))
        for fewer, out in labels.folds(n_folds, generator):
            found = [self.factors[labels.rows[out]] @ self.run(fewer, one).mT for one in tried]
            scores.append(torch.stack(found))
            classes.append(labels.classes[out])
        losses = held_out_losses(torch.cat(scores, dim=1), torch.cat(classes), SCALES)
        place, which = divmod(int(losses.argmin()), len(tried))
        return tried[which], SCALES[place]
