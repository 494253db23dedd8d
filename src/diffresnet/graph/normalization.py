"""Balance the weights of a graph: row, symmetric, or doubly stochastic (Section 3.2)."""

from typing import get_args

import torch
from torch import Tensor

from diffresnet._support.checks import check_choice, fail
from diffresnet._support.types import Matrix, Normalization
from diffresnet.graph import matrix as mx

SINKHORN_ITERATIONS = 10_000


def normalize(weights: Matrix, normalization: Normalization = "symmetric") -> Tensor:
    """Balance the weights of the rows (Normalize, Section 3.2).

    - ``"row"``: w_ij / d_i, so that rows sum to 1; not symmetric. The authors' code uses it for
      the synthetic sets.
    - ``"symmetric"``: d_i^-1/2 w_ij d_j^-1/2 with the row sums d of `weights`, then the average
      with the transpose, as the authors' code does for few-shot tasks and graphs. Symmetric, but
      rows do not sum to 1.
    - ``"sinkhorn"``: the average with the transpose, then s_i w_ij s_j with s such that rows sum to
      1: symmetric *and* balanced, as the paper's proofs assume (Appendix A).

    A row of zeros (an isolated point) stays a row of zeros.

    Args:
        weights: (N, N) or (T, N, N), dense or, for (N, N), sparse; non-negative.
        normalization: one of the three.

    Returns:
        A tensor in the layout of `weights`: dense, or CSR for every sparse one.

    Raises:
        ValueError: if `weights` is not square, finite and non-negative, if `normalization` is
            unknown, or if no symmetric scaling exists for ``"sinkhorn"`` (it does exist whenever
            the diagonal is positive).

    Examples:
        >>> normalize(torch.tensor([[1.0, 1.0], [0.0, 1.0]]), "row")
        tensor([[0.5000, 0.5000],
                [0.0000, 1.0000]])
        >>> normalize(torch.tensor([[2.0, 1.0], [1.0, 2.0]]), "sinkhorn")
        tensor([[0.6667, 0.3333],
                [0.3333, 0.6667]])
    """
    matrix = mx.as_square("normalize", "weights", weights)
    check_choice("normalize", "normalization", normalization, get_args(Normalization))
    return balance(matrix, normalization)


def balance(matrix: Tensor, normalization: Normalization) -> Tensor:
    """Do the work of `normalize` on a matrix that has been checked."""
    # None of the three depends on the size of the weights; very large or small ones would overflow.
    matrix = mx.with_moderate_size(matrix)
    if normalization == "row":
        return mx.scale(matrix, _power(mx.row_sums(matrix), -1))
    if normalization == "symmetric":
        factors = _power(mx.row_sums(matrix), -0.5)
    else:
        matrix = mx.symmetrize(matrix)
        factors = _sinkhorn_factors(matrix)
    return mx.symmetrize(mx.scale(matrix, factors, factors))


def _power(sums: Tensor, exponent: float) -> Tensor:
    """Return `sums` to a negative power, and 0 where a sum is 0."""
    tiny = torch.finfo(sums.dtype).tiny
    return torch.where(sums > 0, sums.clamp(min=tiny).pow(exponent), 0)


def _sinkhorn_factors(matrix: Tensor) -> Tensor:
    """Solve s_i sum_j w_ij s_j = 1 by s <- (s / W s)^1/2, which converges without oscillation."""
    factors = _power(mx.row_sums(matrix), -0.5)
    filled = factors > 0
    tolerance = 32 * torch.finfo(matrix.dtype).eps
    errors = torch.full_like(factors, torch.inf)
    for _ in range(SINKHORN_ITERATIONS):
        products = (matrix @ factors.unsqueeze(-1)).squeeze(-1)
        errors = torch.where(filled, factors * products - 1, 0).detach().abs()
        if errors.max() <= tolerance:
            break
        factors = torch.where(filled, (factors / torch.where(filled, products, 1)).sqrt(), 0)
    else:
        got = f"row sums off by {errors.max():.1g} after {SINKHORN_ITERATIONS} rounds"
        remedy = "Give every point a positive weight to itself, or use 'symmetric'."
        fail("normalize", "weights", "scalable to row sums of 1", got, remedy)
    return factors


def balance_dense(weights: Tensor, offset: float = 0.0) -> Tensor:
    """Return d_i^-1/2 w_ij d_j^-1/2 of dense weights (..., N, N), points not linked to themselves.

    Args:
        weights: symmetric and non-negative; the diagonal is taken for 0.
        offset: added to the row sums d, as some methods do.
    """
    links = mx.set_diagonal(weights, 0)
    factors = _power(links.sum(dim=-1) + offset, -0.5)
    return mx.scale(links, factors, factors)
