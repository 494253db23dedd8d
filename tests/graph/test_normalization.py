import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from torch import Tensor

import diffresnet.graph.normalization
from diffresnet import gaussian_kernel, normalize, sparsify
from diffresnet._support.types import Normalization
from tests import reference
from tests.graph.test_weights import NORMALIZATIONS, assert_rows, random_points, random_weights


@given(n_points=st.integers(1, 8), seed=st.integers(0, 99))
def test_normalize_equals_loops_in_both_layouts(n_points: int, seed: int) -> None:
    weights = random_weights(n_points, n_points, seed=seed)
    for layout in (weights, weights.to_sparse_csr(), sparse.csr_matrix(weights.numpy())):
        assert_rows(normalize(layout, "row"), reference.normalize_rows(weights.tolist()))
        assert_rows(normalize(layout, "symmetric"), reference.normalize_symmetric(weights.tolist()))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("csr", [False, True])
def test_sinkhorn_is_symmetric_and_balanced(dtype: torch.dtype, *, csr: bool) -> None:
    kernel = gaussian_kernel(random_points(30, 30).abs(), 1.0).to(dtype).fill_diagonal_(1)
    kernel[0, 1:], kernel[1:, 0] = 0, 0
    kernel[0, 0] = 0  # an isolated point
    weights = sparsify(kernel.to_sparse_csr() if csr else kernel, 8)
    balanced = normalize(weights, "sinkhorn").to_dense()
    assert torch.equal(balanced, balanced.mT)
    sums = balanced.sum(dim=1)
    assert sums[0] == 0
    error = 1e-12 if dtype == torch.float64 else 1e-5
    torch.testing.assert_close(sums[1:], torch.ones(29, dtype=dtype), rtol=0, atol=error)
    linked = weights.to_dense() > 0
    assert torch.equal(balanced > 0, linked | linked.mT)


def test_sinkhorn_says_when_there_is_no_scaling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diffresnet.graph.normalization, "SINKHORN_ITERATIONS", 50)
    star = torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match=r"scalable to row sums of 1, got row sums off by .* Give"):
        normalize(star, "sinkhorn")


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize("factor", [1e-40, 1e-20, 1e20, 1.5e38])
def test_normalization_does_not_depend_on_the_size(
    normalization: Normalization, factor: float
) -> None:
    weights = torch.tensor([[1.0, 0.5, 0.0], [0.25, 1.0, 0.5], [0.0, 0.5, 1.0]])
    expected = normalize(weights, normalization)
    for layout in (factor * weights, (factor * weights).to_sparse_csr()):
        assert_close_rows(normalize(layout, normalization).to_dense(), expected)


def assert_close_rows(found: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
def test_dense_normalization_is_differentiable(normalization: Normalization) -> None:
    weights = (random_points(2, 4, 4).abs() + 0.1).requires_grad_()

    def normalized(w: Tensor) -> Tensor:
        return normalize(w, normalization)

    assert torch.autograd.gradcheck(normalized, (weights,), atol=1e-4)
