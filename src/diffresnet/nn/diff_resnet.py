"""Diff-ResNet: residual blocks, each followed by diffusion, then a classifier (Algorithm 1)."""

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional

from diffresnet._support.checks import check_count, fail
from diffresnet._support.types import DiffusionMethod
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.nn.diffusion import Diffusion, DropoutOrder
from diffresnet.nn.residual_block import ResidualBlock, two_layers


class DiffResNet(nn.Module):
    """Move points by `n_blocks` residual blocks, each followed by diffusion, and classify them.

    For each block: x <- x + f(x), then `n_steps` times x <- x - step_size (Lambda - W) x; at the
    end a linear layer gives the class scores (Algorithm 1). With ``n_steps=0`` it is a plain
    residual network, and the operator may be None.

    Args:
        n_features: of a point.
        n_classes: outputs of the classifier.
        n_blocks: s.
        step_size: gamma.
        n_steps: r, after each block.
        make_inner: makes f for a number of features: `two_layers` (the default), `one_layer`, or
            your own.
        dropout: at each diffusion step; see `Diffusion`.
        dropout_order: see `Diffusion`.
        method: see `Diffusion`.

    Shape:
        Points (N, n_features) or (T, N, n_features); scores (N, n_classes) or (T, N, n_classes).

    Raises:
        ValueError: if an argument is out of range; if the operator is missing, or has other points.

    Examples:
        >>> import torch
        >>> from diffresnet import build_weights
        >>> points = torch.randn(30, 2)
        >>> model = DiffResNet(2, 2, step_size=0.5, n_steps=10)
        >>> sum(parameter.numel() for parameter in model.parameters())
        18
        >>> model(points, DiffusionOperator(build_weights(points, n_top=5))).shape
        torch.Size([30, 2])
    """

    def __init__(
        self,
        n_features: int,
        n_classes: int,
        n_blocks: int = 1,
        *,
        step_size: float,
        n_steps: int,
        make_inner: Callable[[int], nn.Module] = two_layers,
        dropout: float = 0.0,
        dropout_order: DropoutOrder = "before",
        method: DiffusionMethod = "auto",
    ) -> None:
        super().__init__()
        n_features = check_count("DiffResNet", "n_features", n_features, low=1)
        n_classes = check_count("DiffResNet", "n_classes", n_classes, low=1)
        n_blocks = check_count("DiffResNet", "n_blocks", n_blocks, low=0)
        self.blocks = nn.ModuleList(ResidualBlock(make_inner(n_features)) for _ in range(n_blocks))
        self.diffusion = Diffusion(
            step_size, n_steps, dropout, dropout_order=dropout_order, method=method
        )
        self.classifier = nn.Linear(n_features, n_classes)

    def features(self, x: Tensor, operator: DiffusionOperator | None = None) -> Tensor:
        """Return the points as the classifier sees them, after the last block."""
        for block in self.blocks:
            x = self._diffuse(block(x), operator)
        return x

    def forward(self, x: Tensor, operator: DiffusionOperator | None = None) -> Tensor:
        """Return the class scores of all points.

        The classifier commutes with the last diffusion, but for its bias, where nothing is dropped:
        the scores are diffused in place of the features if they are fewer.
        """
        n_features = self.classifier.in_features
        if x.shape[-1:] != (n_features,):
            got, remedy = f"shape {tuple(x.shape)}", "Pass as many as `n_features` says."
            fail("DiffResNet", "x", f"points of {n_features} features", got, remedy)
        drops = self.training and self.diffusion.dropout.p > 0
        if len(self.blocks) == 0 or drops or self.classifier.out_features >= x.shape[-1]:
            return self.classifier(self.features(x, operator))
        *blocks, last = self.blocks
        for block in blocks:
            x = self._diffuse(block(x), operator)
        scores = functional.linear(last(x), self.classifier.weight)
        return self._diffuse(scores, operator) + self.classifier.bias

    def _diffuse(self, x: Tensor, operator: DiffusionOperator | None) -> Tensor:
        if self.diffusion.n_steps == 0:
            return x
        if operator is None:
            remedy = "Pass one, or make the model with `n_steps=0`."
            fail("DiffResNet", "operator", "a DiffusionOperator", None, remedy)
        return self.diffusion(x, operator)
