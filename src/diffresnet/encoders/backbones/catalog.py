"""Backbones that can be trained, by name."""

from collections.abc import Callable, Mapping
from typing import cast

from torch import nn

from diffresnet._support.checks import check_choice
from diffresnet.encoders.backbones.conv4 import Conv4
from diffresnet.encoders.backbones.resnet import ResNet
from diffresnet.encoders.backbones.wide_resnet import WideResNet

_MAKERS: Mapping[str, Callable[[int, int], nn.Module]] = {
    "conv4": lambda n_channels, size: Conv4(n_channels, image_size=size),
    "resnet10": lambda n_channels, _: ResNet(n_channels, (1, 1, 1, 1), stem_stride=2),
    "resnet18": lambda n_channels, _: ResNet(n_channels),
    "wrn28-10": lambda n_channels, _: WideResNet(n_channels),
}

BACKBONE_NAMES = tuple(_MAKERS)


def make_backbone(name: str, *, n_channels: int = 3, image_size: int = 84) -> nn.Module:
    """Return a backbone with random weights; it has the attribute `n_features`.

    Args:
        name: ``"conv4"`` (four convolutions), ``"resnet18"`` or ``"wrn28-10"`` as in the few-shot
            literature, or ``"resnet10"``, one block a stage and a stem of stride 2, for machines
            without a GPU.
        n_channels: of the images, 1 or 3.
        image_size: height and width; only the number of features of conv4 depends on it.

    Raises:
        ValueError: if there is no such backbone.

    Examples:
        >>> make_backbone("resnet18").n_features
        512
    """
    check_choice("make_backbone", "name", name, BACKBONE_NAMES)
    return _MAKERS[name](n_channels, image_size)


def count_features(backbone: nn.Module) -> int:
    """Return how many features a backbone makes of an image."""
    return cast("int", backbone.n_features)
