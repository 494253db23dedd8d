from pathlib import Path

import pytest
import torch
from torch import nn

from diffresnet.encoders.backbones.catalog import make_backbone
from diffresnet.encoders.checkpoint import Checkpoint, TrainingState
from diffresnet.encoders.framing import Framing

FRAMING = Framing(28, 28, 1, (0.5,), (0.5,))


def _checkpoint() -> Checkpoint:
    network = make_backbone("conv4", n_channels=1, image_size=28)
    return Checkpoint("conv4", FRAMING, network.state_dict(), {"epoch": 3})


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    made = _checkpoint()
    loaded = Checkpoint.load(made.save(tmp_path / "a.pt"), "conv4")
    assert (loaded.backbone, loaded.framing, loaded.remarks) == ("conv4", FRAMING, {"epoch": 3})
    images = torch.randn(2, 1, 28, 28)
    assert torch.equal(loaded.make()(images), made.make()(images))
    assert not loaded.make().training


def test_a_file_of_another_backbone(tmp_path: Path) -> None:
    path = _checkpoint().save(tmp_path / "a.pt")
    with pytest.raises(
        ValueError, match=f"a file of resnet18, got .* of conv4. Ask for conv4:{path}"
    ):
        Checkpoint.load(path, "resnet18")


def test_files_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    with pytest.raises(FileNotFoundError, match="There is no file"):
        Checkpoint.load(path)
    path.write_bytes(b"hello")
    with pytest.raises(ValueError, match="which is damaged"):
        Checkpoint.load(path)
    torch.save({"weights": torch.ones(1)}, path)
    with pytest.raises(ValueError, match="the file of a trained backbone"):
        Checkpoint.load(path)
    torch.save([1], path)
    with pytest.raises(ValueError, match="the file of a trained backbone"):
        Checkpoint.load(path)
    whole = _checkpoint().save(path).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="which is damaged"):
        Checkpoint.load(path)


def _state(seed: int) -> TrainingState:
    torch.manual_seed(seed)
    network = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    network(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    return TrainingState(network, optimizer)


def test_a_training_goes_on_from_what_was_saved(tmp_path: Path) -> None:
    first, second = _state(0), _state(1)
    first.epoch, first.n_batches, first.totals = 3, 2, [1.0, 2.0, 3.0, 4.0]
    first.best, first.best_epoch, first.best_weights = 0.5, 2, {"a": torch.ones(2)}
    first.save(tmp_path / "s", "me")
    second.load(tmp_path / "s", "me")
    for name in ("epoch", "n_batches", "totals", "best", "best_epoch"):
        assert getattr(second, name) == getattr(first, name)
    assert torch.equal(second.best_weights["a"], torch.ones(2))
    for state in (first, second):
        state.network(torch.ones(1, 3)).sum().backward()
        state.optimizer.step()
    for a, b in zip(first.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(a, b)


def test_the_state_of_another_training(tmp_path: Path) -> None:
    _state(0).save(tmp_path / "s", "me")
    with pytest.raises(ValueError, match=r"of other images or settings. Give the same ones, or"):
        _state(0).load(tmp_path / "s", "you")
