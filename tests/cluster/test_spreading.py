from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from diffresnet import normalize
from diffresnet.cluster.blocks import Blocks
from diffresnet.cluster.modes import Modes
from diffresnet.cluster.spreading import Spreading
from diffresnet.learning.mixture_settings import FLOOR
from tests.cluster.examples import blocks_of, random_graph

N, N_MODES = 60, 45
WEIGHTS = random_graph(N)
CUTS = [(0, N), (0, 20, 20, 41, N)]


def eigenvectors() -> tuple[Any, Any]:
    balanced = normalize(torch.from_numpy(WEIGHTS.toarray()), "sinkhorn").double().numpy()
    np.fill_diagonal(balanced, 0)
    return np.linalg.eigh(np.diag(balanced.sum(axis=1)) - balanced)


def kernel() -> Any:
    """Return (L / m + floor)^-2, m the mean of the diagonal, one mode after the other."""
    rates, modes = eigenvectors()
    found = np.zeros((N, N))
    for rate, mode in zip(rates, modes.T, strict=True):
        found += np.outer(mode, mode) * (rate / rates.mean() + FLOOR) ** -2
    return found


def without_means(columns: Any) -> Any:
    return columns - columns.mean(axis=0)


def make(folder: Path, bounds: tuple[int, ...], n_modes: int) -> tuple[Blocks, Modes]:
    """Return blocks, and exact modes of the graph in their files."""
    blocks = blocks_of(folder, WEIGHTS, bounds)
    rates, modes = eigenvectors()
    for one, (low, high) in enumerate(pairwise(bounds)):
        own = modes[low:high, :n_modes].astype(np.float32)
        blocks.work.save(f"vectors/exact/0/{one}.npy", own)
    means = torch.from_numpy(modes[:, :n_modes].mean(axis=0))
    return blocks, Modes("exact", 1, torch.from_numpy(rates[:n_modes]), means)


@pytest.mark.parametrize("n_modes", [N_MODES, N])
@pytest.mark.parametrize("bounds", CUTS)
def test_columns_are_those_of_the_kernel(
    tmp_path: Path, bounds: tuple[int, ...], n_modes: int
) -> None:
    blocks, modes = make(tmp_path, bounds, n_modes)
    rows = np.arange(0, N, 1)[:35]  # more than are multiplied at a time
    wanted = np.array([59, 3, 40, 0])
    there = eigenvectors()[1][rows, :n_modes]
    found = Spreading(blocks, modes).columns(rows, there, wanted)
    truth = without_means(kernel() @ without_means(np.eye(N)))
    # Beyond the modes it is a polynomial, good to a hundredth of its largest value there.
    rates = eigenvectors()[0]
    largest = (rates[n_modes - 1] / rates.mean() + FLOOR) ** -2
    allowed = 0.02 * largest + 1e-5 * np.abs(truth).max()
    np.testing.assert_allclose(found, truth[np.ix_(wanted, rows)], atol=allowed)
    again = Spreading(blocks, modes).columns(rows, there, wanted)
    np.testing.assert_array_equal(found, again)  # from files


@pytest.mark.parametrize("bounds", CUTS)
def test_values_spread_as_the_columns_say(tmp_path: Path, bounds: tuple[int, ...]) -> None:
    blocks, modes = make(tmp_path, bounds, N_MODES)
    rows = np.array([50, 1, 22])
    there = eigenvectors()[1][rows, :N_MODES]
    values = torch.from_numpy(np.random.default_rng(0).standard_normal((3, 34)))
    spreading = Spreading(blocks, modes)
    names, means = spreading.spread(rows, there, values)
    assert len(names) == 2  # 32 columns, and 2
    numbers = range(len(bounds) - 1)
    parts = [
        np.concatenate([blocks.work.load(f"vectors/{name}/0/{one}.npy") for one in numbers])
        for name in names
    ]
    found = np.concatenate(parts, axis=1) - means.numpy()
    columns = spreading.columns(rows, there, np.arange(N)).astype(np.float64)
    truth = columns @ values.numpy()
    np.testing.assert_allclose(found, truth, atol=1e-4 * np.abs(truth).max())
