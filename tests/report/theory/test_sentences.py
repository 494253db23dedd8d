import pytest
import torch

from diffresnet.datasets import make_xor
from diffresnet.report.theory.sentences import (
    describe_separation,
    describe_stability,
    describe_structure,
)
from diffresnet.theory import analyze


def test_structured_points(generator: torch.Generator) -> None:
    data = make_xor(generator, n_points=80)
    found = analyze(data.points, data.labels, n_top=7)
    structure = " ".join(describe_structure(found))
    assert "4 components; subclasses, these split by class: 4." in structure
    assert "Structured: no link between subclasses" in structure
    span = found.n_top_range
    assert f"structured for n_top from {span.low} to {span.high}." in structure
    stability = " ".join(describe_stability(found))
    assert stability.startswith("Stable: hulls grow at no step (step size ")
    assert (
        f"After {found.stability.count_steps(1e-3)} steps a thousandth of it is left." in stability
    )
    separation = " ".join(describe_separation(found))
    assert f"reached at step {found.reached[-1].step}." in separation
    assert (
        f"After {found.diffused.step} steps: a direction separates all 4 subclasses" in separation
    )
    assert "The network of Theorem 1 separates the classes with" in separation


def test_points_that_are_not() -> None:
    points = torch.tensor([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    with pytest.warns(UserWarning, match="step_size"):
        found = analyze(points, torch.tensor([0, 0, 1, 1]), n_top=4, step_size=5.0, n_steps=1)
    structure = " ".join(describe_structure(found))
    assert "Not structured: 4 links between subclasses, 0 subclasses in pieces." in structure
    assert "No n_top makes them so: each is connected from 4 on" in structure
    assert describe_stability(found)[0].startswith("Not stable: features may grow (step size 5;")
    separation = " ".join(describe_separation(found))
    assert "not within 1 steps." in separation
    assert "Raw points: no direction found that separates all 2 subclasses" in separation
    assert "so that there is no network to write down." in separation


def test_a_step_that_is_stable_but_not_convex_and_one_that_oscillates() -> None:
    points = torch.tensor([[0.0], [1.0], [2.5]])
    convex = analyze(points, torch.zeros(3, dtype=torch.long), n_top=2, n_steps=1).stability
    between = (convex.max_convex_step_size + convex.max_stable_step_size) / 2
    found = analyze(points, torch.zeros(3, dtype=torch.long), n_top=2, n_steps=1, step_size=between)
    assert describe_stability(found)[0].startswith("Stable: features do not grow, but hulls")
    longest = analyze(
        points,
        torch.zeros(3, dtype=torch.long),
        n_top=2,
        n_steps=1,
        step_size=convex.max_stable_step_size,
    )
    assert any(
        line.startswith("Some mode turns around for ever") for line in describe_stability(longest)
    )
