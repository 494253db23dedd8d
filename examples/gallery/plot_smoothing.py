"""
Diffusion, and too much of it
=============================

Diffusion draws the points of a cluster together: L/D, the distance between clusters beside their
size, grows exponentially. But if the graph joins the clusters, diffusion without end sends all to
one point. That is over-smoothing, and there is a best strength before it.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

from diffresnet import DiffusionOperator, build_weights

random = np.random.default_rng(0)
centers = np.array([[0.0, 0.0], [2.6, 0.3], [1.2, 2.2]])
truth = np.repeat(np.arange(3), 80)
points = torch.from_numpy(centers[truth] + 0.4 * random.normal(size=(240, 2)))
operator = DiffusionOperator(build_weights(points, n_top=9, normalization="sinkhorn"))

figure, panels = plt.subplots(1, 4, figsize=(12, 3.3), layout="constrained")
for panel, n_steps in zip(panels, (0, 30, 300, 10_000), strict=True):
    moved = operator.diffuse(points, step_size=0.5, n_steps=n_steps)
    panel.scatter(*moved.T.numpy(), c=truth, cmap="viridis", s=14)
    panel.set(title=f"{n_steps:,} steps", xlim=(-1.7, 4.3), ylim=(-1.7, 4))
    panel.set_aspect("equal")

# %%
# The mean distance to the own center beside the least distance of two centers.
counts = np.unique(np.geomspace(1, 100_000, 40).astype(int))
sizes, gaps = [], []
for n_steps in counts:
    moved = operator.diffuse(points, step_size=0.5, n_steps=int(n_steps)).numpy()
    middle = np.array([moved[truth == one].mean(axis=0) for one in range(3)])
    sizes.append(np.linalg.norm(moved - middle[truth], axis=1).mean())
    gaps.append(min(np.linalg.norm(middle[a] - middle[b]) for a, b in ((0, 1), (0, 2), (1, 2))))
figure, panel = plt.subplots(figsize=(7, 3.8), layout="constrained")
panel.loglog(counts, gaps, label="least distance of two centers")
panel.loglog(counts, sizes, label="mean distance to the own center")
panel.loglog(counts, np.array(gaps) / np.array(sizes), "--", label="their ratio")
panel.set(xlabel="steps of size 0.5", ylim=(1e-3, 1e2), title="Clusters shrink before they meet")
panel.legend()
panel.grid(alpha=0.3)
plt.show()
