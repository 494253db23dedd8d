"""What residual networks share: the stages of their blocks, and the weights they start from."""

from collections.abc import Callable, Sequence

from torch import nn


def stack_blocks(
    block: Callable[[int, int, int], nn.Module],
    n_in: int,
    widths: Sequence[int],
    n_blocks: Sequence[int],
) -> nn.Sequential:
    """Return stages of blocks (channels in, out, stride); the later ones halve height and width."""
    blocks: list[nn.Module] = []
    for stage, (width, n) in enumerate(zip(widths, n_blocks, strict=True)):
        for place in range(n):
            blocks.append(block(n_in, width, 2 if stage > 0 and place == 0 else 1))
            n_in = width
    return nn.Sequential(*blocks)


def initialize(network: nn.Module) -> None:
    """Draw convolutions by Kaiming's rule (fan-out, for relu); normalization starts as identity."""
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.BatchNorm2d):
            module.reset_parameters()
