import torch

from diffresnet.diffusion.kept import kept_if_constant


class Counted:
    def __init__(self, weights: torch.Tensor) -> None:
        self.weights, self.n_computed = weights, 0

    @kept_if_constant
    def total(self) -> float:
        """The sum."""
        self.n_computed += 1
        return float(self.weights.detach().sum())


def test_constants_are_computed_once_and_learned_weights_every_time() -> None:
    constant, learned = Counted(torch.ones(3)), Counted(torch.ones(3, requires_grad=True))
    for one in (constant, learned):
        assert (one.total, one.total) == (3.0, 3.0)
    assert (constant.n_computed, learned.n_computed) == (1, 2)
