"""Many small problems at once: a few labeled points and many unlabeled ones, one network each.

The network is the paper's for points with one block (Section 3.1): logits = P (x + FC2 relu(FC1 x))
W3' + b3, with P the diffusion (I - gamma (Lambda - W))^r. Its loss is the mean cross entropy of the
labeled points, and may have two more terms, which see the unlabeled ones too.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

from diffresnet._support.checks import fail
from diffresnet._support.settings import CountOrZero, NonNegative, Positive, check_settings
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.learning.prototypes import members_of


@dataclass(frozen=True)
class Schedule:
    """Gradient descent with momentum; the defaults are those of the paper (Appendix E.3.3).

    Attributes:
        learning_rate: at the start.
        momentum: of SGD.
        weight_decay: of all parameters, biases too.
        n_epochs: steps of full-batch descent.
        milestones: parts of `n_epochs` after which the rate is multiplied by `factor`.
        factor: see `milestones`.
    """

    learning_rate: Positive = 0.1
    momentum: NonNegative = 0.9
    weight_decay: NonNegative = 1e-4
    n_epochs: CountOrZero = 100
    milestones: tuple[float, ...] = (0.5, 0.75)
    factor: float = 0.1

    __post_init__ = check_settings

    @property
    def milestone_epochs(self) -> list[int]:
        """The epochs after which the rate falls."""
        return [int(part * self.n_epochs) for part in self.milestones]

    def rates(self) -> list[float]:
        """Return the learning rate of every epoch."""
        return [
            self.learning_rate * self.factor ** sum(epoch >= m for m in self.milestone_epochs)
            for epoch in range(self.n_epochs)
        ]


class BlockParameters(NamedTuple):
    """The parameters of one network: M features, K classes."""

    fc1_weight: Tensor
    fc1_bias: Tensor
    fc2_weight: Tensor
    fc2_bias: Tensor
    classifier_weight: Tensor
    classifier_bias: Tensor


Initial: TypeAlias = Callable[[int], BlockParameters]
"""Gives the parameters that training of the i-th task starts from."""


def initial_parameters(seed: int, n_features: int, n_classes: int) -> BlockParameters:
    """Draw parameters as torch does by default: all of a layer uniform in +-1/sqrt(inputs)."""
    generator = torch.Generator().manual_seed(seed)
    shapes = [(n_features, n_features), (n_features,)] * 2 + [(n_classes, n_features), (n_classes,)]
    bound = n_features**-0.5
    drawn = (torch.empty(shape).uniform_(-bound, bound, generator=generator) for shape in shapes)
    return BlockParameters(*drawn)


@dataclass(frozen=True)
class Tasks:
    """A batch of T tasks of N points, the labeled ones first.

    Attributes:
        points: (T, N, M).
        labels: (T, n_labeled) classes of the first points of each task.
        n_classes: K.
        operator: of the points, (T, N, N), symmetric; None without diffusion and penalty.
        step_size: gamma.
        n_steps: r; 0 for a plain residual network.
        prototype_distances: (T, K, N - n_labeled) from each prototype to each unlabeled point.
        prototype_weight: alpha, of the prototypical loss, a sum over unlabeled points of
            softmax(logits) . distances.
        output_laplacian_weight: mu, of the penalty sum_ij w_ij |logits_i - logits_j|^2.
        inner_products: (T, N, N) of the points, if they are known already.
        proportion_weight: of the loss on the class proportions of the unlabeled points, their
            number times the sum of squared mean probabilities; see `ProportionLoss`.
    """

    points: Tensor
    labels: Tensor
    n_classes: int
    operator: DiffusionOperator | None = None
    step_size: NonNegative = 0.5
    n_steps: CountOrZero = 0
    prototype_distances: Tensor | None = None
    prototype_weight: NonNegative = 0.0
    output_laplacian_weight: NonNegative = 0.0
    inner_products: Tensor | None = None
    proportion_weight: NonNegative = 0.0

    def __post_init__(self) -> None:
        check_settings(self)
        n_tasks, n_points, _ = self.points.shape
        if self.labels.ndim != 2 or len(self.labels) != n_tasks or self.n_labeled > n_points:
            must, got = f"of shape ({n_tasks}, n_labeled)", f"shape {tuple(self.labels.shape)}"
            fail("Tasks", "labels", must, got, "Pass the labels of the first points of each task.")
        if self.n_labeled == 0:
            fail("Tasks", "labels", "at least one a task", "none", "Label a point.")
        least, largest = (int(extreme) for extreme in self.labels.aminmax())
        if least < 0 or largest >= self.n_classes:
            must, got = f"between 0 and {self.n_classes - 1}", f"{least} to {largest}"
            fail("Tasks", "labels", must, got, "Number the classes 0, 1, 2, ....")
        if self.operator is None and (self.n_steps > 0 or self.output_laplacian_weight > 0):
            must, remedy = "a DiffusionOperator", "Pass one, or leave diffusion out."
            fail("Tasks", "operator", must, None, remedy)
        if self.operator is not None and not self.operator.is_symmetric:
            got = "weights that differ from their transpose"
            remedy = "Use the normalization 'symmetric' or 'sinkhorn'."
            fail("Tasks", "operator", "symmetric", got, remedy)
        if self.prototype_distances is None and self.prototype_weight > 0:
            must, remedy = "given for a prototypical loss", "Pass it, or a `prototype_weight` of 0."
            fail("Tasks", "prototype_distances", must, None, remedy)

    @property
    def n_labeled(self) -> int:
        """How many points of a task have a label."""
        return self.labels.shape[1]

    @property
    def sees_unlabeled(self) -> bool:
        """Whether the loss looks at the logits of unlabeled points."""
        weights = (self.prototype_weight, self.output_laplacian_weight, self.proportion_weight)
        return any(weight > 0 for weight in weights)

    @cached_property
    def gram(self) -> Tensor:
        """The inner products of the points, (T, N, N)."""
        given = self.inner_products
        return self.points @ self.points.mT if given is None else given

    @cached_property
    def propagator(self) -> Tensor | None:
        """The matrices P = (I - step_size (Lambda - W))^n_steps, or None where there is none."""
        if self.operator is None or self.n_steps == 0 or self.step_size == 0:
            return None
        return torch.linalg.matrix_power(self.operator.step(self.step_size).matrix, self.n_steps)

    @cached_property
    def targets(self) -> Tensor:
        """The labels, (T, K, n_labeled), 1 at the class of each point and 0 elsewhere."""
        return members_of(self.labels, self.n_classes, self.points.dtype)

    def diffuse(self, x: Tensor) -> Tensor:
        """Return P x."""
        return x if self.propagator is None else self.propagator @ x

    def diffuse_both_sides(self, kernel: Tensor, n_rows: int) -> Tensor:
        """Return the first rows of P K P', (T, n_rows, N), in the fewest products.

        Args:
            kernel: (T, N, N) K, symmetric, as P is.
            n_rows: how many rows are wanted.
        """
        operator, n_points = self.operator, kernel.shape[-1]
        if operator is None or self.n_steps == 0 or self.step_size == 0:
            return kernel[:, :n_rows]
        n_squarings = self.n_steps.bit_length() + self.n_steps.bit_count() - 2
        by_power = n_points * n_squarings + 2 * n_rows
        if by_power <= 2 * self.n_steps * n_rows and self.propagator is not None:
            return self.propagator[:, :n_rows] @ kernel @ self.propagator
        step = operator.step(self.step_size).matrix
        rows = step[:, :n_rows]
        for _ in range(self.n_steps - 1):
            rows = rows @ step
        rows = rows @ kernel
        for _ in range(self.n_steps):
            rows = rows @ step
        return rows

    def loss_gradient(self, logits: Tensor) -> Tensor:
        """Return the derivative of the loss by the logits.

        Classes come before points, in memory too: the sums over classes are much faster so.

        Args:
            logits: (T, K, N), or only of the labeled points, (T, K, n_labeled), unless the loss
                `sees_unlabeled`.
        """
        n_labeled = self.n_labeled
        errors = logits[..., :n_labeled].softmax(dim=1).sub_(self.targets).div_(n_labeled)
        if not self.sees_unlabeled:
            return errors
        gradient = torch.zeros_like(logits)
        if self.output_laplacian_weight > 0 and self.operator is not None:
            factor = 4 * self.output_laplacian_weight
            gradient.baddbmm_(logits, self.operator.laplacian, alpha=factor)
        gradient[..., :n_labeled].add_(errors)
        if self.prototype_weight > 0 or self.proportion_weight > 0:
            probabilities = logits[..., n_labeled:].softmax(dim=1)
            pulls = self._costs(probabilities).mul_(probabilities)
            excess = pulls.sub_(probabilities.mul_(pulls.sum(dim=1, keepdim=True)))
            gradient[..., n_labeled:].add_(excess)
        return gradient

    def _costs(self, probabilities: Tensor) -> Tensor:
        """Return the derivative of the losses of unlabeled points by their probabilities."""
        costs = torch.zeros_like(probabilities)
        if self.prototype_distances is not None:
            costs.add_(self.prototype_distances, alpha=self.prototype_weight)
        if self.proportion_weight > 0 and probabilities.shape[-1] > 0:
            means = probabilities.mean(dim=-1, keepdim=True)
            costs.add_(means, alpha=2 * self.proportion_weight)
        return costs

    def __getitem__(self, some: slice) -> "Tasks":
        """Return some of the tasks."""
        operator = self.operator and DiffusionOperator(self.operator.weights[some])
        names = ("points", "labels", "prototype_distances", "inner_products")
        given = {name: getattr(self, name) for name in names}
        parts = {name: None if one is None else one[some] for name, one in given.items()}
        return replace(self, operator=operator, **parts)
