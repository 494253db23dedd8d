"""Backbones as files: trained ones, and what an interrupted training goes on from."""

import io
import pickle
import zipfile
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from diffresnet._support.checks import fail
from diffresnet._support.writing import write_whole
from diffresnet.encoders.backbones.catalog import make_backbone
from diffresnet.encoders.framing import Framing

FORMAT = "diffresnet-backbone-1"


@dataclass(frozen=True)
class Checkpoint:
    """A trained backbone.

    Attributes:
        backbone: its name, as in `make_backbone`.
        framing: of the pictures that it sees.
        weights: its `state_dict`.
        remarks: how it was trained, and how good it was.
    """

    backbone: str
    framing: Framing
    weights: dict[str, Tensor]
    remarks: dict[str, Any]

    def make(self) -> nn.Module:
        """Return the network with these weights, ready to use."""
        size = self.framing.image_size
        network = make_backbone(self.backbone, n_channels=self.framing.n_channels, image_size=size)
        network.load_state_dict(self.weights)
        return network.eval()

    def save(self, path: Path) -> Path:
        """Write the file, whole or not at all."""
        content = {"format": FORMAT, **vars(self), "framing": asdict(self.framing)}
        return _save_tensors(path, content)

    @classmethod
    def load(cls, path: Path | str, backbone: str | None = None) -> "Checkpoint":
        """Read a file; nothing in it is run.

        Args:
            path: of the file.
            backbone: the network that it must be of, if that matters.

        Raises:
            FileNotFoundError: if there is no such file.
            ValueError: if it is no such file, or of another backbone.
        """
        path = Path(path)
        content = _load_tensors(path)
        if content.get("format") != FORMAT:
            got = f"{path}, which is something else"
            remedy = "Make one by `diffresnet train-backbone`."
            fail("Checkpoint", "path", "the file of a trained backbone", got, remedy)
        kept = content["backbone"]
        if backbone is not None and kept != backbone:
            got = f"{path}, which is of {kept}"
            fail("Checkpoint", "path", f"a file of {backbone}", got, f"Ask for {kept}:{path}.")
        framing = Framing(**content["framing"])
        return cls(kept, framing, content["weights"], content["remarks"])


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

    def save(self, path: Path, identity: str) -> None:
        """Write the file, whole or not at all; `identity` tells trainings apart."""
        states = {name: getattr(self, name).state_dict() for name in ("network", "optimizer")}
        _save_tensors(path, {**vars(self), **states, "identity": identity})

    def load(self, path: Path, identity: str) -> None:
        """Go on from a file; one that is damaged or of another training is a `ValueError`."""
        content = _load_tensors(path, "Remove it to begin anew.")
        if content.pop("identity", None) != identity:
            got = f"{path}, which is of other images or settings"
            remedy = "Give the same ones, or remove the file to begin anew."
            fail("train_backbone", "state", "the state of the same training", got, remedy)
        self.network.load_state_dict(content.pop("network"))
        self.optimizer.load_state_dict(content.pop("optimizer"))
        vars(self).update(content)


def _save_tensors(path: Path, content: dict[str, Any]) -> Path:
    """Write tensors and plain values, whole or not at all."""
    stream = io.BytesIO()
    torch.save(content, stream)
    return write_whole(path, stream.getvalue())


def _load_tensors(path: Path, remedy: str = "Make it again.") -> dict[str, Any]:
    """Read tensors and plain values; `remedy` says what to do with a damaged file."""
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    content = None
    with suppress(RuntimeError, EOFError, OSError, KeyError, ValueError, pickle.UnpicklingError):
        if zipfile.is_zipfile(path):
            content = torch.load(path, map_location="cpu", weights_only=True)
    if content is None:
        fail("Checkpoint", "path", "a file of torch", f"{path}, which is damaged", remedy)
    return content if isinstance(content, dict) else {}
