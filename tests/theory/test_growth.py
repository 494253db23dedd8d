from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from diffresnet import DiffusionOperator, build_weights
from diffresnet.datasets import make_xor
from diffresnet.graph.matrix import symmetrize
from diffresnet.theory import (
    BOUNDS,
    Growth,
    ball_factor,
    count_closed_classes,
    diffusion_growth,
    find_subclasses,
    min_hull_distance,
    required_ratio,
)

Load = Callable[[str], dict[str, NDArray[np.float64]]]
DISCS = torch.arange(400) // 100


def grow(xor: dict[str, NDArray[np.float64]], n_steps: int) -> Growth:
    operator = DiffusionOperator(xor["weights"])
    return diffusion_growth(xor["points"], DISCS, operator, step_size=1.0, n_steps=n_steps)


def test_xor_as_the_program_has_it_and_at_the_spectral_rate(reference_numbers: Load) -> None:
    xor = reference_numbers("xor.npz")
    growth = grow(xor, 200)
    steps = xor["at_steps"].astype(int)
    found = np.array([growth.min_distances, growth.max_diameters, growth.ratios])[:, steps]
    np.testing.assert_allclose(found[0], xor["min_distance"], rtol=1e-9)
    np.testing.assert_allclose(found[1], xor["max_diameter"], rtol=1e-6)
    np.testing.assert_allclose(found[2], xor["min_distance"] / xor["max_diameter"], rtol=1e-6)
    assert growth.measured_rate(50, 200) == pytest.approx(growth.spectral_rate, rel=0.02)
    assert growth.measured_rate(0, 20) != pytest.approx(growth.spectral_rate, rel=0.02)


def test_the_required_ratio_is_reached(reference_numbers: Load) -> None:
    growth = grow(reference_numbers("xor.npz"), 60)
    steps: list[int] = []
    for bound in BOUNDS:
        ratio = ball_factor(2) * required_ratio(4, 2, bound)
        step = growth.first_step_above(ratio)
        assert step is not None
        assert growth.ratios[step - 1] < ratio <= growth.ratios[step]
        steps.append(step)
    assert steps == sorted(steps, reverse=True)
    assert growth.first_step_above(1e9) is None


@pytest.mark.parametrize("normalization", ["symmetric", "sinkhorn"])
def test_hulls_never_come_nearer_and_components_end_at_their_mean(
    normalization: str, generator: torch.Generator
) -> None:
    data = make_xor(generator, n_points=120)
    weights = build_weights(data.points, 7, normalization=normalization)  # pyright: ignore[reportArgumentType]
    operator = DiffusionOperator(weights)
    found = find_subclasses(data.points, data.labels, operator)
    assert found.are_structured
    assert torch.equal(found.ids, data.subclasses)
    step_size = operator.max_convex_step_size
    states = list(operator.states(data.points, step_size, range(40), method="euler"))
    distances = [min_hull_distance(state, data.subclasses) for state in states]
    assert all(b >= a * (1 - 1e-8) for a, b in pairwise(distances))
    assert distances[-1] > 1.5 * distances[0]
    limit = operator.diffuse(data.points, step_size, 5000, method="euler")
    for group in range(4):
        mine = data.subclasses == group
        mean = data.points[mine].mean(dim=0)
        assert torch.allclose(limit[mine], mean.expand(int(mine.sum()), 2), atol=1e-9)


