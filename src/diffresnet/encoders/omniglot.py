"""Omniglot: drawings of 1,623 characters of 50 alphabets, 20 of each."""

from pathlib import Path

import numpy as np

from diffresnet._support.checks import check_count, fail
from diffresnet.datasets.files import find_data_file
from diffresnet.encoders.image_set import ImageSet

FILE = "images/omniglot28.npz"
PARTS = ("background", "evaluation")


def load_omniglot(path: Path | None = None, *, n_validation: int = 100) -> ImageSet:
    """Return the drawings (28 x 28) with the splits ``"train"``, ``"val"`` and ``"test"``.

    The background characters are for training but for the last `n_validation`, which choose a
    model; the evaluation characters are for testing.

    Args:
        path: an .npz file with `background` and `evaluation`, (classes, drawings, 28, 28); by
            default the one in the folder of data.
        n_validation: background classes that are not trained on.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it holds something else.
    """
    path = find_data_file(FILE) if path is None else path
    with np.load(path, allow_pickle=False) as arrays:
        if not set(PARTS) <= set(arrays.files):
            got = f"{path}, which has {', '.join(arrays.files)}"
            must = "a file with `background` and `evaluation`"
            fail("load_omniglot", "path", must, got, "Choose Omniglot's file.")
        parts = {name: arrays[name] for name in PARTS}
    most = len(parts["background"]) - 1
    check_count("load_omniglot", "n_validation", n_validation, low=0, high=most, of="all but one")
    names: list[str] = []
    splits: list[str] = []
    for part, pixels in parts.items():
        n_classes, n_drawings = pixels.shape[:2]
        for row in range(n_classes):
            novel = row >= n_classes - n_validation
            names += [f"{part}-{row:04d}"] * n_drawings
            split = "test" if part == "evaluation" else "val" if novel else "train"
            splits += [split] * n_drawings
    pixels = np.concatenate([part.reshape(-1, *part.shape[2:]) for part in parts.values()])
    ids = [f"{name}/{row}" for row, name in enumerate(names)]
    return ImageSet.from_arrays(pixels, ids=ids, labels=names, splits=splits)
