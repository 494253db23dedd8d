from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from diffresnet.cli import app
from diffresnet.encoders.checkpoint import Checkpoint
from tests.encoders.examples import Image, make_drawings, save_photo

FAST = ["--backbone", "conv4", "--epochs", "2", "--batch-size", "16", "--learning-rate", "0.05"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _train(*words: str) -> Result:
    return CliRunner().invoke(app, ["train-backbone", *FAST, *words])


def _birds() -> None:
    """Write a folder with lists of files: 3 classes to train on, 2 to choose the epoch."""
    lines = {"train": ["filename,label"], "val": ["filename,label"]}
    for kind, pictures in enumerate(make_drawings(5, 17)):
        for place, pixels in enumerate(pictures):
            path = Path(f"birds/images/{kind}/{place}.png")
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels).convert("RGB").save(path)
            lines["train" if kind < 3 else "val"].append(f"{kind}/{place}.png,{kind}")
    for split, rows in lines.items():
        Path(f"birds/{split}.csv").write_text("\n".join(rows) + "\n")


def test_lists_of_files_with_validation_classes() -> None:
    _birds()
    words = ["--data", "birds", "--image-size", "16", "--validation-ways", "2", "--out", "b.pt"]
    words += ["--least-area", "0.5"]
    result = _train(*words)
    assert result.exit_code == 0, result.output
    assert "51 images of 3 classes at 16 x 16, 3 batches an epoch" in result.output
    assert "epoch 2/2: loss" in result.output
    assert "validation" in result.output
    kept = Checkpoint.load("b.pt", "conv4")
    assert (kept.framing.image_size, kept.framing.resize, kept.framing.n_channels) == (16, 18, 3)
    assert "least_area=0.5" in kept.remarks["training"]
    assert not Path("b.pt.state").exists()
    assert _train(*words).exit_code == 2  # the file exists
    assert _train(*words, "--force").exit_code == 0


def test_stopped_after_the_file_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez("a.npz", images=make_drawings(3, 8).reshape(24, 16, 16), labels=np.arange(24) // 8)
    assert _train("--data", "a.npz").exit_code == 0
    unbroken = Path("backbone.pt").read_bytes()
    remove = Path.unlink

    def stop(path: Path, missing_ok: bool = False) -> None:
        if path.suffix == ".state":
            raise KeyboardInterrupt
        remove(path, missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", stop)
        assert _train("--data", "a.npz", "--force").exit_code == 130
    result = _train("--data", "a.npz")
    assert result.exit_code == 0, result.output
    assert Path("backbone.pt").read_bytes() == unbroken
    assert not Path("backbone.pt.state").exists()
    assert _train("--data", "a.npz").exit_code == 2  # now the file exists


def test_gray_arrays_as_they_are_and_turned() -> None:
    np.savez("a.npz", images=make_drawings(3, 8).reshape(24, 16, 16), labels=np.arange(24) // 8)
    result = _train("--data", "a.npz", "--rotated-classes")
    assert result.exit_code == 0, result.output
    assert "96 images of 12 classes at 16 x 16" in result.output
    assert "there is no split val: the last epoch is kept" in result.output
    assert Checkpoint.load("backbone.pt").framing.n_channels == 1


def test_a_state_of_other_settings_is_refused() -> None:
    np.savez("a.npz", images=make_drawings(3, 8).reshape(24, 16, 16), labels=np.arange(24) // 8)
    Path("backbone.pt.state").write_bytes(b"torn")
    result = _train("--data", "a.npz")
    assert result.exit_code == 2
    assert "damaged" in result.output


def test_images_without_a_label_are_left_out() -> None:
    labels = np.where(np.arange(24) < 4, -1, np.arange(24) // 8)
    np.savez("a.npz", images=make_drawings(3, 8).reshape(24, 16, 16), labels=labels)
    result = _train("--data", "a.npz")
    assert result.exit_code == 0, result.output
    assert "left out 4 images without a label." in result.output
    assert "20 images of 3 classes" in result.output


def test_a_file_that_cannot_be_written_loses_no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez("a.npz", images=make_drawings(3, 8).reshape(24, 16, 16), labels=np.arange(24) // 8)

    def full(*_: object) -> Path:
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "save", full)
        assert _train("--data", "a.npz").exit_code == 2
    assert Path("backbone.pt.state").exists()
    result = _train("--data", "a.npz")
    assert result.exit_code == 0
    assert "epoch 1/2" not in result.output  # nothing is trained again
    assert not Path("backbone.pt.state").exists()


def _plain(result: Result) -> str:
    return " ".join(result.output.replace("│", " ").split())


def test_wrong_words() -> None:
    _birds()
    save_photo(Path("flat/a.png"))
    save_photo(Path("one/a/a.png"))
    save_photo(Path("one/a/b.png"))
    for words, message in (
        (["--data", "no"], "must be a file that ends in"),
        (["--data", "flat"], "images with classes, got flat without"),
        (["--data", "one", "--batch-size", "2"], "images of two classes or more"),
        (["--data", "birds", "--backbone", "vgg"], "one of 'conv4'"),
        (["--data", "birds", "--validation-ways", "3"], "classes"),
        (["--data", "birds", "--image-size", "32", "--resize", "20"], "at least --image-size (32)"),
        (["--data", "birds", "--out", "b.npz"], "a file that ends in .pt"),
        (["--data", "birds", "--device", "abacus"], "abacus"),
    ):
        result = _train(*words)
        assert result.exit_code == 2, words
        assert message in _plain(result)
    Path("birds/images/0/3.png").write_bytes(b"torn")
    result = _train("--data", "birds", "--validation-ways", "2", "--image-size", "16")
    assert "0/3.png" in _plain(result)
    words = ["--data", "birds", "--validation-ways", "2", "--image-size", "16"]
    result = _train(*words, "--unreadable", "skip")
    assert result.exit_code == 0
    assert "left out 0/3.png" in result.output
