"""Diff-ResNet for few-shot tasks, and its ablations: a tiny network for each task (Section 5.3)."""

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import torch
from torch import Tensor

from diffresnet._support.settings import CountOrZero, NonNegative, Probability, check_settings
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.fewshot.episodes import Episodes
from diffresnet.fewshot.methods.soft_kmeans import SoftKMeans
from diffresnet.fewshot.methods.task_graph import TaskGraph
from diffresnet.fewshot.prototypes import prototypes_of
from diffresnet.learning.kernel_descent import solve_kernel
from diffresnet.learning.proportions import Balance, class_biases
from diffresnet.learning.prototypes import mixture_affinities, squared_distances
from diffresnet.learning.reordered import solve_reordered
from diffresnet.learning.task_descent import solve_by_descent
from diffresnet.learning.tasks import BlockParameters, Schedule, Tasks, initial_parameters

Solver: TypeAlias = Literal["descent", "reordered", "kernel"]

KERNEL_SHARPNESS = 3.0
"""The kernel's scores, which are too unsure, are multiplied by it before classes are balanced."""


@dataclass(frozen=True)
class DiffResNetMethod:
    """Train x + FC2 relu(FC1 x), diffusion, classifier, on the support of each task.

    The paper's three kinds differ in their numbers only: Convection has no steps, External
    Convection-Diffusion no steps but an `output_laplacian_weight`, Internal Convection-Diffusion,
    which is Diff-ResNet, has steps.

    Attributes:
        n_steps: r, diffusion steps.
        step_size: gamma.
        graph: how the points of a task are linked.
        prototype_weight: alpha, of the prototypical loss on the queries; the paper has 0 for one
            shot and .5 for five.
        refinement: soft k-means that finds the prototypes of the prototypical loss, in place of the
            class means or rectified prototypes of the episodes; not in the paper. It sees the
            points after diffusion, of mean square distance 1 to their mean.
        identity_weight: tau. Every point gets a feature of its own beside the given ones, whose
            square is tau times the mean square norm of the points; diffusion spreads it over the
            neighbors. So the network can also learn from the graph alone, as label spreading does;
            0, as in the paper, leaves it out.
        output_laplacian_weight: mu, of the external penalty.
        proportion_weight: of the loss on the class proportions of the queries, which is alpha-TIM's
            idea; see `ProportionLoss`. 0, as in the paper, leaves it out.
        undiffused_part: the part that a second network, without diffusion and features of its own,
            has in the scores; 0, as in the paper, for none. Where neighbors mislead, it helps.
        balance: what is presumed of the class proportions of the queries, when they are given to
            classes by the scores: 0, as in the paper, for nothing; -1 for proportions that are
            estimated, infinity for even ones; see `proportions`. `refinement` has its own.
        solver: how the network is trained. ``"descent"``: by autograd, one task after the other;
            ``"reordered"``: the same trajectory, about ten times faster; ``"kernel"``: an
            infinitely wide network, linearized where it starts, about a thousand times faster and
            deterministic. Its labels are as good, its scores smaller.
        schedule: of training.
        init: tells apart networks that start from other random numbers.
    """

    n_steps: CountOrZero = 6
    step_size: NonNegative = 0.5
    graph: TaskGraph = field(default_factory=TaskGraph)
    prototype_weight: NonNegative = 0.0
    refinement: SoftKMeans | None = None
    identity_weight: NonNegative = 0.0
    output_laplacian_weight: NonNegative = 0.0
    proportion_weight: NonNegative = 0.0
    undiffused_part: Probability = 0.0
    balance: Balance = 0.0
    solver: Solver = "kernel"
    schedule: Schedule = field(default_factory=Schedule)
    init: CountOrZero = 0

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes)."""
        scores = self._logits(episodes)
        if self.undiffused_part > 0:
            plain = replace(self, n_steps=0, identity_weight=0.0)
            scores = torch.lerp(scores, plain._logits(episodes), self.undiffused_part)
        if self.balance != 0:
            scores = KERNEL_SHARPNESS * scores if self.solver == "kernel" else scores
            scores = scores + class_biases(scores, self.balance)
        return scores.mT

    def _logits(self, episodes: Episodes) -> Tensor:
        """Return the logits (T, n_classes, n_query) of one network a task."""
        tasks = self.tasks(episodes)
        if self.solver == "kernel":
            return solve_kernel(tasks, self.schedule)[..., episodes.n_support :]
        n_features = tasks.points.shape[-1]
        solve = solve_reordered if self.solver == "reordered" else solve_by_descent
        logits = solve(
            tasks, self.schedule, lambda which: self._initial(episodes, which, n_features)
        )
        return logits[..., episodes.n_support :]

    def tasks(self, episodes: Episodes) -> Tasks:
        """Return what the solvers are to learn."""
        points = episodes.points
        gram = points @ points.mT
        linked = self.n_steps > 0 or self.output_laplacian_weight > 0
        weights = self.graph.weights(points, gram) if linked else None
        own_points, own_gram = points, gram
        if self.identity_weight > 0:
            own_points, own_gram = self._with_identity(points, gram)
        tasks = Tasks(
            own_points,
            episodes.labels,
            episodes.n_classes,
            None if weights is None else DiffusionOperator(weights),
            self.step_size,
            self.n_steps,
            output_laplacian_weight=self.output_laplacian_weight,
            inner_products=own_gram,
            proportion_weight=self.proportion_weight,
        )
        if self.prototype_weight == 0:
            return tasks
        distances = self._prototype_distances(episodes, tasks, gram)
        return replace(tasks, prototype_distances=distances, prototype_weight=self.prototype_weight)

    def _prototype_distances(self, episodes: Episodes, tasks: Tasks, gram: Tensor) -> Tensor:
        """Return the plain distances (T, n_classes, n_query) from prototypes to queries."""
        if self.refinement is None:
            return squared_distances(episodes.query, prototypes_of(episodes)).sqrt()
        gram = _unit_spread(tasks.diffuse(tasks.diffuse(gram).mT))
        mixtures = self.refinement.mixtures(episodes, gram)
        own = gram.diagonal(dim1=-2, dim2=-1).unsqueeze(1)
        squared = (own - mixture_affinities(mixtures, gram)).clamp(min=0)
        return squared[..., episodes.n_support :].sqrt()

    def _with_identity(self, points: Tensor, gram: Tensor) -> tuple[Tensor, Tensor]:
        """Return points with a feature of their own each, and their inner products."""
        own = torch.eye(points.shape[1], dtype=points.dtype, device=points.device)
        squares = self.identity_weight * gram.diagonal(dim1=-2, dim2=-1).mean(dim=-1)
        squares = squares[:, None, None]
        return torch.cat([points, squares.sqrt() * own], dim=-1), gram + squares * own

    def _initial(self, episodes: Episodes, which: int, n_features: int) -> BlockParameters:
        # The seed of the task, so that results do not depend on how tasks are batched.
        seed = which if episodes.seeds is None else int(episodes.seeds[which])
        return initial_parameters((seed + self.init) % 2**62, n_features, episodes.n_classes)


def _unit_spread(gram: Tensor) -> Tensor:
    """Return the inner products of points scaled to a mean square distance of 1 to their mean."""
    squares = gram.diagonal(dim1=-2, dim2=-1).mean(dim=-1) - gram.mean(dim=(-2, -1))
    squares = squares[:, None, None]
    return gram / torch.where(squares > 0, squares, 1)
