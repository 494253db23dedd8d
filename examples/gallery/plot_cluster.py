"""
Files in, files out: the job of a cluster
=========================================

`diffresnet.cluster.classify` labels points that lie in many Parquet files, each small enough for
one worker. Here the workers are this process (``cluster="here"``); with the address of a Ray
cluster the same call runs on its machines.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from diffresnet import DiffResNetClassifier
from diffresnet.cluster import classify

points, truth = load_digits(return_X_y=True)
given = [str(truth[row]) if row < 30 else None for row in range(len(truth))]
table = pl.DataFrame({"id": range(len(truth)), "label": given, "pixels": points.tolist()})
file_of = np.arange(len(truth)) // 450

with TemporaryDirectory() as folder:
    place = Path(folder, "points")
    place.mkdir()
    for number, part in enumerate(table.iter_slices(450)):
        part.write_parquet(place / f"{number}.parquet")
    outcome = classify(place, out=Path(folder, "predictions"), cluster="here")
    found = pl.read_parquet(Path(folder, "predictions/*.parquet"))  # files and rows in order

# %%
# One graph joins the points of all files. The classifier of one machine makes the same of them, but
# for a few points.
whole = DiffResNetClassifier().fit(points, np.array([one or "" for one in given]))
labels = found["label"].to_numpy()
agree = labels == whole.transduction_
right = (labels == truth.astype(str))[30:].mean()

x, y = PCA(2, random_state=0).fit_transform(points).T
figure, panels = plt.subplots(1, 3, figsize=(11, 3.9), layout="constrained")
panels[0].scatter(x, y, c=file_of, cmap="Set2", s=5)
panels[0].set_title(f"{file_of.max() + 1} files")
panels[1].scatter(x, y, c=labels.astype(int), cmap="tab10", s=5)
panels[1].set_title(f"labels from 30: {right:.0%} right")
panels[2].scatter(x[agree], y[agree], c="lightgray", s=5)
panels[2].scatter(x[~agree], y[~agree], c="tab:red", s=9)
panels[2].set_title(f"{agree.mean():.1%} as on one machine")
for panel in panels:
    panel.set(xticks=[], yticks=[])
plt.show()
