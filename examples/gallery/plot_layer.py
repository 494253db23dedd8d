"""
A diffusion layer in a convolutional network
============================================

`MiniBatchDiffusion` goes between two layers of any model, and has no parameters. A small network
learns digits from 30 labels; its batches hold labeled and unlabeled digits, which exchange
features.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

from diffresnet.nn import MiniBatchDiffusion

digits = load_digits()
images = torch.from_numpy(digits.images[:800, None] / 16).float()
truth = torch.from_numpy(digits.target[:800])


class Network(nn.Module):
    def __init__(self, n_steps: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Conv2d(16, 32, 3), nn.ReLU())
        self.diffusion = MiniBatchDiffusion(step_size=0.5, n_steps=n_steps, n_top=8)
        self.head = nn.Linear(32 * 4 * 4, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        features = self.body(x).flatten(1)
        return self.head(self.diffusion(features, x))  # the graph is that of the images


def train(n_steps: int, seed: int, n_epochs: int = 40) -> list[float]:
    torch.manual_seed(seed)
    labeled = torch.from_numpy(np.random.default_rng(seed).choice(800, 30, replace=False))
    is_new = torch.ones(800, dtype=torch.bool)
    is_new[labeled] = False
    model = Network(n_steps)
    optimizer, found = torch.optim.Adam(model.parameters(), 3e-3), []
    for _ in range(n_epochs):
        scores = model(images)
        nn.functional.cross_entropy(scores[labeled], truth[labeled]).backward()
        optimizer.step()
        optimizer.zero_grad()
        found.append(float((scores.argmax(1) == truth)[is_new].float().mean()))
    return found


figure, panel = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
for n_steps, color in ((0, "gray"), (10, "tab:red")):
    name = f"{n_steps} diffusion steps" if n_steps else "no diffusion"
    for seed in range(2):
        panel.plot(train(n_steps, seed), color=color, label=name if seed == 0 else None)
panel.set(xlabel="epoch", ylabel="accuracy without a label", title="30 labels, two draws of them")
panel.legend()
panel.grid(alpha=0.3)
plt.show()
