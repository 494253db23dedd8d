import json

import pytest
import torch

from diffresnet import DiffusionOperator, build_weights
from diffresnet.datasets import make_xor
from diffresnet.theory import analyze_stability


def test_bounds_are_those_of_the_operator(generator: torch.Generator) -> None:
    operator = DiffusionOperator(build_weights(make_xor(generator).points, 12))
    report = analyze_stability(operator, 0.5)
    assert report.max_convex_step_size == operator.max_convex_step_size
    assert report.max_stable_step_size == operator.max_stable_step_size
    assert report.max_stable_step_size == pytest.approx(2 / report.largest_eigenvalue, rel=1e-6)
    assert report.is_convex
    assert report.is_stable
    slow, fast = report.second_eigenvalue, report.largest_eigenvalue
    assert report.contraction == pytest.approx(max(abs(1 - slow / 2), abs(1 - fast / 2)))


def test_steps_for_a_contraction(generator: torch.Generator) -> None:
    """So many steps bring everything but the means below the factor; one fewer does not."""
    points = make_xor(generator, n_points=80).points
    operator = DiffusionOperator(build_weights(points, 10))
    report = analyze_stability(operator, 0.5)
    n_steps = report.count_steps(1e-3)
    assert n_steps is not None
    step = operator.step(0.5).matrix.to_dense()
    means = torch.linalg.matrix_power(step, 100_000)
    for count, smaller in ((n_steps, True), (n_steps - 1, False)):
        left = torch.linalg.matrix_norm(torch.linalg.matrix_power(step, count) - means, 2)
        assert (left <= 1e-3) == smaller


def test_a_bipartite_component_oscillates() -> None:
    ring = torch.roll(torch.eye(6), 1, 0) + torch.roll(torch.eye(6), -1, 0)
    operator = DiffusionOperator(ring.double())
    report = analyze_stability(operator, 0.5)  # 1/d
    assert report.oscillates
    assert report.is_convex
    assert report.count_steps(0.5) is None
    x = torch.tensor([1.0, -1.0, 1.0, -1.0, 1.0, -1.0], dtype=torch.float64)
    assert torch.allclose(operator.diffuse(x, 0.5, 101), -x)
    assert not analyze_stability(operator, 0.45).oscillates
    with_own = DiffusionOperator((ring + torch.eye(6)).double() / 3)
    assert not analyze_stability(with_own, 1.0).oscillates
    odd = torch.roll(torch.eye(5), 1, 0) + torch.roll(torch.eye(5), -1, 0)
    assert not analyze_stability(DiffusionOperator(odd.double()), 0.5).oscillates


def test_too_long_a_step_and_no_links() -> None:
    pair = DiffusionOperator(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
    report = analyze_stability(pair, 1.5)
    assert not report.is_convex
    assert not report.is_stable
    assert report.contraction == 2
    assert report.count_steps(0.5) is None
    assert analyze_stability(pair, 0.5).count_steps(0.1) == 1
    alone = analyze_stability(DiffusionOperator(torch.eye(2)), 1.0)
    assert (alone.contraction, alone.largest_eigenvalue, alone.is_stable) == (0, 0, True)
    assert json.loads(json.dumps(alone.to_json()))["max_convex_step_size"] is None


def test_bad_input() -> None:
    pair = DiffusionOperator(torch.ones(2, 2))
    with pytest.raises(
        ValueError, match="analyze_stability: `step_size` must be a finite positive"
    ):
        analyze_stability(pair, 0)
    with pytest.raises(ValueError, match="count_steps: `factor` must be below 1, got 1"):
        analyze_stability(pair, 0.1).count_steps(1.0)


def test_a_slow_mode_does_not_oscillate() -> None:
    weights = torch.block_diag(torch.ones(3, 3), torch.ones(3, 3)).double()
    weights[2, 3] = weights[3, 2] = 1e-12
    report = analyze_stability(DiffusionOperator(weights), 0.2)
    assert report.contraction == pytest.approx(1)
    assert not report.oscillates
    assert report.count_steps(0.5) is None
