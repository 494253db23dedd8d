from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse
from torch import Tensor

from diffresnet._support.threads import limited_threads
from diffresnet.diffusion import rayleigh_ritz
from diffresnet.diffusion.rayleigh_ritz import GROWTH, SymmetricMatrix

N_POINTS = 500


def make_matrix() -> Any:
    """Return the Laplacian of a ring with random chords, and its constant vector."""
    generator = np.random.default_rng(0)
    links = np.zeros((N_POINTS, N_POINTS), dtype=np.float32)
    every = np.arange(N_POINTS)
    links[every, (every + 1) % N_POINTS] = generator.random(N_POINTS) + 0.5
    links[every[::9], generator.permutation(N_POINTS)[: len(every[::9])]] = 0.1
    links = links + links.T
    laplacian = np.diag(links.sum(axis=1)) - links
    constant = np.full((N_POINTS, 1), N_POINTS**-0.5, dtype=np.float32)
    return sparse.csr_array(laplacian), sparse.csr_array(constant)


def random_block(*widths: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(N_POINTS, width, generator=generator) for width in widths]


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rayleigh_ritz, "ROWS", 64)
    monkeypatch.setattr(rayleigh_ritz, "SHARED_ROWS", 128)


def test_filter_is_a_chebyshev_polynomial() -> None:
    array, constant = make_matrix()
    matrix, low = SymmetricMatrix(array, constant), 0.3
    block = random_block(8, 3)
    center, half = (matrix.high + low) / 2, (matrix.high - low) / 2
    degree = int(np.ceil(GROWTH / np.arccosh(center / half)))
    values, vectors = np.linalg.eigh(array.toarray().astype(np.float64))
    places = torch.from_numpy((values - center) / half)
    gains = torch.special.chebyshev_polynomial_t(places, degree)
    gains[0] = 0  # the constant vector
    exact = torch.from_numpy(vectors)
    expected = exact @ (gains.unsqueeze(1) * (exact.mT @ torch.cat(block, dim=1).double()))
    matrix.filter(block, low)
    found = torch.cat(block, dim=1)
    np.testing.assert_allclose(found, expected / expected.norm(dim=0), atol=1e-4)
    assert float(gains[values > low].abs().max()) <= 1 + 1e-9


def test_rotation_finds_the_best_modes_of_a_block() -> None:
    array, constant = make_matrix()
    matrix = SymmetricMatrix(array, constant)
    block = random_block(8, 8, 3)
    matrix.remove_constant(block)
    axes = torch.linalg.qr(torch.cat(block, dim=1).double())[0]
    dense = torch.from_numpy(array.toarray()).double()
    expected = torch.linalg.eigvalsh(axes.mT @ dense @ axes)
    rates = matrix.rotate_to_modes(block)
    modes = torch.cat(block, dim=1).double()
    np.testing.assert_allclose(rates, expected, rtol=1e-5)
    np.testing.assert_allclose(modes.mT @ modes, np.eye(19), atol=1e-5)
    np.testing.assert_allclose(modes.mT @ dense @ modes, np.diag(rates), atol=1e-5)
    assert float(abs(constant.T @ modes.numpy()).max()) < 1e-5


def test_vectors_that_depend_on_each_other_do_no_harm() -> None:
    array, constant = make_matrix()
    block = random_block(8)
    block.append(block[0].clone())
    assert bool(SymmetricMatrix(array, constant).rotate_to_modes(block).isfinite().all())
    assert all(bool(part.isfinite().all()) for part in block)


def test_same_bits_for_any_number_of_threads() -> None:
    found: list[Tensor] = []
    for n_jobs in (1, 3):
        array, constant = make_matrix()
        matrix, block = SymmetricMatrix(array, constant), random_block(8, 8, 8)
        with limited_threads(n_jobs):
            matrix.filter(block, 0.3)
            matrix.rotate_to_modes(block)
        found.append(torch.cat(block, dim=1))
    assert torch.equal(*found)
