from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import MultiStepLR

from diffresnet import DiffusionOperator
from diffresnet.learning.tasks import Schedule, Tasks, initial_parameters
from diffresnet.nn import DiffResNet
from tests import reference
from tests.learning.examples import random_tasks, written_loss

POINTS, LABELS = torch.zeros(2, 4, 3), torch.tensor([[0, 1], [1, 0]])


def test_rates_of_the_paper() -> None:
    assert Schedule().rates() == pytest.approx([0.1] * 50 + [0.01] * 25 + [0.001] * 25)


@pytest.mark.parametrize("n_epochs", [0, 1, 2, 3, 10, 99])
@pytest.mark.parametrize("milestones", [(), (0.5, 0.75), (0.2, 0.2), (0.0, 1.0)])
def test_rates_are_those_of_torch(n_epochs: int, milestones: tuple[float, ...]) -> None:
    schedule = Schedule(0.3, n_epochs=n_epochs, milestones=milestones, factor=0.2)
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.3)
    scheduler = MultiStepLR(optimizer, schedule.milestone_epochs, gamma=0.2)
    expected: list[float] = []
    for _ in range(n_epochs):
        expected.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    assert schedule.rates() == pytest.approx(expected)


def test_initial_parameters_are_like_those_of_torch() -> None:
    drawn = initial_parameters(3, 200, 4)
    theirs = dict(DiffResNet(200, 4, step_size=0.0, n_steps=0).named_parameters())
    assert [tuple(tensor.shape) for tensor in drawn] == [tuple(p.shape) for p in theirs.values()]
    for ours, name in zip(drawn, theirs, strict=True):
        # Those of the layers are uniform in +-1/sqrt(200): compare size, bounds and spread.
        bound = 200**-0.5
        assert ours.abs().max() <= bound, name
        if ours.numel() >= 200:
            assert ours.abs().max() > 0.97 * bound, name
            assert float(ours.std()) == pytest.approx(bound / 3**0.5, rel=0.15), name
            assert abs(float(ours.mean())) < 0.2 * bound, name
    assert not torch.equal(drawn.fc1_weight, drawn.fc2_weight)


def test_initial_parameters_depend_on_the_seed_only() -> None:
    torch.manual_seed(1)
    first = initial_parameters(2**61, 5, 3)
    state = torch.get_rng_state()
    again, other = initial_parameters(2**61, 5, 3), initial_parameters(7, 5, 3)
    assert torch.equal(torch.get_rng_state(), state)
    for x, y, z in zip(first, again, other, strict=True):
        assert torch.equal(x, y)
        assert not torch.equal(x, z)


@pytest.mark.parametrize("n_steps", [1, 4])
def test_diffuse_is_the_loop(n_steps: int) -> None:
    tasks = random_tasks(n_steps=n_steps, step_size=0.3)
    assert tasks.operator is not None
    diffused = tasks.diffuse(tasks.points)
    for weights, x, found in zip(tasks.operator.weights, tasks.points, diffused, strict=True):
        expected = reference.diffuse(weights.tolist(), x.tolist(), 0.3, n_steps)
        torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize("n_rows", [1, 3, 8])
@pytest.mark.parametrize("n_steps", [0, 1, 2, 5, 40])
def test_both_sides_are_diffused(n_steps: int, n_rows: int) -> None:
    tasks = random_tasks(2, n_steps=n_steps)
    own = torch.eye(tasks.points.shape[1], dtype=torch.float64)
    spread = tasks.diffuse(own.expand(2, -1, -1))
    expected = (spread @ tasks.gram @ spread.mT)[:, :n_rows]
    torch.testing.assert_close(tasks.diffuse_both_sides(tasks.gram, n_rows), expected)


def test_without_steps_nothing_is_diffused() -> None:
    for tasks in (random_tasks(n_steps=0), random_tasks(n_steps=3, step_size=0.0)):
        assert tasks.propagator is None
        assert torch.equal(tasks.diffuse(tasks.points), tasks.points)


def test_targets_and_inner_products() -> None:
    tasks = Tasks(POINTS, LABELS, 3)
    first, second = [[1, 0], [0, 1], [0, 0]], [[0, 1], [1, 0], [0, 0]]
    assert tasks.targets.tolist() == [first, second]
    tasks = random_tasks()
    expected = [[x @ y for y in tasks.points[1]] for x in tasks.points[1]]
    torch.testing.assert_close(tasks.gram[1], torch.tensor(expected, dtype=torch.float64))
    given = torch.ones(2, 4, 4)
    assert Tasks(POINTS, LABELS, 3, inner_products=given).gram is given


@pytest.mark.parametrize("prototype_weight", [0.0, 0.7])
@pytest.mark.parametrize("output_laplacian_weight", [0.0, 0.03])
@pytest.mark.parametrize("proportion_weight", [0.0, 0.4])
@pytest.mark.parametrize("shots", [(1,), (2, 1), (1, 3, 2)])
def test_loss_gradient_is_that_of_the_loss(
    prototype_weight: float,
    output_laplacian_weight: float,
    proportion_weight: float,
    shots: tuple[int, ...],
) -> None:
    tasks = random_tasks(
        3,
        shots,
        prototype_weight=prototype_weight,
        output_laplacian_weight=output_laplacian_weight,
        proportion_weight=proportion_weight,
    )
    generator = torch.Generator().manual_seed(1)
    shape = 3, tasks.n_classes, tasks.points.shape[1]
    logits = torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True)
    total = sum(written_loss(tasks, which, logits[which]) for which in range(3))
    assert isinstance(total, Tensor)
    (expected,) = torch.autograd.grad(total, logits)
    weights = (prototype_weight, output_laplacian_weight, proportion_weight)
    assert tasks.sees_unlabeled == any(weights)
    before = logits.detach().clone()
    found = tasks.loss_gradient(before)
    assert torch.equal(before, logits)
    if tasks.sees_unlabeled:
        torch.testing.assert_close(found, expected)
    else:
        torch.testing.assert_close(found, expected[..., : tasks.n_labeled])
        assert not expected[..., tasks.n_labeled :].any()
        of_labeled = tasks.loss_gradient(before[..., : tasks.n_labeled])
        torch.testing.assert_close(of_labeled, found)


