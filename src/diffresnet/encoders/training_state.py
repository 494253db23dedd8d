"""What the training of a backbone goes on from after a break."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from diffresnet._support.checks import fail
from diffresnet.encoders.checkpoint import load_tensors, save_tensors


@dataclass
class TrainingState:
    """The network, its optimizer, and how far it came.

    Attributes:
        network: a backbone and a linear layer.
        optimizer: of their parameters.
        epoch: epochs that are done.
        n_batches: batches of the next one that are done.
        totals: of these: loss, right answers, images, seconds.
        best: the best validation so far.
        best_epoch: the epoch after which it was, from 1.
        best_weights: of the backbone then.
    """

    network: nn.Module
    optimizer: torch.optim.Optimizer
    epoch: int = 0
    n_batches: int = 0
    totals: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0, 0.0])
    best: float = -float("inf")
    best_epoch: int = 0
    best_weights: dict[str, Tensor] = field(default_factory=dict[str, Tensor])

    PLAIN: ClassVar = ("epoch", "n_batches", "totals", "best", "best_epoch", "best_weights")

    def save(self, path: Path, identity: str) -> None:
        """Write the file, whole or not at all; `identity` tells trainings apart."""
        content: dict[str, Any] = {name: getattr(self, name) for name in self.PLAIN}
        content |= {
            "identity": identity,
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        save_tensors(path, content)

    def load(self, path: Path, identity: str) -> None:
        """Go on from a file.

        Raises:
            ValueError: if it is damaged, or of another training.
        """
        content = load_tensors(path, "Remove it to begin anew.")
        if content.get("identity") != identity:
            got = f"{path}, which is of other images or settings"
            remedy = "Give the same ones, or remove the file to begin anew."
            fail("train_backbone", "state", "the state of the same training", got, remedy)
        self.network.load_state_dict(content["network"])
        self.optimizer.load_state_dict(content["optimizer"])
        for name in self.PLAIN:
            setattr(self, name, content[name])
