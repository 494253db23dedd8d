"""The network of infinite width: descent with a fixed kernel, in closed form, without a seed.

As the width grows, training begins as gradient descent in the space of functions of a kernel: the
inner products of the network's gradients where it starts. For this network and torch's default
initialization (all parameters uniform, of variance 1/(3 M)) it is

    K = P [ G + 2/3 k1 + 1/3 + (G + 1) k0 / 9 ] P' + 4/3,

with the inner products G = X X', S = (G + 1)/3, theta the angle between two points as S sees them,
k1 = sqrt(S_ii S_jj) (sin theta + (pi - theta) cos theta) / (2 pi), k0 = (pi - theta) / (2 pi).
The terms belong to W3 (G, half of k1, 1/3), to W2 (the other half), W1 and b1 (k0), b2 and b3.

Here the kernel stays what it was. That of a trained network grows with its classifier, at every
width, since W3 is of the size of its change; so do its logits, in proportion, while the labels
mostly stay the same.
"""

import math

import torch
from torch import Tensor

from diffresnet.learning.tasks import Schedule, Tasks

AFTER_DIFFUSION = 4 / 3
"""The share of the biases b2 and b3, which diffusion does not change."""


def residual_kernel(gram: Tensor) -> Tensor:
    """Return the kernel of the block before diffusion, G + 2/3 k1 + 1/3 + (G + 1) k0 / 9.

    Args:
        gram: (..., N, N) inner products of the points.

    Examples:
        >>> residual_kernel(torch.eye(2))
        tensor([[1.6667, 0.5057],
                [0.5057, 1.6667]])
    """
    covariance = (gram + 1) / 3
    variances = covariance.diagonal(dim1=-2, dim2=-1)
    scales = (variances.unsqueeze(-1) * variances.unsqueeze(-2)).sqrt()
    cosines = (covariance / scales).clamp(-1, 1)
    opening = math.pi - torch.acos(cosines)
    sines = (1 - cosines.square()).sqrt()
    both = scales * (sines + opening * cosines) / (2 * math.pi)
    return gram + 2 / 3 * both + 1 / 3 + covariance * opening / (6 * math.pi)


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
