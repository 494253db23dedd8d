"""Residual networks for small images, as in the few-shot literature: ResNet-18 and ResNet-10."""

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn.functional import relu

from diffresnet.encoders.backbones.initialization import initialize, stack_blocks

WIDTHS = (64, 128, 256, 512)


class ResNet(nn.Module):
    """A 3 x 3 stem without max-pooling, four stages of basic blocks, and the mean over pixels.

    Each stage after the first halves height and width. With two blocks a stage it is ResNet-18,
    with one ResNet-10.

    Args:
        n_channels: of the images, 1 or 3.
        n_blocks: of each stage.
        stem_stride: 1 as in the literature; with 2 all that follows works on a quarter of the
            pixels, at about a quarter of the time.

    Shapes: images (B, n_channels, height, width), features (B, 512).

    Examples:
        >>> import torch
        >>> ResNet()(torch.zeros(2, 3, 32, 32)).shape
        torch.Size([2, 512])
    """

    def __init__(
        self, n_channels: int = 3, n_blocks: Sequence[int] = (2, 2, 2, 2), stem_stride: int = 1
    ) -> None:
        super().__init__()
        self.stem = nn.Conv2d(n_channels, WIDTHS[0], 3, stem_stride, padding=1, bias=False)
        self.normalize = nn.BatchNorm2d(WIDTHS[0])
        self.blocks = stack_blocks(BasicBlock, WIDTHS[0], WIDTHS, n_blocks)
        self.n_features = WIDTHS[-1]
        initialize(self)

    def forward(self, images: Tensor) -> Tensor:
        """Return the features of images."""
        return self.blocks(relu(self.normalize(self.stem(images)))).mean(dim=(2, 3))


class BasicBlock(nn.Module):
    """relu(shortcut(x) + normalize(conv(relu(normalize(conv(x))))))."""

    def __init__(self, n_in: int, n_out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(n_in, n_out, 3, stride, padding=1, bias=False)
        self.normalize1 = nn.BatchNorm2d(n_out)
        self.conv2 = nn.Conv2d(n_out, n_out, 3, padding=1, bias=False)
        self.normalize2 = nn.BatchNorm2d(n_out)
        self.shortcut = nn.Sequential()
        if stride > 1 or n_in != n_out:
            self.shortcut.append(nn.Conv2d(n_in, n_out, 1, stride, bias=False))
            self.shortcut.append(nn.BatchNorm2d(n_out))

    def forward(self, images: Tensor) -> Tensor:
        """Return the images after the block."""
        inner = self.normalize2(self.conv2(relu(self.normalize1(self.conv1(images)))))
        return relu(inner + self.shortcut(images))
