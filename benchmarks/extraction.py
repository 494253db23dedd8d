"""How long do the features of 1,000 photographs take, and from the cache?"""

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from sklearn.datasets import load_sample_images

from diffresnet.encoders import ImageSet, extract, make_encoder
from timing import set_threads, write_results

N_IMAGES, SIDE, N_THREADS = 1000, 224, 2


def write_photographs(folder: Path) -> None:
    """Cut photographs of 224 x 224 out of scikit-learn's two, at random places."""
    random = np.random.default_rng(0)
    photographs = load_sample_images().images
    for place in range(N_IMAGES):
        pixels = photographs[place % 2]
        top, left = (int(random.integers(length - SIDE)) for length in pixels.shape[:2])
        cut = Image.fromarray(pixels[top : top + SIDE, left : left + SIDE])
        cut.save(folder / f"{place:04d}.jpg", quality=90)


def time_extraction() -> dict[str, Any]:
    """Extract features of photographs in files, and once more from the cache."""
    encoder = make_encoder("efficientnet-lite0")
    with tempfile.TemporaryDirectory() as name:
        photographs, cache = Path(name, "photographs"), Path(name, "cache")
        photographs.mkdir()
        write_photographs(photographs)
        seconds: list[float] = []
        for _ in range(2):
            begin = time.perf_counter()
            extract(encoder, ImageSet.from_folder(photographs), cache=cache)
            seconds.append(time.perf_counter() - begin)
    return {
        "question": f"{N_IMAGES} photographs of {SIDE} x {SIDE}, efficientnet-lite0",
        "threads": N_THREADS,
        "seconds": seconds[0],
        "seconds_from_cache": seconds[1],
    }


def main() -> None:
    """Time it with two threads."""
    set_threads(N_THREADS)
    write_results("extraction", "python benchmarks/extraction.py", [time_extraction()])


if __name__ == "__main__":
    main()
