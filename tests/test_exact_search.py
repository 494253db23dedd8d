import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from diffresnet import _exact_search
from diffresnet._exact_search import search_sets
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
        patch.setattr(_exact_search, "SINGLE_POINTS", 1 if single else 2**40)
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


def test_float32_alone_would_be_wrong() -> None:
    # Without the bound on its error, the product in float32 misses neighbors here.
    points = make_points("clusters", 1200, 0)
    single = points.float()
    norms = single.square().sum(dim=1)
    naive = (norms - 2 * single @ single.mT).topk(5, largest=False).indices.sort().values
    exact = search_sets(points.unsqueeze(0), 5).indices[0].sort().values
    assert (naive != exact).any()
    patched = reference.nearest_neighbors(points[:200].tolist(), 5)
    found = search_sets(points[:200].unsqueeze(0), 5).indices[0]
    assert found.tolist() == [[j for _, j in row] for row in patched]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc/self/status")
def test_memory_is_bounded() -> None:
    # An N x N matrix of float32 would need 1.6 GB.
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
print(peak_kilobytes() - before)
"""
    done = subprocess.run(  # noqa: S603  (our own script)
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 400 * 1024
