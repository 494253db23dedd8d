"""
Points that come later
======================

New points receive from their nearest fitted points and send nothing back: `predict_proba` gives a
probability for any place. Far from all points it says little.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from diffresnet import DiffResNetClassifier

points, truth = make_moons(400, noise=0.07, random_state=0)
y = np.full(400, -1)
middles = np.array([[0.0, 1.0], [1.0, -0.5]])  # of the upper and the lower moon
labeled = [int(np.linalg.norm(points - middle, axis=1).argmin()) for middle in middles]
y[labeled] = truth[labeled]
model = DiffResNetClassifier().fit(points, y)

across, up = np.meshgrid(np.linspace(-1.6, 2.6, 150), np.linspace(-1.1, 1.6, 100))
grid = np.column_stack([across.ravel(), up.ravel()])
probability = model.predict_proba(grid)[:, 1].reshape(across.shape)

figure, panel = plt.subplots(figsize=(8, 5), layout="constrained")
drawn = panel.contourf(across, up, probability, 20, cmap="coolwarm", vmin=0, vmax=1, alpha=0.8)
panel.contour(across, up, probability, [0.5], colors="black")
panel.scatter(*points.T, c="white", ec="gray", s=14)
panel.scatter(*points[labeled].T, c=y[labeled], cmap="coolwarm", s=120, ec="black", lw=2)
figure.colorbar(drawn, label="probability of the lower moon")
panel.set(xticks=[], yticks=[], title="Two labels, 398 points without, and every place between")
plt.show()
