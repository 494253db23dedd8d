import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, minimize

from diffresnet.theory import hull_distance, hulls, min_distance, min_hull_distance


def brute_force(left: torch.Tensor, right: torch.Tensor) -> float:
    """Minimize over the weights of both hulls with a general solver."""
    a, b = left.double().numpy(), right.double().numpy()
    n = len(a)

    def squared(weights: NDArray[np.float64]) -> float:
        return float(((weights[:n] @ a - weights[n:] @ b) ** 2).sum())

    start = np.concatenate([np.full(n, 1 / n), np.full(len(b), 1 / len(b))])
    sums = np.zeros((2, len(start)))
    sums[0, :n] = sums[1, n:] = 1.0
    found = minimize(
        squared,
        start,
        method="SLSQP",
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(sums, 1, 1)],
        options={"maxiter": 500, "ftol": 1e-15},
    )
    return float(np.sqrt(max(found.fun, 0)))


@pytest.mark.parametrize("n_features", [1, 2, 3, 8])
@pytest.mark.parametrize("apart", [0.5, 3.0])
def test_equals_a_general_solver(n_features: int, apart: float, generator: torch.Generator) -> None:
    for _ in range(5):
        left = torch.randn(9, n_features, generator=generator)
        right = torch.randn(6, n_features, generator=generator) + apart
        expected = brute_force(left, right)
        assert hull_distance(left, right) == pytest.approx(expected, rel=1e-5, abs=2e-5)


def test_no_plane_leaves_less_room(generator: torch.Generator) -> None:
    """The gap that a plane shows is at most the distance: equal for the best plane."""
    for n_features in (2, 5, 40, 200):
        left = torch.randn(150, n_features, generator=generator, dtype=torch.float64)
        right = torch.randn(120, n_features, generator=generator, dtype=torch.float64)
        right[:, 0] += 12
        distance = hull_distance(left, right)
        normals = torch.randn(n_features, 2000, generator=generator, dtype=torch.float64)
        normals[0] = normals[0].abs() + 3 * n_features**0.5
        normals /= normals.norm(dim=0)
        gaps = (right @ normals).amin(dim=0) - (left @ normals).amax(dim=0)
        assert 0 < gaps.max() <= distance
        assert distance <= min_distance(
            torch.cat([left, right]), torch.tensor([0] * 150 + [1] * 120)
        )


def test_known_distances() -> None:
    square = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert hull_distance(square, square + 3) == pytest.approx(8**0.5, rel=1e-9)
    assert hull_distance(square, torch.tensor([[0.5, 0.5]])) == 0
    assert hull_distance(square, torch.tensor([[-1.0, 0.4], [2.0, 0.6]])) == 0
    assert hull_distance(square, torch.tensor([[1.0, 0.3]])) == 0
    assert hull_distance(square[:1], square[:1]) == 0
    near = torch.tensor([[1.0 + 1e-6, 0.5]], dtype=torch.float64)
    assert hull_distance(square.double(), near) == pytest.approx(1e-6, rel=1e-6)


def test_far_from_the_origin() -> None:
    left = torch.tensor([[0.0, 0.0], [0.0, 1e-4]], dtype=torch.float64) + 1000
    right = left + torch.tensor([3e-4, 0.5e-4], dtype=torch.float64)
    assert hull_distance(left, right) == pytest.approx(3e-4, rel=1e-6)


def test_the_nearest_of_several(generator: torch.Generator) -> None:
    centers = torch.tensor([[0.0, 0.0], [10.0, 0.0], [0.0, 7.0], [30.0, 30.0]])
    subclasses = torch.arange(4).repeat_interleave(20)
    points = centers[subclasses] + torch.rand(80, 2, generator=generator)
    pairs = [(i, j) for i in range(4) for j in range(i)]
    sets = [points[subclasses == group] for group in range(4)]
    expected = min(hull_distance(sets[i], sets[j]) for i, j in pairs)
    assert min_hull_distance(points, subclasses) == pytest.approx(expected, rel=1e-9)
    assert min_hull_distance(points, torch.zeros(80, dtype=torch.long)) == float("inf")


def test_bad_input() -> None:
    points = torch.zeros(2, 3)
    with pytest.raises(ValueError, match=r"hull_distance: `points` must be two sets \(n, d\)"):
        hull_distance(points, torch.zeros(2, 2))
    with pytest.raises(ValueError, match="min_hull_distance: `subclasses` must be 2 integers"):
        min_hull_distance(points, torch.zeros(3, dtype=torch.long))


def test_it_ends_with_the_first_hulls_that_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    n_calls = 0
    measure = hulls._distance  # pyright: ignore[reportPrivateUsage]

    def count(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
        nonlocal n_calls
        n_calls += 1
        return measure(left, right)

    monkeypatch.setattr(hulls, "_distance", count)
    points = torch.tensor([[-1.0], [1.0]]).repeat(5, 1)
    assert min_hull_distance(points, torch.arange(10) // 2) == 0
    assert n_calls == 1
