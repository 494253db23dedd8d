import numpy as np
import numpy.typing as npt
import pytest
import torch

from diffresnet._support.threads import limited_threads
from diffresnet.diffusion.filters import GraphFilter
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.diffusion.spectrum import Spectrum
from diffresnet.graph import product
from diffresnet.graph.weights import build_weights


def smooth(rates: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return (rates + 0.01) ** -2


@pytest.mark.parametrize("n_modes", [20, 300])
def test_agrees_with_all_eigenvectors(n_modes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = torch.Generator().manual_seed(0)
    points = torch.randn(300, 3, generator=generator)
    weights = build_weights(points, 9, normalization="sinkhorn")
    laplacian = DiffusionOperator(weights).laplacian
    filtered = GraphFilter.of(laplacian, Spectrum.of(laplacian, n_modes), smooth)
    columns = torch.randn(300, 4, generator=generator, dtype=torch.float64)
    rates, modes = torch.linalg.eigh(laplacian.to_dense().double())
    moved = columns - columns.mean(dim=0)
    gains = torch.from_numpy(smooth(rates.clamp(min=0).numpy()))
    expected = modes @ (gains.unsqueeze(1) * (modes.mT @ moved))
    expected = expected - expected.mean(dim=0)
    found = filtered.apply(columns)
    assert float((found - expected).norm() / expected.norm()) < 0.02
    # Threads that share columns, or rows, change nothing.
    for fewest, width in ((10**9, 4), (1, 4), (1, 70)):
        monkeypatch.setattr(product, "FEWEST_SHARED", fewest)
        many = columns.repeat(1, width // 4 + 1)[:, :width]
        one, *others = (shared(filtered, many, n_jobs) for n_jobs in (1, 2, 3))
        assert torch.allclose(one[:, :4], found, rtol=1e-4, atol=1e-4)
        assert all(torch.equal(one, other) for other in others)


def shared(filtered: GraphFilter, columns: torch.Tensor, n_jobs: int) -> torch.Tensor:
    with limited_threads(n_jobs):
        return filtered.apply(columns)
