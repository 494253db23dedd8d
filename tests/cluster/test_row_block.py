from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diffresnet.cluster import row_block as module
from diffresnet.cluster.blocks import Blocks
from diffresnet.cluster.row_block import Polynomial, Sources
from tests.cluster.examples import blocks_of, random_graph

N, WIDTH = 50, 5
BOUNDS = (0, 18, 18, N)
WEIGHTS = random_graph(N, 1)
GENERATOR = np.random.default_rng(0)
VECTORS = GENERATOR.standard_normal((N, WIDTH)).astype(np.float32)
MOVED = GENERATOR.standard_normal((N, WIDTH)).astype(np.float32)


@pytest.fixture
def blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Blocks:
    """Blocks with vectors in two parts, whose rows are read a few at a time."""
    monkeypatch.setattr(module, "ROWS", 7)
    made = blocks_of(tmp_path, WEIGHTS, BOUNDS)
    for name, array in (("x", VECTORS), ("x-moved", MOVED)):
        for part, columns in enumerate((slice(0, 3), slice(3, WIDTH))):
            for one, (low, high) in enumerate(pairwise(BOUNDS)):
                made.work.save(f"vectors/{name}/{part}/{one}.npy", array[low:high, columns])
    return made


def read(blocks: Blocks, stage: str, n_parts: int) -> Any:
    """Return the vectors of a stage, of all blocks."""
    rows = [
        [blocks.work.load(f"vectors/{stage}/{part}/{one}.npy") for part in range(n_parts)]
        for one in range(len(BOUNDS) - 1)
    ]
    return np.concatenate([np.concatenate(parts, axis=1) for parts in rows])


def test_what_is_there_is_known(blocks: Blocks) -> None:
    assert blocks.call("has", "x", 1) == [True] * 3
    assert blocks.call("has", "x", 2) == [False] * 3


def test_a_guess_is_the_mean_of_landmarks(blocks: Blocks) -> None:
    modes = GENERATOR.standard_normal((9, WIDTH)).astype(np.float32)
    near = GENERATOR.integers(9, size=(N, 3)).astype(np.int32)
    weights = GENERATOR.random((N, 3)).astype(np.float32)
    for one, (low, high) in enumerate(pairwise(BOUNDS)):
        blocks.work.save(f"shards/{one}/near.npy", near[low:high])
        blocks.work.save(f"shards/{one}/near_weights.npy", weights[low:high])
    blocks.call("interpolate", "guess", modes, 3)
    truth = np.zeros((N, WIDTH))
    for point in range(N):
        for which, weight in zip(near[point], weights[point], strict=True):
            truth[point] += weight * modes[which]
    np.testing.assert_allclose(read(blocks, "guess", 2), truth, rtol=1e-5, atol=1e-6)


def test_products_of_vectors_sum_over_blocks(blocks: Blocks) -> None:
    found = np.sum(blocks.call("measure", "x", 2), axis=0)
    truth = np.zeros((2, WIDTH, WIDTH))
    for x, moved in zip(VECTORS.astype(np.float64), MOVED, strict=True):
        truth[0] += np.outer(x, x)
        truth[1] += np.outer(x, moved)
    np.testing.assert_allclose(found, truth, rtol=1e-6, atol=1e-6)


def test_vectors_are_rotated(blocks: Blocks) -> None:
    rotation = GENERATOR.standard_normal((WIDTH, WIDTH))
    sums = np.sum(blocks.call("rotate", "x", 2, rotation, "y"), axis=0)
    truth = [
        [sum(x[k] * rotation[k, column] for k in range(WIDTH)) for column in range(WIDTH)]
        for x in VECTORS.tolist()
    ]
    np.testing.assert_allclose(read(blocks, "y", 2), truth, atol=1e-5)
    np.testing.assert_allclose(sums, np.sum(truth, axis=0), atol=1e-4)


def test_rows_are_looked_up_in_any_order(blocks: Blocks) -> None:
    points = GENERATOR.standard_normal((N, 2)).astype(np.float32)
    for one, (low, high) in enumerate(pairwise(BOUNDS)):
        blocks.work.save(f"shards/{one}/points.npy", points[low:high])
    numbers = np.array([49, 3, 17, 18, 3, 0])
    modes, found = blocks.look_up("x", 2, numbers)
    np.testing.assert_array_equal(modes, VECTORS[numbers])
    np.testing.assert_array_equal(found, points[numbers])


def test_sources_lose_what_the_modes_have_of_them(blocks: Blocks) -> None:
    """With the polynomial 2 T_0 - T_1, by whole matrices; and written, or some rows of it."""
    rows = np.array([2, 30, 30, 49])  # one of them twice
    values, in_modes = GENERATOR.standard_normal((4, 2)), GENERATOR.standard_normal((WIDTH, 2))
    gains, means = GENERATOR.random(WIDTH), GENERATOR.random(2)
    given = (one.astype(np.float32) for one in (values, in_modes, gains, means))
    sources, polynomial = Sources(rows, *given), Polynomial(0.4, 0.8, (2.0, -1.0))
    fast = -VECTORS @ in_modes - means
    for row, value in zip(rows, values, strict=True):
        fast[row] += value
    whole = np.eye(N, dtype=np.float32)
    for one, (low, high) in enumerate(pairwise(BOUNDS)):
        blocks.work.save(f"vectors/eye/0/{one}.npy", whole[low:high])
    _, inbox = blocks.exchange("begin", "eye", 0, Polynomial(0.0, 1.0, (1.0,)))
    blocks.call("finish", "eye", 0, own=[tuple(mine) for mine in inbox])
    laplacian = read(blocks, "eye-moved", 1)
    moved = (laplacian @ fast - polynomial.center * fast) / polynomial.half
    truth = 2 * fast - moved + VECTORS @ (gains[:, None] * in_modes)
    _, inbox = blocks.exchange("begin_sources", "x", 2, sources, polynomial)
    blocks.multiply(polynomial, inbox)
    wanted = [(np.array([5, 2]), "out"), (np.zeros(0, np.int64), "out"), (np.array([49]), "out")]
    found = blocks.call("finish_sources", "x", 2, sources, own=wanted)
    np.testing.assert_allclose(np.sum([sums for sums, _ in found], axis=0), truth.sum(0), atol=1e-3)
    some = np.concatenate([own for _, own in found])
    np.testing.assert_allclose(some, truth[[5, 2, 49]], atol=1e-4)
    np.testing.assert_allclose(read(blocks, "out", 1), truth, atol=1e-4)


class Echo:
    """Scores nothing: answers what it was given of each row."""

    def answer(self, modes: Any, points: Any, spread: Any, components: Any) -> Any:
        return np.column_stack([modes[:, 4], points[:, 0], spread[:, 0], components])


def test_every_row_is_answered_with_its_own(blocks: Blocks) -> None:
    points = np.arange(2 * N, dtype=np.float32).reshape(N, 2)
    for one, (low, high) in enumerate(pairwise(BOUNDS)):
        blocks.work.save(f"shards/{one}/points.npy", points[low:high])
        blocks.work.save(f"components/{one}.npy", np.arange(low, high))
    blocks.call("answer", "x", 2, Echo(), ("x",))
    found = np.concatenate([blocks.work.load(f"answers/{one}.npy") for one in range(3)])
    truth = [[VECTORS[row, 4], points[row, 0], VECTORS[row, 0], row] for row in range(N)]
    np.testing.assert_allclose(found, truth)
