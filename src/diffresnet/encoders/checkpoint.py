"""Backbones as files: trained ones, and what an interrupted training goes on from."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from diffresnet._support.checks import fail
from diffresnet._support.tensors import read_tensors, write_tensors
from diffresnet._support.words import reason_of
from diffresnet.encoders.backbones.catalog import make_backbone
from diffresnet.encoders.framing import Framing

FORMAT = "diffresnet-backbone-1"
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
        return write_tensors(path, content)

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
        must, remedy = "the file of a trained backbone", "Make one by `diffresnet train-backbone`."
        try:
            content = read_tensors(path)
            if content.get("format") != FORMAT:
                raise ValueError("it is something else")  # noqa: TRY301
            framing = Framing(**content["framing"])
            made = cls(content["backbone"], framing, content["weights"], dict(content["remarks"]))
            with torch.device("meta"):
                check_weights(made.weights, made.make_untrained())
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            fail("Checkpoint", "path", must, f"{path} ({reason_of(error)})", remedy)
        if backbone is not None and made.backbone != backbone:
            got, remedy = f"{path}, which is of {made.backbone}", f"Ask for {made.backbone}:{path}."
            fail("Checkpoint", "path", f"a file of {backbone}", got, remedy)
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
        write_tensors(path, {**vars(self), **states, "identity": identity})

    def load(self, path: Path, identity: str) -> None:
        """Go on from a file; one that is damaged or of another training is a `ValueError`."""
        must, remedy = "the state of the same training", "Remove it to begin anew."
        try:
            content = read_tensors(path)
            if content.get("identity") != identity:
                remedy = "Give the same ones, or remove the file to begin anew."
                raise ValueError("it is of other images or settings")  # noqa: TRY301
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
