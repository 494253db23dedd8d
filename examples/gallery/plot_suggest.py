"""
What to label next
==================

`suggest_first` names points before there is any label, `suggest` those that help most after that.
Beside it, labels of points drawn at random.
"""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from diffresnet import DiffResNetClassifier

points, truth = load_digits(return_X_y=True)
points, truth = points[:900], truth[:900]


def accuracy(model: DiffResNetClassifier) -> float:
    is_new = model.encoded_labels_ < 0
    return float((model.transduction_ == truth)[is_new].mean())


def label(rows: np.ndarray) -> DiffResNetClassifier:
    y = np.full(len(truth), -1)
    y[rows] = truth[rows]
    return DiffResNetClassifier().fit(points, y)


counts = [10, 20, 40, 60]
model = label(DiffResNetClassifier().suggest_first(points, 10))
ours = [accuracy(model)]
for before, after in pairwise(counts):
    rows = model.suggest(after - before)
    model.update_labels(rows, truth[rows])
    ours.append(accuracy(model))

orders = [np.random.default_rng(seed).permutation(len(truth)) for seed in range(3)]
others = np.array([[accuracy(label(order[:n])) for n in counts] for order in orders])

figure, panel = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
panel.fill_between(counts, others.min(axis=0), others.max(axis=0), alpha=0.25, color="gray")
panel.plot(counts, others.mean(axis=0), "o-", color="gray", label="at random (three draws)")
panel.plot(counts, ours, "o-", color="tab:red", label="suggested")
panel.set(xlabel="labels", ylabel="accuracy on the others", title="Few labels, well spent")
panel.legend(loc="lower right")
panel.grid(alpha=0.3)
plt.show()
