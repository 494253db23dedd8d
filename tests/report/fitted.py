"""Small fitted classifiers for the tests of reports."""

import numpy as np

from diffresnet.estimators import DiffResNetClassifier

ATTACK = "<script>alert(1)</script>"


def fit_blobs(
    names: list[str], n_each: int = 12, n_labels: int = 2, seed: int = 0
) -> DiffResNetClassifier:
    """Return a classifier of one blob a class, with so many labels in each."""
    rng = np.random.default_rng(seed)
    which = np.repeat(np.arange(len(names)), n_each)
    centers = 3 * rng.normal(size=(len(names), 8))
    points = centers[which] + rng.normal(size=(len(which), 8))
    labels = np.full(len(which), None, dtype=object)
    for place in range(len(names)):
        labels[place * n_each : place * n_each + n_labels] = names[place]
    return DiffResNetClassifier().fit(points, labels)


def numbered(model: DiffResNetClassifier) -> list[str]:
    """Return a name for each fitted point."""
    return [f"p{row}" for row in range(len(model.transduction_))]
