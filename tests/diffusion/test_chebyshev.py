import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from diffresnet.diffusion.chebyshev import ChebyshevSeries, diffusion_series


@given(
    step_size=st.floats(1e-3, 10),
    n_steps=st.integers(0, 2000),
    part=st.floats(1e-3, 1),
    tolerance=st.sampled_from([1e-3, 1e-6, 1e-10]),
)
def test_series_equals_the_polynomial_to_its_tolerance(
    step_size: float, n_steps: int, part: float, tolerance: float
) -> None:
    upper = 2 / step_size * part
    series = diffusion_series(step_size, n_steps, upper, tolerance)
    eigenvalues = np.linspace(0, upper, 501)
    errors = series(eigenvalues) - (1 - step_size * eigenvalues) ** n_steps
    assert np.abs(errors).max() <= tolerance
    assert abs(errors[0]) < 1e-12  # constants are preserved
    assert series.degree <= n_steps


def test_series_is_short() -> None:
    assert diffusion_series(1.0, 900, 2.0, 1e-6).degree <= 900 / 6
    assert diffusion_series(1.0, 200, 2.0, 1e-6).degree <= 75
    assert diffusion_series(1.0, 100_000, 2.0, 1e-6).degree < 2000
    assert diffusion_series(1.0, 10_000, 2.0, 1e-12).degree < 800
    assert diffusion_series(1.0, 10**9, 2.0, 1e-6).degree < 200_000


@pytest.mark.parametrize("degree", [0, 1, 2, 7])
def test_apply_equals_evaluation_at_the_eigenvalues(degree: int) -> None:
    generator = torch.Generator().manual_seed(0)
    basis = torch.linalg.qr(torch.randn(6, 6, generator=generator, dtype=torch.float64)).Q
    eigenvalues = torch.linspace(0, 3, 6, dtype=torch.float64)
    matrix = basis @ torch.diag(eigenvalues) @ basis.mT
    x = torch.randn(6, 2, generator=generator, dtype=torch.float64)
    series = ChebyshevSeries(tuple(float(k + 1) for k in range(degree + 1)), upper=3.0)
    values = torch.from_numpy(series(eigenvalues.numpy()))
    expected = basis @ torch.diag(values) @ basis.mT @ x
    torch.testing.assert_close(series.apply(matrix, x), expected)
    torch.testing.assert_close(series.apply(matrix.to_sparse_csr(), x), expected)
    torch.testing.assert_close(series.apply(matrix.expand(2, 6, 6), x.expand(2, 6, 2))[1], expected)


def test_unstable_steps_are_refused() -> None:
    with pytest.raises(ValueError, match="diffusion_series") as error:
        diffusion_series(1.0, 10, 3.0)
    assert str(error.value) == (
        "diffusion_series: `upper` must be at most 2 / `step_size` (2), got 3. Lower `step_size`."
    )
