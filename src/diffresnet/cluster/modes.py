"""The slowest modes of a graph in blocks: subspace iteration with a Chebyshev filter.

As `diffusion.subspace` does on one machine. Blocks multiply; only the (w, w) matrices of
Rayleigh-Ritz come together. The first guess are the modes of a small graph of landmarks, and does
not depend on the number of blocks. Each round, and each part of one, is kept in files.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from diffresnet._support.stages import stage as stage_of_work
from diffresnet.cluster.blocks import Blocks
from diffresnet.cluster.row_block import Polynomial
from diffresnet.cluster.work import Array
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.diffusion.rayleigh_ritz import DEPENDENT, GROWTH, LARGEST_DEGREE
from diffresnet.diffusion.spectrum import Spectrum
from diffresnet.diffusion.subspace import GUARD, SMALLEST, TOLERANCE
from diffresnet.graph.product import COLUMNS
from diffresnet.graph.weights import build_weights
from diffresnet.learning.mixture_settings import BANDWIDTH_SCALE

MOST_ROUNDS = 6


@dataclass(frozen=True)
class Modes:
    """Slow modes of a graph, in the files of a stage.

    Attributes:
        stage: which.
        n_parts: files of each block.
        rates: (w,) rising.
        means: (w,) of the modes.
    """

    stage: str
    n_parts: int
    rates: Tensor
    means: Tensor


def find_modes(blocks: Blocks, landmarks: Tensor, n_modes: int, ranks: tuple[int, int]) -> Modes:
    """Find the slow modes of the graph.

    Args:
        blocks: of the graph.
        landmarks: (m, d) points that stand for all.
        n_modes: how many must have settled; a few more are found beside them, and kept.
        ranks: `n_top` and `bandwidth_rank` of the graph.
    """
    work, n_points = blocks.work, blocks.layout.n_points
    wanted = n_modes + max(10, math.ceil(GUARD * n_modes))
    n_vectors = min(math.ceil(wanted / COLUMNS) * COLUMNS, n_points, len(landmarks))
    n_parts = -(-n_vectors // COLUMNS)
    if not work.has("rounds/guess.npy"):
        work.save("rounds/guess.npy", guess_modes(landmarks, n_vectors, ranks))
    name, before = "guess", None
    rates, means, n_good = np.zeros(0), np.zeros(0), 0
    with stage_of_work("modes", total=MOST_ROUNDS) as advance:
        for one in range(MOST_ROUNDS):
            new = f"round-{one}"
            if not work.has(f"rounds/{one}.json"):
                low = None if one == 0 else float(rates[n_good - 1])
                _turn(blocks, n_parts, name, new, low)
            table = work.load_table(f"rounds/{one}.json")
            rates, means = np.array(table["rates"]), np.array(table["means"])
            n_good = table["n_good"]
            name, settled = new, np.maximum(rates[: min(n_modes, n_good)], 0)
            advance()
            if before is not None and _are_alike(before, settled):
                break
            before = settled if one else None
    found = torch.from_numpy(np.clip(rates, 0, rates[n_good - 1])).float()
    return Modes(name, n_parts, found, torch.from_numpy(means).float())


def _are_alike(before: Array, now: Array) -> bool:
    n_both = min(len(before), len(now))
    change = np.abs(before[:n_both] - now[:n_both])
    return bool((change <= TOLERANCE * now[:n_both] + SMALLEST).all())


def guess_modes(landmarks: Tensor, n_vectors: int, ranks: tuple[int, int]) -> Array:
    """Return the slow modes (m, w) of the graph of landmarks."""
    n_top, rank = (min(one, len(landmarks)) for one in ranks)
    links = build_weights(
        landmarks,
        n_top,
        bandwidth_rank=rank,
        bandwidth_scale=BANDWIDTH_SCALE,
        normalization="sinkhorn",
    )
    found = Spectrum.of(DiffusionOperator(links).laplacian, n_vectors).modes[:, :n_vectors]
    return found.float().numpy()


def _turn(blocks: Blocks, n_parts: int, old: str, new: str, low: float | None) -> None:
    """Filter the vectors of a stage, make them modes of a new one, and write its rates."""
    work = blocks.work
    filtered = f"{new}-filtered"
    for part in range(n_parts):
        blocks.run(lambda part=part: _filter(blocks, old, filtered, part, low))
    total = np.sum(blocks.run(lambda: blocks.call("measure", filtered, n_parts)), axis=0)
    rates, rotation, n_good = rotation_to_modes(total[0], total[1])
    sums = blocks.run(lambda: blocks.call("rotate", filtered, n_parts, rotation, new))
    means = np.sum(sums, axis=0) / blocks.layout.n_points
    number = new.rsplit("-", 1)[-1]
    table = {"rates": rates.tolist(), "means": means.tolist(), "n_good": n_good}
    work.save_table(f"rounds/{number}.json", table)
    for one in (old, filtered, f"{filtered}-moved"):
        work.drop(f"vectors/{one}")


def _filter(blocks: Blocks, old: str, new: str, part: int, low: float | None) -> None:
    """Filter some columns, unless that is done."""
    if all(blocks.call("has", new, part)):
        return
    if old == "guess" and not all(blocks.call("has", old, part)):
        blocks.call("interpolate", old, blocks.work.load("rounds/guess.npy"), COLUMNS)
    polynomial = Polynomial(0.0, 1.0, (1.0,)) if low is None else slow_filter(low, blocks.high)
    _, inbox = blocks.exchange("begin", old, part, polynomial)
    inbox = blocks.multiply(polynomial, inbox)
    blocks.call("finish", new, part, own=[tuple(mine) for mine in inbox])


def slow_filter(low: float, high: float) -> Polynomial:
    """Return T_d on [low, high], where it is at most 1; it is large below."""
    if high <= 0:  # no links at all
        return Polynomial(0.0, 1.0, (1.0,))
    low = min(max(low, SMALLEST * high), high / 2)
    center, half = (low + high) / 2, (high - low) / 2
    degree = min(LARGEST_DEGREE, math.ceil(GROWTH / math.acosh(center / half)))
    return Polynomial(center, half, (*(0.0,) * degree, 1.0))


def rotation_to_modes(lengths: Array, moved: Array) -> tuple[Array, Array, int]:
    """Return rates (w,) and C (w, w) such that C' G C = 1 and C' H C are the rates.

    Directions that the vectors do not span come last; the number of the others is returned, too.

    Args:
        lengths: (w, w) G = B' B.
        moved: (w, w) H = B' L B.
    """
    sizes, axes = np.linalg.eigh(lengths)
    is_noise = sizes < DEPENDENT * sizes[-1]
    axes = axes / np.sqrt(np.maximum(sizes, DEPENDENT * sizes[-1]))
    inner = axes.T @ ((moved + moved.T) / 2) @ axes
    inner[is_noise], inner[:, is_noise] = 0, 0
    inner[is_noise, is_noise] = 2 * max(float(np.diagonal(inner).max()), 1.0)
    rates, turned = np.linalg.eigh(inner)
    return rates, axes @ turned, int((~is_noise).sum())
