"""The network of infinite width: descent with a fixed kernel, in closed form, without a seed.

As the width grows, training begins as gradient descent in the space of functions of a kernel: the
inner products of the network's gradients where it starts, K = P k P' + 4/3 with the kernel k of the
residual block (see `kernels`), the diffusion P, and the constant of the biases b2 and b3.

Here the kernel stays what it was. That of a trained network grows with its classifier, at every
width, since W3 is of the size of its change; so do its logits, in proportion, while the labels
mostly stay the same.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from diffresnet.learning.kernels import residual_kernel
from diffresnet.learning.tasks import Schedule, Tasks

AFTER_DIFFUSION = 4 / 3
"""The part of the kernel that comes from the biases b2 and b3, which diffusion does not change."""


def solve_kernel(tasks: Tasks, schedule: Schedule) -> Tensor:
    """Return the logits (T, K, N) of every point after training in the limit of infinite width.

    Deterministic: the random logits of an untrained network are replaced by their mean, 0.
    """
    with torch.no_grad():
        kernel = residual_kernel(tasks.gram)
        n_seen = kernel.shape[-1] if tasks.sees_unlabeled else tasks.n_labeled
        rows = tasks.diffuse_both_sides(kernel, n_seen) + AFTER_DIFFUSION
        seen = rows[..., :n_seen].contiguous()
        start = seen.new_zeros(len(seen), tasks.n_classes, n_seen)
        return _descend(start, lambda now: tasks.loss_gradient(now @ seen), schedule) @ rows


def solve_factored(factors: Tensor, tasks: Tasks, schedule: Schedule) -> Tensor:
    """Train as `solve_kernel` does, with the kernel F F' of factors F.

    A set too large for its kernel has factors: the descent is that of a linear classifier of them,
    which is what gradient descent with the kernel is, without a matrix of N x N numbers.

    Args:
        factors: (T, N, m), labeled points first, as in `tasks`.
        tasks: which give the loss.
        schedule: of gradient descent.

    Returns:
        The weights (T, K, m) of the classifier: the logits of any points are these times factors.
    """
    with torch.no_grad():
        seen = factors if tasks.sees_unlabeled else factors[:, : tasks.n_labeled]
        columns = seen.mT.contiguous()
        start = factors.new_zeros(len(factors), tasks.n_classes, factors.shape[-1])
        return _descend(start, lambda now: tasks.loss_gradient(now @ columns) @ seen, schedule)


def _descend(start: Tensor, gradient_at: Callable[[Tensor], Tensor], schedule: Schedule) -> Tensor:
    """Return `start` after gradient descent with momentum, in the same memory."""
    velocity = torch.zeros_like(start)
    for rate in schedule.rates():
        torch.add(gradient_at(start), velocity, alpha=schedule.momentum, out=velocity)
        velocity.add_(start, alpha=schedule.weight_decay)
        start.add_(velocity, alpha=-rate)
    return start
