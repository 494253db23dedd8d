import math

import pytest
import torch
from torch import Tensor

from diffresnet import DiffusionOperator
from diffresnet.learning.kernel_descent import AFTER_DIFFUSION, solve_factored, solve_kernel
from diffresnet.learning.kernels import residual_kernel
from diffresnet.learning.reordered import solve_reordered
from diffresnet.learning.tasks import Schedule, Tasks, initial_parameters
from tests import reference
from tests.learning.examples import random_start, random_tasks, written_loss
from tests.learning.test_task_descent import VARIANTS


def kernel_by_loops(points: list[list[float]]) -> list[list[float]]:
    """Return the kernel before diffusion, from expected values over Gaussians, pair by pair."""

    def product(x: list[float], y: list[float]) -> float:
        return sum(a * b for a, b in zip(x, y, strict=True))

    rows: list[list[float]] = []
    for x in points:
        row: list[float] = []
        for y in points:
            s_xx, s_yy = (product(x, x) + 1) / 3, (product(y, y) + 1) / 3
            s_xy = (product(x, y) + 1) / 3
            theta = math.acos(max(-1.0, min(1.0, s_xy / math.sqrt(s_xx * s_yy))))
            opening = math.pi - theta
            k1 = math.sqrt(s_xx * s_yy) * (math.sin(theta) + opening * math.cos(theta))
            k1, k0 = k1 / (2 * math.pi), opening / (2 * math.pi)
            of_w3 = product(x, y) + k1 / 3 + 1 / 3
            of_w2, of_w1 = k1 / 3, (product(x, y) + 1) * k0 / 9
            row.append(of_w3 + of_w2 + of_w1)
        rows.append(row)
    return rows


def whole_kernel(tasks: Tasks, which: int) -> Tensor:
    """Return P K P' + 4/3 of one task."""
    kernel = torch.tensor(kernel_by_loops(tasks.points[which].tolist()), dtype=torch.float64)
    assert tasks.operator is not None
    weights, n_points = tasks.operator.weights[which].tolist(), len(kernel)
    own: list[list[float]] = torch.eye(n_points).tolist()
    spread = torch.tensor(
        reference.diffuse(weights, own, tasks.step_size, tasks.n_steps), dtype=torch.float64
    )
    return spread @ kernel @ spread.T + 4 / 3


def tangent_kernel(points: Tensor, seed: int) -> Tensor:
    """Return the inner products of the gradients of one output of a random network."""
    drawn = initial_parameters(seed, points.shape[1], 1)
    parameters = [tensor.double().requires_grad_() for tensor in drawn]
    fc1_weight, fc1_bias, fc2_weight, fc2_bias, weight, bias = parameters
    x = points + (points @ fc1_weight.T + fc1_bias).relu() @ fc2_weight.T + fc2_bias
    outputs = (x @ weight.T + bias).squeeze(1)
    gradients = [
        torch.cat(
            [part.flatten() for part in torch.autograd.grad(out, parameters, retain_graph=True)]
        )
        for out in outputs
    ]
    return torch.stack(gradients) @ torch.stack(gradients).T


def special_points(n_features: int) -> Tensor:
    """Return points that are random, opposite, equal, and 0."""
    generator = torch.Generator().manual_seed(1)
    x, y = torch.randn(2, n_features, generator=generator, dtype=torch.float64)
    x, y = 1.5 * x / n_features**0.5, y / n_features**0.5
    return torch.stack([x, y, 3 * x - y, -x, x, torch.zeros_like(x)])


def test_residual_kernel_is_the_formula() -> None:
    sets = torch.stack([special_points(4), 10 * special_points(4)])
    found = residual_kernel(sets @ sets.mT)
    for points, kernel in zip(sets, found, strict=True):
        expected = torch.tensor(kernel_by_loops(points.tolist()), dtype=torch.float64)
        torch.testing.assert_close(kernel, expected, rtol=1e-7, atol=1e-7)


def test_residual_kernel_is_the_mean_tangent_kernel_of_wide_networks() -> None:
    points = special_points(512)
    mean = sum((tangent_kernel(points, seed) for seed in range(8)), torch.zeros(6, 6)) / 8
    expected = residual_kernel(points @ points.T) + 4 / 3
    assert (mean - expected).abs().max() < 0.02 * expected.abs().max()
    assert expected.abs().min() < 0.2 * expected.abs().max()  # not all alike


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_residual_kernel_is_positive_and_finite(dtype: torch.dtype) -> None:
    points = special_points(20).to(dtype)
    for scale in (0.0, 1e-6, 1.0, 1e3):
        kernel = residual_kernel((scale * points) @ (scale * points).T)
        assert kernel.isfinite().all()
        torch.testing.assert_close(kernel, kernel.T, rtol=1e-4, atol=1e-6)
        assert torch.linalg.eigvalsh(kernel).min() > -1e-3 * kernel.max()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "schedule", [Schedule(n_epochs=20), Schedule(n_epochs=10, momentum=0.0, weight_decay=0.2)]
)
def test_is_descent_of_a_linear_model_with_this_kernel(variant: str, schedule: Schedule) -> None:
    tasks = VARIANTS[variant]()
    found = solve_kernel(tasks, schedule)
    for which, logits in enumerate(found):
        values, vectors = torch.linalg.eigh(whole_kernel(tasks, which))
        features = vectors * values.clamp(min=0).sqrt()
        parameters = torch.zeros(
            tasks.n_classes, len(features), dtype=torch.float64, requires_grad=True
        )
        optimizer = torch.optim.SGD(
            [parameters], momentum=schedule.momentum, weight_decay=schedule.weight_decay
        )
        for rate in schedule.rates():
            optimizer.param_groups[0]["lr"] = rate
            optimizer.zero_grad()
            written_loss(tasks, which, parameters @ features.T).backward()
            optimizer.step()
        expected = (parameters @ features.T).detach()
        torch.testing.assert_close(logits, expected, rtol=1e-7, atol=1e-8)


