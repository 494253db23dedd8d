"""Trained backbones as files: the weights, and all that is needed to use them again."""

import io
import pickle
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from diffresnet._support.checks import fail
from diffresnet._support.writing import write_whole
from diffresnet.encoders.backbones import make_backbone
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
        return save_tensors(path, content)

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
        content = load_tensors(path)
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


def save_tensors(path: Path, content: dict[str, Any]) -> Path:
    """Write tensors and plain values, whole or not at all."""
    stream = io.BytesIO()
    torch.save(content, stream)
    return write_whole(path, stream.getvalue())


def load_tensors(path: Path, remedy: str = "Make it again.") -> dict[str, Any]:
    """Read tensors and plain values.

    Args:
        path: of the file.
        remedy: what to do with a damaged one.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is damaged, or holds something else.
    """
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    content, whole = None, zipfile.is_zipfile(path)
    try:
        if whole:
            content = torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, OSError, KeyError, ValueError, pickle.UnpicklingError):
        whole = False
    if not whole:
        fail("Checkpoint", "path", "a file of torch", f"{path}, which is damaged", remedy)
    return content if isinstance(content, dict) else {}
