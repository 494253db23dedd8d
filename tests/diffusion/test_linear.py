import torch
from torch import Tensor

from diffresnet.diffusion.linear import apply_linear, repeat


def test_gradients_of_first_and_second_order() -> None:
    generator = torch.Generator().manual_seed(0)
    matrix = torch.randn(3, 3, generator=generator, dtype=torch.float64)
    x = torch.randn(3, 2, generator=generator, dtype=torch.float64, requires_grad=True)

    def squared(y: Tensor) -> Tensor:
        return apply_linear(y, matrix.matmul, matrix.mT.matmul).square()

    assert torch.equal(squared(x), (matrix @ x).square())
    assert torch.autograd.gradcheck(squared, (x,))
    assert torch.autograd.gradgradcheck(squared, (x,))


def test_repeat_in_every_layout() -> None:
    generator = torch.Generator().manual_seed(0)
    matrix = torch.rand(4, 4, generator=generator, dtype=torch.float64)
    x = torch.rand(2, 4, generator=generator, dtype=torch.float64).mT
    expected = matrix @ matrix @ matrix @ x
    for layout in (matrix, matrix.mT.contiguous().mT, matrix.to_sparse_csr()):
        torch.testing.assert_close(repeat(layout, x, 3), expected)
    batch = repeat(matrix.expand(2, 4, 4), x.expand(2, 4, 2), 3)
    torch.testing.assert_close(batch[1], expected)
    assert torch.equal(repeat(matrix, x, 0), x)
