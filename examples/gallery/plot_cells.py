"""
Single cells, from a tenth of the labels
========================================

`transfer_labels` takes the graph that scanpy has built, and the labels that some cells have. These
are 700 blood cells that come with scanpy; without it, digits stand in for them.
"""

from importlib.util import find_spec
from pathlib import Path

import anndata
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import diffresnet.anndata as da
from diffresnet.files.cells import read_cells

scanpy = find_spec("scanpy")
if scanpy is not None and scanpy.origin is not None:
    path = Path(scanpy.origin).parent / "datasets/10x_pbmc68k_reduced.h5ad"
    adata, key = read_cells(path, "scanpy"), "bulk_labels"
else:
    points, target = load_digits(return_X_y=True)
    adata, key = anndata.AnnData(points, pd.DataFrame({"digit": target.astype(str)})), "digit"
    adata.obsm["X_pca"] = PCA(30).fit_transform(points)
    adata.obsm["X_umap"] = adata.obsm["X_pca"][:, :2]

truth = adata.obs[key].astype(str).to_numpy()
is_known = np.random.default_rng(0).random(adata.n_obs) < 0.1
adata.obs["cell_type"] = pd.Categorical(np.where(is_known, truth, "unknown"))
model = da.transfer_labels(adata, "cell_type")
found = adata.obs["cell_type_diffresnet"].astype(str).to_numpy()
print(f"{(found == truth)[~is_known].mean():.1%} of the others agree with the published types")
print(*adata.uns["cell_type_diffresnet"]["diagnosis"], sep="\n")

names = sorted(set(truth))
place, colors = adata.obsm["X_umap"], plt.get_cmap("tab10")
figure, panels = plt.subplots(1, 3, figsize=(13, 4.6), layout="constrained")
for panel, kinds, title in zip(
    panels, (truth, found, None), ("published", "transferred", "probability"), strict=True
):
    if kinds is None:
        sure = adata.obs["cell_type_diffresnet_probability"]
        figure.colorbar(panel.scatter(*place.T, c=sure, s=12, cmap="viridis"), ax=panel)
    else:
        for row, name in enumerate(names):
            panel.scatter(*place[kinds == name].T, color=colors(row), s=12, label=name)
        panel.scatter(*place[is_known].T, c="none", ec="black", lw=0.6, s=24)
    panel.set(title=title, xticks=[], yticks=[])
figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
plt.show()
