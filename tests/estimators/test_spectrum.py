import torch

from diffresnet import DiffusionOperator, build_weights
from diffresnet.estimators.spectrum import Spectrum

POINTS = torch.randn(300, 3, generator=torch.Generator().manual_seed(0)).double()
OPERATOR = DiffusionOperator(build_weights(POINTS, 9, normalization="sinkhorn"))


def test_modes_diffuse_as_points_do() -> None:
    spectrum = Spectrum.of(OPERATOR, 300)
    whole = spectrum.modes * spectrum.decay(0.5, 7) @ spectrum.modes.mT
    expected = OPERATOR.diffuse(torch.eye(300).double(), step_size=0.5, n_steps=7)
    assert torch.allclose(whole, expected, atol=1e-10)


def test_few_modes_are_the_slowest() -> None:
    few, every = Spectrum.of(OPERATOR, 20), Spectrum.of(OPERATOR, 300)
    assert torch.allclose(few.rates, every.rates[:20], atol=1e-3)
    assert few.modes.shape == (300, 20)
    assert torch.equal(Spectrum.of(OPERATOR, 20).modes, few.modes)
