"""Make a feature bank of Omniglot drawings: blurred pixels, no network.

The 964 background classes give 764 base and 200 validation classes, the 659 evaluation classes the
test. Run `python examples/omniglot_bank.py omniglot.npz`, then
`diffresnet fewshot omniglot.npz --queries 8 --method all --tune`.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter

from diffresnet.datasets.files import find_data_file

BLUR = 1.5
"""In pixels; strokes that almost coincide become alike."""

N_BASE = 764


def main(out: Path) -> None:
    """Read the drawings, blur them, and write the bank."""
    with np.load(find_data_file("images/omniglot28.npz"), allow_pickle=False) as file:
        drawings = np.concatenate([file["background"], file["evaluation"]])
        n_background = len(file["background"])
    n_classes, n_drawings = drawings.shape[:2]
    blurred = gaussian_filter(drawings.astype(np.float32) / 255, (0, 0, BLUR, BLUR))
    splits = np.full(n_classes, "test", dtype="<U5")
    splits[:N_BASE], splits[N_BASE:n_background] = "train", "val"
    np.savez_compressed(
        out,
        features=blurred.reshape(n_classes * n_drawings, -1).astype(np.float16),
        labels=np.repeat(np.arange(n_classes), n_drawings),
        split=np.repeat(splits, n_drawings),
    )
    print(f"wrote {out}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: python {sys.argv[0]} OUT.npz")
    main(Path(sys.argv[1]))
