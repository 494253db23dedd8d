"""
Is the graph any good?
======================

Everything rests on the neighbor graph. With too few neighbors it falls apart, and labels do not
reach all points; with too many it joins what you want to tell apart. `diagnose` says so in words.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from sklearn.datasets import make_moons

from diffresnet import DiffResNetClassifier
from diffresnet.estimators import UnreachedWarning

points, truth = make_moons(160, noise=0.16, random_state=3)
y = np.full(len(truth), -1)
labeled = np.random.default_rng(3).choice(len(truth), 8, replace=False)
y[labeled] = truth[labeled]

figure, panels = plt.subplots(1, 3, figsize=(11, 4.2), layout="constrained")
for panel, n_top in zip(panels, (3, 9, 80), strict=True):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachedWarning)
        model = DiffResNetClassifier(n_top, bandwidth_rank=min(6, n_top)).fit(points, y)
    weights = model.operator_.weights.to_dense().numpy()
    first = model.copies_.first
    pairs = np.argwhere(np.triu(weights, 1) > 0)
    is_same = truth[first[pairs[:, 0]]] == truth[first[pairs[:, 1]]]
    for same, color in ((True, "silver"), (False, "tab:red")):
        lines = points[first[pairs[is_same == same]]]
        panel.add_collection(LineCollection(list(lines), colors=color, lw=0.9))
    panel.scatter(*points.T, c=model.transduction_, cmap="coolwarm", s=14, zorder=2)
    panel.scatter(*points[~model.reached_].T, c="black", marker="x", s=25, zorder=3)
    panel.scatter(*points[labeled].T, c=y[labeled], cmap="coolwarm", s=90, ec="black", zorder=4)
    right = (model.transduction_ == truth)[y < 0].mean()
    found = model.diagnose()
    title = f"n_top={n_top}: {right:.0%} right, {found.n_components} component(s)"
    panel.set(title=title, xticks=[], yticks=[])
    panel.set_aspect("equal")
    print(f"n_top={n_top}:", *found.sentences[:4], sep="\n  ")
plt.show()
