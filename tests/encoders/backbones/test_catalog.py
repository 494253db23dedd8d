import pytest
import torch

from diffresnet.encoders.backbones.catalog import BACKBONE_NAMES, count_features, make_backbone


@pytest.mark.parametrize("name", BACKBONE_NAMES)
def test_every_backbone_makes_as_many_features_as_it_says(name: str) -> None:
    network = make_backbone(name, n_channels=1, image_size=32).eval()
    assert network(torch.zeros(1, 1, 32, 32)).shape == (1, count_features(network))


def test_unknown_backbone() -> None:
    with pytest.raises(ValueError, match="make_backbone: `name` must be one of 'conv4'"):
        make_backbone("vgg")
