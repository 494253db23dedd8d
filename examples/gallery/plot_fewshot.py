"""
Few-shot tasks whose queries are not balanced
=============================================

Many few-shot methods presume as many queries of every class. Dirichlet queries take that away:
methods that presume balance (PT-MAP, TIM) fall, the others hardly. The features are made up: 20
Gaussian classes.
"""

import matplotlib.pyplot as plt
import numpy as np

from diffresnet.fewshot import EpisodeShape, FeatureBank, evaluate, make_recipe

random = np.random.default_rng(0)
labels = np.repeat(np.arange(20), 60)
centers = random.normal(size=(20, 32))
features = np.abs(centers[labels] + 0.75 * random.normal(size=(1200, 32)))
bank = FeatureBank.from_arrays(features.astype(np.float32), labels)

names = ["simpleshot", "laplacianshot", "diffresnet", "pt-map", "tim"]
found = {name: [] for name in names}
for dirichlet in (None, 2.0):
    shape = EpisodeShape(n_ways=5, n_shots=1, n_queries=15, dirichlet=dirichlet)
    for name in names:
        n_tasks = 20 if name == "tim" else 100
        result = evaluate(bank, make_recipe(name, shape), shape=shape, n_tasks=n_tasks)
        found[name].append((100 * result.accuracy, 100 * result.ci95))

figure, panel = plt.subplots(figsize=(8, 4.2), layout="constrained")
for place, (shift, kind, color) in enumerate(
    ((-0.2, "balanced queries", "tab:gray"), (0.2, "Dirichlet(2) queries", "tab:red"))
):
    means, halves = zip(*(found[name][place] for name in names), strict=True)
    across = np.arange(len(names)) + shift
    panel.bar(across, means, 0.38, yerr=halves, label=kind, color=color, capsize=3)
panel.set_xticks(range(len(names)), names)
panel.set(ylabel="accuracy, %", ylim=(20, 100), title="One shot, five ways (TIM: 20 tasks)")
panel.legend()
plt.show()
