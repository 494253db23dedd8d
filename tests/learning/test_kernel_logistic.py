import torch
from torch.nn.functional import cross_entropy

from diffresnet.learning.kernel_logistic import fit_kernels


def test_is_the_minimum() -> None:
    generator = torch.Generator().manual_seed(0)
    points = torch.randn(2, 20, 6, generator=generator, dtype=torch.float64)
    labels, ridges = torch.arange(20) % 3, torch.tensor([1e-1, 1e-3])
    kernels = points @ points.mT + 1e-3 * torch.eye(20)
    found = fit_kernels(kernels, labels, 3, ridges)
    assert found.shape == (2, 2, 20, 3)
    for kernel, of_kernel in zip(kernels, found, strict=True):
        for ridge, coefficients in zip(ridges, of_kernel, strict=True):
            leaf = coefficients.clone().requires_grad_()
            scores = kernel @ leaf
            loss = cross_entropy(scores, labels) + ridge / 2 * (leaf * scores).sum()
            loss.backward()
            assert leaf.grad is not None
            assert float(leaf.grad.abs().max()) < 2e-3
