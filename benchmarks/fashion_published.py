"""FashionMNIST with 1 to 5 labels per class, beside the published table of Poisson learning.

The published numbers are of all 70,000 images and 100 draws (Calder and others, "Poisson Learning",
ICML 2020; their raw trials); ours of the 10,000 images whose VAE features are public, and 20 draws.
Fewer points make it harder. Our classifier has its defaults, and is not told the proportions.
"""

from typing import Any

import numpy as np

from diffresnet.datasets.files import find_data_file
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.measuring.statistics import half_interval
from few_label_sets import draw
from timing import set_threads, write_results

N_DRAWS = 20
PUBLISHED = {
    "Laplace": (18.5, 32.5, 44.0, 52.2, 57.9),
    "WNLL": (44.7, 59.1, 64.7, 67.4, 70.0),
    "Poisson": (60.8, 66.1, 69.6, 71.2, 72.4),
    "VolumeMBO (told the proportions)": (54.7, 61.7, 66.1, 68.5, 70.1),
    "Poisson-MBO (told the proportions)": (62.0, 67.2, 70.4, 72.1, 73.1),
}
"""Accuracy in percent with 1, 2, 3, 4 and 5 labels per class."""


def main() -> None:
    """Measure ours, print the table, and keep it."""
    set_threads(1)
    arrays = np.load(find_data_file("features/fashion_vae.npz"))
    features, labels = arrays["features"], arrays["labels"]
    model: DiffResNetClassifier | None = None
    results: list[dict[str, Any]] = []
    for n_labels in range(1, 6):
        accuracies: list[float] = []
        for seed in range(N_DRAWS):
            partly = draw(labels, n_labels, seed)
            if model is None:
                model = DiffResNetClassifier().fit(features, partly)
            else:
                model.update_labels(np.arange(len(partly)), partly, exact=True)
            accuracies.append(float((model.transduction_ == labels)[partly < 0].mean()))
        accuracy, interval = 100 * np.mean(accuracies), 100 * half_interval(np.array(accuracies))
        print(f"{n_labels} per class: {accuracy:.1f} ± {interval:.1f}", flush=True)
        results.append({"labels": n_labels, "accuracy": accuracy, "ci95": interval})
    results += [{"published": name, "accuracies": given} for name, given in PUBLISHED.items()]
    write_results("fashion_published", "python benchmarks/fashion_published.py", results)


if __name__ == "__main__":
    main()
