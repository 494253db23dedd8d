import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from diffresnet.fewshot.methods import Ilpc
from diffresnet.learning import proportions
from tests.fewshot.examples import Floats, assert_contract, assert_equals_loops, random_episodes
from tests.learning.test_proportions import memberships_by_loops


def spread_by_loops(points: Floats, labels: list[int | None], method: Ilpc) -> Floats:
    """Solve (I - alpha S) F = Y on the cubed cosines of the nearest."""
    n_points, n_classes = len(points), max(label for label in labels if label is not None) + 1
    links = np.zeros((n_points, n_points))
    for i in range(n_points):
        others = sorted(
            (j for j in range(n_points) if j != i), key=lambda j: -points[i] @ points[j]
        )
        for j in others[: method.n_neighbors]:
            links[i, j] = max(points[i] @ points[j], 0) ** 3
    links = links + links.T
    sums = links.sum(axis=1)
    balanced = links / np.sqrt(np.outer(sums, sums))
    targets = np.zeros((n_points, n_classes))
    for i, label in enumerate(labels):
        if label is not None:
            targets[i, label] = 1
    found = np.linalg.solve(np.eye(n_points) - method.alpha * balanced, targets)
    return found.astype(np.float64)


def losses_by_autograd(
    points: Floats, support: Floats, known: list[int], labels: list[int], method: Ilpc
) -> Floats:
    """Return the mean loss of each label while a linear layer learns them all."""
    n_classes = max(known) + 1
    layer = nn.Linear(points.shape[1], n_classes).double()
    with torch.no_grad():
        layer.bias.zero_()
        for c in range(n_classes):
            mean = np.mean([x for x, k in zip(support, known, strict=True) if k == c], axis=0)
            layer.weight[c] = torch.from_numpy(mean / np.linalg.norm(mean))
    optimizer = torch.optim.SGD(
        layer.parameters(), lr=method.learning_rate, momentum=0.9, weight_decay=5e-4
    )
    losses = torch.zeros(len(points), dtype=torch.float64)
    for _ in range(method.n_epochs):
        optimizer.zero_grad()
        each = nn.functional.cross_entropy(
            layer(torch.from_numpy(points)), torch.tensor(labels), reduction="none"
        )
        each.mean().backward()
        losses += each.detach()
        optimizer.step()
    return losses.numpy()


def by_loops(method: Ilpc, support: Floats, known: list[int], query: Floats) -> Floats:
    points = np.concatenate([support, query])
    points = points / np.linalg.norm(points, axis=1, keepdims=True)
    n_support, n_classes = len(support), max(known) + 1
    labels: list[int | None] = [*known, *[None] * len(query)]
    decided = np.zeros((len(query), n_classes))
    for _ in range(math.ceil(len(query) / (method.n_kept * n_classes))):
        found = np.maximum(spread_by_loops(points, labels, method)[n_support:], 1e-10)
        logs = method.sharpness * np.log(found / found.sum(axis=1, keepdims=True))
        for i, label in enumerate(labels[n_support:]):
            if label is not None:
                logs[i] = 30.0 * np.eye(n_classes)[label]
        now = np.log(np.array(memberships_by_loops(logs.T.tolist(), method.balance)) + 1e-300)
        open_ = [i for i, label in enumerate(labels[n_support:]) if label is None]
        decided[open_] = now[open_]
        best = [int(row.argmax()) for row in decided]
        losses = losses_by_autograd(points, points[:n_support], known, [*known, *best], method)[
            n_support:
        ]
        for c in range(n_classes):
            own = sorted((i for i in open_ if best[i] == c), key=lambda i: losses[i])
            for i in own[: method.n_kept]:
                labels[n_support + i] = c
    return decided


@pytest.mark.parametrize(
    "method",
    [
        Ilpc(4, n_epochs=30, balance=0.5),
        Ilpc(6, 0.5, 1.0, 2, 10, balance=1.0),
        Ilpc(5, n_epochs=3, balance=0.0),
    ],
)
def test_equals_loops(method: Ilpc, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proportions, "TRANSPORT_TOLERANCE", 1e-12)
    episodes = random_episodes(2)
    assert_equals_loops(method, partial(by_loops, method), episodes, tolerance=1e-6)


def test_contract() -> None:
    assert_contract(Ilpc(5, n_epochs=20, balance=1.0), tolerance=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: Ilpc(0),
            "Ilpc: `n_neighbors` must be at least 1, got 0. Raise `n_neighbors`.",
        ),
        (
            lambda: Ilpc(alpha=1.0),
            "Ilpc: `alpha` must be below 1, got 1. Lower `alpha`.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message
