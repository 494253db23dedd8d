import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from diffresnet.graph import exact_search as _exact_search
from diffresnet.graph.exact_search import search_sets
from tests import reference

# A set of each kind that is hard for a product of floats; all with enough features for it.
KINDS = ("random", "ties", "clusters", "duplicates", "outlier", "far", "tiny", "huge", "one point")


def randn(n_points: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n_points, 20, generator=generator, dtype=torch.float64)


def make_points(kind: str, n_points: int, seed: int) -> Tensor:
    points = randn(n_points, seed)
    clusters = points[torch.arange(n_points) % 3]
    outlier = points.clone()
    outlier[n_points // 2] *= 1e9
    return {
        "random": points,
        "ties": (points > 0).double(),
        "clusters": clusters + 1e-5 * points,
        "duplicates": clusters,
        "outlier": outlier,
        "far": 1e-3 * points + 1000,
        "tiny": 1e-30 * points,
        "huge": 1e100 * points,
        "one point": torch.ones_like(points),
    }[kind]


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@given(n_points=st.integers(2, 40), seed=st.integers(0, 99), data=st.data())
def test_equals_loops(
    kind: str, n_points: int, seed: int, data: st.DataObject, *, single: bool
) -> None:
    points = make_points(kind, n_points, seed)
    n_neighbors = data.draw(st.integers(1, n_points))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_exact_search, "SINGLE_FACTOR", 1 if single else 2**40)
        patch.setattr(_exact_search, "BLOCK_SIZE", 200)  # several blocks, of unequal size
        found = search_sets(points.unsqueeze(0), n_neighbors)
    expected = reference.nearest_neighbors(points.tolist(), n_neighbors)
    distances = torch.tensor([[d for d, _ in row] for row in expected], dtype=torch.float64)
    torch.testing.assert_close(found.distances[0], distances, rtol=1e-9, atol=0)
    if kind == "duplicates":
        # The distances to duplicates of another point differ by rounding: any of them will do.
        differences = points.unsqueeze(1) - points[found.indices[0]]
        torch.testing.assert_close(differences.norm(dim=-1), distances, rtol=1e-9, atol=0)
        assert all(len(set(row)) == n_neighbors for row in found.indices[0].tolist())
        assert torch.equal(found.indices[0, :, 0], torch.arange(n_points))
    else:
        assert found.indices[0].tolist() == [[j for _, j in row] for row in expected]


def neighbors_by_subtraction(points: Tensor, n_neighbors: int) -> Tensor:
    distances = torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist")
    return distances.argsort(dim=-1, stable=True)[:, :n_neighbors]


@pytest.mark.parametrize(
    ("n_points", "n_clusters", "spread", "n_neighbors"),
    [
        (1500, 2, 1.5e-3, 10),  # wrong without the bound on the error of float32
        (90, 3, 1e-7, 5),  # wrong without the second look at crowds
        (90, 3, 1e-8, 5),
    ],
)
def test_clusters_that_products_confuse(
    n_points: int,
    n_clusters: int,
    spread: float,
    n_neighbors: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    generator = torch.Generator().manual_seed(0)
    centers, offsets = (
        torch.randn(n, 20, generator=generator, dtype=torch.float64) for n in (n_clusters, n_points)
    )
    points = centers[torch.arange(n_points) % n_clusters] + spread * offsets
    expected = neighbors_by_subtraction(points, n_neighbors)
    for factor in (1, 2**40):
        monkeypatch.setattr(_exact_search, "SINGLE_FACTOR", factor)
        found = search_sets(points.unsqueeze(0), n_neighbors).indices[0]
        assert torch.equal(found, expected)


@pytest.mark.parametrize("n_features", [1, 20])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_far_cluster_does_not_round_a_near_one(dtype: torch.dtype, n_features: int) -> None:
    far = 1e9 if dtype == torch.float32 else 1e17
    places = torch.tensor([0, 0.1, 0.3, far, 1.001 * far, 1.002 * far, 1.003 * far], dtype=dtype)
    points = torch.zeros(7, n_features, dtype=dtype)
    points[:, 0] = places
    found = search_sets(points.unsqueeze(0), 3).distances[0, :3]
    expected = torch.tensor([[0, 0.1, 0.3], [0, 0.1, 0.2], [0, 0.2, 0.3]], dtype=torch.float64)
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=0)


@pytest.mark.parametrize("n_features", [2, 20])
def test_very_small_points(n_features: int) -> None:
    generator = torch.Generator().manual_seed(0)
    points = torch.randn(30, n_features, generator=generator, dtype=torch.float64)
    expected, found = (search_sets((s * points).unsqueeze(0), 5) for s in (1, 2.0**-600))
    assert torch.equal(found.indices, expected.indices)
    torch.testing.assert_close(found.distances * 2.0**600, expected.distances)


def test_short_floats_are_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_exact_search, "SINGLE_FACTOR", 1)
    monkeypatch.setattr(torch, "get_float32_matmul_precision", lambda: "medium")
    points = make_points("random", 60, 0)
    search = _exact_search._ProductSearch(points.unsqueeze(0), 3)  # pyright: ignore[reportPrivateUsage]
    assert search.single is None


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc/self/status")
def test_memory_is_bounded() -> None:
    # An N x N matrix of float32 would need 1.6 GB, all candidates at once 4 GB.
    script = """
import torch
from pathlib import Path
from diffresnet import nearest_neighbors

def peak_kilobytes():
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])

points = torch.randn(20_000, 20)
nearest_neighbors(points[:2000], 3)
before = peak_kilobytes()
nearest_neighbors(points, 3)
nearest_neighbors(torch.randn(2000, 512), 500)
print(peak_kilobytes() - before)
"""
    done = subprocess.run(  # noqa: S603  (our own script)
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 400 * 1024
