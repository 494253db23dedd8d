"""Several processes that train one network: who does what, and batch normalization over all."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch import distributed as dist

from diffresnet._support.checks import check_device, refuse


@contextmanager
def process_group(device: torch.device) -> Generator[None]:
    """Join the processes that `torchrun` started, if it did.

    Raises:
        ValueError: if there should be several, but `torchrun` has not started them: each would wait
            for others that never come.
    """
    if dist.is_initialized() or not dist.is_torchelastic_launched():
        size = os.environ.get("WORLD_SIZE") or "1"
        if size != "1" and not dist.is_initialized():
            remedy = "Start by `torchrun`, or unset WORLD_SIZE for one process."
            refuse("WORLD_SIZE", "set by `torchrun`", f"'{size}' without it", remedy)
        yield
        return
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield
    finally:
        dist.destroy_process_group()


def choose_device(name: str) -> torch.device:
    """Return the device of this process; with ``"cuda"`` each process of a machine has its own."""
    if name == "cuda" and "LOCAL_RANK" in os.environ:
        name = f"cuda:{os.environ['LOCAL_RANK']}"
    remedy = "Use cpu, or install torch for that device."
    check_device("choose_device", name, "a device that torch has here", remedy)
    return torch.device(name)


def process_count() -> int:
    """Return how many processes train together."""
    return dist.get_world_size() if dist.is_initialized() else 1


def process_rank() -> int:
    """Return the number of this process, from 0."""
    return dist.get_rank() if dist.is_initialized() else 0


def wait_for_all() -> None:
    """Wait until every process is here."""
    if dist.is_initialized():
        dist.barrier()


def sum_over_processes(values: Tensor) -> Tensor:
    """Return the sum over processes, without a gradient."""
    if dist.is_initialized():
        dist.all_reduce(values)
    return values


def synchronize(network: nn.Module) -> nn.Module:
    """Return the network with batch normalization over the images of all processes.

    Then several processes do what one does with all images of a batch, on any device; torch's own
    `SyncBatchNorm` works on GPUs only.
    """
    if process_count() == 1:
        return network
    for name, child in network.named_children():
        if isinstance(child, nn.BatchNorm2d):
            synced = SyncedBatchNorm2d(child.num_features, child.eps, child.momentum)
            synced.load_state_dict(child.state_dict())
            setattr(network, name, synced)
        else:
            synchronize(child)
    return network


class SyncedBatchNorm2d(nn.BatchNorm2d):
    """Batch normalization with the mean and variance over the images of all processes."""

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002  (torch's name)
        """Return the images with mean 0 and variance 1 in each channel, then scaled."""
        if not self.training:
            return super().forward(input)
        images = input.float()  # a sum of half precision would be off by parts of a percent
        n_pixels = images.new_tensor([float(images.numel() // images.shape[1])])
        sums = _add_up(torch.cat([images.sum(dim=(0, 2, 3)), n_pixels]))
        count = sums[-1].detach()
        mean = sums[:-1] / count
        centered = images - mean[:, None, None]
        variance = _add_up(centered.square().sum(dim=(0, 2, 3))) / count
        self._remember(mean.detach(), variance.detach() * count / (count - 1))
        scale = self.weight * torch.rsqrt(variance + self.eps)
        return (centered * scale[:, None, None] + self.bias[:, None, None]).to(input.dtype)

    @torch.no_grad()
    def _remember(self, mean: Tensor, variance: Tensor) -> None:
        part = 0.1 if self.momentum is None else self.momentum
        for kept, new in ((self.running_mean, mean), (self.running_var, variance)):
            if kept is not None:
                kept.lerp_(new, part)
        if self.num_batches_tracked is not None:
            self.num_batches_tracked += 1


class _Sum(torch.autograd.Function):
    """The sum over processes; its gradient is the sum of theirs."""

    @staticmethod
    def forward(ctx: Any, values: Tensor) -> Tensor:  # noqa: ARG004  (torch's signature)
        return sum_over_processes(values.clone())

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> Tensor:  # noqa: ARG004
        return sum_over_processes(grad_outputs[0].clone())


def _add_up(values: Tensor) -> Tensor:
    return cast("Tensor", _Sum.apply(values))
