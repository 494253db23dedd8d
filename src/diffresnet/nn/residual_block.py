"""The convection step: a residual block, x <- x + f(x) (Eq. 1)."""

from torch import Tensor, nn

from diffresnet._support.checks import check_count, fail


class ResidualBlock(nn.Module):
    """Add to each point a function of itself, x + f(x); points do not see each other.

    Args:
        inner: f, any module whose output has the shape of its input.

    Raises:
        ValueError: when called, if the output has another shape.

    Examples:
        >>> import torch
        >>> block = ResidualBlock(nn.Linear(2, 2))
        >>> x = torch.ones(5, 2)
        >>> torch.equal(block(x), x + block.inner(x))
        True
    """

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> Tensor:
        """Return x + f(x)."""
        added = self.inner(x)
        if added.shape != x.shape:
            must = f"a module that keeps the shape {tuple(x.shape)}"
            got = f"one that gives {tuple(added.shape)}"
            fail("ResidualBlock", "inner", must, got, "Give it as many outputs as inputs.")
        return x + added


def two_layers(n_features: int, width: int | None = None) -> nn.Sequential:
    """Return f = FC2(relu(FC1 x)), the paper's network for points (Section 3.1).

    Args:
        n_features: of a point.
        width: w, of the hidden layer; by default as many as features, as in the experiments.
    """
    n_features = check_count("two_layers", "n_features", n_features, low=1)
    width = check_count("two_layers", "width", n_features if width is None else width, low=1)
    return nn.Sequential(nn.Linear(n_features, width), nn.ReLU(), nn.Linear(width, n_features))


def one_layer(n_features: int) -> nn.Sequential:
    """Return f = relu(FC1 x), the paper's network for graphs (Appendix E.2)."""
    n_features = check_count("one_layer", "n_features", n_features, low=1)
    return nn.Sequential(nn.Linear(n_features, n_features), nn.ReLU())
