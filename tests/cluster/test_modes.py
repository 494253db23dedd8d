from pathlib import Path

import numpy as np
import pytest
import torch

from diffresnet import build_weights
from diffresnet.cluster.modes import find_modes, guess_modes, rotation_to_modes
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.graph import matrix as mx
from tests.cluster.examples import FEATURES, blocks_of

RANKS = (11, 6)
POINTS = torch.nn.functional.normalize(torch.from_numpy(FEATURES[:400]), dim=1)


@pytest.mark.parametrize("bounds", [(0, 400), (0, 150, 150, 300, 400)])
def test_rates_are_the_least_eigenvalues(tmp_path: Path, bounds: tuple[int, ...]) -> None:
    raw = build_weights(POINTS, 11, bandwidth_rank=6, bandwidth_scale=0.5, normalization="sinkhorn")
    weights = mx.to_scipy(raw).astype(np.float32)
    blocks = blocks_of(tmp_path, weights, bounds)
    landmarks = POINTS + 0.02 * torch.randn(
        POINTS.shape, generator=torch.Generator().manual_seed(0)
    )
    found = find_modes(blocks, landmarks, 20, RANKS)
    truth = np.linalg.eigvalsh(mx.to_scipy(DiffusionOperator(raw).laplacian).toarray())
    np.testing.assert_allclose(found.rates[:20], truth[:20].clip(min=0), rtol=0.02, atol=1e-5)
    again = find_modes(blocks, landmarks, 20, RANKS)  # from files
    assert torch.equal(found.rates, again.rates)
    assert found.stage == again.stage


def test_guess_has_as_many_vectors_as_it_can() -> None:
    assert guess_modes(POINTS[:5], 5, RANKS).shape == (5, 5)


def test_directions_that_are_not_there_come_last() -> None:
    block = np.random.default_rng(0).standard_normal((30, 4))
    block[:, 3] = block[:, 0]
    laplacian = np.diag(np.arange(30.0))
    rates, rotation, n_good = rotation_to_modes(block.T @ block, block.T @ laplacian @ block)
    assert n_good == 3
    modes = block @ rotation[:, :3]
    np.testing.assert_allclose(modes.T @ modes, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(modes.T @ laplacian @ modes, np.diag(rates[:3]), atol=1e-8)
    assert rates[3] > rates[2]
