import pytest

from diffresnet.nodes.diffresnet_method import TrainedDiffResNet


def test_name_and_settings() -> None:
    assert TrainedDiffResNet().name == "Diff-ResNet"
    assert TrainedDiffResNet(n_steps=0).name == "No-Diff-ResNet"
    with pytest.raises(ValueError, match="TrainedDiffResNet: `n_steps` must be"):
        TrainedDiffResNet(n_steps=-1)
