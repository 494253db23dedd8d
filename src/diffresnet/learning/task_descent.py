"""Train the network of each task by autograd, one after the other: plain, slow, the reference."""

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import pad
from torch.optim import SGD
from torch.optim.lr_scheduler import MultiStepLR

from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.learning.descent import Descent
from diffresnet.learning.labels import UNLABELED
from diffresnet.learning.losses import (
    Batch,
    CrossEntropy,
    LaplacianPenalty,
    LossTerm,
    ProportionLoss,
    PrototypicalLoss,
)
from diffresnet.learning.tasks import BlockParameters, Initial, Schedule, Tasks
from diffresnet.nn import DiffResNet


def solve_by_descent(tasks: Tasks, schedule: Schedule, initial: Initial) -> Tensor:
    """Return the logits (T, K, N) of every point after training."""
    descent = Descent(
        partial(
            SGD,
            lr=schedule.learning_rate,
            momentum=schedule.momentum,
            weight_decay=schedule.weight_decay,
        ),
        schedule.n_epochs,
        partial(MultiStepLR, milestones=schedule.milestone_epochs, gamma=schedule.factor),
        show_progress=False,
    )
    trained = [
        _solve_one(tasks[which : which + 1], descent, initial(which))
        for which in range(len(tasks.points))
    ]
    return torch.stack(trained)


def _solve_one(task: Tasks, descent: Descent, parameters: BlockParameters) -> Tensor:
    points = task.points[0]
    operator = None if task.operator is None else DiffusionOperator(task.operator.weights[0])
    with torch.device("meta"):  # without drawing parameters: they are given
        model = DiffResNet(
            points.shape[1],
            task.n_classes,
            step_size=task.step_size,
            n_steps=task.n_steps,
            method="euler",
        )
    given = (tensor.detach().to(points, copy=True) for tensor in parameters)
    model.load_state_dict(dict(zip(model.state_dict(), given, strict=True)), assign=True)
    n_unlabeled = len(points) - task.n_labeled
    labels = pad(task.labels[0].long(), (0, n_unlabeled), value=UNLABELED)
    batch = Batch((points, operator), labels)
    with torch.enable_grad():  # evaluations turn gradients off
        history = descent.train(model, lambda: [batch], _terms(task, operator))
    if history.ending == "interrupted":  # a task that is half learned is of no use
        raise KeyboardInterrupt
    with torch.no_grad():
        return model(points, operator).mT


def _terms(task: Tasks, operator: DiffusionOperator | None) -> Sequence[LossTerm]:
    terms: list[LossTerm] = [CrossEntropy()]
    rows = torch.arange(task.n_labeled, task.points.shape[1], device=task.points.device)
    if task.prototype_weight > 0 and task.prototype_distances is not None:
        terms.append(PrototypicalLoss(rows, task.prototype_distances[0].mT, task.prototype_weight))
    if task.proportion_weight > 0 and len(rows) > 0:
        terms.append(ProportionLoss(rows, task.proportion_weight))
    if task.output_laplacian_weight > 0 and operator is not None:
        terms.append(LaplacianPenalty(operator, task.output_laplacian_weight))
    return terms