def trained_and_linear(schedule: Schedule, n_networks: int) -> tuple[Tensor, Tensor]:
    """Return by how much training changes the logits of a wide network, and the kernel's logits."""
    tasks = random_tasks(1, (3, 1, 1), 12, 1024, n_steps=2, dtype=torch.float32)
    initials = [random_start(tasks, 100 * seed) for seed in range(n_networks)]
    untrained = Schedule(n_epochs=0)
    changes = [
        solve_reordered(tasks, schedule, initial) - solve_reordered(tasks, untrained, initial)
        for initial in initials
    ]
    return torch.stack(changes).mean(dim=0)[0], solve_kernel(tasks, schedule)[0]


@pytest.mark.parametrize("n_epochs", [1, 3])
def test_wide_networks_begin_to_learn_so(n_epochs: int) -> None:
    changes, logits = trained_and_linear(Schedule(n_epochs=n_epochs, milestones=()), n_networks=8)
    assert (changes - logits).abs().max() < 0.03 * logits.abs().max()


def test_wide_networks_learn_the_same_labels() -> None:
    # Their logits grow larger, at every width, but more or less in proportion.
    changes, logits = trained_and_linear(Schedule(), n_networks=3)
    assert torch.equal(changes.argmax(dim=0), logits.argmax(dim=0))
    correlation = torch.corrcoef(torch.stack([changes.flatten(), logits.flatten()]))[0, 1]
    assert correlation > 0.95


def test_nothing_is_drawn() -> None:
    tasks, state = random_tasks(n_steps=3), torch.get_rng_state()
    assert torch.equal(solve_kernel(tasks, Schedule()), solve_kernel(tasks, Schedule()))
    assert torch.equal(torch.get_rng_state(), state)


def test_no_epoch_gives_zeros() -> None:
    logits = solve_kernel(random_tasks(n_steps=3), Schedule(n_epochs=0))
    assert logits.shape == (2, 3, 12)
    assert not logits.any()


def test_only_inner_products_matter() -> None:
    tasks = random_tasks(n_steps=2, prototype_weight=0.3)
    generator = torch.Generator().manual_seed(0)
    noise = torch.randn(6, 6, generator=generator, dtype=torch.float64)
    turned = Tasks(
        tasks.points @ torch.linalg.qr(noise).Q,
        tasks.labels,
        tasks.n_classes,
        tasks.operator,
        n_steps=2,
        prototype_distances=tasks.prototype_distances,
        prototype_weight=0.3,
    )
    expected = solve_kernel(tasks, Schedule())
    torch.testing.assert_close(solve_kernel(turned, Schedule()), expected, rtol=1e-8, atol=1e-9)


def test_classes_and_points_may_be_renumbered() -> None:
    tasks = random_tasks(1, (2, 1, 1), 8, n_steps=2)
    assert tasks.operator is not None
    expected = solve_kernel(tasks, Schedule())
    swapped = torch.tensor([2, 0, 1])
    renamed = Tasks(tasks.points, swapped[tasks.labels], 3, tasks.operator, n_steps=2)
    torch.testing.assert_close(solve_kernel(renamed, Schedule())[:, swapped], expected)
    order = torch.tensor([0, 1, 2, 3, 11, 9, 4, 5, 6, 10, 8, 7])
    weights = tasks.operator.weights[:, order][:, :, order]
    moved = Tasks(tasks.points[:, order], tasks.labels, 3, DiffusionOperator(weights), n_steps=2)
    torch.testing.assert_close(solve_kernel(moved, Schedule()), expected[..., order])


def test_a_task_does_not_depend_on_the_others() -> None:
    tasks = random_tasks(5, (2, 1), n_steps=2, prototype_weight=0.4)
    together = solve_kernel(tasks, Schedule())
    torch.testing.assert_close(solve_kernel(tasks[3:4], Schedule())[0], together[3])
    assert not torch.allclose(together[0], together[3])


@pytest.mark.parametrize("variant", VARIANTS)
def test_factors_of_the_kernel_are_trained_as_the_kernel_is(variant: str) -> None:
    tasks = VARIANTS[variant]()
    schedule = Schedule(n_epochs=30)
    kernel = residual_kernel(tasks.gram)
    if tasks.propagator is not None:
        kernel = tasks.propagator @ kernel @ tasks.propagator
    values, vectors = torch.linalg.eigh(kernel + AFTER_DIFFUSION)
    factors = vectors * values.clamp(min=0).sqrt().unsqueeze(-2)
    found = solve_factored(factors, tasks, schedule) @ factors.mT
    torch.testing.assert_close(found, solve_kernel(tasks, schedule), rtol=1e-6, atol=1e-6)
