import pytest
import torch

from diffresnet import DiffusionOperator, build_weights
from diffresnet.estimators import strength
from diffresnet.estimators.spectrum import Spectrum
from diffresnet.estimators.strength import (
    FACTORS_TRIED,
    LEFT_OF_MODE,
    choose_strength,
    default_steps,
    graph_view,
)
from diffresnet.learning.labels import Labels

ONE_EACH = Labels(torch.tensor([0, 150]), torch.tensor([0, 1]), 2)


def chain() -> tuple[Spectrum, torch.Tensor]:
    """Return the modes of two long chains of points, which only strong diffusion joins."""
    along = torch.linspace(0, 1, 150).double()
    points = torch.cat([torch.stack([along, side + 0 * along], dim=1) for side in (0.0, 0.03)])
    weights = build_weights(points, 5, normalization="sinkhorn")
    return Spectrum.of(DiffusionOperator(weights), 100), torch.arange(2).repeat_interleave(150)


def test_one_label_a_class_leaves_the_default() -> None:
    spectrum, _ = chain()
    choice = choose_strength(spectrum, ONE_EACH, 0.5)
    assert (choice.n_steps, choice.path) == (default_steps(spectrum, 0.5, ONE_EACH), {})


def test_labels_far_apart_ask_for_strong_diffusion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strength, "CLEAR_GAP", float("inf"))
    spectrum, classes = chain()
    known = torch.arange(0, 300, 6)
    labels = Labels(known, classes[known], 2)
    choice, usual = choose_strength(spectrum, labels, 0.5), default_steps(spectrum, 0.5, labels)
    assert tuple(choice.path) == tuple(round(factor * usual) for factor in FACTORS_TRIED)
    assert choice.n_steps > usual
    assert choice.path[choice.n_steps] == max(choice.path.values())


def test_view_is_of_length_one() -> None:
    view = graph_view(chain()[0], 0.5, 12, 2)
    assert torch.allclose(view.points.norm(dim=1), torch.ones(300).double())


def test_default_leaves_little_of_the_last_mode() -> None:
    rates = torch.cat([torch.zeros(3), torch.tensor([0.01, 0.05])])
    spectrum = Spectrum(rates, torch.zeros(4, 5))
    n_steps = default_steps(spectrum, 0.5, ONE_EACH)
    assert abs(float(spectrum.decay(0.5, n_steps)[-1]) - LEFT_OF_MODE) < 0.01
    assert abs(default_steps(spectrum, 0.25, ONE_EACH) - 2 * n_steps) <= 1


def test_lines_need_more_than_clouds() -> None:
    clouds, lines = torch.linspace(0.1, 0.2, 101), torch.linspace(0.002, 0.448, 101).square()
    few, many = (Spectrum(rates, torch.zeros(4, 101)) for rates in (clouds, lines))
    assert default_steps(many, 0.5, ONE_EACH) > 3 * default_steps(few, 0.5, ONE_EACH)


def test_default_has_bounds() -> None:
    fast = Spectrum(torch.tensor([0.0, 1.9]), torch.zeros(4, 2))
    assert default_steps(fast, 0.5, ONE_EACH) == 8
    still = Spectrum(torch.tensor([0.0, 0.0]), torch.zeros(4, 2))
    assert default_steps(still, 0.5, ONE_EACH) == 8
    slow = Spectrum(torch.tensor([0.0, 1e-9, 2e-5]), torch.zeros(4, 3))
    assert default_steps(slow, 0.5, ONE_EACH) == 10_000
    assert default_steps(slow, 1e-4, ONE_EACH) == 50_000_000


def test_as_many_clusters_as_classes() -> None:
    rates = torch.cat([torch.tensor([0.0, 0.001]), torch.linspace(0.01, 0.5, 100)])
    spectrum = Spectrum(rates, torch.zeros(4, 102))
    n_steps = default_steps(spectrum, 0.5, ONE_EACH)
    assert abs(float(spectrum.decay(0.5, n_steps)[2]) - LEFT_OF_MODE) < 0.01
    one_more = torch.cat([torch.tensor([0.0, 0.0009]), rates[1:]])
    assert default_steps(Spectrum(one_more, torch.zeros(4, 103)), 0.5, ONE_EACH) < n_steps / 3


def test_more_classes_are_sharper() -> None:
    spectrum, _ = chain()
    few, many = (graph_view(spectrum, 0.5, 12, n_classes) for n_classes in (10, 40))
    assert many.sharpness == 2 * few.sharpness


def test_more_labels_need_less() -> None:
    spectrum = Spectrum(torch.linspace(0, 0.02, 101), torch.zeros(4, 101))
    many = Labels(torch.arange(32), torch.arange(32) % 2, 2)
    assert abs(default_steps(spectrum, 0.5, many) - default_steps(spectrum, 0.5, ONE_EACH) / 2) <= 1


@pytest.mark.parametrize("name", ["BIAS", "CLEARLY"])
def test_a_gain_must_be_clear(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(strength, "CLEAR_GAP", float("inf"))
    spectrum, classes = chain()
    known = torch.arange(0, 300, 25)
    labels = Labels(known, classes[known], 2)
    usual = default_steps(spectrum, 0.5, labels)
    assert choose_strength(spectrum, labels, 0.5).n_steps > usual
    monkeypatch.setattr(strength, name, 30.0)
    assert choose_strength(spectrum, labels, 0.5).n_steps == usual
