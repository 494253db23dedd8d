"""Backbones as files: trained ones, and what an interrupted training goes on from."""

import io
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import torch
from torch import Tensor, nn

from diffresnet._support.checks import fail, refuse
from diffresnet._support.words import reason_of
from diffresnet._support.writing import write_whole
from diffresnet.encoders.backbones.catalog import make_backbone
from diffresnet.encoders.framing import Framing

FORMAT = "diffresnet-backbone-1"
MOST_BYTES = 2**32
"""Of a file."""

PROGRESS = ("epoch", "n_batches", "totals", "best", "best_epoch", "best_weights")
"""What a training keeps beside the network and its optimizer."""


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
        network = self.make_untrained()
        network.load_state_dict(self.weights)
        return network.eval()

    def make_untrained(self) -> nn.Module:
        """Return the network with random weights."""
        framing = self.framing
        size = framing.image_size
        return make_backbone(self.backbone, n_channels=framing.n_channels, image_size=size)

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
        content = _load_tensors(path, "Checkpoint: `path`", "Make it again.")
        must, remedy = "the file of a trained backbone", "Make one by `diffresnet train-backbone`."
        if content.get("format") != FORMAT:
            fail("Checkpoint", "path", must, f"{path}, which is something else", remedy)
        kept = content.get("backbone")
        if backbone is not None and kept != backbone:
            got = f"{path}, which is of {kept}"
            fail("Checkpoint", "path", f"a file of {backbone}", got, f"Ask for {kept}:{path}.")
        try:
            framing = Framing(**content["framing"])
            made = cls(content["backbone"], framing, content["weights"], dict(content["remarks"]))
            with torch.device("meta"):
                check_weights(made.weights, made.make_untrained())
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            fail("Checkpoint", "path", must, f"{path} ({reason_of(error)})", remedy)
        return made


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
        must, remedy = "the state of the same training", "Remove it to begin anew."
        content = _load_tensors(path, "train_backbone: `state`", remedy)
        if content.get("identity") != identity:
            got = f"{path}, which is of other images or settings"
            remedy = "Give the same ones, or remove the file to begin anew."
            fail("train_backbone", "state", must, got, remedy)
        try:
            values = {name: content[name] for name in PROGRESS}
            _check_progress(values)
            check_weights(content["network"], self.network)
            buffers = _check_buffers(content["optimizer"]["state"], self.network)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            got = f"{path} ({reason_of(error)})"
            fail("train_backbone", "state", must, got, remedy)
        self.network.load_state_dict(content["network"])
        self.optimizer.load_state_dict(self.optimizer.state_dict() | {"state": buffers})
        vars(self).update(values)


def check_weights(weights: Mapping[str, Tensor], network: nn.Module) -> None:
    """Raise a `ValueError` unless weights are finite, and have the names and shapes of a network.

    The network may be on torch's device ``"meta"``.
    """
    expected = network.state_dict()
    if weights.keys() != expected.keys():
        raise ValueError("its weights are those of another network")
    for name, tensor in expected.items():
        _check_tensor(name, weights[name], tensor.shape)
        if weights[name].dtype != tensor.dtype:
            raise ValueError(f"'{name}' is of {weights[name].dtype}, not of {tensor.dtype}")


def _check_tensor(name: object, tensor: object, shape: torch.Size | None = None) -> None:
    """Raise a `ValueError` unless something is a finite tensor, of a shape if one is given."""
    if not isinstance(tensor, Tensor) or tensor.layout != torch.strided or not tensor.is_cpu:
        raise ValueError(f"'{name}' is no plain tensor")
    if shape is not None and tensor.shape != shape:
        raise ValueError(f"'{name}' has the shape {tuple(tensor.shape)}, not {tuple(shape)}")
    if not bool(tensor.isfinite().all()):
        raise ValueError(f"'{name}' has NaN or infinity")


def _check_progress(values: Mapping[str, Any]) -> None:
    """Raise a `ValueError` unless values are those of a training that came so far."""
    counts = [values[name] for name in ("epoch", "n_batches", "best_epoch")]
    totals = values["totals"]
    fits = all(type(one) is int and one >= 0 for one in counts) and type(values["best"]) is float
    if not fits or len(totals) != 4 or not all(math.isfinite(total) for total in totals):
        raise ValueError("how far it came is no number")
    for name, tensor in values["best_weights"].items():
        _check_tensor(name, tensor)


def _check_buffers(buffers: Mapping[int, Mapping[str, Any]], network: nn.Module) -> dict[int, Any]:
    """Return the tensors of an optimizer, for each parameter, or raise a `ValueError`."""
    parameters = list(network.parameters())
    for place, tensors in buffers.items():
        for name, tensor in tensors.items():
            _check_tensor(name, tensor, parameters[place].shape)
    return dict(buffers)


def _save_tensors(path: Path, content: dict[str, Any]) -> Path:
    """Write tensors and plain values, whole or not at all."""
    stream = io.BytesIO()
    torch.save(content, stream)
    return write_whole(path, stream.getvalue())


def _load_tensors(path: Path, what: str, remedy: str) -> dict[str, Any]:
    """Read tensors and plain values; `what` and `remedy` are for the message about a damaged one."""
    if not os.path.exists(path):  # noqa: PTH110  (pathlib raises where names are odd)
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        _check_archive(path)
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception:  # of all kinds, some of which advise to load the file unsafely
        refuse(what, "a file of torch", f"{path}, which is damaged", remedy)
    return content if isinstance(content, dict) else {}


def _check_archive(path: Path) -> None:
    """Raise unless a file is as torch wrote it: torch itself does not look at the checksums.

    Nothing in it is compressed, so that no more memory is needed than the file has bytes.
    """
    size = path.stat().st_size
    if not path.is_file() or size > MOST_BYTES:
        raise ValueError("it is no regular file, or too large")
    with ZipFile(path) as archive:
        members = archive.infolist()
        plain = all(member.compress_type == ZIP_STORED for member in members)
        if not plain or sum(member.file_size for member in members) > size or archive.testzip():
            raise BadZipFile("it has changed")
