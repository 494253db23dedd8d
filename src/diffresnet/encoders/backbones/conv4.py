"""Four blocks of one convolution each: the small network of the few-shot literature."""

from torch import Tensor, nn

from diffresnet._support.checks import check_count
from diffresnet.encoders.backbones.initialization import initialize

N_BLOCKS = 4


class Conv4(nn.Module):
    """Four times {3 x 3 convolution, batch normalization, relu, 2 x 2 max-pooling}, flattened.

    Args:
        n_channels: of the images, 1 or 3.
        width: channels of every block.
        image_size: height and width of the images; 28 leaves one pixel, so `width` features.

    Shapes: images (B, n_channels, image_size, image_size), features (B, n_features).

    Examples:
        >>> import torch
        >>> network = Conv4(n_channels=1)
        >>> network(torch.zeros(2, 1, 28, 28)).shape
        torch.Size([2, 64])
    """

    def __init__(self, n_channels: int = 3, width: int = 64, image_size: int = 28) -> None:
        super().__init__()
        low = 2**N_BLOCKS
        check_count("Conv4", "image_size", image_size, low=low)
        blocks: list[nn.Module] = []
        for place in range(N_BLOCKS):
            blocks += [
                nn.Conv2d(n_channels if place == 0 else width, width, 3, padding=1),
                nn.BatchNorm2d(width),
                nn.MaxPool2d(2),
                nn.ReLU(),  # after pooling it is the same, on a quarter of the pixels
            ]
        self.blocks = nn.Sequential(*blocks)
        self.n_features = width * (image_size // low) ** 2
        initialize(self)

    def forward(self, images: Tensor) -> Tensor:
        """Return the features of images."""
        return self.blocks(images).flatten(start_dim=1)
