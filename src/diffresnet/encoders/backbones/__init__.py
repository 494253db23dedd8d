"""Networks that turn images into features, in plain torch: one file a network."""

from diffresnet.encoders.backbones.catalog import BACKBONE_NAMES, make_backbone
from diffresnet.encoders.backbones.conv4 import Conv4
from diffresnet.encoders.backbones.efficientnet_lite0 import EfficientNetLite0
from diffresnet.encoders.backbones.resnet import ResNet
from diffresnet.encoders.backbones.wide_resnet import WideResNet

__all__ = [
    "BACKBONE_NAMES",
    "Conv4",
    "EfficientNetLite0",
    "ResNet",
    "WideResNet",
    "make_backbone",
]
