"""Diff-ResNet for the nodes of a graph (Appendix E.2)."""

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn

from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.nn.dropout_diffusion import DropoutDiffusion
from diffresnet.nn.sparse_linear import SparseLinear


class NodeDiffResNet(nn.Module):
    """x + relu(FC1 x), then r times {dropout, diffusion}, then FC3: logits of all nodes.

    Without steps it is the paper's No-Diff-ResNet. Where the paper drops after each diffusion step,
    the authors' code drops before, as here. At evaluation class scores are diffused, not features:
    the classifier commutes with diffusion where nothing is dropped.

    Args:
        features: (N, F) sparse, which FC1 multiplies.
        n_classes: K.
        operator: of diffusion.
        step_size: gamma.
        n_steps: r.
        dropout: probability that a number is dropped before each step.
    """

    def __init__(
        self,
        features: sparse.csr_array,
        n_classes: int,
        operator: DiffusionOperator,
        *,
        step_size: float,
        n_steps: int,
        dropout: float,
    ) -> None:
        super().__init__()
        n_features = features.shape[1]
        self.first = SparseLinear(features, n_features)
        self.last = nn.Linear(n_features, n_classes)
        self.operator, self.step_size, self.n_steps = operator, step_size, n_steps
        self.dropped = DropoutDiffusion(operator, step_size, n_steps, dropout)
        shown = torch.from_numpy(features.toarray())
        self.register_buffer("features", shown, persistent=False)

    def decayed(self) -> list[Tensor]:
        """Return all parameters."""
        return list(self.parameters())

    def hidden(self) -> Tensor:
        """Return x + relu(FC1 x), (N, F)."""
        return self.features + self.first().relu_()  # pyright: ignore[reportReturnType, reportOperatorIssue]

    def train_scores(self, hidden: Tensor, random: np.random.Generator) -> Tensor:
        """Return the logits (N, K) with dropout."""
        return self.last(self.dropped(hidden, random) if self.n_steps > 0 else hidden)

    def test_scores(self, hidden: Tensor) -> Tensor:
        """Return the logits (N, K) without dropout."""
        return self._diffuse(self.last(hidden))

    @torch.no_grad()
    def forward(self) -> Tensor:
        """Return the logits (N, K) without dropout, and without gradients.

        Hidden features are made some columns at a time, and never all of them.
        """
        weight = self.last.weight
        scores = self.first.multiply(weight.mT.contiguous()).add_(self.last.bias).mT.contiguous()
        for columns, block in self.first.in_blocks():  # few rows are faster than few columns
            scores.addmm_(weight[:, columns], block.relu_().mT)
        return self._diffuse(scores.mT.contiguous())

    def _diffuse(self, scores: Tensor) -> Tensor:
        if self.n_steps == 0:
            return scores  # and no word on the step size
        return self.operator.diffuse(scores, self.step_size, self.n_steps)
