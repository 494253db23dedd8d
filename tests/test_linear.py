import torch
from torch import Tensor

from diffresnet._linear import apply_linear


def test_gradients_of_first_and_second_order() -> None:
    generator = torch.Generator().manual_seed(0)
    matrix = torch.randn(3, 3, generator=generator, dtype=torch.float64)
    x = torch.randn(3, 2, generator=generator, dtype=torch.float64, requires_grad=True)

    def squared(y: Tensor) -> Tensor:
        return apply_linear(y, matrix.matmul, matrix.mT.matmul).square()

    assert torch.equal(squared(x), (matrix @ x).square())
    assert torch.autograd.gradcheck(squared, (x,))
    assert torch.autograd.gradgradcheck(squared, (x,))
