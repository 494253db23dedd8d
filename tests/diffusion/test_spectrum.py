import numpy as np
import pytest
import torch

from diffresnet import DiffusionOperator, build_weights
from diffresnet.diffusion.spectrum import Spectrum, largest_eigenvalue

POINTS = torch.randn(300, 3, generator=torch.Generator().manual_seed(0)).double()
OPERATOR = DiffusionOperator(build_weights(POINTS, 9, normalization="sinkhorn"))


def test_modes_diffuse_as_points_do() -> None:
    spectrum = Spectrum.of(OPERATOR.laplacian, 300)
    whole = spectrum.modes * spectrum.decay(0.5, 7) @ spectrum.modes.mT
    expected = OPERATOR.diffuse(torch.eye(300).double(), step_size=0.5, n_steps=7)
    assert torch.allclose(whole, expected, atol=1e-10)


def test_few_modes_are_the_slowest() -> None:
    few, every = Spectrum.of(OPERATOR.laplacian, 20), Spectrum.of(OPERATOR.laplacian, 300)
    assert torch.allclose(few.rates, every.rates[:21], atol=1e-3)
    assert few.modes.shape == (300, 21)
    assert torch.equal(Spectrum.of(OPERATOR.laplacian, 20).modes, few.modes)


def test_every_component_has_its_constant_mode() -> None:
    cliques = torch.block_diag(*[torch.ones(5, 5)] * 120)
    spectrum = Spectrum.of(DiffusionOperator(cliques.to_sparse_csr()).laplacian, 20)
    constant = spectrum.modes[:, spectrum.rates < 1e-6]
    assert constant.shape == (600, 120)
    assert torch.allclose(constant @ constant.mT, cliques / 5)


def test_a_graph_without_links() -> None:
    spectrum = Spectrum.of(DiffusionOperator(torch.zeros(300, 300).to_sparse_csr()).laplacian, 20)
    assert torch.allclose(spectrum.modes @ spectrum.modes.mT, torch.eye(300))


@pytest.mark.parametrize("n_points", [1, 5, 300])
def test_largest_eigenvalue(n_points: int) -> None:
    generator = torch.Generator().manual_seed(0)
    matrix = torch.rand(n_points, n_points, generator=generator, dtype=torch.float64)
    matrix = matrix + matrix.mT
    expected = pytest.approx(float(np.linalg.eigvalsh(matrix.numpy()).max()), rel=1e-9)
    assert largest_eigenvalue(matrix) == expected
    assert largest_eigenvalue(matrix.to_sparse_csr()) == expected
    assert largest_eigenvalue(torch.stack([matrix / 2, matrix])) == expected
