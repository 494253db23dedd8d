"""
How far to diffuse
==================

Labels that are spread by few steps stay where they are; after very many, all points are alike.
Between them is a range in which the answer is right; beyond it rounding decides. `n_steps="auto"`
reads the range off the graph.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from sklearn.datasets import make_moons

from diffresnet import DiffusionOperator, build_weights

points, truth = map(torch.from_numpy, make_moons(400, noise=0.13, random_state=1))
operator = DiffusionOperator(build_weights(points, n_top=12, normalization="sinkhorn"))
middles = torch.tensor([[-0.9, 0.4], [1.9, 0.1]], dtype=points.dtype)  # ends of the two moons
labeled = torch.cdist(middles, points).argmin(dim=1)
start = torch.zeros(len(points), 2, dtype=points.dtype)
start[labeled, truth[labeled]] = 1

steps = [0, 30, 1000, 300_000]
figure, panels = plt.subplots(1, 4, figsize=(12, 3.4), layout="constrained")
for panel, n_steps in zip(panels, steps, strict=True):
    spread = operator.diffuse(start, step_size=0.5, n_steps=n_steps)
    total = spread.sum(dim=1).clamp(min=1e-12)
    lead = ((spread[:, 1] - spread[:, 0]) / total).numpy()
    lead[spread.sum(dim=1).numpy() < 1e-6] = 0
    panel.scatter(*points.T.numpy(), c=lead, cmap="coolwarm", vmin=-1, vmax=1, s=14)
    panel.scatter(*points[labeled].T.numpy(), c="none", ec="black", s=110, lw=2)
    panel.set(title=f"{n_steps:,} steps", xticks=[], yticks=[])
    panel.set_aspect("equal")

counts = np.unique(np.geomspace(1, 1_000_000, 40).astype(int))
rates = []
for n_steps in counts:
    spread = operator.diffuse(start, step_size=0.5, n_steps=int(n_steps))
    has_any = spread.sum(dim=1) > 1e-6
    rates.append(float(((spread.argmax(dim=1) == truth) & has_any).double().mean()))
figure, panel = plt.subplots(figsize=(7, 3.4), layout="constrained")
panel.semilogx(counts, rates)
panel.set(xlabel="steps of size 0.5", ylabel="right", title="Accuracy of the larger of two values")
panel.grid(alpha=0.3)
plt.show()
