"""
1,797 digits from ten labels
============================

One label per class, and a label and a probability for all the others. What the model is least sure
of is worth a look.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE

from diffresnet import DiffResNetClassifier

digits = load_digits()
y = np.full(len(digits.target), -1)
y[:10] = digits.target[:10]
model = DiffResNetClassifier().fit(digits.data, y)
right = model.transduction_[10:] == digits.target[10:]
print(f"{right.mean():.1%} of {len(right)} digits are right")
print(model.diagnose())

# %%
# Where diffusion puts the digits, in two dimensions; the ten with a label are framed.
place = TSNE(init="pca", random_state=0, max_iter=300).fit_transform(model.embedding_)
figure, panel = plt.subplots(figsize=(8, 6.5), layout="constrained")
sure = model.label_distributions_.max(axis=1)
panel.scatter(*place.T, c=model.transduction_, cmap="tab10", s=8 + 20 * (1 - sure), alpha=0.7)
panel.scatter(*place[:10].T, c=y[:10], cmap="tab10", s=170, ec="black", lw=2, marker="s")
for row in range(10):
    panel.annotate(str(y[row]), place[row], ha="center", va="center", color="white", weight="bold")
panel.set(xticks=[], yticks=[], title="Ten labels, and what they say of all digits")

# %%
# The digits of which it is least sure, with what it says and the truth.
figure, panels = plt.subplots(2, 8, figsize=(10, 3.2), layout="constrained")
for panel, row in zip(panels.flat, np.argsort(sure)[:16], strict=True):
    panel.imshow(digits.images[row], cmap="gray_r")
    panel.set_title(f"{model.transduction_[row]} ({digits.target[row]})", size=10)
    panel.axis("off")
plt.show()
