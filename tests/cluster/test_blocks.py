from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.sparse.csgraph import connected_components

from diffresnet import normalize
from diffresnet.cluster.blocks import MOST_STARTS
from diffresnet.cluster.engine import WorkerLostError
from diffresnet.cluster.modes import slow_filter
from diffresnet.cluster.row_block import Polynomial
from tests.cluster.examples import blocks_of, random_graph

N = 60
WEIGHTS = random_graph(N)
CUTS = [
    (0, N),
    (0, 25, N),
    (0, 20, 40, N),
    (0, 9, 18, 27, 36, 45, 54, N),
    (0, 0, 30, 30, N, N),  # blocks without a point
    (0, 3, 4, N),  # a block of one isolated point
]


def laplacian() -> Any:
    balanced = normalize(torch.from_numpy(WEIGHTS.toarray()), "sinkhorn").double().numpy()
    np.fill_diagonal(balanced, 0)
    return np.diag(balanced.sum(axis=1)) - balanced


def chebyshev(matrix: Any, polynomial: Polynomial, x: Any) -> Any:
    """Sum the series by matrices, slowly."""
    moved = (matrix - polynomial.center * np.eye(N)) / polynomial.half
    terms = [np.eye(N), moved]
    while len(terms) <= polynomial.degree:
        terms.append(2 * moved @ terms[-1] - terms[-2])
    return sum(c * term for c, term in zip(polynomial.coefficients, terms, strict=False)) @ x


@pytest.mark.parametrize("bounds", CUTS)
def test_products_are_those_of_the_whole_graph(tmp_path: Path, bounds: tuple[int, ...]) -> None:
    blocks = blocks_of(tmp_path, WEIGHTS, bounds)
    x = np.random.default_rng(1).standard_normal((N, 5)).astype(np.float32)
    for block, (low, high) in enumerate(pairwise(bounds)):
        blocks.work.save(f"vectors/x/0/{block}.npy", x[low:high])
    for polynomial in (slow_filter(0.1, blocks.high), Polynomial(0.7, 0.9, (1.0,))):
        _, inbox = blocks.exchange("begin", "x", 0, polynomial)
        inbox = blocks.multiply(polynomial, inbox)
        blocks.call("finish", "y", 0, own=[tuple(mine) for mine in inbox])
        parts = [
            np.concatenate(
                [blocks.work.load(f"vectors/{name}/0/{one}.npy") for one in range(len(bounds) - 1)]
            )
            for name in ("y", "y-moved")
        ]
        truth = chebyshev(laplacian(), polynomial, x)
        size = np.abs(truth).max()
        np.testing.assert_allclose(parts[0], truth, atol=2e-5 * size)
        np.testing.assert_allclose(parts[1], laplacian() @ truth, atol=4e-5 * size)


@pytest.mark.parametrize("bounds", CUTS)
def test_components_are_those_of_the_whole_graph(tmp_path: Path, bounds: tuple[int, ...]) -> None:
    blocks = blocks_of(tmp_path, WEIGHTS, bounds)
    parts = [blocks.work.load(f"components/{one}.npy") for one in range(len(bounds) - 1)]
    found, truth = np.concatenate(parts), connected_components(WEIGHTS)[1]
    assert len(np.unique(found)) == truth.max() + 1
    assert len(set(zip(found.tolist(), truth.tolist(), strict=True))) == truth.max() + 1


def test_a_block_may_have_foreign_links_only(tmp_path: Path) -> None:
    weights = random_graph(N).tolil()
    weights[10:20, 10:20] = 0
    weights.setdiag(1)
    blocks = blocks_of(tmp_path, weights.tocsr(), (0, 10, 20, N))
    held = blocks.handles[1].graph
    rows = np.repeat(np.arange(10), np.diff(held.starts))
    assert ((held.columns >= 10) | (held.columns == rows)).all()
    whole = blocks_of(tmp_path / "whole", weights.tocsr(), (0, N))
    factors = [blocks.work.load(f"factors/{one}.npy")[:n] for one, n in enumerate((10, 10, N - 20))]
    np.testing.assert_allclose(np.concatenate(factors), whole.work.load("factors/0.npy"), rtol=1e-5)


def test_lost_blocks_are_started_again(tmp_path: Path) -> None:
    blocks, n_calls = blocks_of(tmp_path, WEIGHTS, (0, 20, N)), 0

    def task() -> int:
        nonlocal n_calls
        n_calls += 1
        if n_calls < 3:
            raise WorkerLostError
        return len(blocks.handles)

    assert blocks.run(task) == 2
    assert blocks.n_restarts == 2


def test_workers_that_die_forever(tmp_path: Path) -> None:
    blocks = blocks_of(tmp_path, WEIGHTS, (0, 20, N))

    def task() -> None:
        raise WorkerLostError

    with pytest.raises(
        ValueError,
        match=f"one whose workers live, got workers that died {MOST_STARTS} times .* less `memory`",
    ):
        blocks.run(task)
