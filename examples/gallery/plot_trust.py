"""
When not to trust it
====================

A probability is honest if of all answers with 80 % about 80 % are right. With few labels it is less
so than with more. `predict_or_abstain` keeps silent where it would be wrong too often.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from diffresnet import DiffResNetClassifier

points, truth = load_digits(return_X_y=True)
figure, panels = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for n_labels, color in ((10, "tab:orange"), (50, "tab:blue"), (200, "tab:green")):
    sure, right = [], []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(truth))
        y = np.full(len(truth), -1)
        y[order[:n_labels]] = truth[order[:n_labels]]
        model = DiffResNetClassifier().fit(points, y)
        sure.append(model.label_distributions_.max(axis=1)[y < 0])
        right.append((model.transduction_ == truth)[y < 0])
    sure, right = np.concatenate(sure), np.concatenate(right)
    edges = np.quantile(sure, np.linspace(0, 1, 9))
    part = np.clip(np.searchsorted(edges, sure) - 1, 0, 7)
    means = [[sure[part == one].mean(), right[part == one].mean()] for one in range(8)]
    panels[0].plot(*np.array(means).T, "o-", color=color, label=f"{n_labels} labels")
    order = np.argsort(-sure)
    answered = np.arange(1, len(sure) + 1) / len(sure)
    wrong = 1 - np.cumsum(right[order]) / np.arange(1, len(sure) + 1)
    panels[1].plot(answered[50:], wrong[50:], color=color, label=f"{n_labels} labels")
panels[0].plot([0, 1], [0, 1], "k:", lw=1)
panels[0].set(xlabel="probability", ylabel="right", title="Are probabilities honest?")
panels[1].set(xlabel="answered, the surest first", ylabel="wrong", title="What silence saves")
for panel in panels:
    panel.legend()
    panel.grid(alpha=0.3)
plt.show()
