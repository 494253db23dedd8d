from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from diffresnet import DiffusionOperator
from diffresnet.learning import (
    Batch,
    CrossEntropy,
    LaplacianPenalty,
    LossTerm,
    ProportionLoss,
    PrototypicalLoss,
)
from tests import reference


def randn(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def batch_of(labels: list[int]) -> Batch:
    return Batch((), torch.tensor(labels))


def test_cross_entropy_is_a_mean_over_labeled_points() -> None:
    outputs = randn(4, 3)
    logs = outputs.log_softmax(dim=1)
    expected = -(logs[0, 2] + logs[3, 0]) / 2
    torch.testing.assert_close(CrossEntropy()(outputs, batch_of([2, -1, -1, 0])), expected)


def test_cross_entropy_of_a_batch_of_problems() -> None:
    outputs, labels = randn(5, 3, 3), torch.arange(15).reshape(5, 3) % 3
    expected = torch.nn.functional.cross_entropy(outputs.flatten(0, 1), labels.flatten())
    torch.testing.assert_close(CrossEntropy()(outputs, Batch((), labels)), expected)


def test_laplacian_penalty_is_the_sum_over_all_pairs() -> None:
    weights, outputs = randn(4, 4).abs(), randn(4, 3)
    expected = 0.01 * 2 * reference.energy(weights.tolist(), outputs.tolist())
    penalty = LaplacianPenalty(DiffusionOperator(weights), 0.01)
    assert penalty(outputs, batch_of([0, 0, 0, 0])).item() == pytest.approx(expected)


def test_prototypical_loss_is_the_sum_over_queries() -> None:
    outputs, distances = randn(5, 3), randn(2, 3).abs()
    rows = torch.tensor([1, 4])
    expected = sum(
        0.5 * float(outputs[row].softmax(dim=0)[c]) * float(distances[i, c])
        for i, row in enumerate((1, 4))
        for c in range(3)
    )
    loss = PrototypicalLoss(rows, distances, 0.5)
    assert loss(outputs, batch_of([0] * 5)).item() == pytest.approx(expected)


def test_proportion_loss_is_least_for_even_classes() -> None:
    loss, batch = ProportionLoss(torch.tensor([0, 1, 2]), 0.5), batch_of([-1] * 3)
    even, uneven = 50 * torch.eye(3), torch.tensor([[50.0, 0, 0]] * 3)
    assert loss(even, batch).item() == pytest.approx(0.5 * 3 * 3 * (1 / 3) ** 2)
    assert loss(uneven, batch).item() == pytest.approx(0.5 * 3)
    assert loss(torch.zeros(3, 3), batch).item() == pytest.approx(loss(even, batch).item())


@pytest.mark.parametrize(
    "term",
    [
        CrossEntropy(),
        CrossEntropy(label_smoothing=0.1),
        LaplacianPenalty(DiffusionOperator(randn(4, 4).abs().to_sparse_csr()), 0.1),
        PrototypicalLoss(torch.tensor([2, 3]), randn(2, 3).abs(), 0.5),
        ProportionLoss(torch.tensor([2, 3]), 0.5),
    ],
)
def test_gradients(term: LossTerm) -> None:
    def loss(outputs: Tensor) -> Tensor:
        return term(outputs, batch_of([0, 1, -1, -1]))

    assert torch.autograd.gradcheck(loss, (randn(4, 3).requires_grad_(),))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: CrossEntropy()(randn(2, 3), batch_of([0, 3])),
            "CrossEntropy: `labels` must be between 0 and 2, or -1 for unlabeled, got [3]. "
            "Number the classes 0, 1, 2, ... or give the model more outputs.",
        ),
        (
            lambda: CrossEntropy()(randn(2, 3), batch_of([-1, -1])),
            "CrossEntropy: `labels` must be given for at least one point, got none. "
            "Check the mask that chose the labeled points.",
        ),
        (
            lambda: CrossEntropy()(randn(2, 3), batch_of([0])),
            "CrossEntropy: `labels` must be one for each output, got shape (1,) for outputs of "
            "shape (2, 3). Use -1 for unlabeled points.",
        ),
        (
            lambda: CrossEntropy()(randn(2, 3), Batch((), torch.zeros(2))),
            "CrossEntropy: `labels` must be integers, got torch.float32. "
            "Number the classes 0, 1, 2, ....",
        ),
        (
            lambda: PrototypicalLoss(torch.tensor([True]), randn(1, 3), 0.5),
            "PrototypicalLoss: `rows` must be integers beside 2-D distances, got torch.bool rows "
            "and distances of shape (1, 3). Turn a mask into rows by `mask.nonzero().flatten()`.",
        ),
        (
            lambda: LaplacianPenalty(DiffusionOperator(torch.eye(2)), -1.0),
            "LaplacianPenalty: `weight` must be a finite number of at least 0, got -1. "
            "Pass a non-negative `weight`.",
        ),
        (
            lambda: PrototypicalLoss(torch.tensor([0]), randn(2, 3), 0.5),
            "PrototypicalLoss: `distances` must be one row a query, got 2 rows for 1 queries. "
            "Pass the distances of the same queries.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message
