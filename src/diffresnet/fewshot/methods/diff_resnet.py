"""Diff-ResNet for few-shot tasks, and its ablations: a tiny network for each task (Section 5.3)."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

import torch
from torch import Tensor

from diffresnet._checks import check_choice, check_count, check_real
from diffresnet.diffusion import DiffusionOperator
from diffresnet.fewshot.episodes import Episodes
from diffresnet.fewshot.methods.task_graph import TaskGraph
from diffresnet.fewshot.prototypes import prototypes_of, squared_distances
from diffresnet.solvers.kernel import solve_kernel
from diffresnet.solvers.reordered import solve_reordered
from diffresnet.solvers.task_descent import solve_by_descent
from diffresnet.solvers.tasks import BlockParameters, Schedule, Tasks, initial_parameters

Solver: TypeAlias = Literal["descent", "reordered", "kernel"]


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
        output_laplacian_weight: mu, of the external penalty.
        solver: how the network is trained. ``"descent"``: by autograd, one task after the other;
            ``"reordered"``: the same trajectory, about ten times faster; ``"kernel"``: the limit of
            infinite width, a thousand times faster, deterministic.
        schedule: of training.
        init: tells apart networks that start from other random numbers.
    """

    n_steps: int = 6
    step_size: float = 0.5
    graph: TaskGraph = field(default_factory=TaskGraph)
    prototype_weight: float = 0.0
    output_laplacian_weight: float = 0.0
    solver: Solver = "kernel"
    schedule: Schedule = field(default_factory=Schedule)
    init: int = 0

    def __post_init__(self) -> None:
        name = "DiffResNetMethod"
        check_count(name, "n_steps", self.n_steps, low=0)
        check_real(name, "step_size", self.step_size, zero=True)
        check_real(name, "prototype_weight", self.prototype_weight, zero=True)
        check_real(name, "output_laplacian_weight", self.output_laplacian_weight, zero=True)
        check_choice(name, "solver", self.solver, get_args(Solver))
        check_count(name, "init", self.init, low=0)

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes)."""
        tasks = self.tasks(episodes)
        if self.solver == "kernel":
            logits = solve_kernel(tasks, self.schedule)
        else:
            solve = solve_reordered if self.solver == "reordered" else solve_by_descent
            logits = solve(tasks, self.schedule, lambda which: self._initial(episodes, which))
        return logits[..., episodes.n_support :].mT

    def tasks(self, episodes: Episodes) -> Tasks:
        """Return what the solvers are to learn."""
        points = episodes.points
        gram = points @ points.mT
        linked = self.n_steps > 0 or self.output_laplacian_weight > 0
        distances = None
        if self.prototype_weight > 0:
            distances = squared_distances(episodes.query, prototypes_of(episodes)).sqrt()
        return Tasks(
            points,
            episodes.labels,
            episodes.n_classes,
            DiffusionOperator(self.graph.weights(points, gram)) if linked else None,
            self.step_size,
            self.n_steps,
            distances,
            self.prototype_weight,
            self.output_laplacian_weight,
            gram,
        )

    def _initial(self, episodes: Episodes, which: int) -> BlockParameters:
        # The seed of the task, so that results do not depend on how tasks are batched.
        seed = which if episodes.seeds is None else int(episodes.seeds[which])
        mixed = torch.tensor([seed, self.init]).sum() % 2**62
        return initial_parameters(int(mixed), episodes.support.shape[-1], episodes.n_classes)
