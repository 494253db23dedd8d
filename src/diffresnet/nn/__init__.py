"""Layers: diffusion steps, residual blocks, and Diff-ResNet, as `torch.nn` modules."""

from diffresnet.nn.diff_resnet import DiffResNet
from diffresnet.nn.diffusion import Diffusion
from diffresnet.nn.mini_batch_diffusion import MiniBatchDiffusion
from diffresnet.nn.residual_block import ResidualBlock

__all__ = ["DiffResNet", "Diffusion", "MiniBatchDiffusion", "ResidualBlock"]
