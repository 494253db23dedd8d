"""Moon, circle and spiral (Section 5.1, Appendix E.1.4): 18 parameters, diffused or not."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from diffresnet.datasets import SyntheticSet, make_circle, make_moon, make_spiral
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.learning import Batch, CrossEntropy, Descent, DivergenceError
from diffresnet.nn import DiffResNet
from diffresnet.paper.settings import (
    SYNTHETIC,
    SYNTHETIC_EPOCHS,
    SYNTHETIC_MOMENTUM,
    SYNTHETIC_WEIGHT_DECAY,
)

MAKERS: dict[str, Callable[[torch.Generator], SyntheticSet]] = {
    "moon": make_moon,
    "circle": make_circle,
    "spiral": make_spiral,
}

LATE_EPOCHS = 5


@dataclass(frozen=True)
class Recipe:
    """How the 18 parameters are learned.

    Attributes:
        renew_optimizer: made anew every epoch, as in the authors' code: momentum never builds up.
        learning_rate: None for that of the paper.
    """

    renew_optimizer: bool
    learning_rate: float | None = None


RECIPES = {
    "authors": Recipe(renew_optimizer=True),
    "momentum": Recipe(renew_optimizer=False),
    "reliable": Recipe(renew_optimizer=False, learning_rate=0.1),
}
"""The authors' code; the paper's text; and a tenth of its learning rate, with momentum kept."""


@dataclass(frozen=True)
class SyntheticRun:
    """One training.

    Attributes:
        accuracies: over all points, by epoch; epoch 0 is the untrained model. After epoch 20 only
            every fifth is evaluated; its accuracy stands for those that follow.
        features: what the classifier sees at epochs 0, 10 and 20, (N, 2) each.
        n_dead_units: hidden units that are zero at every point, at the end.
        diverged: the loss became infinite or NaN; the accuracy counts as 0 from then on.
    """

    accuracies: tuple[float, ...]
    features: dict[int, Tensor]
    n_dead_units: int
    diverged: bool


@dataclass(frozen=True)
class Problem:
    """A planar set, with its diffusion collapsed into one step (None: without diffusion)."""

    name: str
    points: Tensor
    labels: Tensor
    operator: DiffusionOperator | None


def make_problem(name: str, seed: int, *, diffused: bool) -> Problem:
    """Draw a planar set by its name and build the paper's diffusion of it."""
    data = MAKERS[name](torch.Generator().manual_seed(seed))
    settings = SYNTHETIC[name]
    operator = None
    if diffused:
        steps = settings.diffusion.operator(data.points)
        operator = steps.collapse(settings.diffusion.step_size, settings.n_steps).to(torch.float32)
    return Problem(name, data.points.float(), data.labels, operator)


def train_synthetic(
    problem: Problem, recipe: Recipe, *, seed: int = 0, n_epochs: int = max(SYNTHETIC_EPOCHS)
) -> SyntheticRun:
    """Train Diff-ResNet on all labels of a planar set, from the initialization of a seed.

    Examples:
        >>> problem = make_problem("moon", seed=0, diffused=False)
        >>> run = train_synthetic(problem, RECIPES["authors"], n_epochs=20)
        >>> len(run.accuracies), sorted(run.features)
        (21, [0, 10, 20])
    """
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = DiffResNet(2, 2, step_size=1.0, n_steps=int(problem.operator is not None))
    inputs = problem.points, problem.operator
    features: dict[int, Tensor] = {}
    accuracies: list[float] = []

    def evaluate(_: object) -> dict[str, float]:
        epoch = len(accuracies)
        if epoch > max(SYNTHETIC_EPOCHS) and epoch % LATE_EPOCHS != 0 and epoch != n_epochs:
            accuracies.append(accuracies[-1])
            return {}
        seen = model.features(*inputs)
        if epoch in SYNTHETIC_EPOCHS:
            features[epoch] = seen
        right = model.classifier(seen).argmax(dim=1) == problem.labels
        accuracies.append(float(right.double().mean()))
        return {}

    make_optimizer = partial(
        torch.optim.SGD,
        lr=recipe.learning_rate or SYNTHETIC[problem.name].learning_rate,
        momentum=SYNTHETIC_MOMENTUM,
        weight_decay=SYNTHETIC_WEIGHT_DECAY,
    )
    descent = Descent(
        make_optimizer, n_epochs, renew_optimizer=recipe.renew_optimizer, show_progress=False
    )
    batch = Batch(inputs, problem.labels)
    diverged = False
    try:
        history = descent.train(model, lambda: [batch], [CrossEntropy()], evaluate=evaluate)
        if history.ending == "interrupted":
            raise KeyboardInterrupt
    except DivergenceError:
        diverged = True
    accuracies += [0.0] * (n_epochs + 1 - len(accuracies))  # without a network, nothing is right
    n_dead_units = _count_dead_units(model, problem)
    return SyntheticRun(tuple(accuracies), features, n_dead_units, diverged)


@torch.no_grad()
def _count_dead_units(model: DiffResNet, problem: Problem) -> int:
    first = next(layer for layer in model.modules() if isinstance(layer, nn.Linear))
    return int((first(problem.points) <= 0).all(dim=0).sum())
