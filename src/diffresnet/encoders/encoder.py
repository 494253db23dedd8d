"""Encoders: from pictures or texts to features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from diffresnet.encoders.framing import Framing

if TYPE_CHECKING:
    from PIL.Image import Image

Kind = Literal["images", "texts"]
Features = NDArray[np.float32]

CPU = torch.device("cpu")

READING = 3
"""Raised when pictures are opened or framed in another way: then no older features are found."""


class Encoder(Protocol):
    """Turns items into features."""

    @property
    def name(self) -> str:
        """How it is called in messages."""
        ...

    @property
    def kind(self) -> Kind:
        """What it takes."""
        ...

    @property
    def fingerprint(self) -> str:
        """The same for encoders that make the same features of the same items only."""
        ...

    def encode(self, items: Sequence[Any]) -> Features:
        """Return the features of some items, (n, d)."""
        ...


@dataclass(frozen=True, eq=False)
class ImageEncoder:
    """A network that sees the center of a picture.

    Attributes:
        name: of the encoder.
        network: in evaluation mode; images (B, channels, height, width) to features (B, d).
        framing: size, crop and normalization.
        device: where it computes.
    """

    name: str
    network: nn.Module
    framing: Framing
    device: torch.device = CPU
    kind: Kind = field(default="images", init=False)

    def __post_init__(self) -> None:
        self.network.eval()
        self.network.to(self.device, memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]

    @property
    def fingerprint(self) -> str:
        """A digest of the network, its weights and the framing."""
        words = f"{READING} {self.network} {self.framing}"
        return fingerprint(words, self.network.state_dict())

    def encode(self, items: Sequence[Image]) -> Features:
        """Return the features of some pictures, (n, d)."""
        mode = "L" if self.framing.n_channels == 1 else "RGB"
        framed = torch.stack([self.framing.frame(picture.convert(mode)) for picture in items])
        with torch.inference_mode():
            images = framed.to(self.device, memory_format=torch.channels_last)
            return self.network(images).float().cpu().numpy()


def fingerprint(words: str, weights: Mapping[str, Tensor]) -> str:
    """Return a digest of words and weights."""
    content = blake2b(words.encode(), digest_size=16)
    for name, tensor in sorted(weights.items()):
        content.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        flat = tensor.detach().cpu().contiguous().reshape(-1)
        content.update(flat.view(torch.uint8).numpy().tobytes())
    return content.hexdigest()
