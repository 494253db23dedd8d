from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

import diffresnet.graph.neighbors
from diffresnet import build_weights, gaussian_kernel, graph_weights, normalize, sparsify
from diffresnet._support.types import Normalization, Search
from tests import reference

NORMALIZATIONS: tuple[Normalization, ...] = ("row", "symmetric", "sinkhorn")


def random_points(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def random_weights(*shape: int, seed: int = 0) -> Tensor:
    """Return weights with zeros, ties, and one empty row."""
    generator = torch.Generator().manual_seed(seed)
    weights = torch.randint(0, 4, shape, generator=generator).double() / 3
    weights[..., 0, :] = 0
    return weights


def assert_rows(weights: Tensor, expected: reference.Rows) -> None:
    dense = torch.tensor(expected, dtype=torch.float64)
    torch.testing.assert_close(weights.to_dense(), dense, rtol=1e-12, atol=1e-12)


def test_equals_the_program_on_xor(
    reference_numbers: Callable[[str], dict[str, NDArray[np.float64]]],
) -> None:
    xor = reference_numbers("xor.npz")
    weights = build_weights(xor["points"], 20, bandwidth=0.5, normalization="row")
    np.testing.assert_allclose(weights.to_dense().numpy(), xor["weights"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("shots", [1, 5])
@pytest.mark.parametrize("task", [0, 1, 2])
def test_equals_the_program_on_digits(
    task: int, shots: int, reference_numbers: Callable[[str], dict[str, NDArray[np.float32]]]
) -> None:
    digits = reference_numbers("fewshot_digits.npz")
    points = digits[f"t{task}_{shots}shot_points"]
    # The program's n_top = 8 keeps the distances strictly below the 8th: 7 of them.
    weights = build_weights(points, 7, bandwidth_rank=4, normalization="symmetric")
    expected = digits[f"t{task}_{shots}shot_weights"]
    np.testing.assert_allclose(weights.to_dense().numpy(), expected, rtol=0, atol=1e-6)
    assert torch.equal(weights.to_dense(), build_weights(points, 7).to_dense())  # the defaults


@pytest.mark.parametrize("n_features", [2, 20])
@pytest.mark.parametrize("rank", [None, 3, 9])
def test_build_equals_loops(rank: int | None, n_features: int) -> None:
    rows = random_points(15, n_features)
    points = rows.tolist()
    if rank is None:
        sigmas = [0.8] * 15
        weights = build_weights(rows, 5, bandwidth=0.8, normalization="symmetric")
    else:
        sigmas = [row[-1][0] for row in reference.nearest_neighbors(points, rank)]
        weights = build_weights(rows, 5, bandwidth_rank=rank, normalization="symmetric")
    kernel = reference.gaussian_weights(points, sigmas)
    assert_rows(weights, reference.normalize_symmetric(reference.sparsify(kernel, 5)))


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@given(n_points=st.integers(1, 12), seed=st.integers(0, 99), data=st.data())
def test_build_is_the_three_functions_in_a_row(
    normalization: Normalization, n_points: int, seed: int, data: st.DataObject
) -> None:
    n_top = data.draw(st.integers(1, n_points))
    points = random_points(n_points, 2, seed=seed).round()  # with duplicates and ties
    distances = torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist")
    by_hand = normalize(sparsify(gaussian_kernel(distances, 1.5), n_top), normalization)
    built = build_weights(points, n_top, bandwidth=1.5, normalization=normalization)
    torch.testing.assert_close(built.to_dense(), by_hand, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize("bandwidth", [None, 2.0])
def test_batch_of_dense_equals_csr(normalization: Normalization, bandwidth: float | None) -> None:
    sets = random_points(4, 20, 30)
    batch = build_weights(sets, 6, bandwidth=bandwidth, normalization=normalization)
    assert batch.layout == torch.strided
    for points, dense in zip(sets, batch, strict=True):
        weights = build_weights(points, 6, bandwidth=bandwidth, normalization=normalization)
        assert weights.layout == torch.sparse_csr
        torch.testing.assert_close(weights.to_dense(), dense, rtol=1e-12, atol=1e-14)


@given(n_points=st.integers(1, 8), seed=st.integers(0, 99), data=st.data())
def test_sparsify_equals_loops_in_both_layouts(
    n_points: int, seed: int, data: st.DataObject
) -> None:
    n_top = data.draw(st.integers(1, n_points))
    weights = random_weights(2, n_points, n_points, seed=seed)
    sparsified = sparsify(weights, n_top)
    for matrix, result in zip(weights, sparsified, strict=True):
        expected = reference.sparsify(matrix.tolist(), n_top)
        assert_rows(result, expected)
        for layout in (matrix.to_sparse_csr(), matrix.to_sparse_coo(), matrix.to_sparse_csc()):
            assert_rows(sparsify(layout, n_top), expected)
        assert_rows(sparsify(sparse.coo_array(matrix.numpy()), n_top), expected)


def test_graph_weights_match_the_formula_in_both_layouts() -> None:
    adjacency = torch.tensor([[0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]])
    looped = adjacency.double() + torch.eye(4, dtype=torch.float64)
    degrees = looped.sum(dim=1)
    expected = looped / (degrees.unsqueeze(0) * degrees.unsqueeze(1)).sqrt()
    assert_rows(graph_weights(adjacency), expected.tolist())
    assert_rows(graph_weights(sparse.csr_array(adjacency.numpy())), expected.tolist())
    self_loops = sparse.csr_array(adjacency.numpy() + 3 * np.eye(4))
    assert_rows(graph_weights(self_loops), expected.tolist())


def test_large_self_loops_are_replaced_exactly() -> None:
    adjacency = torch.tensor([[1e9, 1.0], [1.0, 0.0]])
    for layout in (adjacency, adjacency.to_sparse_csr()):
        torch.testing.assert_close(graph_weights(layout).to_dense(), torch.full((2, 2), 0.5))


def test_kernel_is_differentiable() -> None:
    distances = random_points(4, 4).abs().requires_grad_()
    bandwidth = torch.full((4, 1), 0.7, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(gaussian_kernel, (distances, bandwidth))


def test_zero_bandwidth_joins_only_coinciding_points() -> None:
    assert gaussian_kernel(torch.tensor([0.0, 1e-9, 1.0]), 0.0).tolist() == [1, 0, 0]


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize("n_features", [2, 20])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_never_nan(normalization: Normalization, n_features: int, dtype: torch.dtype) -> None:
    same = torch.ones(6, n_features, dtype=dtype)
    apart = torch.arange(6, dtype=dtype).unsqueeze(1) * 1e4 * torch.ones(n_features, dtype=dtype)
    mostly_same = same.clone()
    mostly_same[4:] = random_points(2, n_features).to(dtype)
    for points in (same, same[:1], apart, mostly_same, same * 1e18, same * 1e-30):
        n_top = min(5, len(points))
        for weights in (
            build_weights(points, n_top, bandwidth=0.5, normalization=normalization),
            build_weights(points, n_top, normalization=normalization),
            build_weights(points, n_top, bandwidth_rank=1, normalization=normalization),
            build_weights(points.unsqueeze(0), n_top, normalization=normalization),
        ):
            assert weights.to_dense().isfinite().all()
            assert (weights.to_dense() >= 0).all()


def test_duplicates_stay_linked_to_their_surroundings() -> None:
    # The 3rd nearest of a point with two duplicates is at distance 0: a bandwidth of no use.
    points = torch.tensor([[0.0], [0.0], [0.0], [1.0], [2.0]])
    weights = build_weights(points, 4, bandwidth_rank=3, normalization="row").to_dense()
    assert weights[0, 3] > 0.1


def test_far_points_are_isolated() -> None:
    weights = build_weights(torch.tensor([[0.0], [1e6]]), 2, bandwidth=1.0)
    assert weights.to_dense().tolist() == [[1, 0], [0, 1]]
    assert weights.values().numel() == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: sparsify(torch.eye(400), 512),
            "sparsify: `n_top` must be between 1 and the number of points (400), got 512. "
            "Lower `n_top`.",
        ),
        (
            lambda: build_weights(torch.zeros(4, 2), 0),
            "build_weights: `n_top` must be between 1 and the number of points (4), got 0. "
            "Raise `n_top`.",
        ),
        (
            lambda: build_weights(torch.zeros(4, 2), 5),
            "build_weights: `n_top` must be between 1 and the number of points (4), got 5. "
            "Lower `n_top`.",
        ),
        (
            lambda: build_weights(torch.zeros(4, 2), 2.5),  # type: ignore[arg-type]
            "build_weights: `n_top` must be an integer, got 2.5. Pass a whole number.",
        ),
        (
            lambda: build_weights(torch.zeros(4, 2), 2, bandwidth_rank=5),
            "build_weights: `bandwidth_rank` must be between 1 and the number of points (4), "
            "got 5. Lower `bandwidth_rank`.",
        ),
        (
            lambda: build_weights(torch.zeros(4, 2), 2, bandwidth=0.5, bandwidth_rank=2),
            "build_weights: `bandwidth_rank` must be None beside a `bandwidth`, got 2 beside "
            "`bandwidth` 0.5. Pass only one of them.",
        ),
        (
            lambda: build_weights(torch.zeros(4, 2), 2, bandwidth=-1.0),
            "build_weights: `bandwidth` must be a finite positive number, got -1. "
            "Pass a positive `bandwidth`.",
        ),
        (
            lambda: build_weights(torch.zeros(4), 2),
            "build_weights: `points` must be of shape (N, d) or (T, N, d), got shape (4,). "
            "For one feature a point use `points.reshape(-1, 1)`.",
        ),
        (
            lambda: normalize(torch.ones(2, 2), "columns"),  # type: ignore[arg-type]
            "normalize: `normalization` must be one of 'row', 'symmetric', 'sinkhorn', "
            "got 'columns'. Choose one of these.",
        ),
        (
            lambda: gaussian_kernel(torch.tensor([-1.0]), 1.0),
            "gaussian_kernel: `distances` must be finite and non-negative, got a negative, "
            "infinite or NaN number. Check how `distances` was computed.",
        ),
        (
            lambda: gaussian_kernel(torch.ones(3, 3), torch.ones(3)),
            "gaussian_kernel: `bandwidth` must be a number, or of a shape that broadcasts to "
            "(3, 3), got shape (3,). For one a row use `bandwidth.reshape(-1, 1)`.",
        ),
        (
            lambda: gaussian_kernel(torch.tensor([1.0]), torch.tensor([torch.nan])),
            "gaussian_kernel: `bandwidth` must be finite and non-negative, got a negative, "
            "infinite or NaN number. Check how `bandwidth` was computed.",
        ),
    ],
)
def test_bad_input(call: Callable[[], Tensor], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message


def test_approximate_search(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def refuse(n_points: int, n_neighbors: int) -> bool:
        asked.append(f"{n_neighbors} of {n_points}")
        return False

    monkeypatch.setattr(diffresnet.graph.neighbors, "can_search_cells", refuse)
    points = torch.randn(30, 3, generator=torch.Generator().manual_seed(0))
    ways: tuple[Search, Search] = ("exact", "approximate")
    exact, found = (build_weights(points, 5, search=how) for how in ways)
    assert asked == ["5 of 30"]
    assert torch.equal(found.to_dense(), exact.to_dense())
