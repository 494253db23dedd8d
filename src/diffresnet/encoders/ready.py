"""Ready encoders by name: trained networks that packages carry, and files of our own."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch

from diffresnet._support.checks import fail
from diffresnet._support.extras import needs_extra
from diffresnet._support.words import reason_of
from diffresnet.encoders.backbones.catalog import BACKBONE_NAMES
from diffresnet.encoders.backbones.efficientnet_lite0 import EfficientNetLite0
from diffresnet.encoders.checkpoint import Checkpoint
from diffresnet.encoders.encoder import CPU, Encoder, Features, ImageEncoder, Kind, fingerprint
from diffresnet.encoders.framing import Framing
from diffresnet.encoders.packages import EFFICIENTNET_LITE0, MINILM

EFFICIENTNET_FRAMING = Framing(
    224, 256, mean=(127 / 255,) * 3, std=(128 / 255,) * 3, filter="bicubic"
)
"""As the network was trained: (pixel - 127) / 128."""


@dataclass(frozen=True, eq=False)
class TextEncoder:
    """A sentence encoder.

    Attributes:
        name: of the encoder.
        model: of the library sentence-transformers. It cuts texts that are too long for it.
    """

    name: str
    model: Any
    kind: Kind = field(default="texts", init=False)

    @property
    def fingerprint(self) -> str:
        """A digest of the weights, of how texts become tokens, and of what is put before them."""
        model = self.model
        prompts = model.prompts, model.default_prompt_name
        words = f"{model} {model.max_seq_length} {prompts} {_describe(model.tokenizer)}"
        return fingerprint(words, model.state_dict())

    def encode(self, items: Sequence[str]) -> Features:
        """Return the features of some texts, (n, d)."""
        found = self.model.encode(list(items), show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(found, dtype=np.float32)


def make_encoder(name: str, *, device: torch.device = CPU) -> Encoder:
    """Return an encoder by name.

    Args:
        name: ``"efficientnet-lite0"`` (images, trained on ImageNet, 1,280 features) and
            ``"minilm"`` (texts, all-MiniLM-L6-v2, 384 features), whose weights come with the
            extras `images` and `text`; a backbone and the file of `train_backbone`, such as
            ``"resnet18:birds.pt"``; ``"timm:NAME"`` (images) or ``"hf:NAME"`` (texts, a name or
            folder for sentence-transformers), where those libraries are installed.
        device: where it computes.

    Raises:
        ValueError: if there is no such encoder, or its files are damaged.
        FileNotFoundError: if there is no such file.
        ModuleNotFoundError: if a package is missing; the message says which.
    """
    kind, _, rest = name.partition(":")
    if name == "efficientnet-lite0":
        return _efficientnet_lite0(device)
    if name == "minilm":
        return _sentence_encoder(str(MINILM.find_weights()), device, name)
    if rest and kind in BACKBONE_NAMES:
        checkpoint = Checkpoint.load(Path(rest), kind)
        return ImageEncoder(name, checkpoint.make(), checkpoint.framing, device)
    if not rest or kind not in ("hf", "timm"):
        trained = ", ".join(f"{one}:FILE" for one in BACKBONE_NAMES)
        must = f"one of efficientnet-lite0, minilm, {trained}, timm:NAME or hf:NAME"
        fail("make_encoder", "name", must, repr(name), "Choose one of these.")
    return _sentence_encoder(rest, device, name) if kind == "hf" else _timm(rest, device)


def _efficientnet_lite0(device: torch.device) -> Encoder:
    weights = torch.load(EFFICIENTNET_LITE0.find_weights(), map_location="cpu", weights_only=True)
    network = EfficientNetLite0()
    network.load_state_dict(weights)
    return ImageEncoder("efficientnet-lite0", network, EFFICIENTNET_FRAMING, device)


def _sentence_encoder(place: str, device: torch.device, name: str) -> Encoder:
    with needs_extra(name, "text"):
        library: Any = import_module("sentence_transformers")
        import_module("transformers").utils.logging.disable_progress_bar()
    try:
        return TextEncoder(name, library.SentenceTransformer(place, device=str(device)))
    except ImportError:
        raise
    except Exception as error:  # damaged files make it raise errors of all kinds
        _fail_to_load(name, error, "Check it.")


def _timm(name: str, device: torch.device) -> Encoder:
    try:
        library: Any = import_module("timm")
    except ModuleNotFoundError as error:
        message = f"timm:{name} needs `{error.name}`. Run `pip install timm`."
        raise ModuleNotFoundError(message, name=error.name) from error
    try:
        network = library.create_model(name, pretrained=True, num_classes=0)
    except ImportError:
        raise
    except Exception as error:  # damaged files make it raise errors of all kinds
        _fail_to_load(f"timm:{name}", error, "Check the name.")
    config: Any = library.data.resolve_model_data_config(network)
    size = int(config["input_size"][-1])
    framing = Framing(
        size,
        max(int(size / config["crop_pct"]), size),
        mean=tuple(config["mean"]),
        std=tuple(config["std"]),
        filter="bicubic" if config["interpolation"] == "bicubic" else "bilinear",
    )
    return ImageEncoder(f"timm:{name}", network, framing, device)


def _describe(tokenizer: Any) -> str:
    """Return all that says which tokens a text becomes."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return str(sorted(tokenizer.get_vocab().items()))
    parts = json.loads(backend.to_str())
    return str(parts | {"padding": None, "truncation": None})  # change from batch to batch


def _fail_to_load(name: str, error: Exception, remedy: str) -> NoReturn:
    got = f"{name} ({reason_of(error) or type(error).__name__})"
    fail("make_encoder", "name", "a model that can be loaded", got, remedy)
