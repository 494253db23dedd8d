"""Random tasks, those of the authors' code, and a training loop in plain steps: the oracle."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from diffresnet import DiffusionOperator, build_weights
from diffresnet.learning.tasks import BlockParameters, Initial, Schedule, Tasks, initial_parameters

PARAMETER_NAMES = (
    "fc1_weight",
    "fc1_bias",
    "fc2_weight",
    "fc2_bias",
    "classifier_weight",
    "classifier_bias",
)


def random_tasks(
    n_tasks: int = 2,
    shots: Sequence[int] = (1, 1, 1),
    n_unlabeled: int = 9,
    n_features: int = 6,
    *,
    seed: int = 0,
    noise: float = 1.0,
    dtype: torch.dtype = torch.float64,
    n_steps: int = 0,
    step_size: float = 0.5,
    prototype_weight: float = 0.0,
    output_laplacian_weight: float = 0.0,
    proportion_weight: float = 0.0,
) -> Tasks:
    """Return tasks of random clusters; the means of the labeled points are the prototypes."""
    generator = torch.Generator().manual_seed(seed)
    n_classes = len(shots)
    labels = torch.arange(n_classes).repeat_interleave(torch.tensor(shots))
    others = torch.arange(n_unlabeled) % n_classes
    centers = torch.randn(n_tasks, n_classes, n_features, generator=generator, dtype=torch.float64)
    points = centers[:, torch.cat([labels, others])]
    points = points + noise * torch.randn(points.shape, generator=generator, dtype=torch.float64)
    points = torch.nn.functional.normalize(points, dim=-1)
    means = torch.stack([points[:, : len(labels)][:, labels == c].mean(1) for c in labels.unique()])
    distances = torch.cdist(means.transpose(0, 1), points[:, len(labels) :])
    weights = build_weights(points, min(7, points.shape[1]), bandwidth_rank=2)
    return Tasks(
        points.to(dtype),
        labels.expand(n_tasks, -1),
        n_classes,
        DiffusionOperator(weights.to(dtype)),
        step_size,
        n_steps,
        distances.to(dtype),
        prototype_weight,
        output_laplacian_weight,
        proportion_weight=proportion_weight,
    )


def random_start(tasks: Tasks, seed: int = 0) -> Initial:
    """Return what gives each task parameters of its own."""
    n_features = tasks.points.shape[-1]
    return lambda which: BlockParameters(
        *(
            tensor.to(tasks.points.dtype)
            for tensor in initial_parameters(seed + which, n_features, tasks.n_classes)
        )
    )


KINDS = ("internal", "convection", "external_mu0.01")


def digits_task(
    digits: dict[str, NDArray[Any]], task: int, shots: int, kind: str
) -> tuple[Tasks, Initial, Tensor]:
    """Return a task of the authors' code, where its training began, and the logits it got."""

    def tensor(name: str) -> Tensor:
        return torch.from_numpy(digits[f"t{task}_{shots}shot_{name}"])

    points, prototypes = tensor("points"), tensor("rectified_prototypes")
    distances = torch.cdist(prototypes, points[5 * shots :]).unsqueeze(0)
    operator = DiffusionOperator(tensor("weights").unsqueeze(0))
    labels = torch.arange(5).repeat_interleave(shots).unsqueeze(0)
    settings: dict[str, Callable[[], Tasks]] = {
        "internal": lambda: Tasks(
            points.unsqueeze(0),
            labels,
            5,
            operator,
            n_steps={1: 6, 5: 3}[shots],
            prototype_distances=distances,
            prototype_weight={1: 0.0, 5: 0.5}[shots],
        ),
        "convection": lambda: Tasks(points.unsqueeze(0), labels, 5),
        "external_mu0.01": lambda: Tasks(
            points.unsqueeze(0), labels, 5, operator, output_laplacian_weight=0.01
        ),
    }
    start = BlockParameters(*(tensor(f"init_{name}") for name in PARAMETER_NAMES))
    return settings[kind](), lambda _: start, tensor(f"logits_{kind}")


def written_loss(tasks: Tasks, which: int, logits: Tensor) -> Tensor:
    """Return the loss of one task, term by term, for logits (K, N) of its points."""
    n_labeled = tasks.n_labeled
    logs = logits.log_softmax(dim=0)
    loss = -sum(logs[int(c), i] for i, c in enumerate(tasks.labels[which])) / n_labeled
    if tasks.prototype_weight > 0:
        assert tasks.prototype_distances is not None
        probabilities = logits[:, n_labeled:].softmax(dim=0)
        loss = (
            loss + tasks.prototype_weight * (probabilities * tasks.prototype_distances[which]).sum()
        )
    if tasks.proportion_weight > 0:
        means = logits[:, n_labeled:].softmax(dim=0).mean(dim=1)
        n_unlabeled = logits.shape[1] - n_labeled
        loss = loss + tasks.proportion_weight * n_unlabeled * sum(mean**2 for mean in means)
    if tasks.output_laplacian_weight > 0:
        assert tasks.operator is not None
        apart = (logits.unsqueeze(1) - logits.unsqueeze(2)).square().sum(dim=0)
        pulls = tasks.operator.weights[which] * apart
        loss = loss + tasks.output_laplacian_weight * pulls.sum()
    assert isinstance(loss, Tensor)
    return loss


def written_logits(tasks: Tasks, which: int, parameters: Sequence[Tensor]) -> Tensor:
    """Return the logits (K, N) of one task, layer by layer and step by step."""
    fc1_weight, fc1_bias, fc2_weight, fc2_bias, classifier_weight, classifier_bias = parameters
    x = tasks.points[which]
    x = x + (x @ fc1_weight.T + fc1_bias).relu() @ fc2_weight.T + fc2_bias
    for _ in range(tasks.n_steps):
        assert tasks.operator is not None
        weights = tasks.operator.weights[which]
        x = x - tasks.step_size * (weights.sum(dim=1, keepdim=True) * x - weights @ x)
    return (x @ classifier_weight.T + classifier_bias).T


def train_by_hand(tasks: Tasks, which: int, schedule: Schedule, start: BlockParameters) -> Tensor:
    """Return the logits (K, N) of one task after momentum descent, written out."""
    parameters = [tensor.clone().requires_grad_() for tensor in start]
    velocities = [torch.zeros_like(tensor) for tensor in start]
    rate = schedule.learning_rate
    milestones = [int(part * schedule.n_epochs) for part in schedule.milestones]
    for epoch in range(schedule.n_epochs):
        for milestone in milestones:
            if epoch == milestone:
                rate *= schedule.factor
        loss = written_loss(tasks, which, written_logits(tasks, which, parameters))
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for x, velocity, gradient in zip(parameters, velocities, gradients, strict=True):
                velocity.copy_(schedule.momentum * velocity + gradient + schedule.weight_decay * x)
                x.copy_(x - rate * velocity)
    return written_logits(tasks, which, parameters).detach()
