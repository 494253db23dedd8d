import numpy as np
import pytest
import torch

from diffresnet.diffusion.spectrum import largest_eigenvalue


@pytest.mark.parametrize("n_points", [1, 5, 300])
def test_largest_eigenvalue(n_points: int) -> None:
    generator = torch.Generator().manual_seed(0)
    matrix = torch.rand(n_points, n_points, generator=generator, dtype=torch.float64)
    matrix = matrix + matrix.mT
    expected = pytest.approx(float(np.linalg.eigvalsh(matrix.numpy()).max()), rel=1e-9)
    assert largest_eigenvalue(matrix) == expected
    assert largest_eigenvalue(matrix.to_sparse_csr()) == expected
    assert largest_eigenvalue(torch.stack([matrix / 2, matrix])) == expected
