from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from diffresnet.encoders.backbones.catalog import make_backbone
from diffresnet.encoders.checkpoint import FORMAT, Checkpoint, TrainingState
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
    with pytest.raises(ValueError, match=r"\(it is damaged\)"):
        Checkpoint.load(path)
    torch.save({"weights": torch.ones(1)}, path)
    with pytest.raises(ValueError, match="the file of a trained backbone"):
        Checkpoint.load(path)
    torch.save([1], path)
    with pytest.raises(ValueError, match="the file of a trained backbone"):
        Checkpoint.load(path)
    whole = _checkpoint().save(path).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"\(it is damaged\)"):
        Checkpoint.load(path)


def _content() -> dict[str, Any]:
    made = _checkpoint()
    return {"format": FORMAT, **vars(made), "framing": asdict(FRAMING)}


def _save(path: Path, content: object) -> Path:
    torch.save(content, path)
    return path


@pytest.mark.parametrize("name", ["backbone", "framing", "weights", "remarks"])
@pytest.mark.parametrize("value", [None, "gone", 7, {"a": 1}, [2]])
def test_missing_and_foreign_parts(tmp_path: Path, name: str, value: object) -> None:
    content = _content()
    if value == "gone":
        content.pop(name)
    else:
        content[name] = value
    if (name, value) == ("remarks", {"a": 1}):
        assert Checkpoint.load(_save(tmp_path / "a.pt", content)).remarks == value
        return
    message = r"Checkpoint: `path` must be the file of a trained backbone, got .*a.pt \(.*\)\. Make"
    with pytest.raises(ValueError, match=message):
        Checkpoint.load(_save(tmp_path / "a.pt", content))


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (torch.full((64, 1, 3, 3), torch.nan), "'blocks.0.weight' has NaN or infinity"),
        (torch.ones(64, 1, 3, 2), r"has the shape \(64, 1, 3, 2\), not \(64, 1, 3, 3\)"),
        (torch.ones(64, 1, 3, 3, dtype=torch.float64), "is of torch.float64, not of torch.float32"),
        (torch.ones(64, 1, 3, 3).to_sparse(), "is no plain tensor"),
        (None, "is no plain tensor"),
        ("gone", "its weights are those of another network"),
    ],
)
def test_weights_that_do_not_fit(tmp_path: Path, weight: object, message: str) -> None:
    content = _content()
    weights = dict(content["weights"])
    weights["blocks.0.weight"] = weight
    if isinstance(weight, str):
        weights.pop("blocks.0.weight")
    with pytest.raises(ValueError, match=message):
        Checkpoint.load(_save(tmp_path / "a.pt", content | {"weights": weights}))


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
    with pytest.raises(ValueError, match=r"of other images or settings\). Give the same ones, or"):
        _state(0).load(tmp_path / "s", "you")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("network", {"weight": torch.ones(2, 3)}),
        ("network", {"weight": torch.full((2, 3), torch.inf), "bias": torch.ones(2)}),
        ("optimizer", {}),
        ("optimizer", {"state": {0: {"momentum_buffer": torch.ones(5)}}}),
        ("optimizer", {"state": {9: {"momentum_buffer": torch.ones(2)}}}),
        ("epoch", "three"),
        ("epoch", -1),
        ("n_batches", None),
        ("totals", [1.0]),
        ("totals", [float("nan")] * 4),
        ("best", None),
        ("best_weights", {"a": torch.full((1,), torch.nan)}),
        ("best_weights", [1]),
        ("best_epoch", "gone"),
    ],
)
def test_a_state_with_foreign_parts_changes_nothing(
    tmp_path: Path, name: str, value: object
) -> None:
    _state(0).save(tmp_path / "s", "me")
    content = torch.load(tmp_path / "s", weights_only=True)
    content[name] = value
    if value == "gone":
        content.pop(name)
    state = _state(1)
    before = [one.clone() for one in state.network.parameters()]
    message = (
        r"train_backbone: `state` must be the state of the same training, got .*s \(.*\)\. Remove"
    )
    with pytest.raises(ValueError, match=message):
        state.load(_save(tmp_path / "s", content), "me")
    for old, new in zip(before, state.network.parameters(), strict=True):
        assert torch.equal(old, new)
    assert (state.epoch, state.best_epoch) == (0, 0)


def test_a_state_brings_nothing_else(tmp_path: Path) -> None:
    _state(0).save(tmp_path / "s", "me")
    content = torch.load(tmp_path / "s", weights_only=True)
    content["optimizer"]["param_groups"][0]["lr"] = float("nan")
    state = _state(1)
    state.load(_save(tmp_path / "s", content | {"save": 1}), "me")
    assert callable(state.save)
    assert state.optimizer.param_groups[0]["lr"] == 0.1
