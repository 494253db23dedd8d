import torch
from torch.nn.functional import cross_entropy

from diffresnet.learning.kernel_logistic import fit_coordinates, kernel_coordinates, score_kernel


def test_is_the_minimum() -> None:
    generator = torch.Generator().manual_seed(0)
    points = torch.randn(20, 6, generator=generator, dtype=torch.float64)
    labels, ridges = torch.arange(20) % 3, torch.tensor([1e-1, 1e-3])
    kernel = points @ points.mT + 1e-3 * torch.eye(20)
    found = score_kernel(kernel, torch.arange(20), labels, 3, ridges)
    assert found.shape == (2, 20, 3)
    for ridge, scores in zip(ridges, found, strict=True):
        leaf = torch.linalg.solve(kernel, scores).requires_grad_()
        loss = cross_entropy(kernel @ leaf, labels) + ridge / 2 * (leaf * (kernel @ leaf)).sum()
        loss.backward()
        assert leaf.grad is not None
        assert float(leaf.grad.abs().max()) < 2e-3


def test_coordinates_have_the_kernel_and_orthogonal_columns() -> None:
    points = torch.randn(12, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    kernel = points @ points.mT
    found = kernel_coordinates(kernel[:, :7], kernel[:7, :7])
    assert found.shape == (12, 4)  # the rank of the kernel
    assert torch.allclose(found @ found.mT, kernel)
    products = found[:7].mT @ found[:7]
    assert torch.allclose(products, torch.diag(products.diagonal()), atol=1e-9)


def test_float32_is_enough() -> None:
    points = torch.randn(30, 8, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    kernel, labels = points @ points.mT, torch.arange(30) % 4
    own = kernel_coordinates(kernel, kernel)
    ridges = torch.tensor([1.0, 1e-2])
    exact, fast = (fit_coordinates(one, labels, 4, ridges) for one in (own, own.float()))
    assert torch.allclose(exact, fast.double(), atol=1e-4)


def test_fewer_columns_than_labels_span_the_answer() -> None:
    points = torch.randn(40, 5, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    kernel, labels, labeled = points @ points.mT, torch.arange(30) % 3, torch.arange(5, 35)
    ridges = torch.tensor([1e-1, 1e-2])
    all_columns, some = (
        score_kernel(kernel[:, labeled[:n_columns]], labeled, labels, 3, ridges)
        for n_columns in (30, 8)
    )
    assert torch.allclose(all_columns, some, atol=1e-4)  # eight points span all five dimensions
