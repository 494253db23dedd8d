"""
Values in place of classes
==========================

`DiffResNetRegressor` learns numbers from a few points and gives an interval for each. Points on a
roll in space, whose height along the roll is known at 40 of 800.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_swiss_roll

from diffresnet import DiffResNetRegressor

points, truth = make_swiss_roll(800, noise=0.2, random_state=0)
y = np.full(800, np.nan)
labeled = np.random.default_rng(0).choice(800, 40, replace=False)
y[labeled] = truth[labeled]
model = DiffResNetRegressor().fit(points, y)
found = model.transduction_
low, high = model.predict_interval().T
is_inside = (low <= truth) & (truth <= high)
print(f"{is_inside[np.isnan(y)].mean():.0%} of the values are inside of their 90 % interval")

figure = plt.figure(figsize=(11, 4.6), layout="constrained")
panel = figure.add_subplot(1, 2, 1, projection="3d")
panel.scatter(*points.T, c=found, cmap="viridis", s=8)
panel.scatter(*points[labeled].T, c=y[labeled], cmap="viridis", s=70, ec="black")
panel.view_init(10, -75)
panel.set(title="40 values, spread along the roll", xticks=[], yticks=[], zticks=[])
panel = figure.add_subplot(1, 2, 2)
order = np.argsort(truth)
panel.fill_between(truth[order], low[order], high[order], alpha=0.3, label="90 % interval")
panel.plot(truth, found, ".", ms=3, label="found")
panel.plot(truth[order], truth[order], "k-", lw=1, label="true")
panel.set(xlabel="true value", ylabel="found value")
panel.legend()
plt.show()
