"""
Moons and spirals from one label per class
==========================================

Diffusion follows the shape of the points. Two moons and two spirals, one label for each class (the
large dots); a vote of the nearest label sees distances alone.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from sklearn.neighbors import KNeighborsClassifier

from diffresnet import DiffResNetClassifier
from diffresnet.datasets import make_moon, make_spiral

figure, axes = plt.subplots(2, 2, figsize=(9, 7.5), layout="constrained")
for row, make in zip(axes, (make_moon, make_spiral), strict=True):
    data = make(torch.Generator().manual_seed(0))
    points, truth = data.points.numpy(), data.labels.numpy()
    labeled = [np.flatnonzero(truth == one)[len(truth) // 4] for one in (0, 1)]
    y = np.full(len(truth), -1)
    y[labeled] = truth[labeled]

    nearest = KNeighborsClassifier(1).fit(points[labeled], truth[labeled]).predict(points)
    ours = DiffResNetClassifier().fit(points, y).transduction_
    for panel, found, name in zip(
        row, (nearest, ours), ("nearest label", "diffusion"), strict=True
    ):
        panel.scatter(*points.T, c=found, cmap="coolwarm", s=9)
        panel.scatter(*points[labeled].T, c=y[labeled], cmap="coolwarm", s=130, ec="black", lw=2)
        panel.set(title=f"{name}: {(found == truth).mean():.0%} right", xticks=[], yticks=[])
        panel.set_aspect("equal")
plt.show()
