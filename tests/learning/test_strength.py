import torch

from diffresnet.diffusion.input import MOST_STEPS
from diffresnet.diffusion.spectrum import Spectrum
from diffresnet.learning.strength import Strength, StrengthSettings, default_steps

SETTINGS = StrengthSettings()


def test_strength_is_steps_times_their_size() -> None:
    assert Strength(0.5, 12).value == 6


def test_default_leaves_little_of_the_last_mode() -> None:
    rates = torch.cat([torch.zeros(3), torch.tensor([0.01, 0.05])])
    spectrum = Spectrum(rates, torch.zeros(4, 5))
    n_steps = default_steps(spectrum, 0.5, 2)
    assert abs(float(spectrum.decay(0.5, n_steps)[-1]) - SETTINGS.remaining) < 0.01
    assert abs(default_steps(spectrum, 0.25, 2) - 2 * n_steps) <= 1


def test_lines_need_more_than_clouds() -> None:
    clouds, lines = torch.linspace(0.1, 0.2, 101), torch.linspace(0.002, 0.448, 101).square()
    few, many = (Spectrum(rates, torch.zeros(4, 101)) for rates in (clouds, lines))
    assert default_steps(many, 0.5, 2) > 3 * default_steps(few, 0.5, 2)


def test_a_step_is_the_least() -> None:
    fast = Spectrum(torch.tensor([0.0, 1.9]), torch.zeros(4, 2))
    assert default_steps(fast, 0.5, 2) == 1
    still = Spectrum(torch.tensor([0.0, 0.0]), torch.zeros(4, 2))
    assert default_steps(still, 0.5, 2) == 1


def test_as_many_clusters_as_classes() -> None:
    rates = torch.cat([torch.tensor([0.0, 0.001]), torch.linspace(0.01, 0.5, 100)])
    spectrum = Spectrum(rates, torch.zeros(4, 102))
    n_steps = default_steps(spectrum, 0.5, 2)
    assert abs(float(spectrum.decay(0.5, n_steps)[2]) - SETTINGS.remaining) < 0.01
    one_more = torch.cat([torch.tensor([0.0, 0.0009]), rates[1:]])
    assert default_steps(Spectrum(one_more, torch.zeros(4, 103)), 0.5, 2) < n_steps / 3


def test_steps_of_hardly_any_size() -> None:
    spectrum = Spectrum(torch.tensor([0.0, 0.5]), torch.zeros(4, 2))
    for step_size in (1e-20, 1e-320):
        assert default_steps(spectrum, step_size, 1) == MOST_STEPS
