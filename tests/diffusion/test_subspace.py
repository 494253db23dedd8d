import numpy as np
import pytest
import torch
from scipy import sparse
from torch import Tensor

from diffresnet._support.threads import limited_threads
from diffresnet.diffusion import aggregation
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.diffusion.subspace import slowest_modes
from diffresnet.graph import matrix as mx
from diffresnet.graph.weights import build_weights


def laplacian_of(points: Tensor, n_top: int = 9) -> Tensor:
    """Return the Laplacian of the neighbor graph, as CSR."""
    weights = build_weights(points, n_top, bandwidth_rank=5, normalization="sinkhorn")
    return DiffusionOperator(weights).laplacian


def indicators(sizes: list[int]) -> sparse.csr_array:
    """Return the constant vectors of components of these sizes, of length one."""
    columns = np.repeat(np.arange(len(sizes)), sizes)
    values = 1 / np.sqrt(np.array(sizes))[columns]
    return sparse.csr_array((values, (np.arange(sum(sizes)), columns)))


@pytest.mark.parametrize("n_modes", [5, 40])
def test_agrees_with_the_full_decomposition(n_modes: int) -> None:
    points = torch.randn(600, 3, generator=torch.Generator().manual_seed(0))
    laplacian = laplacian_of(points)
    rates, modes = slowest_modes(laplacian, indicators([600]), n_modes)
    exact, vectors = torch.linalg.eigh(laplacian.to_dense().double())
    np.testing.assert_allclose(rates, exact[1 : n_modes + 1], rtol=0.02)
    np.testing.assert_allclose(modes.mT @ modes, np.eye(n_modes), atol=1e-4)
    # Each mode lies among the exact ones of nearly its rate.
    overlap = (vectors[:, 1 : n_modes + 10].mT @ modes.double()).square().sum(dim=0)
    assert float(overlap.min()) > 0.95
    first = (vectors[:, 1] @ modes[:, 0].double()).abs()
    assert float(first) > 0.999


def test_constants_of_components_are_left_out() -> None:
    generator = torch.Generator().manual_seed(0)
    parts = [torch.randn(size, 2, generator=generator) + 100 * size for size in (300, 150)]
    laplacian = laplacian_of(torch.cat(parts))
    rates, modes = slowest_modes(laplacian, indicators([300, 150]), 6)
    assert float(rates[0]) > 1e-5
    assert float(abs(indicators([300, 150]).T @ modes.numpy()).max()) < 1e-4


def test_cliques_whose_modes_all_decay_alike_give_equal_rates() -> None:
    clique = torch.full((10, 10), 0.1)
    laplacian = torch.eye(300) - torch.block_diag(*[clique] * 30)
    rates, modes = slowest_modes(laplacian.to_sparse_csr(), indicators([10] * 30), 20)
    np.testing.assert_allclose(rates, 1.0, atol=1e-3)
    assert bool(torch.isfinite(modes).all())


def test_same_result_every_time() -> None:
    points = torch.randn(400, 3, generator=torch.Generator().manual_seed(1))
    laplacian = laplacian_of(points)
    first, second = (slowest_modes(laplacian, indicators([400]), 10) for _ in range(2))
    assert torch.equal(first[1], second[1])


def test_a_graph_without_links() -> None:
    empty = torch.zeros(300, 300).to_sparse_csr()
    rates, modes = slowest_modes(empty, indicators([100, 200]), 20)
    assert float(rates.abs().max()) == 0
    np.testing.assert_allclose(modes.mT @ modes, np.eye(20), atol=1e-4)


@pytest.fixture
def small_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregation, "FEWEST_POINTS", 150)


@pytest.mark.usefixtures("small_levels")
def test_from_the_modes_of_smaller_graphs() -> None:
    generator = torch.Generator().manual_seed(0)
    parts = [torch.randn(size, 2, generator=generator) + 100 * size for size in (900, 600, 7)]
    moved = torch.randperm(1507, generator=generator)
    laplacian = laplacian_of(torch.cat(parts)[moved], n_top=7)
    constant = sparse.csr_array(indicators([900, 600, 7])[moved.numpy()])
    assert len(aggregation.make_levels(mx.to_scipy(laplacian), 100)) > 1
    rates, modes = slowest_modes(laplacian, constant, 20)
    exact, vectors = torch.linalg.eigh(laplacian.to_dense().double())
    np.testing.assert_allclose(rates, exact[3:23], rtol=0.01)
    np.testing.assert_allclose(modes.mT @ modes, np.eye(20), atol=1e-4)
    overlap = (vectors[:, 3:33].mT @ modes.double()).square().sum(dim=0)
    assert float(overlap.min()) > 0.99
    assert float(abs(constant.T @ modes.numpy()).max()) < 1e-4


@pytest.mark.usefixtures("small_levels")
def test_same_bits_for_any_number_of_threads() -> None:
    points = torch.randn(1000, 3, generator=torch.Generator().manual_seed(1))
    laplacian = laplacian_of(points)
    found: list[Tensor] = []
    for n_jobs in (1, 2, 3):
        with limited_threads(n_jobs):
            found.append(slowest_modes(laplacian, indicators([1000]), 40)[1])
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])
