"""The loss terms of the paper, each a small object that is called with the outputs of a model."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from diffresnet._support.checks import fail
from diffresnet._support.settings import NonNegative, check_settings
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.learning.labels import UNLABELED


@dataclass(frozen=True)
class Batch:
    """What a model is called with, and the labels of its outputs.

    Attributes:
        inputs: the arguments of the model: features first, then an operator or other inputs.
        labels: (N,) or (T, N) class of each output, -1 where it is unknown or not to be learned
            from.
    """

    inputs: tuple[Any, ...]
    labels: Tensor


LossTerm: TypeAlias = Callable[[Tensor, Batch], Tensor]
"""A part of the loss: called with outputs and their batch, it gives a scalar.

Outputs have shape (N, n_classes), or (T, N, n_classes) for a batch of problems.
"""


@dataclass(frozen=True)
class CrossEntropy:
    """The mean cross entropy over the labeled points.

    Attributes:
        label_smoothing: between 0 and 1; 0 as in the paper.

    Raises:
        ValueError: when called, if the batch has no label, or one that is not a class.

    Examples:
        >>> outputs = torch.tensor([[0.0, 0.0], [5.0, -5.0]])
        >>> batch = Batch((outputs,), torch.tensor([0, -1]))
        >>> CrossEntropy()(outputs, batch)
        tensor(0.6931)
    """

    label_smoothing: float = 0.0

    def __call__(self, outputs: Tensor, batch: Batch) -> Tensor:
        """Return the mean over the labeled points."""
        check_labels("CrossEntropy", batch.labels, outputs)
        return functional.cross_entropy(
            outputs.flatten(0, -2),
            batch.labels.flatten().long(),
            ignore_index=UNLABELED,
            label_smoothing=self.label_smoothing,
        )


@dataclass(frozen=True)
class LaplacianPenalty:
    """The external regularizer of the paper's ablation, weight sum_ij w_ij |f(x_i) - f(x_j)|^2.

    As in the authors' code, without the factor one half.

    Attributes:
        operator: of the points whose outputs are compared.
        weight: mu, `output_laplacian_weight`; .01 in the paper.
    """

    operator: DiffusionOperator
    weight: NonNegative

    __post_init__ = check_settings

    def __call__(self, outputs: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002  (the interface)
        """Return the penalty of the outputs, of all points."""
        return 2 * self.weight * self.operator.energy(outputs).sum()


@dataclass(frozen=True)
class PrototypicalLoss:
    """The paper's prototypical loss, weight sum_i sum_c softmax(outputs_i)_c distance_ic.

    It draws each query toward the classes whose prototypes are near (Appendix E.3): a sum, not a
    mean, over the queries.

    Attributes:
        rows: (N_q,) the outputs of the queries.
        distances: (N_q, n_classes) from each query to each (rectified) prototype.
        weight: alpha, `prototype_weight`; .5 in the paper's 5-shot tasks.
    """

    rows: Tensor
    distances: Tensor
    weight: NonNegative

    def __post_init__(self) -> None:
        check_settings(self)
        if self.rows.dtype == torch.bool or self.distances.ndim != 2:
            got = f"{self.rows.dtype} rows and distances of shape {tuple(self.distances.shape)}"
            remedy = "Turn a mask into rows by `mask.nonzero().flatten()`."
            fail("PrototypicalLoss", "rows", "integers beside 2-D distances", got, remedy)
        if tuple(self.distances.shape[:1]) != tuple(self.rows.shape):
            got = f"{len(self.distances)} rows for {len(self.rows)} queries"
            remedy = "Pass the distances of the same queries."
            fail("PrototypicalLoss", "distances", "one row a query", got, remedy)

    def __call__(self, outputs: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002  (the interface)
        """Return the sum over the queries."""
        if self.distances.shape[-1] != outputs.shape[-1]:
            must = f"one column a class ({outputs.shape[-1]})"
            got = f"shape {tuple(self.distances.shape)}"
            fail("PrototypicalLoss", "distances", must, got, "Pass one prototype a class.")
        return self.weight * (outputs[self.rows].softmax(dim=-1) * self.distances).sum()


@dataclass(frozen=True)
class ProportionLoss:
    """Draw the class proportions of queries together, weight N_q sum_c m_c^2 (alpha-TIM's idea).

    m_c is the mean over the queries of softmax(outputs)_c: up to a constant this is minus Tsallis'
    entropy of order 2 of the proportions. It is least where they are even, but unlike Shannon's it
    hardly minds that some are small.

    Attributes:
        rows: (N_q,) the outputs of the queries.
        weight: `proportion_weight`; not in the paper.
    """

    rows: Tensor
    weight: NonNegative

    __post_init__ = check_settings

    def __call__(self, outputs: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002  (the interface)
        """Return the loss of the queries together."""
        means = outputs[self.rows].softmax(dim=-1).mean(dim=0)
        return self.weight * len(self.rows) * means.square().sum()


def check_labels(function: str, labels: Tensor, outputs: Tensor) -> None:
    """Refuse labels of another number than outputs, out of range, or all unknown."""
    n_classes = outputs.shape[-1]
    if labels.is_floating_point() or labels.dtype == torch.bool:
        fail(function, "labels", "integers", labels.dtype, "Number the classes 0, 1, 2, ....")
    if tuple(labels.shape) != tuple(outputs.shape[:-1]):
        got = f"shape {tuple(labels.shape)} for outputs of shape {tuple(outputs.shape)}"
        fail(function, "labels", "one for each output", got, "Use -1 for unlabeled points.")
    labeled = labels[labels != UNLABELED]
    if len(labeled) == 0:
        remedy = "Check the mask that chose the labeled points."
        fail(function, "labels", "given for at least one point", "none", remedy)
    wrong = labeled[(labeled < 0) | (labeled >= n_classes)]
    if len(wrong) > 0:
        must = f"between 0 and {n_classes - 1}, or -1 for unlabeled"
        remedy = "Number the classes 0, 1, 2, ... or give the model more outputs."
        fail(function, "labels", must, sorted(set(wrong.tolist()))[:5], remedy)
