"""The network of infinite width: descent with a fixed kernel, in closed form, without a seed.

As the width grows, training begins as gradient descent in the space of functions of a kernel: the
inner products of the network's gradients where it starts, K = P k P' + 4/3 with the kernel k of the
residual block (see `kernels`), the diffusion P, and the constant of the biases b2 and b3.

Here the kernel stays what it was. That of a trained network grows with its classifier, at every
width, since W3 is of the size of its change; so do its logits, in proportion, while the labels
mostly stay the same.
"""

import torch
from torch import Tensor

from diffresnet.learning.kernels import residual_kernel
from diffresnet.learning.tasks import Schedule, Tasks

AFTER_DIFFUSION = 4 / 3
"""The part of the kernel that comes from the biases b2 and b3, which diffusion does not change."""


def solve_kernel(tasks: Tasks, schedule: Schedule) -> Tensor:
    """Return the logits (T, K, N) of every point after training in the limit of infinite width.

    Deterministic: the random logits of an untrained network are replaced by their mean, 0.

    Args:
        tasks: what to learn.
        schedule: of gradient descent.
    """
    with torch.no_grad():
        kernel = residual_kernel(tasks.gram)
        n_seen = kernel.shape[-1] if tasks.sees_unlabeled else tasks.n_labeled
        propagator = tasks.propagator
        if propagator is None:
            rows = kernel[:, :n_seen]
        else:  # P is symmetric
            rows = propagator[:, :n_seen] @ kernel @ propagator
        rows = rows + AFTER_DIFFUSION
        return descend(rows[..., :n_seen].contiguous(), tasks, schedule) @ rows


def descend(kernel: Tensor, tasks: Tasks, schedule: Schedule) -> Tensor:
    """Return the coefficients (T, K, n_seen) of the kernel's rows after gradient descent.

    Args:
        kernel: (T, n_seen, n_seen) among the points that the loss sees.
        tasks: which give the loss.
        schedule: of gradient descent.
    """
    coefficients = kernel.new_zeros(len(kernel), tasks.n_classes, kernel.shape[1])
    velocity = torch.zeros_like(coefficients)
    for rate in schedule.rates():
        gradient = tasks.loss_gradient(coefficients @ kernel)
        torch.add(gradient, velocity, alpha=schedule.momentum, out=velocity)
        velocity.add_(coefficients, alpha=schedule.weight_decay)
        coefficients.add_(velocity, alpha=-rate)
    return coefficients


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
        weights = factors.new_zeros(len(factors), tasks.n_classes, factors.shape[-1])
        velocity = torch.zeros_like(weights)
        columns = seen.mT.contiguous()
        for rate in schedule.rates():
            gradient = tasks.loss_gradient(weights @ columns) @ seen
            velocity = schedule.momentum * velocity + gradient + schedule.weight_decay * weights
            weights = weights - rate * velocity
        return weights
