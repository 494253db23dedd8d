from pathlib import Path

import pytest
import torch

from diffresnet.encoders.backbones import make_backbone
from diffresnet.encoders.checkpoint import Checkpoint
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