def test_the_distance_between_points_can_fall() -> None:
    """Two points meet half-way, just where a third one is near: L falls, but hulls keep apart."""
    points = torch.tensor([[0.0, 1.0], [0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
    subclasses = torch.tensor([0, 0, 1])
    weights = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    operator = DiffusionOperator(weights.double())
    growth = diffusion_growth(points, subclasses, operator, step_size=0.25, n_steps=5)
    assert growth.min_distances[0] == pytest.approx(2**0.5)
    assert growth.min_distances[5] == pytest.approx(1, abs=0.01)
    for state in operator.states(points, 0.25, range(6)):
        assert min_hull_distance(state, subclasses) == pytest.approx(1)


@pytest.mark.parametrize("which", ["reference", "seed 0"])
def test_a_directed_graph_breaks_proposition_1(which: str, reference_numbers: Load) -> None:
    """XOR with `n_top` 5: four components, but more sets of points that no link leaves."""
    points = make_xor(torch.Generator().manual_seed(0)).points
    if which == "reference":
        points = torch.from_numpy(reference_numbers("xor.npz")["points"])
    weights = build_weights(points, 5, bandwidth=0.5, normalization="row")
    directed, both_ways = DiffusionOperator(weights), DiffusionOperator(symmetrize(weights))
    labels = torch.tensor([0, 0, 1, 1])[DISCS]
    for operator in (directed, both_ways):
        found = find_subclasses(points, labels, operator)
        assert found.are_structured
        assert torch.equal(found.ids, DISCS)
    assert count_closed_classes(directed) > 4
    assert count_closed_classes(both_ways) == 4
    stuck = max_diameter_after(directed, points, 4000)
    assert stuck > 0.5
    assert stuck == pytest.approx(max_diameter_after(directed, points, 8000), rel=1e-3)
    step = both_ways.max_convex_step_size
    assert max_diameter_after(both_ways, points, 8000, step) < 1e-4


def max_diameter_after(
    operator: DiffusionOperator, points: torch.Tensor, n_steps: int, step_size: float = 1.0
) -> float:
    state = operator.diffuse(points, step_size, n_steps, method="euler")
    return max(float(torch.cdist(disc, disc).max()) for disc in state.split(100))


def test_one_subclass_and_single_points() -> None:
    points = torch.tensor([[0.0], [1.0]])
    operator = DiffusionOperator(torch.ones(2, 2))
    growth = diffusion_growth(points, torch.tensor([0, 0]), operator, step_size=0.25, n_steps=1)
    assert growth.min_distances == (float("inf"),) * 2
    alone = DiffusionOperator(torch.eye(2))
    growth = diffusion_growth(points, torch.tensor([0, 1]), alone, step_size=0.25, n_steps=1)
    assert growth.ratios == (float("inf"),) * 2
    assert growth.spectral_rate == float("inf")
    with pytest.raises(ValueError, match="measured_rate: `last` must be a step with a positive D"):
        growth.measured_rate(0, 1)
    with pytest.raises(ValueError, match="measured_rate: `last` must be between 1 and the last"):
        growth.measured_rate(0, 2)
    with pytest.raises(ValueError, match="measured_rate: `first` must be between 0 and `last` - 1"):
        growth.measured_rate(1, 1)
    with pytest.raises(ValueError, match="diffusion_growth: `n_steps` must be at least 0, got -1"):
        diffusion_growth(points, torch.tensor([0, 1]), alone, step_size=1.0, n_steps=-1)


def test_subclasses_that_coincide_have_ratio_zero() -> None:
    operator = DiffusionOperator(torch.eye(2).double())
    growth = diffusion_growth(torch.ones(2, 1), torch.arange(2), operator, step_size=0.5, n_steps=1)
    assert growth.ratios == (0, 0)
    assert growth.first_step_above(1.0) is None


def test_there_is_no_rate_where_points_tend_apart() -> None:
    weights = torch.block_diag(torch.ones(2, 2), torch.ones(2, 2)).double()
    points, operator = torch.tensor([[0.0], [1.0], [5.0], [6.0]]), DiffusionOperator(weights)
    whole, apart = (
        diffusion_growth(points, groups, operator, step_size=0.2, n_steps=30)
        for groups in (torch.zeros(4, dtype=torch.long), torch.tensor([0, 0, 1, 1]))
    )
    assert whole.spectral_rate == 0
    assert whole.max_diameters[-1] == pytest.approx(5, rel=1e-3)
    assert apart.spectral_rate == pytest.approx(apart.measured_rate(5, 20))


@pytest.mark.filterwarnings("ignore:diffuse")
def test_points_that_run_away() -> None:
    operator = DiffusionOperator(torch.ones(2, 2).double())
    with pytest.raises(ValueError, match="diffusion_growth: `step_size` must be one that is"):
        diffusion_growth(torch.eye(2), torch.arange(2), operator, step_size=5.0, n_steps=500)
