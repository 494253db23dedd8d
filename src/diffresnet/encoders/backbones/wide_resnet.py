"""Wide residual networks: WRN-28-10, as in the few-shot literature."""

from torch import Tensor, nn
from torch.nn.functional import relu

from diffresnet._support.checks import fail
from diffresnet.encoders.backbones.initialization import initialize, stack_blocks

STEM_WIDTH = 16
N_STAGES = 3


class WideResNet(nn.Module):
    """Three stages of pre-activation blocks, without dropout, and the mean over pixels.

    Args:
        n_channels: of the images, 1 or 3.
        depth: 6 n + 4 layers for n blocks a stage.
        widening: stages have 16, 32 and 64 times this number of channels.

    Shapes: images (B, n_channels, height, width), features (B, 64 widening); 640 for WRN-28-10.

    Examples:
        >>> import torch
        >>> WideResNet(depth=10, widening=1)(torch.zeros(2, 3, 32, 32)).shape
        torch.Size([2, 64])
    """

    def __init__(self, n_channels: int = 3, depth: int = 28, widening: int = 10) -> None:
        super().__init__()
        n_blocks, rest = divmod(depth - 4, 2 * N_STAGES)
        if rest or n_blocks < 1:
            fail("WideResNet", "depth", "6 n + 4", depth, "Choose 10, 16, 22 or 28.")
        self.stem = nn.Conv2d(n_channels, STEM_WIDTH, 3, padding=1, bias=False)
        widths = [STEM_WIDTH * widening * 2**stage for stage in range(N_STAGES)]
        self.blocks = stack_blocks(PreActivationBlock, STEM_WIDTH, widths, [n_blocks] * N_STAGES)
        self.n_features = widths[-1]
        self.normalize = nn.BatchNorm2d(self.n_features)
        initialize(self)

    def forward(self, images: Tensor) -> Tensor:
        """Return the features of images."""
        return relu(self.normalize(self.blocks(self.stem(images)))).mean(dim=(2, 3))


class PreActivationBlock(nn.Module):
    """x + conv(relu(normalize(conv(relu(normalize(x)))))), with x by 1 x 1 if channels change."""

    def __init__(self, n_in: int, n_out: int, stride: int) -> None:
        super().__init__()
        self.normalize1 = nn.BatchNorm2d(n_in)
        self.conv1 = nn.Conv2d(n_in, n_out, 3, stride, padding=1, bias=False)
        self.normalize2 = nn.BatchNorm2d(n_out)
        self.conv2 = nn.Conv2d(n_out, n_out, 3, padding=1, bias=False)
        self.shortcut = None if n_in == n_out else nn.Conv2d(n_in, n_out, 1, stride, bias=False)

    def forward(self, images: Tensor) -> Tensor:
        """Return the images after the block."""
        active = relu(self.normalize1(images))
        inner = self.conv2(relu(self.normalize2(self.conv1(active))))
        return inner + (images if self.shortcut is None else self.shortcut(active))
