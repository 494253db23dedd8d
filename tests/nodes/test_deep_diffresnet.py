import pytest

from diffresnet.nodes.deep_diffresnet import DeepDiffResNet
from tests.nodes.baselines.accuracy import SHORT, accuracy_of


@pytest.mark.parametrize("n_layers", [2, 8, 32])
def test_learns(n_layers: int) -> None:
    assert accuracy_of(DeepDiffResNet(n_layers, strength=1.0, schedule=SHORT)) > 0.8


def test_wrong_settings() -> None:
    with pytest.raises(ValueError, match="DeepDiffResNet: `n_layers` must be at least 2"):
        DeepDiffResNet(1)
