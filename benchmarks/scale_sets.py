"""Large sets for the benchmarks of size: real points, as many as are asked for.

- `digits`: images of MNIST, each shifted by up to two pixels, turned by up to ten degrees and
  scaled by up to a tenth, anew each time it is taken, as 128 numbers of a small denoising
  autoencoder that was trained on other such images.
- `sentences`: from the descriptions of Debian's packages, by all-MiniLM-L6-v2 (384 numbers); there
  are some 300,000. They have no classes.
- `ball`: points that fill 30 dimensions evenly, the hardest for a search. They have no classes.

Sets are made once, and kept as .npy files in a folder.
"""

import argparse
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import affine_grid, grid_sample, mse_loss

from diffresnet._support.progress import track
from diffresnet.datasets.files import find_data_file
from diffresnet.encoders.ready import make_encoder
from timing import set_threads

FOLDER = Path("unfinished/scale")
N_CODES, N_HIDDEN, BATCH, N_BATCHES = 128, 1024, 500, 600
Floats = npt.NDArray[Any]


def load(name: str, n_points: int, folder: Path = FOLDER) -> tuple[Floats, Floats | None]:
    """Return the first points of a set, memory-mapped, and their classes, if they have any."""
    points = np.load(folder / f"{name}.npy", mmap_mode="r")
    if len(points) < n_points:
        raise ValueError(f"{name}: {len(points)} points are there, {n_points} are needed.")
    classes = folder / f"{name}-classes.npy"
    return points[:n_points], np.load(classes)[:n_points] if classes.exists() else None


def moved(images: Tensor, generator: torch.Generator) -> Tensor:
    """Shift, turn and scale each of (n, 28, 28) images a little."""
    n_images = len(images)

    def draw(largest: float) -> Tensor:
        return (2 * torch.rand(n_images, generator=generator) - 1) * largest

    angle, scale = draw(torch.pi / 18), 1 + draw(0.1)
    cosine, sine = scale * angle.cos(), scale * angle.sin()
    shift = [draw(2 * 2 / 28), draw(2 * 2 / 28)]
    rows = torch.stack([cosine, -sine, shift[0], sine, cosine, shift[1]], dim=1)
    grid = affine_grid(rows.reshape(-1, 2, 3), [n_images, 1, 28, 28], align_corners=False)
    return grid_sample(images[:, None], grid, align_corners=False).flatten(1)


def train_encoder(images: Tensor) -> nn.Module:
    """Train a denoising autoencoder, and return its first half."""
    torch.manual_seed(0)
    encoder = nn.Sequential(nn.Linear(784, N_HIDDEN), nn.ReLU(), nn.Linear(N_HIDDEN, N_CODES))
    decoder = nn.Sequential(nn.Linear(N_CODES, N_HIDDEN), nn.ReLU(), nn.Linear(N_HIDDEN, 784))
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
    generator = torch.Generator().manual_seed(1)
    for _ in track(range(N_BATCHES), "training the encoder"):
        some = torch.randint(len(images), (BATCH,), generator=generator)
        clean = moved(images[some], generator)
        noisy = clean * (torch.rand(clean.shape, generator=generator) > 0.3)
        loss = mse_loss(decoder(encoder(noisy)), clean)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return encoder.eval()


def make_digits(n_points: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield blocks of points and their classes."""
    arrays = np.load(find_data_file("images/mnist.npz"))
    images = torch.from_numpy(np.concatenate([arrays["x_train"], arrays["x_test"]])).float() / 255
    classes = np.concatenate([arrays["y_train"], arrays["y_test"]]).astype(np.int64)
    encoder = train_encoder(images[:60_000])
    generator = torch.Generator().manual_seed(2)
    order = torch.cat(
        [torch.randperm(len(images), generator=generator) for _ in range(n_points // 70_000 + 1)]
    )
    with torch.no_grad():
        for some in track(order[:n_points].split(2000), "encoding images"):
            yield encoder(moved(images[some], generator)).numpy(), classes[some.numpy()]


def read_sentences(n_points: int) -> list[str]:
    """Return different sentences of the descriptions of Debian's packages."""
    text = subprocess.run(
        ["apt-cache", "dumpavail"],  # noqa: S607  (wherever it is)
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found: dict[str, None] = {}
    paragraph: list[str] = []
    for line in text.splitlines():
        if line.startswith("Description"):
            found[line.partition(":")[2].strip()] = None
        elif line.startswith(" ") and line.strip() != ".":
            paragraph.append(line.strip())
        else:
            for sentence in " ".join(paragraph).split(". "):
                if 20 <= len(sentence) <= 300:
                    found[sentence] = None
            paragraph = []
        if len(found) >= n_points:
            break
    return list(found)[:n_points]


def make_sentences(n_points: int) -> Iterator[tuple[Floats, None]]:
    """Yield blocks of embeddings."""
    encoder: Any = make_encoder("minilm")
    sentences = read_sentences(n_points)
    for start in track(range(0, len(sentences), 500), "encoding sentences"):
        yield np.asarray(encoder.encode(sentences[start : start + 500])), None


def make_ball(n_points: int) -> Iterator[tuple[Floats, None]]:
    """Yield blocks of points that fill 30 dimensions."""
    generator = np.random.default_rng(0)
    for _ in range(0, n_points, 10_000):
        yield generator.standard_normal((10_000, 30)).astype(np.float32), None


MAKERS: dict[str, Any] = {"digits": make_digits, "sentences": make_sentences, "ball": make_ball}


def main() -> None:
    """Make the sets that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(MAKERS))
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    given = parser.parse_args()
    set_threads(1)
    given.folder.mkdir(parents=True, exist_ok=True)
    for name in given.sets.split(","):
        blocks = list(MAKERS[name](given.points))
        np.save(given.folder / f"{name}.npy", np.concatenate([block for block, _ in blocks]))
        if blocks[0][1] is not None:
            classes = np.concatenate([own for _, own in blocks])
            np.save(given.folder / f"{name}-classes.npy", classes)


if __name__ == "__main__":
    main()
