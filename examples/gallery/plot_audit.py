"""
Which labels are wrong?
=======================

Of 300 labels of digits a tenth are wrong. `audit` names those that the other labels do not speak
for, the most suspicious first.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from diffresnet import DiffResNetClassifier

digits = load_digits()
random = np.random.default_rng(0)
labeled = random.choice(len(digits.target), 300, replace=False)
wrong = labeled[:30]
y = np.full(len(digits.target), -1)
y[labeled] = digits.target[labeled]
y[wrong] = (y[wrong] + random.integers(1, 10, 30)) % 10

found = DiffResNetClassifier().fit(digits.data, y).audit()
is_wrong = np.isin(found.rows, wrong)
print(f"of the first 30 labels that it names, {is_wrong[:30].sum()} are wrong; of 30 in all")

figure, panels = plt.subplots(3, 8, figsize=(10, 4.6), layout="constrained")
for panel, place in zip(panels.flat, range(24), strict=True):
    row = found.rows[place]
    panel.imshow(digits.images[row], cmap="gray_r")
    color = "tab:red" if is_wrong[place] else "black"
    title = f"“{found.labels[place]}”, rather {found.expected[place]}"
    panel.set_title(title, size=9, color=color)
    panel.axis("off")
figure.suptitle("The 24 most suspicious labels (red: indeed wrong)")
plt.show()
