"""The weights that networks of convolutions start from."""

from torch import nn


def initialize(network: nn.Module) -> None:
    """Draw convolutions by Kaiming's rule (fan-out, for relu); normalization starts as identity."""
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.BatchNorm2d):
            module.reset_parameters()
