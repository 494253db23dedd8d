from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from diffresnet.fewshot import Episodes
from diffresnet.fewshot.methods import NearestPrototype, Tim
from diffresnet.fewshot.methods.tim import Moments
from tests.fewshot.examples import assert_contract, means_by_loops, random_episodes


def short_episodes(n_tasks: int, shots: tuple[int, ...]) -> Episodes:
    """Return points as short as those that TIM is made for, so that no chance rounds to 0."""
    episodes = random_episodes(n_tasks, shots)
    return replace(episodes, support=episodes.support / 3, query=episodes.query / 3)


def entropy(probabilities: Tensor, order: float | None) -> Tensor:
    """Return the entropy of each row."""
    if order is None:
        return -(probabilities * probabilities.log()).sum(dim=-1)
    return (1 - probabilities.pow(order).sum(dim=-1)) / (order - 1)


def loss_of(method: Tim, episodes: Episodes, which: int, weights: Tensor) -> Tensor:
    """Return the loss of one task as it is written."""
    support, query = episodes.support[which], episodes.query[which]
    scores = -method.sharpness * torch.cdist(support, weights).square()
    errors = torch.nn.functional.cross_entropy(scores, episodes.labels[which])
    probabilities = (-method.sharpness * torch.cdist(query, weights).square()).softmax(dim=-1)
    marginal = entropy(probabilities.mean(dim=0), method.order)
    conditional = entropy(probabilities, method.order).mean()
    return method.support_weight * errors - marginal + method.conditional_weight * conditional


def share_moments(weights: Tensor, state: dict[str, Tensor], method: Tim, step: int) -> None:
    """Move each weight vector as Adam does, with the mean of its second moments."""
    slope = weights.grad
    assert slope is not None
    state["m"] = 0.9 * state["m"] + 0.1 * slope
    state["v"] = 0.999 * state["v"] + 0.001 * slope.square().mean(dim=1, keepdim=True)
    length = (state["v"] / (1 - 0.999**step)).sqrt() + 1e-8
    with torch.no_grad():
        weights -= method.learning_rate * state["m"] / (1 - 0.9**step) / length


def weights_by_autograd(method: Tim, episodes: Episodes, which: int) -> Tensor:
    means = means_by_loops(episodes.support[which].numpy(), episodes.labels[which].tolist())
    weights = torch.stack([torch.from_numpy(p) for p in means]).requires_grad_()
    optimizer = torch.optim.Adam([weights], lr=method.learning_rate)
    state = {"m": torch.zeros_like(weights), "v": torch.zeros_like(weights[:, :1])}
    for step in range(1, method.n_rounds + 1):
        optimizer.zero_grad()
        loss_of(method, episodes, which, weights).backward()
        if method.moments == "own":
            optimizer.step()
        else:
            share_moments(weights, state, method, step)
    return weights.detach()


@pytest.mark.parametrize("moments", ["own", "shared"])
@pytest.mark.parametrize(
    "method",
    [
        Tim(learning_rate=1e-2, n_rounds=25),
        Tim(2.0, 1.0, 1.0, learning_rate=1e-2, n_rounds=25),
        Tim(7.0, 1.0, 1.0, learning_rate=1e-2, n_rounds=25),
        Tim(0.5, 0.3, 0.7, learning_rate=1e-2, n_rounds=25),
        Tim(None, 0.0, 0.0, 1.0, 1e-1, 20),
    ],
)
@pytest.mark.parametrize("shots", [(2, 1, 3), (1, 1, 1, 1, 1)])
def test_equals_autograd(method: Tim, shots: tuple[int, ...], moments: Moments) -> None:
    method = replace(method, moments=moments)
    episodes = short_episodes(3, shots)
    scores = method(episodes)
    for which, found in enumerate(scores):
        weights = weights_by_autograd(method, episodes, which)
        expected = -method.sharpness * torch.cdist(episodes.query[which], weights).square()
        torch.testing.assert_close(
            found.log_softmax(dim=-1), expected.log_softmax(dim=-1), rtol=1e-7, atol=1e-7
        )


def test_contract() -> None:
    assert_contract(Tim(n_rounds=40, learning_rate=1e-2), tolerance=1e-6)
    assert_contract(Tim(n_rounds=40, learning_rate=1e-2, moments="own"), tolerance=1e-6)
    assert_contract(Tim(2.0, 1.0, 1.0, n_rounds=40, learning_rate=1e-2), tolerance=1e-6)


def test_without_rounds_it_is_the_nearest_prototype() -> None:
    episodes = random_episodes()
    expected = 7.5 * NearestPrototype()(episodes)
    torch.testing.assert_close(Tim(n_rounds=0)(episodes), expected)


def test_the_loss_falls() -> None:
    method, episodes = Tim(n_rounds=60, learning_rate=1e-2), short_episodes(3, (1, 1, 1))
    untrained = replace(method, n_rounds=0)
    for which in range(3):
        before = loss_of(method, episodes, which, weights_by_autograd(untrained, episodes, which))
        after = loss_of(method, episodes, which, weights_by_autograd(method, episodes, which))
        assert after < before - 1e-2


@pytest.mark.parametrize("order", [None, 0.5, 2.0, 7.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_sure_chances_stay_finite(order: float | None, dtype: torch.dtype) -> None:
    episodes = random_episodes(dtype=dtype)
    far = replace(episodes, support=1e3 * episodes.support, query=1e3 * episodes.query)
    assert Tim(order, n_rounds=20)(far).isfinite().all()
    assert Tim(order, n_rounds=20, moments="own")(far).isfinite().all()


def test_shared_moments_do_not_see_rotations() -> None:
    episodes = short_episodes(3, (1, 2, 3))
    generator = torch.Generator().manual_seed(1)
    turn = torch.linalg.qr(torch.randn(7, 7, generator=generator, dtype=torch.float64)).Q
    turned = replace(episodes, support=episodes.support @ turn, query=episodes.query @ turn)
    method = Tim(n_rounds=30, learning_rate=1e-2)
    torch.testing.assert_close(method(turned), method(episodes))
    own = replace(method, moments="own")
    assert not torch.allclose(own(turned), own(episodes), atol=1e-4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: Tim(1.0),
            "Tim: `order` must be other than 1, got 1. Pass None for Shannon's entropy.",
        ),
        (
            lambda: Tim(0.0),
            "Tim: `order` must be a finite positive number, got 0. Pass a positive `order`.",
        ),
        (
            lambda: Tim(support_weight=-1.0),
            "Tim: `support_weight` must be a finite number of at least 0, got -1. "
            "Pass a non-negative `support_weight`.",
        ),
        (
            lambda: Tim(conditional_weight=-1.0),
            "Tim: `conditional_weight` must be a finite number of at least 0, got -1. "
            "Pass a non-negative `conditional_weight`.",
        ),
        (
            lambda: Tim(sharpness=0.0),
            "Tim: `sharpness` must be a finite positive number, got 0. "
            "Pass a positive `sharpness`.",
        ),
        (
            lambda: Tim(learning_rate=0.0),
            "Tim: `learning_rate` must be a finite positive number, got 0. "
            "Pass a positive `learning_rate`.",
        ),
        (
            lambda: Tim(n_rounds=-1),
            "Tim: `n_rounds` must be at least 0, got -1. Raise `n_rounds`.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message
