"""How well are cell types found from a tenth of the labels? 700 cells that scanpy brings.

    python benchmarks/cells.py

Twenty draws of labels, at random, of the types of `10x_pbmc68k_reduced.h5ad`. The vote is that of
the 15 nearest labeled cells by the PCA of all cells. `scanpy.tl.ingest` knows the PCA of labeled
cells only; with pynndescent 0.6 or later it does not run. CellTypist takes part where it is
installed: a model trained on the labeled cells, and its majority vote in clusters of all cells.
"""

import argparse
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading

import diffresnet.anndata as da
from diffresnet.files.cells import read_cells
from diffresnet.measuring.statistics import half_interval
from timing import write_results

KEY = "bulk_labels"
PARTS = (0.05, 0.1, 0.3)


def load_cells() -> Any:
    """Return the cells inside of scanpy's package."""
    place = find_spec("scanpy")
    if place is None or place.origin is None:
        raise ModuleNotFoundError("scanpy is not installed: pip install scanpy", name="scanpy")
    return read_cells(Path(place.origin).parent / "datasets/10x_pbmc68k_reduced.h5ad", "scanpy")


def diffuse(cells: Any, y: Any) -> Any:
    """Return what `transfer_labels` writes."""
    cells.obs["few"] = y
    return da.transfer_labels(cells, "few").transduction_.astype(str)


def by_features(model: Any) -> Callable[[Any, Any], Any]:
    """Return a method that learns from the features of labeled cells alone."""

    def predict(cells: Any, y: Any) -> Any:
        features, is_labeled = cells.obsm["X_pca"], y != "unknown"
        return model.fit(features[is_labeled], y[is_labeled]).predict(features)

    return predict


def spread(cells: Any, y: Any) -> Any:
    """Return what scikit-learn's label spreading finds."""
    names, codes = np.unique(y, return_inverse=True)
    codes = np.where(y == "unknown", -1, codes)
    model = LabelSpreading(kernel="knn", n_neighbors=15, max_iter=100)
    return names[model.fit(cells.obsm["X_pca"], codes).transduction_]


def ingest(cells: Any, y: Any) -> Any:
    """Return what `scanpy.tl.ingest` finds, with the labeled cells as the reference."""
    scanpy: Any = import_module("scanpy")
    is_labeled, found = y != "unknown", y.copy()
    reference, others = cells[is_labeled].copy(), cells[~is_labeled].copy()
    del reference.obsm["X_umap"]  # which it would continue
    reference.obs["few"] = y[is_labeled]
    reference.obs["few"] = reference.obs["few"].astype("category")
    scanpy.pp.pca(reference, n_comps=min(50, int(is_labeled.sum()) - 1))
    scanpy.pp.neighbors(reference)
    scanpy.tl.ingest(others, reference, obs="few", embedding_method="pca")
    found[~is_labeled] = others.obs["few"].astype(str).to_numpy()
    return found


def vote_of_majority(cells: Any, y: Any) -> Any:
    """Return CellTypist's majority vote, by a model that is trained on the labeled cells."""
    celltypist: Any = import_module("celltypist")
    is_labeled, raw = y != "unknown", cells.raw.to_adata()
    celltypist.logger.set_level("ERROR")
    labeled, names = raw[is_labeled].copy(), y[is_labeled].astype(str)
    options = {"check_expression": False, "use_SGD": True, "n_jobs": 1}
    model = celltypist.train(labeled, labels=names, **options)
    found = celltypist.annotate(raw, model=model, majority_voting=True).predicted_labels
    return found["majority_voting"].astype(str).to_numpy()


METHODS = {
    "transfer_labels": diffuse,
    "vote of 15 neighbors": by_features(KNeighborsClassifier(15)),
    "logistic regression": by_features(LogisticRegression(max_iter=2000)),
    "label spreading (scikit-learn)": spread,
    "scanpy.tl.ingest": ingest,
}
if find_spec("celltypist") is not None:
    METHODS["CellTypist, majority vote"] = vote_of_majority


def run(part: float, seed: int, cells: Any, truth: Any) -> dict[str, float]:
    """Return the accuracy of each method on the cells without a label."""
    is_labeled = np.random.default_rng(seed).random(len(truth)) < part
    y = np.where(is_labeled, truth, "unknown").astype(object)
    return {
        name: float((np.asarray(method(cells, y))[~is_labeled] == truth[~is_labeled]).mean())
        for name, method in METHODS.items()
    }


def main() -> None:
    """Measure, and keep the results."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--draws", type=int, default=20)
    warnings.simplefilter("ignore")
    cells, n_draws = load_cells(), given.parse_args().draws
    truth = cells.obs[KEY].astype(str).to_numpy()
    results: list[dict[str, Any]] = []
    for part in PARTS:
        found = [run(part, seed, cells, truth) for seed in range(n_draws)]
        for name in METHODS:
            values = 100 * np.array([one[name] for one in found])
            result = {"labeled": part, "method": name, "n_draws": n_draws}
            mean, half = float(values.mean()), half_interval(values)
            results.append(result | {"accuracy": round(mean, 2), "interval": round(half, 2)})
    write_results("cells", "python benchmarks/cells.py", results)


if __name__ == "__main__":
    main()