def test_some_of_the_tasks() -> None:
    tasks = random_tasks(
        4, (2, 1), n_steps=2, prototype_weight=0.5, output_laplacian_weight=0.1, seed=2
    )
    some = tasks[1:3]
    logits = torch.randn(4, 2, 12, generator=torch.Generator().manual_seed(0)).double()
    torch.testing.assert_close(
        some.loss_gradient(logits[1:3]), tasks.loss_gradient(logits)[1:3], rtol=1e-12, atol=1e-14
    )
    torch.testing.assert_close(some.diffuse(some.points), tasks.diffuse(tasks.points)[1:3])
    torch.testing.assert_close(some.gram, tasks.gram[1:3])
    assert torch.equal(some.labels, tasks.labels[1:3])
    given = torch.arange(2.0).reshape(2, 1, 1).expand(2, 4, 4)
    assert (Tasks(POINTS, LABELS, 3, inner_products=given)[1:2].gram == 1).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: Tasks(POINTS, torch.tensor([0, 1]), 2),
            "Tasks: `labels` must be of shape (2, n_labeled), got shape (2,). "
            "Pass the labels of the first points of each task.",
        ),
        (
            lambda: Tasks(POINTS, torch.zeros(2, 5, dtype=torch.int64), 2),
            "Tasks: `labels` must be of shape (2, n_labeled), got shape (2, 5). "
            "Pass the labels of the first points of each task.",
        ),
        (
            lambda: Tasks(POINTS, torch.zeros(2, 0, dtype=torch.int64), 2),
            "Tasks: `labels` must be at least one a task, got none. Label a point.",
        ),
        (
            lambda: Tasks(POINTS, LABELS, 1),
            "Tasks: `labels` must be between 0 and 0, got 0 to 1. Number the classes 0, 1, 2, ....",
        ),
        (
            lambda: Tasks(POINTS, LABELS - 1, 2),
            "Tasks: `labels` must be between 0 and 1, got -1 to 0. "
            "Number the classes 0, 1, 2, ....",
        ),
        (
            lambda: Tasks(POINTS, LABELS, 2, n_steps=1),
            "Tasks: `operator` must be a DiffusionOperator, got None. "
            "Pass one, or leave diffusion out.",
        ),
        (
            lambda: Tasks(POINTS, LABELS, 2, output_laplacian_weight=0.1),
            "Tasks: `operator` must be a DiffusionOperator, got None. "
            "Pass one, or leave diffusion out.",
        ),
        (
            lambda: Tasks(
                POINTS, LABELS, 2, DiffusionOperator(torch.ones(4, 4).triu().expand(2, 4, 4))
            ),
            "Tasks: `operator` must be symmetric, got weights that differ from their transpose. "
            "Use the normalization 'symmetric' or 'sinkhorn'.",
        ),
        (
            lambda: Tasks(POINTS, LABELS, 2, prototype_weight=0.5),
            "Tasks: `prototype_distances` must be given for a prototypical loss, got None. "
            "Pass it, or a `prototype_weight` of 0.",
        ),
        (
            lambda: Tasks(POINTS, LABELS, 2, step_size=-1.0),
            "Tasks: `step_size` must be a finite number of at least 0, got -1. "
            "Pass a non-negative `step_size`.",
        ),
        (
            lambda: Tasks(POINTS, LABELS, 2, n_steps=-1),
            "Tasks: `n_steps` must be at least 0, got -1. Raise `n_steps`.",
        ),
        (
            lambda: Tasks(POINTS, LABELS, 2, prototype_weight=float("nan")),
            "Tasks: `prototype_weight` must be a finite number of at least 0, got nan. "
            "Pass a non-negative `prototype_weight`.",
        ),
        (
            lambda: Tasks(POINTS, LABELS, 2, output_laplacian_weight=-0.1),
            "Tasks: `output_laplacian_weight` must be a finite number of at least 0, got -0.1. "
            "Pass a non-negative `output_laplacian_weight`.",
        ),
        (
            lambda: Schedule(learning_rate=0.0),
            "Schedule: `learning_rate` must be a finite positive number, got 0. "
            "Pass a positive `learning_rate`.",
        ),
        (
            lambda: Schedule(momentum=-0.1),
            "Schedule: `momentum` must be a finite number of at least 0, got -0.1. "
            "Pass a non-negative `momentum`.",
        ),
        (
            lambda: Schedule(weight_decay=-1.0),
            "Schedule: `weight_decay` must be a finite number of at least 0, got -1. "
            "Pass a non-negative `weight_decay`.",
        ),
        (
            lambda: Schedule(n_epochs=-1),
            "Schedule: `n_epochs` must be at least 0, got -1. Raise `n_epochs`.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message
