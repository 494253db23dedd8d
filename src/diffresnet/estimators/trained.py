"""The trained network: Diff-ResNet on the fitted graph, by gradient descent."""

import torch
from torch import Tensor

from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.learning.labels import Labels
from diffresnet.nn import DiffResNet

N_EPOCHS = 100
LEARNING_RATE = 0.01
WEIGHT_DECAY = 5e-4


def train_network(
    points: Tensor,
    operator: DiffusionOperator,
    labels: Labels,
    *,
    step_size: float,
    n_steps: int,
    generator: torch.Generator,
) -> Tensor:
    """Train one residual block, diffusion and a classifier; return the scores (N, K).

    Args:
        points: (N, d) what the network sees.
        operator: of the graph.
        labels: the points that have one.
        step_size: of diffusion.
        n_steps: of diffusion.
        generator: of the initial parameters.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(torch.randint(2**31 - 1, (1,), generator=generator)))
        model = DiffResNet(points.shape[1], labels.n_classes, step_size=step_size, n_steps=n_steps)
    optimizer = torch.optim.Adam(model.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    for _ in range(N_EPOCHS):
        scores = model(points, operator)
        loss = torch.nn.functional.cross_entropy(scores[labels.known], labels.classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        return model(points, operator)
