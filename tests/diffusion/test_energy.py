import pytest
import torch
from torch import Tensor

from diffresnet.diffusion import energy as _energy
from diffresnet.diffusion.energy import autocorrelation, edge_energy
from tests import reference


@pytest.mark.parametrize("block_size", [1, 7, 2**22])
def test_equals_loops(block_size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_energy, "BLOCK_SIZE", block_size)
    generator = torch.Generator().manual_seed(0)
    weights = torch.rand(6, 6, generator=generator, dtype=torch.float64)
    x = torch.randn(6, 3, generator=generator, dtype=torch.float64)
    expected = reference.energy(weights.tolist(), x.tolist())
    assert edge_energy(x, weights.to_sparse_csr()).item() == pytest.approx(expected)


def test_gradients_of_first_and_second_order() -> None:
    generator = torch.Generator().manual_seed(0)
    weights = torch.rand(5, 5, generator=generator, dtype=torch.float64).to_sparse_csr()
    x = torch.randn(5, 2, generator=generator, dtype=torch.float64, requires_grad=True)

    def energy(y: Tensor) -> Tensor:
        return edge_energy(y, weights)

    assert torch.autograd.gradcheck(energy, (x,))
    assert torch.autograd.gradgradcheck(energy, (x,))


def test_autocorrelation_equals_loops_without_loops_of_points() -> None:
    generator = torch.Generator().manual_seed(0)
    weights = torch.rand(6, 6, generator=generator, dtype=torch.float64)
    weights = weights + weights.mT
    x = torch.randn(6, 3, generator=generator, dtype=torch.float64)
    pairs = [(i, j) for i in range(6) for j in range(6) if i != j]
    together = sum(float(weights[i, j] * (x[i] @ x[j])) for i, j in pairs)
    alone = sum(float(weights[i, j] * (x[i] @ x[i])) for i, j in pairs)
    found = autocorrelation(x, weights.to_sparse_csr())
    assert found == pytest.approx(together / alone)


def test_autocorrelation_without_links_or_features_is_0() -> None:
    x = torch.ones(3, 2)
    assert autocorrelation(x, torch.eye(3).to_sparse_csr()) == 0
    assert autocorrelation(0 * x, torch.ones(3, 3).to_sparse_csr()) == 0
