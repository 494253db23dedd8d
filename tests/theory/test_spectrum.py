import numpy as np
import pytest
import torch

from diffresnet import DiffusionOperator, build_weights
from diffresnet.datasets import make_xor
from diffresnet.theory import count_closed_classes, moving_eigenvalues, spectrum
from diffresnet.theory.spectrum import leads_to_one_limit


def test_closed_classes_of_symmetric_weights_are_components(generator: torch.Generator) -> None:
    data = make_xor(generator)
    assert count_closed_classes(DiffusionOperator(build_weights(data.points, 12))) == 4


def test_all_eigenvalues(generator: torch.Generator) -> None:
    data = make_xor(generator, n_points=60)
    for normalization in ("symmetric", "row"):
        weights = build_weights(data.points, 8, normalization=normalization)
        operator = DiffusionOperator(weights)
        every = np.linalg.eigvals(operator.laplacian.to_dense().numpy())
        found = moving_eigenvalues(operator)
        assert len(found) == 60 - count_closed_classes(operator)
        assert np.abs(found).min() > 1e-6
        assert np.abs(found).max() == pytest.approx(np.abs(every).max())


@pytest.mark.parametrize("normalization", ["symmetric", "row"])
def test_a_large_graph_gives_the_same_ends(
    normalization: str, generator: torch.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = make_xor(generator, n_points=300).points
    weights = build_weights(points, 12, normalization=normalization)  # pyright: ignore[reportArgumentType]
    operator = DiffusionOperator(weights)
    every = moving_eigenvalues(operator)
    monkeypatch.setattr(spectrum, "DENSE_BELOW", 10)
    ends = moving_eigenvalues(operator)
    assert ends.real.min() == pytest.approx(every.real.min(), rel=1e-4)
    assert np.abs(ends).max() == pytest.approx(np.abs(every).max(), rel=1e-4)
    dense = DiffusionOperator(weights.to_dense())
    assert moving_eigenvalues(dense)[0].real == pytest.approx(ends[0].real, rel=1e-6)


def test_no_links_and_batches() -> None:
    operator = DiffusionOperator(torch.eye(3))
    assert count_closed_classes(operator) == 3
    assert len(moving_eigenvalues(operator)) == 0
    with pytest.raises(ValueError, match="count_closed_classes: `operator` must be one over the"):
        count_closed_classes(DiffusionOperator(torch.ones(2, 3, 3)))


def test_where_points_of_a_subclass_tend_to_one_limit() -> None:
    pairs = DiffusionOperator(torch.block_diag(torch.ones(2, 2), torch.ones(2, 2)))
    assert leads_to_one_limit(pairs, np.array([0, 0, 1, 1]))
    assert leads_to_one_limit(pairs, np.array([0, 1, 2, 2]))
    assert not leads_to_one_limit(pairs, np.array([0, 0, 0, 0]))
    fork = torch.tensor([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    assert not leads_to_one_limit(DiffusionOperator(fork), np.zeros(3, dtype=np.int64))
